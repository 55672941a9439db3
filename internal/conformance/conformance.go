// Package conformance is the one suite of tests that every adapter runs. A case
// names the rule that it holds; docs/rules.md lists the rules.
//
// The cases know no framework. An adapter's test hands over how to make and read
// its documents, and its paths: the ways through the adapter that documents can
// take to the model.
package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// Doc is a document of no framework.
type Doc struct {
	ID, Text string
	Score    *float64 // nil: missing
	Meta     map[string]any
}

// Place takes what a retriever found to what the model reads.
type Place[E any] func(ctx context.Context, query string, docs []E) ([]E, error)

// Path is one way through an adapter.
type Path[E any] struct {
	Name string
	// New builds a value of the adapter.
	New func(core.Config) (Place[E], error)
	// KnowsQuery says that the path tells an observer the question.
	KnowsQuery bool

	remembers bool // a memory may change the next order: see WithMemory
}

// Wrapper is a part of an adapter that wraps a part of the framework.
type Wrapper struct {
	Name string
	// Failing returns the error of a call whose inner part returns err.
	Failing func(err error) error
	// Nil and Nested return the error of wrapping nothing, and of wrapping a
	// wrapper.
	Nil, Nested func() error
}

// Adapter is what the suite needs to know about an adapter whose documents are of
// type E.
type Adapter[E any] struct {
	// Orders is the path of core/testdata/orders.json.
	Orders string
	// Make returns a document. Its metadata holds at least what Doc.Meta holds.
	Make func(Doc) E
	// Read returns the parts of a document: the metadata itself, not a copy.
	Read func(E) Doc
	// MissingScores says that a document may have no score of its own.
	MissingScores bool

	Paths    []Path[E]
	Wrappers []Wrapper
}

// testCase is one test of one rule on one path.
type testCase[E any] struct {
	rule int
	name string
	run  func(*testing.T, kit[E])
}

// cases lists every case that a path runs.
func cases[E any]() []testCase[E] {
	list := []testCase[E]{
		{1, "every document stands in exactly one slot", nothingLost[E]},
		{1, "every document stands in exactly one slot, call after call", nothingLostOverTime[E]},
		{1, "nil in, nil out", nilInNilOut[E]},
		{1, "nothing in, nothing out", emptyInEmptyOut[E]},
		{1, "the result is a fresh slice", freshSlice[E]},
		{1, "documents and metadata are shared, not copied", sharedDocuments[E]},
		{4, "equal scores keep input order among 1000", stable[E]},
		{6, "equal input gives equal output", deterministic[E]},
		{6, "earlier orders are an input where there is a memory", earlierOrders[E]},
		{6, "100 goroutines share one value and one slice", concurrent[E]},
		{6, "100 goroutines with two arms and off", concurrentArms[E]},
		{7, "a placement that is no permutation is a typed error", badPlacements[E]},
		{7, "a placement that fails is a typed error", failingPlacement[E]},
		{8, "faults of a configuration come together", joinedFaults[E]},
		{8, "a cancelled context returns its error", cancelled[E]},
		{9, "the arrangement restores the ranked order", ranksSurvive[E]},
		{11, "an observer is called once", observedOnce[E]},
		{11, "an observer reads documents by rank", observedDocuments[E]},
		{11, "an observer hears of errors", observedError[E]},
		{11, "off changes nothing", offChangesNothing[E]},
		{11, "select chooses once a call, nil means this one", selectOnce[E]},
		{11, "what select chooses is observed", selectedIsObserved[E]},
		{12, "positions are those of the peers", peerOrders[E]},
	}
	for _, c := range orderCases {
		list = append(list, testCase[E]{c.rule, c.name, func(t *testing.T, k kit[E]) { k.checkOrder(t, c) }})
	}
	for _, c := range errorCases {
		list = append(list, testCase[E]{c.rule, c.name, func(t *testing.T, k kit[E]) { k.checkError(t, c) }})
	}
	return list
}

// wrapperCase is one test of one rule on a wrapper.
type wrapperCase struct {
	rule int
	name string
	run  func(*testing.T, Wrapper)
}

var wrapperCases = []wrapperCase{
	{8, "an error from within comes out", innerFails},
	{8, "wrapping nil is refused", innerNil},
	{10, "wrapping a wrapper is refused", nested},
}

// Run runs the suite: every case on every path, and the wrappers' cases. A
// subtest's name starts with the number of its rule.
func Run[E any](t *testing.T, a Adapter[E]) {
	t.Helper()
	if len(a.Paths) == 0 {
		t.Fatal("the adapter has no path")
	}
	for _, path := range a.Paths {
		t.Run(path.Name, func(t *testing.T) {
			t.Parallel()
			for _, c := range cases[E]() {
				t.Run(fmt.Sprintf("%02d %s", c.rule, c.name), func(t *testing.T) { c.run(t, kit[E]{a, path}) })
			}
		})
	}
	for _, w := range a.Wrappers {
		for _, c := range wrapperCases {
			t.Run(fmt.Sprintf("%s/%02d %s", w.Name, c.rule, c.name), func(t *testing.T) { c.run(t, w) })
		}
	}
}
