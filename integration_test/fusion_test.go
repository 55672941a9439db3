package integration_test

import (
	"context"
	"errors"
	"testing"
	"time"

	einoretriever "github.com/cloudwego/eino/components/retriever"
	einoschema "github.com/cloudwego/eino/schema"
	lcgschema "github.com/tmc/langchaingo/schema"
	"go.uber.org/goleak"

	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
)

// slow is a retriever of either framework that answers no sooner than its context
// ends. It tells when it was asked.
type slow struct{ asked chan struct{} }

func newSlow() slow { return slow{make(chan struct{}, 10)} }

func (s slow) hang(ctx context.Context) error {
	s.asked <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

func (s slow) GetRelevantDocuments(ctx context.Context, _ string) ([]lcgschema.Document, error) {
	return nil, s.hang(ctx)
}

func (s slow) Retrieve(ctx context.Context, _ string, _ ...einoretriever.Option) ([]*einoschema.Document, error) {
	return nil, s.hang(ctx)
}

// ofThree makes a call to a fusion of two lists and a slow retriever, through the
// wrapper of each framework. It returns the number of documents.
func ofThree(t *testing.T, f rank.Fusion, s slow, timeout time.Duration) map[string]func(context.Context) (int, error) {
	t.Helper()
	slowLcg, slowEino := langchaingo.From("slow", s), eino.From("slow", s)
	slowLcg.Timeout, slowEino.Timeout = timeout, timeout
	placedLcg, err := langchaingo.NewPipeline(pipeline.Config[lcgschema.Document]{Fusion: f, Sources: []langchaingo.Source{
		langchaingo.From("a", lcgList{{PageContent: "x"}, {PageContent: "y"}}),
		slowLcg,
		langchaingo.From("b", lcgList{{PageContent: "y"}, {PageContent: "z"}}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	placedEino, err := eino.NewRetriever(background, &eino.RetrieverConfig{Fusion: f, Sources: []eino.Source{
		eino.From("a", einoList{{ID: "x"}, {ID: "y"}}),
		slowEino,
		eino.From("b", einoList{{ID: "y"}, {ID: "z"}}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(context.Context) (int, error){
		"langchaingo": func(ctx context.Context) (int, error) {
			docs, err := placedLcg.GetRelevantDocuments(ctx, "why?")
			return len(docs), err
		},
		"eino": func(ctx context.Context) (int, error) {
			docs, err := placedEino.Retrieve(ctx, "why?")
			return len(docs), err
		},
	}
}

// A slow retriever holds back the others no longer than its own time, a cancelled call
// ends at once, and neither leaves a goroutine behind.
func TestASlowRetrieverOfThree(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for framework, call := range ofThree(t, rank.Fusion{KeepGoing: true}, newSlow(), 20*time.Millisecond) {
		if n, err := call(background); n != 3 || err != nil {
			t.Errorf("%s, tolerated: %d documents, %v", framework, n, err)
		}
	}
	for framework, call := range ofThree(t, rank.Fusion{}, newSlow(), 20*time.Millisecond) {
		var failed *pipeline.SourceError
		if n, err := call(background); n != 0 || !errors.As(err, &failed) || failed.Source != "slow" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, not tolerated: %d documents, %v", framework, n, err)
		}
	}
	for _, keepGoing := range []bool{false, true} {
		s := newSlow()
		for framework, call := range ofThree(t, rank.Fusion{KeepGoing: keepGoing}, s, time.Hour) {
			ctx, cancel := context.WithCancel(background)
			go func() { <-s.asked; cancel() }()
			if n, err := call(ctx); n != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled: %d documents, %v", framework, n, err)
			}
			cancel()
		}
	}
	goleak.VerifyNone(t, before)
}
