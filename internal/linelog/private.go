package linelog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// ErrExposed: others than its owner may read or write the file, and that cannot be
// changed.
var ErrExposed = errors.New("the file is open to others")

// Private takes away what others than its owner may do with an open file, such as one
// that was made by another program. Where that does not work the error is ErrExposed.
// Windows has no such modes.
func Private(file interface {
	Stat() (fs.FileInfo, error)
	Chmod(mode os.FileMode) error
},
) error {
	const others = 0o077
	info, err := file.Stat()
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&others == 0 {
		return err
	}
	mode := info.Mode().Perm()
	refused := file.Chmod(mode &^ others)
	if info, err = file.Stat(); err != nil || refused == nil && info.Mode().Perm()&others == 0 {
		return err
	}
	if refused == nil {
		refused = errors.New("the file system does not keep modes")
	}
	return fmt.Errorf("%w: its mode is %04o, and cannot be changed: %w", ErrExposed, mode, refused)
}
