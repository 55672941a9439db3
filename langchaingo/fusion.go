package langchaingo

import (
	"context"
	"errors"
	"time"

	"github.com/bookend-rag/bookend/core/rank"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.Retriever = (*Fusion)(nil)

// Source is one retriever of a Fusion.
type Source struct {
	// Name is what the arrangement and errors call it. Empty: "list 1" and so on.
	Name string
	// Retriever finds documents, best first; it is required.
	Retriever schema.Retriever
	// Weight multiplies what its list counts; 0 means 1.
	Weight float64
	// Timeout bounds its answer; 0 leaves that to the caller's context.
	Timeout time.Duration
}

// Fusion asks several retrievers at the same time and makes one ranked list of theirs;
// see rank.Retrieve and rank.Fuse. It is immutable and as safe for concurrent use as
// its retrievers. It places nothing: wrap it by NewRetriever, whose arrangement then
// shows the rank in each list.
//
// Documents are one if they have the same ID in their metadata (rank.Fusion.IDKey, by
// default "id"), or the same text where one has no ID. The Score of a fused document is
// that of the first source that has it; scores of different sources have nothing in
// common.
type Fusion struct {
	config  rank.Fusion
	sources []rank.Source[schema.Document]
}

// NewFusion returns a Fusion, or every fault joined: *core.ConfigError, also for a
// source that is nil or is a *Retriever, whose order says nothing of ranks.
func NewFusion(config rank.Fusion, sources ...Source) (*Fusion, error) {
	f := &Fusion{config: config}
	var faults []error
	for _, s := range sources {
		inner := s.Retriever
		faults = append(faults, checkInner(inner))
		f.sources = append(f.sources, rank.Source[schema.Document]{
			Name: s.Name, Weight: s.Weight, Timeout: s.Timeout,
			Retrieve: func(ctx context.Context, query string) ([]schema.Document, error) {
				return inner.GetRelevantDocuments(ctx, query)
			},
		})
	}
	if err := errors.Join(append(faults, rank.CheckSources(config, f.sources...))...); err != nil {
		return nil, err
	}
	return f, nil
}

// GetRelevantDocuments returns the fused documents, best first: a fresh slice, nil for
// none. The errors are those of rank.Retrieve.
func (f *Fusion) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	fused, err := f.retrieve(ctx, query)
	return fused.Docs, err
}

func (f *Fusion) retrieve(ctx context.Context, query string) (rank.Fused[schema.Document], error) {
	return rank.Retrieve(ctx, f.config, view, query, f.sources...)
}
