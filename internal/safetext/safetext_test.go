package safetext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/internal/safetext"
)

func TestError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a plain text", "no route to host", "no route to host"},
		{"white space", "a\n\tb  c\r\n", "a b c"},
		{"nothing", " \n", "(an error without a text)"},
		{"an address", `Post "https://user:secret@host:1/path?key=secret#secret": refused`, `Post "https://host:1/path": refused`},
		{"an address that cannot be read", "at http://[secret now", "at (an address) now"},
		{"a database's", "postgres://u:secret@db/x?sslmode=off", "postgres://db/x"},
		{"broken characters", "a\xffb", "a\uFFFDb"},
		{"a long text", strings.Repeat("ä", 50), strings.Repeat("ä", 39) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Error(errors.New(c.text), 40); got != c.want {
				t.Errorf("(-want +got)\n-%s\n+%s", c.want, got)
			}
		})
	}
	if got := safetext.Error(nil, 40); got == "" {
		t.Error("no error gives no text")
	}
}
