package eino

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

var (
	_ retriever.Retriever = (*Fusion)(nil)
	_ components.Typer    = (*Fusion)(nil)
)

// Source is one retriever of a Fusion.
type Source struct {
	// Name is what the arrangement and errors call it. Empty: "list 1" and so on.
	Name string
	// Retriever finds documents, best first; it is required.
	Retriever retriever.Retriever
	// Weight multiplies what its list counts; 0 means 1.
	Weight float64
	// Timeout bounds its answer; 0 leaves that to the caller's context.
	Timeout time.Duration
}

// FusionConfig is the configuration of a Fusion.
type FusionConfig struct {
	// Fusion says how the lists become one.
	Fusion rank.Fusion
	// Sources are asked at the same time; at least one is required.
	Sources []Source
}

// Fusion asks several retrievers at the same time and makes one ranked list of theirs;
// see rank.Retrieve and rank.Fuse. It is immutable and as safe for concurrent use as
// its retrievers. It places nothing: give it to NewRetriever, whose arrangement then
// shows the rank in each list.
//
// Documents are one if they have the same ID, or the same text where one has no ID. A
// fused document, its score too, is that of the first source that has it; scores of
// different sources have nothing in common. Each source is reported to callbacks with
// its own list.
type Fusion struct {
	config  rank.Fusion
	sources []Source
}

// NewFusion returns a Fusion, or every fault joined: *core.ConfigError, also for a nil
// config and a source that is nil or is a *Retriever, whose order says nothing of ranks.
func NewFusion(_ context.Context, config *FusionConfig) (*Fusion, error) {
	if config == nil {
		config = &FusionConfig{}
	}
	f := &Fusion{config.Fusion, slices.Clone(config.Sources)}
	var faults []error
	for _, s := range f.sources {
		faults = append(faults, checkInner(s.Retriever))
	}
	if err := errors.Join(append(faults, rank.CheckSources(f.config, f.asked(nil)...))...); err != nil {
		return nil, err
	}
	return f, nil
}

// Retrieve returns the fused documents, best first: a fresh slice, nil for none. All
// options reach each source; with retriever.WithTopK(k) the fusion returns at most k
// documents, too. The errors are those of rank.Retrieve; a nil document of a source is a
// *core.DocumentError.
func (f *Fusion) Retrieve(ctx context.Context, query string, opts ...retriever.Option) ([]*schema.Document, error) {
	fused, err := f.retrieve(ctx, query, opts)
	return fused.Docs, err
}

func (f *Fusion) retrieve(ctx context.Context, query string, opts []retriever.Option) (rank.Fused[*schema.Document], error) {
	config := f.config
	if k := retriever.GetCommonOptions(nil, opts...).TopK; k != nil && *k != 0 {
		if *k < 0 {
			return rank.Fused[*schema.Document]{}, &core.ConfigError{Field: "WithTopK", Value: *k, Rule: "must be 0 (all) or more"}
		}
		config.TopK = *k
	}
	return rank.Retrieve(ctx, config, view, query, f.asked(opts)...)
}

// asked are the sources with the options of a call.
func (f *Fusion) asked(opts []retriever.Option) []rank.Source[*schema.Document] {
	sources := make([]rank.Source[*schema.Document], len(f.sources))
	for i, s := range f.sources {
		sources[i] = rank.Source[*schema.Document]{
			Name: s.Name, Weight: s.Weight, Timeout: s.Timeout,
			Retrieve: func(ctx context.Context, query string) ([]*schema.Document, error) {
				docs, _, err := retrieve(ctx, s.Retriever, query, slices.Clip(opts))
				if err != nil {
					return nil, err
				}
				return docs, checkDocuments(docs)
			},
		}
	}
	return sources
}

// GetType returns "BookendFusion", the Type that eino's callbacks see.
func (f *Fusion) GetType() string { return "BookendFusion" }
