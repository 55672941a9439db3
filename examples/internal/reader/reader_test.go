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

func TestTheAnswerCitesItsDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, prompt, want string }{
		{"before the text", "[3] Tents are heavy.\n\n[1] Parcels go. Bikes are repaired here.\n\nQuestion: Where are bikes repaired?", "Bikes are repaired here. [1]"},
		{"the first sentence", "[2] Bikes are repaired here. No.\n\n[1] Tents.\n\nQuestion: Where are bikes repaired?", "Bikes are repaired here. [2]"},
		{"on a line of its own", "[12]\nBikes\nBikes are repaired here.\n\nQuestion: Where are bikes repaired?", "Bikes are repaired here. [12]"},
		{"a link is no label", "[5](maps) Bikes are repaired here.\n\nQuestion: Where are bikes repaired?", "[5](maps) Bikes are repaired here."},
		{"no label", "[sic] Bikes are repaired here.\n\nQuestion: Where are bikes repaired?", "[sic] Bikes are repaired here."},
	} {
		if got := reader.Answer(c.prompt); got != c.want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", c.name, c.want, got)
		}
	}
}

func TestAnswerWhereverTheQuestionStands(t *testing.T) {
	t.Parallel()
	const documents, question = "[1] Bikes are repaired here.\n\n[2] Why not walk?", "Question: Where are bikes repaired?"
	for name, prompt := range map[string]string{
		"last":               documents + "\n\n" + question,
		"before what to do":  documents + "\n\n" + question + "\n\nAnswer in under 80 words.",
		"at both ends":       question + "\n\n" + documents + "\n\n" + question,
		"before all of them": "Answer in brief.\n\n" + question + "\n\n" + documents,
	} {
		if got, want := reader.Answer(prompt), "Bikes are repaired here. [1]"; got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
		}
	}
}
