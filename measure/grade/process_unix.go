//go:build unix

package grade

import (
	"os/exec"
	"syscall"
)

// alone puts the process into a group of its own, so that an interrupt at the terminal
// ends the run and not its judge, and stop ends its children, too.
func alone(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func stop(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
