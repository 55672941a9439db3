package integration_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	lcgschema "github.com/tmc/langchaingo/schema"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
)

const goroutines = 100

// together runs f in many goroutines, which start at the same moment.
func together(f func(i int)) {
	start := make(chan struct{})
	var done sync.WaitGroup
	for i := range goroutines {
		done.Add(1)
		go func() {
			defer done.Done()
			<-start
			f(i)
		}()
	}
	close(start)
	done.Wait()
}

// scoredDocuments returns n documents whose scores put every second one first,
// with a duplicate and a missing score among them.
func scoredDocuments(n int) []document {
	docs := make([]document, n)
	for i := range docs {
		score := float64(i%2*n + i)
		docs[i] = document{serial: i, id: fmt.Sprint("id ", i%(n-1)), text: fmt.Sprint("text of document ", i), score: &score}
		docs[i].known.id = docs[i].id
	}
	docs[n/2].score = nil
	return docs
}

// experiment flips between two arms, and tells a caller which one its call got.
type experiment struct {
	config core.Config // with Select and Observe
	arms   [2]*core.Arranger
	calls  atomic.Int64
	seen   [2]atomic.Int64 // by Observe, per arm
}

type armKey struct{}

// armOf returns where to leave the number of the chosen arm.
func armOf(ctx context.Context) *int {
	if arm, ok := ctx.Value(armKey{}).(*int); ok {
		return arm
	}
	return new(int) // the caller's context was lost, which check sees
}

// withArm returns a context in which Select leaves the number of the chosen arm.
func withArm(arm *int) context.Context {
	*arm = -1
	return context.WithValue(background, armKey{}, arm)
}

func newExperiment(t *testing.T) *experiment {
	t.Helper()
	e := &experiment{}
	for i, c := range []core.Config{
		{Rank: core.ByScore, Direction: core.HigherIsBetter, Keys: core.Keys{ID: idKey}, DropSameID: true, TopK: 9, Budget: 30, Unit: core.Words},
		{Placement: core.Choice{Placement: core.Reversed}},
	} {
		a, err := core.New(c)
		if err != nil {
			t.Fatal(err)
		}
		e.arms[i] = a
	}
	e.config = core.Config{
		Select: func(ctx context.Context) *core.Arranger {
			arm := int(e.calls.Add(1) % 2)
			*armOf(ctx) = arm
			return e.arms[arm]
		},
		Observe: func(ctx context.Context, event core.Event) {
			arm := *armOf(ctx)
			e.seen[arm].Add(1)
			_, _ = event.Text(0)+event.ID(0), event.Arrangement.String()
		},
	}
	return e
}

// check lets many goroutines call f over what they share. Each result has to be
// that of the arm that its call got.
func (e *experiment) check(t *testing.T, want [2][]int, f func(context.Context) ([]int, error)) {
	t.Helper()
	if slices.Equal(want[0], want[1]) {
		t.Fatal("the two arms give the same order: nothing could be seen")
	}
	together(func(int) {
		var arm int
		got, err := f(withArm(&arm))
		if err != nil {
			t.Error(err)
		} else if arm < 0 {
			t.Error("Select was not asked with the caller's context")
		} else if d := cmp.Diff(want[arm], got); d != "" {
			t.Errorf("arm %d (-want +got)\n%s", arm, d)
		}
	})
	for arm := range e.seen {
		if n := e.seen[arm].Load(); n != goroutines/2 {
			t.Errorf("arm %d was observed %d times, want %d", arm, n, goroutines/2)
		}
	}
}

