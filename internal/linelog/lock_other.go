//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package linelog

import (
	"errors"
	"io"
	"os"
)

// OpenLocked refuses: without a lock two processes could write one file.
func OpenLocked(string) (*os.File, io.Closer, error) {
	return nil, nil, errors.ErrUnsupported
}
