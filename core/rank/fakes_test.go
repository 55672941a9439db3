package rank_test

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
	id, text string
	score    float64
}

var docView = &core.View[doc]{
	ID:    func(d doc) string { return d.id },
	Text:  func(d doc) string { return d.text },
	Score: func(d doc) (float64, bool) { return d.score, !math.IsNaN(d.score) },
}

// byID returns a document without text for each word.
func byID(ids string) []doc {
	docs := []doc{}
	for _, id := range strings.Fields(ids) {
		docs = append(docs, doc{id: id, score: math.NaN()})
	}
	return docs
}

func idsOf(docs []doc) string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.id
	}
	return strings.Join(ids, " ")
}

var errDown = errors.New("down")

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
		t.Fatalf("no error, want one that mentions %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not mention %q", err, part)
		}
	}
}

// near says that two numbers are equal to nine digits.
func near(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
}
