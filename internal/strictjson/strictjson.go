// Package strictjson decodes settings and files, where a misspelled key must not be
// ignored, and no value may be read as another one.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
)

// Unmarshal decodes exactly one JSON value. It refuses unknown keys, keys in another
// case, keys that are given twice, null where a number, a text or true or false is
// wanted, and whatever follows the value. What decodes itself has its own rules, but
// for keys that are given twice.
func Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more after the end of the value")
	}
	r := reader{rest: data}
	return r.value(reflect.TypeOf(v))
}
