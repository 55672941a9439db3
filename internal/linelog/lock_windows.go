package linelog

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// OpenLocked opens a file for reading and appending beside a lock file that no
// other process may open meanwhile. The system closes that with the process,
// however it ends.
func OpenLocked(path string) (file *os.File, lock io.Closer, err error) {
	name, err := syscall.UTF16PtrFromString(path + ".lock")
	if err != nil {
		return nil, nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharingViolation = syscall.Errno(32)
	if errors.Is(err, sharingViolation) {
		return nil, nil, ErrLocked
	}
	if err != nil {
		return nil, nil, err
	}
	lock = os.NewFile(uintptr(handle), path+".lock")
	if file, err = os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
		lock.Close()
		return nil, nil, err
	}
	return file, lock, nil
}
