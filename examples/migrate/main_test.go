package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/cloudwego/eino/schema"

	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

const want = `Which placement gives the order of your old reorderer?

long-context  LangChain's and LlamaIndex's LongContextReorder
head-tail     Haystack's LostInTheMiddleRanker, eino-ext's score reranker;
              Bookend's default
tail-head     the mirror image of head-tail: the best match last

The orders of n documents, first slot to last; r1 is the best match:

n  long-context          head-tail             tail-head
2  r2 r1                 r1 r2                 r2 r1
3  r1 r3 r2              r1 r3 r2              r2 r3 r1
4  r2 r4 r3 r1           r1 r3 r4 r2           r2 r4 r3 r1
5  r1 r3 r5 r4 r2        r1 r3 r5 r4 r2        r2 r4 r5 r3 r1
6  r2 r4 r6 r5 r3 r1     r1 r3 r5 r6 r4 r2     r2 r4 r6 r5 r3 r1
7  r1 r3 r5 r7 r6 r4 r2  r1 r3 r5 r7 r6 r4 r2  r2 r4 r6 r7 r5 r3 r1

With an odd number of documents long-context is head-tail, with an even number
it is tail-head: one document more or less moves the best match from one end of
the prompt to the other.

The four programs of this example:

from        given                   placed
LangChain   4 documents             r2 r4 r3 r1
LlamaIndex  scores .3 .9 .1 .6      r2 r4 r3 r1
Haystack    budget 8; r3 copies r1  r1 r4 r2
eino-ext    scores -3, none, -1     r1 r3 r2

Say which scores are better: with a distance that is core.LowerIsBetter. Of the
negative scores of a reranker -1 beats -3, and a document without a score ranks
last, not as 0.
`

func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	terminal.Fits(t, want)
	got, want := strings.Split(out.String(), "\n"), strings.Split(want, "\n")
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d (-want +got)\n-%s\n+%s", i+1, w, g)
		}
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"-answer", "haystack"} {
		var out strings.Builder
		if err := run(t.Context(), []string{arg}, &out); err == nil || out.Len() > 0 {
			t.Errorf("%s: want an error and no output, got %v and:\n%s", arg, err, &out)
		}
	}
}

// The comments of each file say where the new line differs from the old one.
func TestWhatTheCommentsSay(t *testing.T) {
	t.Parallel()
	nodes, err := fromLlamaIndex(t.Context(), []node{{"first", 1}, {"second", 1}, {"third", 1}})
	if want := []node{{"first", 1}, {"third", 1}, {"second", 1}}; err != nil || !slices.Equal(nodes, want) {
		t.Errorf("equal scores: error %v (-want +got)\n-%v\n+%v", err, want, nodes)
	}
	passages, err := fromHaystack(t.Context(), []passage{{"a", "one two three four"}, {"b", "one two three four five"}, {"c", "one"}})
	if want := []passage{{"a", "one two three four"}}; err != nil || !slices.Equal(passages, want) {
		t.Errorf("the document that goes over: error %v (-want +got)\n-%v\n+%v", err, want, passages)
	}
	docs, err := fromEinoExt(t.Context(), []*schema.Document{
		{ID: "text", MetaData: map[string]any{"relevance": "9"}},
		{ID: "int", MetaData: map[string]any{"relevance": int8(-2)}},
		{ID: "float32", MetaData: map[string]any{"relevance": float32(-1)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	if want := []string{"float32", "text", "int"}; !slices.Equal(ids, want) {
		t.Errorf("numbers of any type (-want +got)\n-%v\n+%v", want, ids)
	}
}
