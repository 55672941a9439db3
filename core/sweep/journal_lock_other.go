//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package sweep

import (
	"errors"
	"io"
	"os"
)

// openLocked refuses: without a lock two processes could write one journal.
func openLocked(string) (*os.File, io.Closer, error) {
	return nil, nil, errors.ErrUnsupported
}
