package integration_test

import (
	"context"
	"crypto/rand"
	"math"
	"net/http"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/integration_test/parts"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
	"github.com/tmc/langchaingo/vectorstores/pgvector"
)

// found is the number of chunks that these tests ask the store for.
const found = 10

// ownClient returns a client whose connections end with the test.
func ownClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{} // no Proxy: the parts are on this machine
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// newEmbedder returns langchaingo's embedder over its OpenAI client.
func newEmbedder(t *testing.T, server parts.Part) *embeddings.EmbedderImpl {
	t.Helper()
	llm, err := openai.New(openai.WithBaseURL(server.URL+"/v1"), openai.WithToken("none"),
		openai.WithEmbeddingModel("all-MiniLM-L6-v2"), openai.WithHTTPClient(ownClient(t)))
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := embeddings.NewEmbedder(llm)
	if err != nil {
		t.Fatal(err)
	}
	return embedder
}

// newHandbookStore returns langchaingo's pgvector store, filled with the handbook,
// in tables of its own: the database may be somebody's.
func newHandbookStore(t *testing.T, dsn string, embedder embeddings.Embedder) (pgvector.Store, int) {
	t.Helper()
	ctx := context.Background()
	// The store's own Close leaves a pgx.Conn open, so the test has the connection.
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	name := "bookend_" + rand.Text()
	store, err := pgvector.New(ctx, pgvector.WithConn(conn), pgvector.WithEmbedder(embedder),
		pgvector.WithCollectionName(name),
		pgvector.WithEmbeddingTableName(name+"_embedding"), pgvector.WithCollectionTableName(name+"_collection"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.DropTables(ctx); err != nil {
			t.Errorf("drop tables: %v", err)
		}
	})
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	docs := make([]schema.Document, len(chunks))
	for i, c := range chunks {
		docs[i] = schema.Document{PageContent: c.Text, Metadata: map[string]any{
			"id": c.ID(), "source": c.Source, "position": c.Position,
		}}
	}
	if _, err := store.AddDocuments(ctx, docs); err != nil {
		t.Fatal(err)
	}
	return store, len(docs)
}

