package openai

import (
	"fmt"
	"log/slog"
)

// Key is a secret that prints as "[key]" under every verb of fmt, in JSON and in
// slog, even inside an unexported field of a struct that is printed. The zero
// value is no key.
type Key struct {
	// A func, because packages that print by reflection show its address at most.
	reveal func() string
}

// NewKey hides the key. An empty string is no key.
func NewKey(key string) Key {
	if key == "" {
		return Key{}
	}
	return Key{reveal: func() string { return key }}
}

// IsZero says that there is no key.
func (k Key) IsZero() bool { return k.reveal == nil }

// String returns "[key]", or "[no key]".
func (k Key) String() string {
	if k.IsZero() {
		return "[no key]"
	}
	return "[key]"
}

// Format writes what String returns, whatever the verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(k.String())) }

// MarshalText returns what String returns.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue returns what String returns.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

func (k Key) value() string {
	if k.IsZero() {
		return ""
	}
	return k.reveal()
}
