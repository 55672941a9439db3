// Package search is the search engine of the examples: an in-process BM25 index
// (bleve), kept in memory.
package search

import (
	"context"
	"fmt"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// Index finds texts by BM25. It is safe for concurrent use.
type Index struct{ bleve bleve.Index }

// Hit is one found text: its place in what New was given, and its score, of
// which higher is better.
type Hit struct {
	Index int
	Score float64
}

// New indexes texts by English word stems: "refunds" finds "refund".
func New(texts []string) (*Index, error) { return NewBy("en", texts) }

// NewBy indexes texts by the words that an analyzer of bleve makes of them: "en" for
// English word stems, "standard" for words as they are.
func NewBy(analyzer string, texts []string) (*Index, error) {
	field := bleve.NewTextFieldMapping() // what a search needs, and no more
	field.Store, field.IncludeInAll, field.IncludeTermVectors, field.DocValues = false, false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.ScoringModel = index.BM25Scoring
	mapping.DefaultAnalyzer = analyzer
	mapping.DefaultMapping = bleve.NewDocumentStaticMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", field)
	// No path keeps it in memory. What bleve.NewMemOnly returns scores by TF-IDF,
	// whatever the mapping says.
	memory, err := bleve.NewUsing("", mapping, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	batch := memory.NewBatch()
	for i, text := range texts {
		if err := batch.Index(fmt.Sprintf("%09d", i), map[string]string{"text": text}); err != nil {
			return nil, err
		}
	}
	return &Index{memory}, memory.Batch(batch)
}

// Search returns the k best texts for a query, best first. Equal scores go by
// the order of the texts.
func (x *Index) Search(ctx context.Context, query string, k int) ([]Hit, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField("text")
	request := bleve.NewSearchRequestOptions(match, k, 0, false)
	request.SortBy([]string{"-_score", "_id"})
	result, err := x.bleve.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(result.Hits))
	for _, h := range result.Hits {
		i, err := strconv.Atoi(h.ID)
		if err != nil {
			return nil, err
		}
		hits = append(hits, Hit{i, h.Score})
	}
	return hits, nil
}
