//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package linelog

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// OpenLocked opens a file for reading and appending, creates it for the user
// alone, follows no symbolic link, and locks it. The kernel drops the lock with
// the process, however that ends. Close the lock before the file: a process that is
// being started at that moment has a copy of the file, which would keep it locked.
func OpenLocked(path string) (file *os.File, lock io.Closer, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, flock{file}, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, nil, err
}

// flock is the lock of a file.
type flock struct{ file *os.File }

// Close gives the lock up. A file that is closed has none.
func (l flock) Close() error {
	if conn, err := l.file.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = syscall.Flock(int(fd), syscall.LOCK_UN) })
	}
	return nil
}
