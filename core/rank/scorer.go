package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nilvalue"
)

// Scorer says how well each text answers a query: a cross-encoder behind a server
// (HTTP), a model in the process, a rule of one's own.
//
// Score returns one score for each text, in the order of the texts. Higher is
// better, of any scale, negative ones too; NaN means that a text has none. It must
// not write to texts, must be safe for concurrent use, and should return soon after
// ctx ends.
type Scorer interface {
	Score(ctx context.Context, query string, texts []string) ([]float64, error)
}

// ScorerFunc makes a Scorer of a func.
type ScorerFunc func(ctx context.Context, query string, texts []string) ([]float64, error)

// Score calls the func. A nil one is a *core.ConfigError.
func (f ScorerFunc) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	if f == nil {
		return nil, &core.ConfigError{Field: "ScorerFunc", Rule: "pass the func that scores the texts"}
	}
	return f(ctx, query, texts)
}

// OnFailure says what happens to a call whose Scorer fails.
type OnFailure string

// The policies. The empty OnFailure means Fail.
const (
	// Fail returns the Scorer's error.
	Fail OnFailure = "fail"
	// KeepOrder goes on in the order before, which is the retriever's or the
	// fusion's. The arrangement has a note of it.
	KeepOrder OnFailure = "keep-order"
)

// DefaultName is the name of a reranker's stage in an arrangement.
const DefaultName = "rerank"

// Reranker ranks the documents of a call by what a Scorer says of them. It is a
// plain value, safe for concurrent use.
type Reranker struct {
	// Scorer scores; it is required.
	Scorer Scorer
	// Name is what the arrangement calls the stage. Empty: DefaultName.
	Name string
	// OnFailure says what happens when the Scorer fails: Fail (the default) or
	// KeepOrder. The end of the caller's context is no failure: its error is
	// returned under either.
	OnFailure OnFailure
}

// Check returns every fault of r, joined: *core.ConfigError. A nil Reranker has none.
func (r *Reranker) Check() error {
	if r == nil {
		return nil
	}
	if nilvalue.Is(r.Scorer) {
		return &core.ConfigError{Field: "Reranker.Scorer", Rule: "set what scores the documents"}
	}
	switch r.OnFailure {
	case "", Fail, KeepOrder:
		return nil
	}
	return &core.ConfigError{Field: "Reranker.OnFailure", Value: string(r.OnFailure), Rule: `must be "fail" or "keep-order"`}
}

// Rerank asks the Scorer of r once and returns its ranking, for core.Call.Stages. docs
// are the documents of that call, in their order; v reads their texts. Documents with
// equal scores have equal ranks, and one without a score has the rank -1. Where the
// Scorer failed and OnFailure is KeepOrder, the Stage says so. Without documents nobody
// is asked.
//
// Errors: those of Check, and for a nil Reranker that of a missing Scorer; *core.ConfigError where v has no
// Text; the error of ctx, once that has ended; under Fail that of the Scorer, as it is,
// and *ScoresError for another number of scores than documents.
func Rerank[E any](ctx context.Context, r *Reranker, v *core.View[E], query string, docs []E) (core.Stage, error) {
	if r == nil {
		r = &Reranker{}
	}
	if err := r.Check(); err != nil {
		return core.Stage{}, err
	}
	if v == nil || v.Text == nil {
		return core.Stage{}, &core.ConfigError{Field: "View.Text", Rule: "a reranker needs it: set the accessor"}
	}
	stage := core.Stage{Name: cmp.Or(r.Name, DefaultName)}
	if err := ctx.Err(); err != nil || len(docs) == 0 {
		return stage, err
	}
	texts := make([]string, len(docs))
	for i, doc := range docs {
		texts[i] = v.Text(doc)
	}
	scores, err := r.Scorer.Score(ctx, query, texts)
	if err == nil && len(scores) != len(docs) {
		err = &ScoresError{Texts: len(docs), Scores: len(scores)}
	}
	switch {
	case ctx.Err() != nil:
		return core.Stage{}, ctx.Err()
	case err == nil:
		stage.Ranks, stage.Scores = ranked(scores)
		return stage, nil
	case r.OnFailure == KeepOrder:
		stage.Failure = FailureCode(err)
		return stage, nil
	}
	return core.Stage{}, err
}

// ranked returns the rank of each score, 0 for the highest: equal ones share theirs,
// and NaN has -1.
func ranked(scores []float64) ([]int, []core.Score) {
	order := make([]int, len(scores))
	out := make([]core.Score, len(scores))
	for i, score := range scores {
		order[i], out[i] = i, core.Score(score)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	ranks := make([]int, len(scores))
	for i, at := range order {
		switch {
		case scores[at] != scores[at]:
			ranks[at] = -1
		case i > 0 && scores[order[i-1]] == scores[at]:
			ranks[at] = ranks[order[i-1]]
		default:
			ranks[at] = i
		}
	}
	return ranks, out
}

// FailureCode returns a short code for what failed, for core.Stage.Failure: "timeout",
// "http 503", "connection", "error". It is the Summary of the first error in the chain
// that has one, as *Error does, and no text of err otherwise, which may repeat the
// question.
func FailureCode(err error) string {
	if coded := (interface{ Summary() string })(nil); errors.As(err, &coded) {
		return coded.Summary()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "error"
}

// ScoresError says that a Scorer returned another number of scores than it was given
// texts, so that nobody knows which belongs to which.
type ScoresError struct{ Texts, Scores int }

// Error gives both numbers and the rule.
func (e *ScoresError) Error() string {
	return fmt.Sprintf("bookend: the scorer returned %d scores for %d texts: it must return one for each, NaN for none", e.Scores, e.Texts)
}
