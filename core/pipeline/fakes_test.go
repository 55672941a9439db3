package pipeline_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
)

// Short names, since nearly every test has them.
type (
	source = pipeline.Source[doc]
	config = pipeline.Config[doc]
)

// doc is a document type of the tests' own. NaN is a score that is missing.
type doc struct {
	id, text string
	score    float64
	meta     map[string]any
}

var docView = &core.View[doc]{
	ID:    func(d doc) string { return d.id },
	Text:  func(d doc) string { return d.text },
	Score: func(d doc) (float64, bool) { return d.score, !math.IsNaN(d.score) },
	Meta:  func(d doc) map[string]any { return d.meta },
}

// byID returns a document for each word, whose text is its ID.
func byID(ids string) []doc {
	docs := []doc{}
	for _, id := range strings.Fields(ids) {
		docs = append(docs, doc{id: id, text: id, score: math.NaN()})
	}
	return docs
}

func idsOf(docs []doc) string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.id
	}
	return strings.Join(ids, " ")
}

var errDown = errors.New("down: cannot answer 'Blue Harbour'")

// finds is a source that answers at once.
func finds(name, ids string) source {
	return source{Name: name, Find: func(context.Context, string, int) ([]doc, error) { return byID(ids), nil }}
}

func fails(name string, err error) source {
	return source{Name: name, Find: func(context.Context, string, int) ([]doc, error) { return nil, err }}
}

// hangs is a source that answers no sooner than its context ends, and tells of that.
func hangs(name string, timeout time.Duration) (source, chan error) {
	ended := make(chan error, 1)
	return source{Name: name, Timeout: timeout, Find: func(ctx context.Context, _ string, _ int) ([]doc, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}}, ended
}

// counted is a source that counts how often it is asked.
func counted(s source, asked *atomic.Int32) source {
	inner := s.Find
	s.Find = func(ctx context.Context, query string, k int) ([]doc, error) {
		asked.Add(1)
		return inner(ctx, query, k)
	}
	return s
}

// backwards scores the last text best, and counts how often it is asked.
func backwards(asked *atomic.Int32) rank.Scorer {
	return rank.ScorerFunc(func(_ context.Context, _ string, texts []string) ([]float64, error) {
		asked.Add(1)
		scores := make([]float64, len(texts))
		for i := range scores {
			scores[i] = float64(i)
		}
		return scores, nil
	})
}

var scorerDown = rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return nil, errDown })

// asRanked is the placement that shows the ranks.
var asRanked = core.Choice{Placement: core.RankOrder}

func mustNew(t testing.TB, c config) *pipeline.Pipeline[doc] {
	t.Helper()
	if c.View == nil {
		c.View = docView
	}
	p, err := pipeline.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustArrange(t testing.TB, c core.Config) *core.Arranger {
	t.Helper()
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// run asks a pipeline of c, whose documents stay as ranked, once.
func run(t testing.TB, c config) (ids string, a core.Arrangement, err error) {
	t.Helper()
	c.Order.Placement = asRanked
	docs, err := mustNew(t, c).Run(t.Context(), core.Call{Query: "which?", Observe: func(_ context.Context, e core.Event) { a = e.Arrangement }})
	return idsOf(docs), a, err
}

// stages names the stages of an arrangement, each with its failure.
func stages(a core.Arrangement) string {
	names := make([]string, len(a.Stages))
	for i, s := range a.Stages {
		names[i] = s.Name
		if s.Failure != "" {
			names[i] += " (" + s.Failure + ")"
		}
	}
	return strings.Join(names, ", ")
}

// same fails the test unless got equals want.
func same[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s (-want +got)\n-%#v\n+%#v", what, want, got)
	}
}

// mustBe returns the error of type T in err.
func mustBe[T error](t testing.TB, err error) T {
	t.Helper()
	var want T
	if !errors.As(err, &want) {
		t.Fatalf("got error %T (%v), want %T", err, err, want)
	}
	return want
}

// mustMention fails the test unless err's message has each of the parts.
func mustMention(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that mentions %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not mention %q", err, part)
		}
	}
}
