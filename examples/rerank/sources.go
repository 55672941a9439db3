package main

import (
	"context"
	"crypto/rand"

	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/jackc/pgx/v5"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
	"github.com/tmc/langchaingo/vectorstores/pgvector"
)

// library is a BM25 index as a retriever.
type library struct {
	docs  []schema.Document
	index *search.Index
	k     int
}

// GetRelevantDocuments returns the k best chunks, best first.
func (l library) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	hits, err := l.index.Search(ctx, query, l.k)
	if err != nil {
		return nil, err
	}
	found := make([]schema.Document, len(hits))
	for i, h := range hits {
		found[i] = l.docs[h.Index]
		found[i].Score = float32(h.Score)
	}
	return found, nil
}

// documents are the chunks of the handbook. The ID tells a fusion which are the same.
func documents() ([]schema.Document, []string, error) {
	chunks, err := handbook.Chunks()
	if err != nil {
		return nil, nil, err
	}
	docs, texts := make([]schema.Document, len(chunks)), make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
		docs[i] = schema.Document{PageContent: c.Text, Metadata: map[string]any{"id": c.ID(), "source": c.Source, "position": c.Position}}
	}
	return docs, texts, nil
}

// indexes are two over the same chunks: by English word stems, and by words as they are.
func indexes(k int) (stems, words schema.Retriever, err error) {
	docs, texts, err := documents()
	if err != nil {
		return nil, nil, err
	}
	var both [2]library
	for i, analyzer := range []string{"en", "standard"} {
		index, err := search.NewBy(analyzer, texts)
		if err != nil {
			return nil, nil, err
		}
		both[i] = library{docs, index, k}
	}
	return both[0], both[1], nil
}

// newDense fills langchaingo's pgvector store with the chunks, in tables of its own
// that remove drops.
func newDense(ctx context.Context, dsn, embeddingsURL string, k int) (_ schema.Retriever, remove func(), err error) {
	llm, err := openai.New(openai.WithBaseURL(embeddingsURL), openai.WithToken("none"), openai.WithEmbeddingModel("default"))
	if err != nil {
		return nil, nil, err
	}
	embedder, err := embeddings.NewEmbedder(llm)
	if err != nil {
		return nil, nil, err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, nil, err
	}
	after := context.WithoutCancel(ctx)
	name := "bookend_" + rand.Text()
	store, err := pgvector.New(
		ctx, pgvector.WithConn(conn), pgvector.WithEmbedder(embedder), pgvector.WithCollectionName(name),
		pgvector.WithEmbeddingTableName(name+"_embedding"), pgvector.WithCollectionTableName(name+"_collection"),
	)
	if err != nil {
		_ = conn.Close(after)
		return nil, nil, err
	}
	remove = func() {
		_ = store.DropTables(after)
		_ = conn.Close(after)
	}
	docs, _, err := documents()
	if err == nil {
		_, err = store.AddDocuments(ctx, docs)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return vectorstores.ToRetriever(store, k), remove, nil
}
