package rank_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

// hit is what the retrievers of a program without a framework return.
type hit struct{ ID, Text string }

var view = &core.View[hit]{
	ID:   func(h hit) string { return h.ID },
	Text: func(h hit) string { return h.Text },
}

var (
	refunds   = hit{"refunds#2", "From day 31 on we pay store credit."}
	cards     = hit{"refunds#1", "A refund goes to the card that paid."}
	warranty  = hit{"warranty#4", "The warranty lasts two years."}
	exchanges = hit{"sizes#1", "Sizes can be exchanged for 45 days."}
)

// wordsShared scores a text by the words of the query that it holds. It stands in for
// a model.
var wordsShared = rank.ScorerFunc(func(_ context.Context, query string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, text := range texts {
		for _, word := range strings.Fields(query) {
			if strings.Contains(text, word) {
				scores[i]++
			}
		}
	}
	return scores, nil
})

// The stages one by one: two lists fused, reranked, trimmed, placed. Package pipeline does
// all of it, and asks the retrievers.
func Example() {
	ctx, question := context.Background(), "store credit after 45 days"
	fused, err := rank.Fuse(rank.Fusion{}, view,
		rank.List[hit]{Name: "words", Docs: []hit{exchanges, cards, refunds}},
		rank.List[hit]{Name: "dense", Docs: []hit{cards, refunds, warranty}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	reranker := &rank.Reranker{Scorer: wordsShared, OnFailure: rank.KeepOrder}
	reranked, err := rank.Rerank(ctx, reranker, view, question, fused.Docs)
	if err != nil {
		fmt.Println(err)
		return
	}
	arranger, err := core.New(core.Config{TopK: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := core.Call{Query: question, Stages: append(fused.Stages, reranked)}
	a, err := core.Arrange(ctx, arranger, fused.Docs, view, call)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(a)
	placed, err := core.Apply(a, fused.Docs)
	for _, h := range placed {
		fmt.Println(h.Text)
	}
	fmt.Println(err)
	// Output:
	// head-tail: 4 in, 3 placed, 1 left out
	// slot  rank  label  input  score  size  words  dense  fusion      rerank
	// 1     r1    [1]    2      -      -     r3     r2     r2 0.032    r1 2
	// 2     r3    [3]    1      -      -     r2     r1     r1 0.03252  r3 0
	// 3     r2    [2]    3      -      -     r1     -      r3 0.01639  r2 2
	// out   r4           4      -      -     -      r3     r4 0.01587  r4 0    beyond top-k
	// From day 31 on we pay store credit.
	// A refund goes to the card that paid.
	// Sizes can be exchanged for 45 days.
	// <nil>
}

func ExampleFuse() {
	fused, err := rank.Fuse(rank.Fusion{}, view,
		rank.List[hit]{Name: "words", Docs: []hit{exchanges, cards, refunds}},
		rank.List[hit]{Name: "dense", Docs: []hit{cards, refunds}, Weight: 2},
	)
	for _, h := range fused.Docs {
		fmt.Println(h.ID)
	}
	fmt.Println(err)
	// Output:
	// refunds#1
	// refunds#2
	// sizes#1
	// <nil>
}

// A server answers in an order of its own. Each text keeps its score.
func ExampleNewHTTP() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"results": [{"index": 1, "relevance_score": 0.98}, {"index": 0, "relevance_score": -3.2}]}`)
	}))
	defer server.Close()
	scorer, err := rank.NewHTTP(rank.HTTPConfig{
		URL:   server.URL + "/v1/rerank",
		Model: "a-cross-encoder",
		Key:   func() string { return os.Getenv("RERANK_API_KEY") },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := scorer.Score(context.Background(), "How long is the warranty?", []string{cards.Text, warranty.Text})
	fmt.Println(scores, err)
	// Output: [-3.2 0.98] <nil>
}

// A Scorer ranks what a retriever found; the arrangement shows both rankings.
func ExampleRerank() {
	ctx, question := context.Background(), "store credit"
	hits := []hit{cards, warranty, refunds}
	reranked, err := rank.Rerank(ctx, &rank.Reranker{Scorer: wordsShared}, view, question, hits)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := core.Arrange(ctx, nil, hits, view, core.Call{Query: question, Stages: []core.Stage{reranked}})
	fmt.Print(a)
	fmt.Println(err)
	// Output:
	// head-tail: 3 in, 3 placed, 0 left out
	// slot  rank  label  input  score  size  retrieval  rerank
	// 1     r1    [1]    3      -      -     r3         r1 2
	// 2     r3    [3]    2      -      -     r2         r3 0
	// 3     r2    [2]    1      -      -     r1         r2 0
	// <nil>
}

// A server that fails costs the better ranks, and not the answer.
func ExampleRerank_keepOrder() {
	down := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) {
		return nil, fmt.Errorf("the server is down")
	})
	hits := []hit{refunds, cards, warranty}
	reranker := &rank.Reranker{Scorer: down, OnFailure: rank.KeepOrder}
	reranked, err := rank.Rerank(context.Background(), reranker, view, "refund?", hits)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := core.Arrange(context.Background(), nil, hits, view, core.Call{Stages: []core.Stage{reranked}})
	fmt.Println(a.Order(), a.Notes, err)
	// Output: r1 r3 r2 [ranking by rerank failed (error), and the order before it is kept] <nil>
}

// Metrics read ranks. Over slots they would measure the placement.
func ExampleRelevant() {
	relevant := rank.Relevant[string]{"doc 1": 1, "doc 2": 1}
	ranked := []string{"doc 1", "doc 2", "doc 3", "doc 4", "doc 5"}
	a, err := core.Arrange(context.Background(), nil, ranked, nil, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, _ := core.Apply(a, ranked)
	restored, _ := core.RestoreRank(a, placed)
	fmt.Printf("over the slots:  %.1f\n", relevant.AveragePrecision(placed))
	fmt.Printf("over the ranks:  %.1f\n", relevant.AveragePrecision(restored))
	fmt.Printf("recall at 2: %.1f, reciprocal rank: %.1f, nDCG at 5: %.1f\n",
		relevant.Recall(restored, 2), relevant.ReciprocalRank(restored), relevant.NDCG(restored, 5))
	// Output:
	// over the slots:  0.7
	// over the ranks:  1.0
	// recall at 2: 1.0, reciprocal rank: 1.0, nDCG at 5: 1.0
}

func ExampleMean() {
	reciprocal := []float64{1, 0.5, 0}
	fmt.Printf("MRR over three questions: %.2f\n", rank.Mean(reciprocal))
	// Output: MRR over three questions: 0.50
}

// Further parameters let a server truncate by its own tokens.
func ExampleHTTPConfig() {
	_, err := rank.NewHTTP(rank.HTTPConfig{
		URL:   "https://rerank.example/v2/rerank",
		Extra: json.RawMessage(`{"max_tokens_per_doc": 512}`),
	})
	fmt.Println(err)
	_, err = rank.NewHTTP(rank.HTTPConfig{URL: "http://rerank.example/v2/rerank", Key: func() string { return "secret" }})
	fmt.Println(err)
	// Output:
	// <nil>
	// bookend: URL is "http://rerank.example/v2/rerank": a key, user info or query would cross the network unencrypted: use https, or allow it expressly
}
