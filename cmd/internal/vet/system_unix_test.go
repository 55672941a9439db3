//go:build unix

package vet_test

import (
	"syscall"
	"time"
)

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// mkfifo makes a named pipe.
func mkfifo(name string) error { return syscall.Mkfifo(name, 0o600) }
