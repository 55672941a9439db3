package eino

import (
	"cmp"
	"context"
	"errors"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/cloudwego/eino/schema"
)

// RerankerConfig is the configuration of a Reranker.
type RerankerConfig struct {
	// Reranker scores the documents; its Scorer is required.
	Reranker rank.Reranker
	// Config says how they are admitted and placed. A Threshold needs ThresholdBy.
	Config core.Config
	// DocumentsKey and QuestionKey name what the node reads from its input:
	// []*schema.Document and string. Empty: "documents" and "question", as for a
	// ChatTemplate.
	DocumentsKey, QuestionKey string
}

// Reranker ranks documents by a model that sees the question, admits and places them,
// as a node of a graph. A document transformer of eino does not see the question, so
// that this node takes both:
//
//	g.AddLambdaNode("rerank", compose.InvokableLambda(reranker.Rerank))
//
// Where documents come from a retriever that can be wrapped, RetrieverConfig.Reranker
// does the same with less. It is immutable and safe for concurrent use; nodes may share
// their input.
type Reranker struct {
	config   RerankerConfig
	arranger *core.Arranger
}

// NewReranker returns a Reranker, or every fault of the configuration joined. A nil
// config has no Scorer.
func NewReranker(_ context.Context, config *RerankerConfig) (*Reranker, error) {
	c := RerankerConfig{}
	if config != nil {
		c = *config
	}
	arranger, err := core.New(c.Config)
	if err := errors.Join(c.Reranker.Check(), err); err != nil {
		return nil, err
	}
	if err := arranger.CheckRanking(false, true); err != nil {
		return nil, err
	}
	c.DocumentsKey = cmp.Or(c.DocumentsKey, "documents")
	c.QuestionKey = cmp.Or(c.QuestionKey, "question")
	return &Reranker{c, arranger}, nil
}

// Rerank returns the admitted documents in the order of their slots: a fresh slice, nil
// for nil. The documents, their metadata and values are never written to. Errors: those
// of rank.Rerank and core.Transform, *core.DocumentError for a nil document, and
// *core.ConfigError for a value that is missing or of another type. core.Off asks no
// model.
func (r *Reranker) Rerank(ctx context.Context, values map[string]any) ([]*schema.Document, error) {
	docs, err := value[[]*schema.Document](values, r.config.DocumentsKey, true)
	if err != nil {
		return nil, err
	}
	if err := checkDocuments(docs); err != nil {
		return nil, err
	}
	question, err := value[string](values, r.config.QuestionKey, true)
	if err != nil {
		return nil, err
	}
	a := r.arranger.For(ctx)
	var reranked core.CallOption
	if !a.IsOff() {
		if reranked, err = rank.Rerank(ctx, &r.config.Reranker, view, question, docs); err != nil {
			return nil, err
		}
	}
	return transform(ctx, a, docs, reranked, core.ForQuery(question))
}
