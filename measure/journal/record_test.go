package journal

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/model"
)

func TestMessagesHoldNoKeys(t *testing.T) {
	t.Parallel()
	err := errors.New("Post \"https://me:secret@host:1/v1?key=secret#secret\": redirect\n to HTTP://x/y?api=secret, " + strings.Repeat("é", 600))
	got := NewFailure(err).Message
	if strings.Contains(got, "secret") || strings.Contains(got, "\n") || utf8.RuneCountInString(got) > maxMessage || !strings.Contains(got, "https://host:1/v1") {
		t.Errorf("got %q", got)
	}
}

func TestMessagesHoldNoQuestions(t *testing.T) {
	t.Parallel()
	asked := model.User("Use these documents.\n\nIt is Paris.\n\nQuestion: Is Xanthippe ill?\nAnswer:")
	for _, echo := range []string{asked.Text, "Is Xanthippe ill?", "400: cannot read 'Is Xanthippe ill?' at line 1", `["Question: Is Xanthippe ill?\nAns`} {
		f := NewFailure(errors.New("the server says: " + echo)).WithoutEcho(asked)
		if strings.Contains(f.Message, "Xanth") || !strings.HasPrefix(f.Message, "the server says") {
			t.Errorf("%q: %q", echo, f.Message)
		}
	}
	for _, own := range []string{"the context is too long", "the model's server answered 503: the answer is not JSON"} {
		if got := NewFailure(errors.New(own)).WithoutEcho(asked).Message; got != own {
			t.Errorf("-want %q +got %q", own, got)
		}
	}
}
