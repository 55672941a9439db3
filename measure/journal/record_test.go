package journal

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessagesHoldNoKeys(t *testing.T) {
	t.Parallel()
	err := errors.New("Post \"https://me:secret@host:1/v1?key=secret#secret\": redirect\n to HTTP://x/y?api=secret, " + strings.Repeat("é", 600))
	got := NewFailure(err).Message
	if strings.Contains(got, "secret") || strings.Contains(got, "\n") || utf8.RuneCountInString(got) > maxMessage || !strings.Contains(got, "https://host:1/v1") {
		t.Errorf("got %q", got)
	}
}
