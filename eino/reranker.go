package eino

import (
	"cmp"
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/cloudwego/eino/schema"
)

// RerankerConfig is the configuration of a Reranker.
type RerankerConfig struct {
	Reranker rank.Reranker // scores the documents; its Scorer is required
	Config   core.Config   // how they are admitted and placed; a Threshold needs ThresholdBy
	// DocumentsKey and QuestionKey name what the node reads from its input:
	// []*schema.Document and string. Empty: "documents" and "question".
	DocumentsKey, QuestionKey string
}

// Reranker ranks documents by a model that sees the question, admits and places them, as a
// node of a graph that takes both. It is immutable and safe for concurrent use.
//
//	g.AddLambdaNode("rerank", compose.InvokableLambda(reranker.Rerank))
type Reranker struct {
	keys     RerankerConfig
	pipeline *pipeline.Pipeline[*schema.Document]
}

// NewReranker returns a Reranker, or every fault, joined. A nil config has no Scorer.
func NewReranker(_ context.Context, config *RerankerConfig) (*Reranker, error) {
	config = cmp.Or(config, &RerankerConfig{})
	p, err := pipeline.New(pipeline.Config[*schema.Document]{Reranker: &config.Reranker, Order: config.Config, View: view})
	if err != nil {
		return nil, err
	}
	return &Reranker{*config, p}, nil
}

// Rerank returns the admitted documents in the order of their slots: a fresh slice, nil for
// nil; nothing is written to. Errors: those of pipeline.Place, and *core.ConfigError for a nil
// document and a value that is missing or of another type. core.Off asks no model.
func (r *Reranker) Rerank(ctx context.Context, values map[string]any) ([]*schema.Document, error) {
	docs, question, err := documentsAndQuestion(values, r.keys.DocumentsKey, r.keys.QuestionKey)
	if err := cmp.Or(err, r.keys.Reranker.Check()); err != nil {
		return nil, err
	}
	return r.pipeline.Place(ctx, docs, core.Call{Query: question})
}

// documentsAndQuestion reads the input of a node. Empty keys mean the defaults.
func documentsAndQuestion(values map[string]any, documentsKey, questionKey string) ([]*schema.Document, string, error) {
	docs, docsErr := value[[]*schema.Document](values, cmp.Or(documentsKey, "documents"), true)
	question, err := value[string](values, cmp.Or(questionKey, "question"), true)
	return docs, question, cmp.Or(docsErr, checkDocuments(docs), err)
}