// someQuestions returns questions from all over the handbook.
func someQuestions(t *testing.T, n int) []handbook.Question {
	t.Helper()
	all, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	some := make([]handbook.Question, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// pointsTo returns which scores are better in a list whose order is trusted. The
// empty Direction: the scores go both ways, or are all equal.
func pointsTo(docs []schema.Document) core.Direction {
	falls, rises := false, false
	for i := 1; i < len(docs); i++ {
		falls = falls || docs[i].Score < docs[i-1].Score
		rises = rises || docs[i].Score > docs[i-1].Score
	}
	switch {
	case falls && !rises:
		return core.HigherIsBetter
	case rises && !falls:
		return core.LowerIsBetter
	}
	return ""
}

// scoresByRank returns the scores of the documents, r1 first.
func scoresByRank(a core.Arrangement) []float64 {
	scores := make([]float64, len(a.Slots))
	for _, p := range a.Slots {
		scores[p.Rank] = float64(p.Score)
	}
	return scores
}

func indices(a core.Arrangement) []int {
	indices := make([]int, len(a.Slots))
	for slot, p := range a.Slots {
		indices[slot] = p.Index
	}
	return indices
}

// pgvector orders by cosine distance and puts the similarity into Score: higher is
// better, in every list that it returns.
func TestPgvector(t *testing.T) {
	database := parts.Start(t, "postgres.py")
	embedder := newEmbedder(t, parts.Start(t, "embeddings.py"))
	store, chunks := newHandbookStore(t, database.URL, embedder)
	ctx := context.Background()
	questions := someQuestions(t, 8)
	lists := make([][]schema.Document, len(questions))
	for i, q := range questions {
		docs, err := store.SimilaritySearch(ctx, q.Question, found)
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) != found {
			t.Fatalf("%q: got %d of %d documents", q.Question, len(docs), found)
		}
		lists[i] = docs
		t.Logf("%q, of %d chunks: scores %.3f to %.3f, first %v", q.Question, chunks, docs[0].Score, docs[found-1].Score, docs[0].Metadata["id"])
	}
	arrange := func(t *testing.T, c core.Config, docs []schema.Document) core.Arrangement {
		t.Helper()
		arranger, err := core.New(c)
		if err != nil {
			t.Fatal(err)
		}
		a, err := core.Arrange(ctx, arranger, docs, bookend.View(), core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}

	t.Run("Score points up", func(t *testing.T) {
		for i, docs := range lists {
			if got, want := pointsTo(docs), core.HigherIsBetter; got != want {
				t.Errorf("%q: the order and the scores agree on %q, want %q", questions[i].Question, got, want)
			}
		}
		// A text is as near to itself as can be: a similarity of 1, a distance of 0.
		text := lists[0][found-1].PageContent
		docs, err := store.SimilaritySearch(ctx, text, 2)
		if err != nil {
			t.Fatal(err)
		}
		if docs[0].PageContent != text || math.Abs(float64(docs[0].Score)-1) > 0.001 {
			t.Errorf("a chunk's own text finds %v with score %v first, want that chunk with 1", docs[0].Metadata["id"], docs[0].Score)
		}
		t.Logf("a chunk's own text: scores %.4f for itself, %.4f for the next", docs[0].Score, docs[1].Score)
	})

	t.Run("the default trusts the order", func(t *testing.T) {
		for i, docs := range lists {
			var seen core.Event
			r, err := bookend.NewRetriever(vectorstores.ToRetriever(store, found),
				bookend.WithConfig(core.Config{Observe: func(_ context.Context, e core.Event) { seen = e }}))
			if err != nil {
				t.Fatal(err)
			}
			placed, err := r.GetRelevantDocuments(ctx, questions[i].Question)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range seen.Arrangement.Slots {
				if p.Rank != p.Index {
					t.Errorf("%q: result %d of the store has rank %d", questions[i].Question, p.Index, p.Rank)
				}
			}
			// Head-tail: the odd ranks from the head on, the even ones from the tail.
			want := make([]schema.Document, found)
			for rank, doc := range docs {
				slot := rank / 2
				if rank%2 == 1 {
					slot = found - 1 - slot
				}
				want[slot] = doc
			}
			if diff := cmp.Diff(want, placed); diff != "" {
				t.Errorf("%q (-want +got)\n%s", questions[i].Question, diff)
			}
		}
	})

	t.Run("the right direction changes nothing", func(t *testing.T) {
		for i, docs := range lists {
			trusted := arrange(t, core.Config{}, docs)
			sorted := arrange(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}, docs)
			if diff := cmp.Diff(indices(trusted), indices(sorted)); diff != "" {
				t.Errorf("%q (-trusted +sorted)\n%s", questions[i].Question, diff)
			}
		}
	})

	t.Run("a wrong direction shows", func(t *testing.T) {
		for i, docs := range lists {
			wrong := arrange(t, core.Config{Rank: core.ByScore, Direction: core.LowerIsBetter}, docs)
			scores := scoresByRank(wrong)
			if !slices.IsSorted(scores) || scores[0] == scores[found-1] {
				t.Errorf("%q: the scores do not rise from r1 on: %.3f", questions[i].Question, scores)
			}
			// r1 is the store's last, and the store's first stands in the middle or
			// at the end, where the worst belongs.
			best, _ := wrong.IndexOf(0)
			worst, _ := wrong.IndexOf(found - 1)
			if docs[best].Score != docs[found-1].Score || docs[worst].Score != docs[0].Score {
				t.Errorf("%q: r1 is result %d of the store and r%d is result %d, want the order turned", questions[i].Question, best, found, worst)
			}
			if i == 0 {
				t.Logf("declared %s, the scores rise from r1 on: %.3f. That is how a wrong direction shows:\n%v", core.LowerIsBetter, scores, wrong)
			}
		}
	})

	t.Run("a threshold in the wrong direction drops the best", func(t *testing.T) {
		for i, docs := range lists {
			limit := (float64(docs[0].Score) + float64(docs[found-1].Score)) / 2
			right := arrange(t, core.Config{Direction: core.HigherIsBetter, Threshold: &limit}, docs)
			if index, stays := right.IndexOf(0); !stays || index != 0 {
				t.Errorf("%q: with the right direction the store's first is left out", questions[i].Question)
			}
			wrong := arrange(t, core.Config{Direction: core.LowerIsBetter, Threshold: &limit}, docs)
			if len(wrong.Dropped) == 0 || wrong.Dropped[0].Index != 0 || wrong.Dropped[0].Reason != core.OverThreshold {
				t.Errorf("%q: with the wrong direction the store's first stays: %v", questions[i].Question, wrong)
			}
			if len(right.Slots)+len(wrong.Slots) != found {
				t.Errorf("%q: the two directions admit %d and %d of %d documents", questions[i].Question, len(right.Slots), len(wrong.Slots), found)
			}
		}
	})
}
