package twice

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

// shown prints a question of the handbook, whose answer is the given rank of n
// documents; -1 for none.
func shown(t *testing.T, question string, n, gold int, placement core.Placement, model string) string {
	t.Helper()
	ranked := make([]Document, n)
	for i := range ranked {
		ranked[i] = Document{Name: fmt.Sprint("doc", i), Text: "nothing of use"}
	}
	if gold >= 0 {
		ranked[gold].Text = "then it is store credit instead of money."
	}
	arranger, err := core.New(core.Config{Placement: core.Choice{Placement: placement}})
	if err != nil {
		t.Fatal(err)
	}
	arrangement, err := core.Arrange(t.Context(), arranger, ranked, nil, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := page.New(&out, 38)
	Asked{
		Question: question, Chunks: 99, Ranked: ranked, Arrangement: arrangement, Model: model,
		Answers: []page.Field{{Name: "plain", Text: "one"}, {Name: "other", Text: "two"}},
	}.Show(p)
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	terminal.Fits(t, out.String())
	return out.String()
}

func TestShow(t *testing.T) {
	t.Parallel()
	const known, own = "Can I get a refund after 45 days?", "A question of my own?"
	for name, c := range map[string]struct {
		question  string
		n, gold   int
		placement core.Placement
		model     string
		want, not []string
	}{
		"it moves":            {known, 10, 3, core.HeadTail, reader.Name, []string{"*r4 holds the answer", "r4 moves from slot 4, in the first third, to slot 9, in the last third.", "plain  one\nother  two\n", "And a model?", "\nmpt-30b-instruct/10 "}, nil},
		"a model was asked":   {known, 10, 3, core.HeadTail, "our-model", []string{"r4 moves", "by     our-model"}, []string{"And a model?"}},
		"it stays":            {known, 10, 0, core.HeadTail, reader.Name, []string{"*r1 holds", "r1 stays in slot 1, and so the order changes nothing for the answer."}, []string{"And a model?", "moves"}},
		"it is not found":     {known, 10, -1, core.HeadTail, reader.Name, []string{"is in none of them: no order of the documents"}, []string{"*r", "moves", "stays"}},
		"of one's own":        {own, 10, 3, core.HeadTail, reader.Name, []string{"not known for a question of your own"}, []string{"*r", "moves", "stays"}},
		"nothing found":       {known, 0, -1, core.HeadTail, reader.Name, []string{"None of 99 chunks has a word of the question"}, []string{"slot", "The chunks"}},
		"one":                 {known, 1, 0, core.Reversed, reader.Name, []string{"r1 stays in slot 1"}, nil},
		"two":                 {known, 2, 0, core.Reversed, reader.Name, []string{"r1 moves from slot 1, in the first third, to slot 2, in the middle third."}, nil},
		"more than in a row":  {known, 40, 1, core.Reversed, reader.Name, []string{"r2 moves from slot 2, in the first third, to slot 39, in the last third.", "*r2   r1\n", "gpt-4.1/30 "}, nil},
		"more than ever seen": {known, 700, 1, core.Reversed, reader.Name, []string{"to slot 699", "gemini-2.5-flash/500 "}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := shown(t, c.question, c.n, c.gold, c.placement, c.model)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range c.not {
				if strings.Contains(out, not) {
					t.Errorf("%q is in\n%s", not, out)
				}
			}
		})
	}
}
