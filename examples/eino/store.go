package main

import (
	"context"

	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

// store is a retriever over the handbook: its paragraphs in a BM25 index.
type store struct {
	chunks []handbook.Chunk
	index  *search.Index
	k      int
}

var _ retriever.Retriever = (*store)(nil)

func newStore(k int) (*store, error) {
	chunks, index, err := search.Handbook()
	if err != nil {
		return nil, err
	}
	return &store{chunks, index, k}, nil
}

// Retrieve returns the k best chunks, best first. Each knows its source and its
// place in it, which the placement "document-order" needs.
func (s *store) Retrieve(ctx context.Context, query string, opts ...retriever.Option) ([]*schema.Document, error) {
	k := *retriever.GetCommonOptions(&retriever.Options{TopK: &s.k}, opts...).TopK
	hits, err := s.index.Search(ctx, query, k)
	if err != nil {
		return nil, err
	}
	docs := make([]*schema.Document, len(hits))
	for i, h := range hits {
		c := s.chunks[h.Index]
		d := &schema.Document{
			ID:       c.ID(),
			Content:  c.Text,
			MetaData: map[string]any{"source": c.Source, "position": c.Position},
		}
		docs[i] = d.WithScore(h.Score)
	}
	return docs, nil
}
