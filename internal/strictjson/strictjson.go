// Package strictjson decodes settings and files, where a misspelled key must not
// be ignored.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Unmarshal decodes exactly one JSON value and refuses unknown keys and whatever
// follows the value.
func Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the end of the value")
	}
	return nil
}
