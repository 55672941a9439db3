package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// doc is a document type of the tests' own.
type doc struct {
	text string
	meta map[string]any
}

var docView = &core.View[doc]{
	Text: func(d doc) string { return d.text },
	Meta: func(d doc) map[string]any { return d.meta },
}

// texts returns a document without metadata for each text.
func texts(list ...string) []doc {
	docs := make([]doc, len(list))
	for i, text := range list {
		docs[i].text = text
	}
	return docs
}

// letters returns the documents "A", "B" and so on, best first.
func letters(n int) []doc {
	docs := make([]doc, n)
	for i := range docs {
		docs[i].text = string(rune('A' + i))
	}
	return docs
}

// handbook returns the first n of the 40 documents of testdata/handbook.txt, best
// first. A line there is title, source and text; "\n" is a newline in a text.
func handbook(t testing.TB, n int) []doc {
	t.Helper()
	data, err := os.ReadFile("testdata/handbook.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) < n {
		t.Fatalf("the handbook has %d documents, %d are needed", len(lines), n)
	}
	docs := make([]doc, n)
	for i := range docs {
		fields := strings.SplitN(lines[i], "|", 3)
		docs[i].text = strings.ReplaceAll(fields[2], `\n`, "\n")
		docs[i].meta = map[string]any{}
		if fields[0] != "" {
			docs[i].meta["title"] = fields[0]
		}
		if fields[1] != "" {
			docs[i].meta["source"] = fields[1]
		}
	}
	return docs
}

func mustNew(t testing.TB, c prompt.Config) *prompt.Renderer {
	t.Helper()
	r, err := prompt.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustArranger(t testing.TB, c core.Config) *core.Arranger {
	t.Helper()
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// mustArranged describes n documents that stand in their slots already, placed by p.
func mustArranged(t testing.TB, p core.Placement, n int) core.Arrangement {
	t.Helper()
	if p == nil {
		p = core.RankOrder
	}
	ranks, err := core.Order(p, n)
	if err != nil {
		t.Fatal(err)
	}
	a := core.Arrangement{N: n, Placement: fmt.Sprint(p), Slots: make([]core.Placed, n)}
	for slot, rank := range ranks {
		a.Slots[slot] = core.Placed{Index: slot, Rank: rank, Label: rank + 1, Score: core.Score(math.NaN())}
	}
	return a
}

// citing is an arrangement whose label i+1 cites the rank at place i, no document where
// that is below 0.
func citing(ranks ...int) core.Arrangement {
	var a core.Arrangement
	for i, rank := range ranks {
		label := i + 1
		if rank < 0 {
			label = 0
		}
		a.Slots = append(a.Slots, core.Placed{Rank: rank, Label: label})
	}
	return a
}

// placedBy returns docs, given best first, as a step before placed them, and the context
// that knows it.
func placedBy(t testing.TB, p core.Placement, docs []doc) (context.Context, []doc) {
	t.Helper()
	ctx, _ := core.WithTrace(t.Context())
	placed, err := core.Transform(ctx, mustArranger(t, core.Config{Placement: core.Choice{Placement: p}}), docs, docView, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, placed
}

// placed is an Input whose documents come placed.
func placed(question string) prompt.Input {
	return prompt.Input{Question: question, Call: core.Call{Placed: true}}
}

// build lays out docs by the default arranger.
func build(t testing.TB, c prompt.Config, docs []doc, in prompt.Input) prompt.Prompt {
	t.Helper()
	p, err := prompt.Build(t.Context(), mustNew(t, c), nil, docs, docView, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// block renders docs alone, as they stand.
func block(t testing.TB, c prompt.Config, docs []doc) string {
	t.Helper()
	p, err := prompt.Block(t.Context(), mustNew(t, c), mustArranged(t, nil, len(docs)), docs, docView)
	if err != nil {
		t.Fatal(err)
	}
	return p.Text
}

// lines joins lines by newlines.
func lines(list ...string) string { return strings.Join(list, "\n") }

// same fails the test unless got equals want.
func same[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s (-want +got)\n-%#v\n+%#v", what, want, got)
	}
}

// mustBe returns the error of type T in err.
func mustBe[T error](t testing.TB, err error) T {
	t.Helper()
	var want T
	if !errors.As(err, &want) {
		t.Fatalf("got error %T (%v), want %T", err, err, want)
	}
	return want
}

// mustMention fails the test unless err's message has each of the parts.
func mustMention(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that mentions %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not mention %q", err, part)
		}
	}
}

// leaves returns the errors that errors.Join put together.
func leaves(err error) []error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var list []error
	for _, e := range many.Unwrap() {
		list = append(list, leaves(e)...)
	}
	return list
}

// citedRanks returns the ranks that the labels from 1 on cite, -1 for one that no document
// has.
func citedRanks(p prompt.Prompt) []int {
	labels := p.Arrangement.Labels()
	ranks := make([]int, len(p.Arrangement.Slots))
	for i := range ranks {
		rank, cited := labels[i+1]
		if ranks[i] = rank; !cited {
			ranks[i] = -1
		}
	}
	return ranks
}