// wants returns what each arm makes of docs, alone.
func wants[E any](t *testing.T, e *experiment, docs []E, view *core.View[E], numbers func([]E) []int) (want [2][]int) {
	t.Helper()
	for i, a := range e.arms {
		placed, err := core.Transform(background, a, docs, view, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		want[i] = numbers(placed)
	}
	return want
}

func TestGoroutinesShareAnArrangerAndItsInput(t *testing.T) {
	t.Parallel()
	e, docs := newExperiment(t), scoredDocuments(40)
	before := clones(docs)
	a, err := core.New(e.config)
	if err != nil {
		t.Fatal(err)
	}
	e.check(t, wants(t, e, docs, documentView, serials), func(ctx context.Context) ([]int, error) {
		placed, err := core.Transform(ctx, a, docs, documentView, core.Call{})
		return serials(placed), err
	})
	if d := diff(before, docs); d != "" {
		t.Errorf("the input changed (-before +after)\n%s", d)
	}
}

// The defaults go the short way, which needs no settings and asks no Select.
func TestGoroutinesShareTheDefaults(t *testing.T) {
	t.Parallel()
	docs := scoredDocuments(40)
	order, err := core.Order(core.HeadTail, len(docs))
	if err != nil {
		t.Fatal(err)
	}
	langchaingoDocs, einoDocs := convert(docs, toLangchaingo), convert(docs, toEino)
	transformer, err := langchaingo.NewTransformer()
	if err != nil {
		t.Fatal(err)
	}
	node, err := eino.NewTransformer(background, nil)
	if err != nil {
		t.Fatal(err)
	}
	together(func(int) {
		placed, err := transformer.TransformDocuments(background, langchaingoDocs)
		if d := cmp.Diff(order, langchaingoSerials(placed)); d != "" || err != nil {
			t.Errorf("langchaingo: %v (-want +got)\n%s", err, d)
		}
		nodes, err := node.Transform(background, einoDocs)
		if d := cmp.Diff(order, einoSerials(nodes)); d != "" || err != nil {
			t.Errorf("eino: %v (-want +got)\n%s", err, d)
		}
		if d := cmp.Diff(order, serials(core.Reorder(docs))); d != "" {
			t.Errorf("core (-want +got)\n%s", d)
		}
	})
}

func TestGoroutinesShareALangchaingoTransformer(t *testing.T) {
	t.Parallel()
	e, docs := newExperiment(t), convert(scoredDocuments(40), toLangchaingo)
	transformer, err := langchaingo.NewTransformer(langchaingo.WithConfig(e.config))
	if err != nil {
		t.Fatal(err)
	}
	e.check(t, wants(t, e, docs, langchaingo.View(), langchaingoSerials), func(ctx context.Context) ([]int, error) {
		placed, err := transformer.TransformDocuments(ctx, docs)
		return langchaingoSerials(placed), err
	})
	if d := cmp.Diff(convert(scoredDocuments(40), toLangchaingo), docs); d != "" {
		t.Errorf("the input changed (-before +after)\n%s", d)
	}
}

// lcgShelf is a retriever that hands every caller the same slice.
type lcgShelf []lcgschema.Document

func (s lcgShelf) GetRelevantDocuments(context.Context, string) ([]lcgschema.Document, error) {
	return s, nil
}

func TestGoroutinesShareALangchaingoRetriever(t *testing.T) {
	t.Parallel()
	e, docs := newExperiment(t), convert(scoredDocuments(40), toLangchaingo)
	wrapped, err := langchaingo.NewRetriever(lcgShelf(docs), langchaingo.WithConfig(e.config))
	if err != nil {
		t.Fatal(err)
	}
	e.check(t, wants(t, e, docs, langchaingo.View(), langchaingoSerials), func(ctx context.Context) ([]int, error) {
		placed, err := wrapped.GetRelevantDocuments(ctx, "a question")
		return langchaingoSerials(placed), err
	})
}

func TestGoroutinesShareAnEinoTransformer(t *testing.T) {
	t.Parallel()
	e, docs := newExperiment(t), convert(scoredDocuments(40), toEino)
	transformer, err := eino.NewTransformer(background, &e.config)
	if err != nil {
		t.Fatal(err)
	}
	e.check(t, wants(t, e, docs, eino.View(), einoSerials), func(ctx context.Context) ([]int, error) {
		placed, err := transformer.Transform(ctx, docs)
		return einoSerials(placed), err
	})
	if d := cmp.Diff(convert(scoredDocuments(40), toEino), docs); d != "" {
		t.Errorf("the input changed (-before +after)\n%s", d)
	}
}

// einoShelf is a retriever that hands every caller the same slice.
type einoShelf []*einoschema.Document

func (s einoShelf) Retrieve(context.Context, string, ...retriever.Option) ([]*einoschema.Document, error) {
	return s, nil
}

func TestGoroutinesShareAnEinoRetriever(t *testing.T) {
	t.Parallel()
	e, docs := newExperiment(t), convert(scoredDocuments(40), toEino)
	wrapped, err := eino.NewRetriever(background, &eino.RetrieverConfig{Retriever: einoShelf(docs), Config: e.config, OverFetch: 2})
	if err != nil {
		t.Fatal(err)
	}
	e.check(t, wants(t, e, docs, eino.View(), einoSerials), func(ctx context.Context) ([]int, error) {
		placed, err := wrapped.Retrieve(ctx, "a question")
		return einoSerials(placed), err
	})
}

// Two parallel branches of a graph get one slice from eino, not a copy each.
func TestParallelEinoBranchesShareOneSlice(t *testing.T) {
	t.Parallel()
	placements := map[string]core.Placement{"left": core.HeadTail, "right": core.Reversed}
	branches := compose.NewParallel()
	docs := convert(scoredDocuments(40), toEino)
	want := map[string]any{}
	for name, p := range placements {
		config := eino.Config{Placement: core.Choice{Placement: p}, Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 30}
		node, err := eino.NewTransformer(background, &config)
		if err != nil {
			t.Fatal(err)
		}
		branches.AddDocumentTransformer(name, node)
		alone, err := node.Transform(background, docs)
		if err != nil {
			t.Fatal(err)
		}
		want[name] = einoSerials(alone)
	}
	if cmp.Equal(want["left"], want["right"]) {
		t.Fatal("the two branches give the same order: nothing could be seen")
	}
	chain := compose.NewChain[[]*einoschema.Document, map[string]any]().AppendParallel(branches)
	runnable, err := chain.Compile(background)
	if err != nil {
		t.Fatal(err)
	}
	together(func(i int) {
		var placed map[string]any
		var err error
		if i%2 == 0 {
			placed, err = runnable.Invoke(background, docs)
		} else {
			placed, err = streamed(runnable, docs)
		}
		if err != nil {
			t.Error(err)
			return
		}
		got := map[string]any{}
		for name, branch := range placed {
			got[name] = einoSerials(branch.([]*einoschema.Document))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
	if d := cmp.Diff(convert(scoredDocuments(40), toEino), docs); d != "" {
		t.Errorf("the input changed (-before +after)\n%s", d)
	}
}

// streamed runs a graph in streaming mode and joins what its branches send.
func streamed(r compose.Runnable[[]*einoschema.Document, map[string]any], docs []*einoschema.Document) (map[string]any, error) {
	stream, err := r.Stream(background, docs)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	joined := map[string]any{}
	for {
		part, err := stream.Recv()
		if err == io.EOF {
			return joined, nil
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(joined, part)
	}
}
