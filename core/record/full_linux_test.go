package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	smallDisk = "BOOKEND_TEST_SMALL_DISK"
	noDisk    = "no small disk: "
)

// TestKilledOnAFullDisk runs TestSmallDisk where it may mount a file system.
func TestKilledOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSmallDisk$", "-test.v", fmt.Sprint("-record.kills=", *kills))
	c.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if _, reason, not := strings.Cut(string(out), noDisk); not {
		t.Skip("a file system cannot be mounted here: " + reason)
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("a user namespace cannot be made here: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestSmallDisk(t *testing.T) {
	dir := os.Getenv(smallDisk)
	if dir == "" {
		t.Skip("runs only as the child of another test")
	}
	kB := 64
	mount := func(flags uintptr) error {
		return syscall.Mount("none", dir, "tmpfs", flags, fmt.Sprintf("size=%dk", kB))
	}
	if err := mount(0); err != nil {
		t.Skip(noDisk + err.Error())
	}
	killAndRead(t, filepath.Join(dir, "traffic.jsonl"), func() {
		kB += 256
		if err := mount(syscall.MS_REMOUNT); err != nil {
			t.Fatal(err)
		}
	})
}
