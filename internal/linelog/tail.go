package linelog

import (
	"bytes"
	"errors"
	"io"
)

// Tail says of the first size bytes of a file what Scan says of all of it, as far as
// the last two lines tell, and reads no more than these: good returns false for a line
// that is not what it must be. The first first bytes are the header. The error is
// ErrDamaged, ErrLimit, or that of the file. End.Line stays 0.
func Tail(file io.ReaderAt, first, size int64, good func(line []byte) bool) (End, error) {
	whole, err := lineStart(file, size)
	if err != nil {
		return End{}, err
	}
	end := End{Whole: whole, Torn: size - whole}
	if end.Torn > MaxLine {
		return end, ErrLimit
	}
	start, ok, err := checkLine(file, first, whole, good)
	if err != nil || ok {
		return end, err
	}
	if end.Torn > 0 {
		return end, ErrDamaged
	}
	if _, ok, err = checkLine(file, first, start, good); err == nil && !ok {
		err = ErrDamaged
	}
	return End{Whole: start, Torn: size - start}, err
}

// checkLine looks at the line that ends at end, and returns where it starts. There is
// nothing to look at within the header.
func checkLine(file io.ReaderAt, first, end int64, good func([]byte) bool) (start int64, ok bool, err error) {
	if end <= first {
		return end, true, nil
	}
	if start, err = lineStart(file, end-1); err != nil {
		return start, false, err
	}
	if end-start > MaxLine {
		return start, false, ErrLimit
	}
	line := make([]byte, end-start)
	if _, err := file.ReadAt(line, start); err != nil && !errors.Is(err, io.EOF) {
		return start, false, err
	}
	return start, good(line), nil
}

// lineStart returns where the line starts that goes on until before end.
func lineStart(file io.ReaderAt, end int64) (int64, error) {
	buffer := make([]byte, 64<<10)
	for at := end; at > 0; {
		piece := buffer[:min(at, int64(len(buffer)))]
		if _, err := file.ReadAt(piece, at-int64(len(piece))); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return at - int64(len(piece)) + int64(i) + 1, nil
		}
		if at -= int64(len(piece)); end-at > MaxLine {
			return 0, ErrLimit
		}
	}
	return 0, nil
}
