// The rerank example shows each stage from the question to the prompt: two retrievers
// asked at the same time, their lists fused, reranked, trimmed to five, placed, and
// the model asked.
//
//	go run ./examples/rerank
//	go run ./examples/rerank -q "How long is the warranty on a tent?" -top 3
//
// Without flags it works offline over the handbook of an invented company: two BM25
// indexes are fused, one over English word stems and one over words as they are, and a
// lexical scorer reranks. That is no model: it counts what a text shares with the
// question.
//
// With a server that speaks the /rerank protocol, a model reranks; with PostgreSQL and
// an embedding server, the second list is one of vectors in pgvector:
//
//	go run ./examples/rerank -rerank-url http://127.0.0.1:8080/rerank
//	go run ./examples/rerank -embeddings-url http://127.0.0.1:8080/v1 -postgres "postgres://…"
//
// integration_test/parts has scripts that start both. RERANK_API_KEY is sent as a
// bearer token if it is set. With OPENAI_API_KEY or OPENAI_BASE_URL set (and
// OPENAI_MODEL) it asks that model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/examples/internal/chatmodel"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("rerank", flag.ContinueOnError)
	question := flags.String("q", "How much do I save on our own label as a member of staff?", "`question` to ask the handbook")
	k := flags.Int("k", 20, "number of chunks to ask each retriever for")
	top := flags.Int("top", 5, "number of chunks that enter the prompt")
	rerankURL := flags.String("rerank-url", "", "`address` of a /rerank endpoint (default: the lexical scorer)")
	form := flags.String("form", string(rank.Documents), "`name` of the texts in its requests: documents (Cohere, Jina, vLLM, llama.cpp) or texts (TEI)")
	model := flags.String("rerank-model", "", "`name` of its model, where the server has several")
	embeddingsURL := flags.String("embeddings-url", "", "`address` of an OpenAI-compatible embedding server, for -postgres")
	postgres := flags.String("postgres", "", "`DSN` of a PostgreSQL with pgvector: the second list is of vectors; its tables are removed again")
	var placement core.Choice
	flags.Var(&placement, "placement", "`name`, one of "+strings.Join(core.PlacementNames(), ", ")+" (default head-tail)")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	switch {
	case *k < 1 || *top < 1:
		return fmt.Errorf("-k is %d and -top is %d: both must be 1 or more", *k, *top)
	case (*postgres == "") != (*embeddingsURL == ""):
		return errors.New("-postgres and -embeddings-url belong together: vectors need a place and a model")
	}

	// Retrieve: two lists, each of more than will enter.
	stems, words, err := indexes(*k)
	if err != nil {
		return err
	}
	sources := []bookend.Source{bookend.From("stems", stems), bookend.From("words", words)}
	if *postgres != "" {
		dense, remove, err := newDense(ctx, *postgres, *embeddingsURL, *k)
		if err != nil {
			return err
		}
		defer remove()
		sources[1] = bookend.From("dense", dense)
		sources[1].Timeout = 10 * time.Second
	}

	// Rerank.
	reranker := rank.Reranker{Scorer: lexical, Name: "lexical", OnFailure: rank.KeepOrder}
	scorerName := "lexical scorer, no model: it counts the words that a text shares with the question"
	if *rerankURL != "" {
		server, err := rank.NewHTTP(rank.HTTPConfig{
			URL: *rerankURL, Form: rank.Form(*form), Model: *model,
			Key: func() string { return os.Getenv("RERANK_API_KEY") },
		})
		if err != nil {
			return err
		}
		defer server.CloseIdleConnections()
		reranker.Scorer, reranker.Name, scorerName = server, "rerank", server.String()
	}

	// Fuse, rerank, trim and place. One source that fails costs its list, and not the
	// answer.
	var found stages
	r, err := bookend.NewPipeline(pipeline.Config[schema.Document]{
		Sources: sources, Fusion: rank.Fusion{KeepGoing: true}, Reranker: &reranker,
		Order: core.Config{TopK: *top, Placement: placement, Observe: found.observe},
	})
	if err != nil {
		return err
	}

	// Ask.
	llm, modelName, err := chatmodel.New()
	if err != nil {
		return err
	}
	answer, err := chains.Run(ctx, chains.NewRetrievalQAFromLLM(llm, r), *question)
	if err != nil {
		return err
	}
	return found.show(out, *question, scorerName, modelName, answer)
}

// lexical scores by the words that a text shares with the query.
var lexical = rank.ScorerFunc(func(_ context.Context, query string, texts []string) ([]float64, error) {
	return reader.Shared(query, texts), nil
})
