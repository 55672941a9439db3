package core_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// doc is a document type of the tests' own. NaN is a score that is missing.
type doc struct {
	name, id, text string
	score          float64
	meta           map[string]any
}

var missing = math.NaN()

var docView = &core.View[doc]{
	Text:  func(d doc) string { return d.text },
	ID:    func(d doc) string { return d.id },
	Score: func(d doc) (float64, bool) { return d.score, !math.IsNaN(d.score) },
	Meta:  func(d doc) map[string]any { return d.meta },
}

// named returns a document without a score for each word of names.
func named(names string) []doc {
	docs := []doc{}
	for _, name := range strings.Fields(names) {
		docs = append(docs, doc{name: name, score: missing})
	}
	return docs
}

// names joins the names of docs, the inverse of named.
func names(docs []doc) string {
	words := make([]string, len(docs))
	for i, d := range docs {
		words[i] = d.name
	}
	return strings.Join(words, " ")
}

func mustNew(t testing.TB, c core.Config) *core.Arranger {
	t.Helper()
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustParse(t testing.TB, name string) core.Placement {
	t.Helper()
	p, err := core.ParsePlacement(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustOrder(t testing.TB, p core.Placement, n int) []int {
	t.Helper()
	order, err := core.Order(p, n)
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// mustTransform returns the names of what Transform makes of docs.
func mustTransform(t testing.TB, a *core.Arranger, docs []doc, calls ...core.Call) string {
	t.Helper()
	placed, err := core.Transform(t.Context(), a, docs, docView, only(calls))
	if err != nil {
		t.Fatal(err)
	}
	return names(placed)
}

func mustArrange(t testing.TB, a *core.Arranger, docs []doc, calls ...core.Call) core.Arrangement {
	t.Helper()
	arrangement, err := core.Arrange(t.Context(), a, docs, docView, only(calls))
	if err != nil {
		t.Fatal(err)
	}
	return arrangement
}

// only returns the one Call that is given, if there is one.
func only(calls []core.Call) core.Call {
	if len(calls) == 0 {
		return core.Call{}
	}
	return calls[0]
}

// by returns a Call whose ranks come from stages.
func by(stages ...core.Stage) core.Call { return core.Call{Stages: stages} }

// scoredBy is the stage of something that scored the documents, higher is better, NaN
// for none.
func scoredBy(name string, scores ...float64) core.Stage {
	s := core.Stage{Name: name, Ranks: make([]int, len(scores)), Scores: make([]core.Score, len(scores))}
	for i, score := range scores {
		s.Scores[i] = core.Score(score)
		if score != score {
			s.Ranks[i] = -1
			continue
		}
		for _, other := range scores {
			if other > score {
				s.Ranks[i]++
			}
		}
	}
	return s
}

// failedBy is the stage of something that failed.
func failedBy(name, code string) core.Stage { return core.Stage{Name: name, Failure: code} }

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

// joined returns the errors that errors.Join put together.
func joined(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}
