package search_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/search"
)

func places(t *testing.T, texts []string, query string, k int) []int {
	t.Helper()
	index, err := search.New(texts)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := index.Search(t.Context(), query, k)
	if err != nil {
		t.Fatal(err)
	}
	found := make([]int, len(hits))
	for i, h := range hits {
		found[i] = h.Index
		if i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("hit %d scores %v, more than the hit before it", i, h.Score)
		}
	}
	return found
}

func TestSearch(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Tents come with a spare pole.",
		"A refund is paid within five days. Refunds go to the same card.",
		"Bikes are repaired in Fellgate, and a refund is possible until the repair starts there.",
		"",
	}
	equal := make([]string, 12)
	for i := range equal {
		equal[i] = "the same refund"
	}
	for _, c := range []struct {
		name  string
		texts []string
		query string
		k     int
		want  []int
	}{
		{"the best match comes first", texts, "refunds", 10, []int{1, 2}},
		{"wherever it stands", texts, "is a repair refunded", 10, []int{2, 1}},
		{"a word is found in another form", texts, "tent", 10, []int{0}},
		{"at most k", texts, "refund", 1, []int{1}},
		{"no shared word, no hit", texts, "giraffe", 10, []int{}},
		{"common words alone find nothing", texts, "is it the", 10, []int{}},
		{"an empty question finds nothing", texts, "", 10, []int{}},
		{"query syntax is plain text", texts, `-tent +"refund" title:(x`, 10, []int{0, 1, 2}},
		{"nothing indexed", nil, "refund", 10, []int{}},
		{"equal scores go by the order of the texts", equal, "refund", 20, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := places(t, c.texts, c.query, c.k); !slices.Equal(got, c.want) {
				t.Errorf("hits (-want +got)\n-%v\n+%v", c.want, got)
			}
		})
	}
}

func TestAnalyzers(t *testing.T) {
	t.Parallel()
	texts := []string{"one refund", "two refunds"}
	for analyzer, want := range map[string]int{"en": 2, "standard": 1} {
		index, err := search.NewBy(analyzer, texts)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := index.Search(t.Context(), "refunds", 5)
		if err != nil || len(hits) != want {
			t.Errorf("%s finds %v, %v, want %d", analyzer, hits, err, want)
		}
	}
	if _, err := search.NewBy("klingon", texts); err == nil {
		t.Error("an unknown analyzer is no error")
	}
}

func TestSearchStopsWithTheContext(t *testing.T) {
	t.Parallel()
	index, err := search.New([]string{"a refund"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := index.Search(ctx, "refund", 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error (-want +got)\n-%v\n+%v", context.Canceled, err)
	}
}
