package prompt_test

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// before returns what stands before the first occurrence of mark.
func before(t *testing.T, text, mark string) string {
	t.Helper()
	prefix, _, found := strings.Cut(text, mark)
	if !found {
		t.Fatalf("%q is not in %q", mark, text)
	}
	return prefix
}

// For the same rules, history and layout the bytes up to the first document are
// the same from call to call; with the same documents, those up to the question.
func TestPrefixesStayTheSame(t *testing.T) {
	t.Parallel()
	own := prompt.Layout("reminder,rules,history,task,documents,instruction,question")
	for _, layout := range append([]prompt.Layout{own}, layouts...) {
		for _, format := range formats {
			c := support()
			c.Layout, c.Format, c.Cue = layout, format, "Answer:"
			text := func(question string, docs ...string) string {
				in := conversation()
				in.Question = question
				return build(t, c, texts(docs...), in).Text
			}
			name := string(layout) + " " + string(format)

			if layout != prompt.QueryAware {
				one := before(t, text("FIRST-Q", "FIRST-A", "FIRST-B"), "FIRST-A")
				two := before(t, text("SECOND, quite another question", "SECOND-A", "SECOND-B", "SECOND-C"), "SECOND-A")
				same(t, name+": up to the first document", one, two)
				history := "Thank you, I see the order."
				if !strings.Contains(one, c.Rules) || strings.Contains(one, history) == (layout == prompt.DocumentsFirst) {
					t.Errorf("%s: rules or history are not in %q", name, one)
				}
				one = before(t, text("FIRST-Q", "A", "B", "C"), "FIRST-Q")
				two = before(t, text("SECOND-Q?", "A", "B", "C"), "SECOND-Q?")
				same(t, name+": up to the question", one, two)
				if !strings.Contains(one, "C") || !strings.Contains(one, history) {
					t.Errorf("%s: documents or history are not in %q", name, one)
				}
				continue
			}
			// The question comes before the documents here: the promise ends there.
			same(t, name, before(t, text("FIRST-Q", "A"), "FIRST-Q"), before(t, text("SECOND-Q", "A"), "SECOND-Q"))
		}
	}
}

// The same holds message by message: the system message never changes.
func TestSystemMessageStaysTheSame(t *testing.T) {
	t.Parallel()
	for _, layout := range layouts {
		c := support()
		c.Layout = layout
		one := build(t, c, letters(3), prompt.Input{Question: "One?"})
		two := build(t, c, letters(9), conversation())
		same(t, string(layout), one.Messages[0], two.Messages[0])
		same(t, string(layout)+": role", prompt.System, one.Messages[0].Role)
	}
}

// Trimming documents changes nothing above them.
func TestPrefixStaysTheSameWhereDocumentsAreTrimmed(t *testing.T) {
	t.Parallel()
	c := support()
	c.Layout, c.Unit = prompt.Bookend, core.Words
	in := prompt.Input{Question: "Why?"}
	free := build(t, c, handbook(t, 40), in)
	c.Budget = 150
	trimmed := build(t, c, handbook(t, 40), in)
	if len(trimmed.Arrangement.Labels()) >= len(free.Arrangement.Labels()) {
		t.Fatal("nothing was trimmed")
	}
	same(t, "prefix", before(t, free.Text, "[1] A refund"), before(t, trimmed.Text, "[1] A refund"))
}
