//go:build !unix

package vet_test

import (
	"errors"
	"time"
)

var started = time.Now()

// cpu is the time that has passed, where nobody tells that of the processor.
func cpu() time.Duration { return time.Since(started) }

// mkfifo makes no named pipe: this system has none in its folders.
func mkfifo(string) error { return errors.ErrUnsupported }
