package reader_test

import (
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/reader"
)

func TestAnswer(t *testing.T) {
	const prompt = `Answer from the context.

Parcels leave the depot at noon. A lost parcel is searched for nine days.

Bikes are repaired in Fellgate. Tents come with a spare pole.

Question: How many days is a lost parcel searched for?
Answer:`
	if got, want := reader.Answer(prompt), "A lost parcel is searched for nine days."; got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
	if got := reader.Answer("Tents.\n\nQuestion: Which colours?"); got != reader.NoAnswer {
		t.Errorf("no shared word: got %q", got)
	}
	if got := reader.Answer(""); got != reader.NoAnswer {
		t.Errorf("empty prompt: got %q", got)
	}
}
