package wire

import (
	"context"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/flow/retriever/multiquery"
	"github.com/cloudwego/eino/flow/retriever/parent"
	"github.com/cloudwego/eino/flow/retriever/router"
	"github.com/cloudwego/eino/schema"
)

// list is a retriever that finds the named documents, best first.
type list string

func (l list) Retrieve(_ context.Context, query string, _ ...retriever.Option) ([]*schema.Document, error) {
	var docs []*schema.Document
	for _, name := range strings.Fields(string(l)) {
		d := &schema.Document{ID: name, Content: "text of " + name, MetaData: map[string]any{"parent": "parent of " + name}}
		docs = append(docs, d)
	}
	return docs, nil
}

func names(docs []*schema.Document) string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	return strings.Join(ids, " ")
}

func wrap(t *testing.T, inner retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := bookend.NewRetriever(ctx, &bookend.RetrieverConfig{Retriever: inner})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t *testing.T, r retriever.Retriever) string {
	t.Helper()
	docs, err := r.Retrieve(ctx, question)
	if err != nil {
		t.Fatal(err)
	}
	return names(docs)
}

// foldOf places names, given best first, by head-tail.
func foldOf(ranked string) string {
	return strings.Join(core.Reorder(strings.Fields(ranked)), " ")
}

// multiQuery asks one retriever two queries and merges the lists.
func multiQuery(t *testing.T, inner retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := multiquery.NewRetriever(ctx, &multiquery.Config{
		OrigRetriever: inner,
		RewriteHandler: func(_ context.Context, query string) ([]string, error) {
			return []string{query, "again"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fused asks two retrievers and fuses their lists by reciprocal rank.
func fused(t *testing.T, one, two retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := router.NewRetriever(ctx, &router.Config{
		Retrievers: map[string]retriever.Retriever{"one": one, "two": two},
		Router:     func(context.Context, string) ([]string, error) { return []string{"one", "two"}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parents finds chunks and returns the documents that they were cut from.
func parents(t *testing.T, inner retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := parent.NewRetriever(ctx, &parent.Config{
		Retriever: inner, ParentIDKey: "parent",
		OrigDocGetter: func(_ context.Context, ids []string) ([]*schema.Document, error) {
			var docs []*schema.Document
			for _, id := range ids {
				docs = append(docs, &schema.Document{ID: strings.TrimPrefix(id, "parent of ")})
			}
			return docs, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	five      = "a b c d e"
	otherFive = "a b d c e" // reciprocal ranks: a, b, then c and d alike, then e
)

func TestOutermostKeepsWhatTheFlowDecided(t *testing.T) {
	for name, flow := range map[string]retriever.Retriever{
		"multi-query": multiQuery(t, list(five)),
		"parent":      parents(t, list(five)),
	} {
		if got, want := find(t, wrap(t, flow)), foldOf(five); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	// The fusion leaves the order of c and d to chance: a, b and e are certain.
	got := find(t, wrap(t, fused(t, list(five), list(otherFive))))
	if got != "a c e d b" && got != "a d e c b" {
		t.Errorf("router with fusion: got %s", got)
	}
}

// TestBeneathTheFlowIsWrong shows what happens when Bookend stands where ranks are
// read: the second-best document, which it put last, counts as the worst.
func TestBeneathTheFlowIsWrong(t *testing.T) {
	for name, flow := range map[string]retriever.Retriever{
		"multi-query": multiQuery(t, wrap(t, list(five))),
		"parent":      parents(t, wrap(t, list(five))),
	} {
		if got, want := find(t, flow), foldOf(five); got != want {
			t.Errorf("%s: got %s, want the placed list %s taken for ranks", name, got, want)
		}
		if got, want := find(t, wrap(t, flow)), foldOf(foldOf(five)); got != want || want != "a e b d c" {
			t.Errorf("%s, and placed again on top: got %s, want %s, b in the middle", name, got, want)
		}
	}
	got := find(t, fused(t, wrap(t, list(five)), list(otherFive)))
	if strings.HasPrefix(got, "a b") {
		t.Errorf("router with fusion: b kept its rank in %s; one list should have counted it last", got)
	}
	t.Logf("fused over a placed list: %s", got)
}
