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
// the process, however that ends.
func OpenLocked(path string) (file *os.File, lock io.Closer, err error) {
	file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, nil, err
}
