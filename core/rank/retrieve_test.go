package rank_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

var errDown = errors.New("down")

// finds is a source that answers at once.
func finds(name, ids string) rank.Source[doc] {
	return rank.Source[doc]{Name: name, Retrieve: func(context.Context, string) ([]doc, error) { return byID(ids), nil }}
}

func fails(name string, err error) rank.Source[doc] {
	return rank.Source[doc]{Name: name, Retrieve: func(context.Context, string) ([]doc, error) { return nil, err }}
}

// hangs is a source that answers no sooner than its context ends, and tells of that.
func hangs(name string, timeout time.Duration) (rank.Source[doc], chan error) {
	ended := make(chan error, 1)
	return rank.Source[doc]{Name: name, Timeout: timeout, Retrieve: func(ctx context.Context, _ string) ([]doc, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}}, ended
}

func TestRetrieve(t *testing.T) {
	t.Parallel()
	var asked [2]string
	a, b := finds("words", "a b c"), finds("dense", "d b")
	for i, s := range []*rank.Source[doc]{&a, &b} {
		inner := s.Retrieve
		s.Retrieve = func(ctx context.Context, query string) ([]doc, error) {
			asked[i] = query
			return inner(ctx, query)
		}
	}
	b.Weight = 5
	got, err := rank.Retrieve(t.Context(), rank.Fusion{}, docView, "which?", a, b)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "asked", [2]string{"which?", "which?"}, asked)
	same(t, "order", "b d a c", idsOf(got.Docs))
	same(t, "stages", "words dense fusion", got.Stages[0].Name+" "+got.Stages[1].Name+" "+got.Stages[2].Name)
}

// One slow retriever among three holds back nobody beyond its own time.
func TestASlowSource(t *testing.T) {
	t.Parallel()
	slow, ended := hangs("slow", 20*time.Millisecond)
	got, err := rank.Retrieve(t.Context(), rank.Fusion{KeepGoing: true}, docView, "?", slow, finds("words", "a b"), finds("dense", "b c"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "b a c", idsOf(got.Docs))
	same(t, "missing", 1, len(got.Missing))
	same(t, "which", "slow", got.Missing[0].Source)
	same(t, "why", true, errors.Is(got.Missing[0], context.DeadlineExceeded))
	same(t, "the source was told", context.DeadlineExceeded, <-ended)

	slow, _ = hangs("slow", 20*time.Millisecond)
	_, err = rank.Retrieve(t.Context(), rank.Fusion{}, docView, "?", finds("words", "a b"), slow)
	if e := mustBe[*rank.SourceError](t, err); e.Source != "slow" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("not tolerated: %v", err)
	}
}

// A source that does not heed its context is not waited for.
func TestADeafSource(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	deaf := rank.Source[doc]{Name: "deaf", Timeout: 10 * time.Millisecond, Retrieve: func(context.Context, string) ([]doc, error) {
		<-release
		return byID("x"), nil
	}}
	got, err := rank.Retrieve(t.Context(), rank.Fusion{KeepGoing: true}, docView, "?", deaf, finds("words", "a b"))
	if err != nil || idsOf(got.Docs) != "a b" || len(got.Missing) != 1 {
		t.Errorf("%v, %v, missing %v", idsOf(got.Docs), err, got.Missing)
	}
	deaf.Timeout = 0
	ctx, cancel := context.WithCancel(t.Context())
	other := rank.Source[doc]{Retrieve: func(context.Context, string) ([]doc, error) {
		cancel()
		return nil, nil
	}}
	if _, err := rank.Retrieve(ctx, rank.Fusion{KeepGoing: true}, docView, "?", deaf, other); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Cancel stops all, whatever is tolerated.
func TestCancelStopsAll(t *testing.T) {
	t.Parallel()
	for _, keepGoing := range []bool{false, true} {
		a, endedA := hangs("a", 0)
		b, endedB := hangs("b", time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		c := rank.Source[doc]{Name: "c", Retrieve: func(context.Context, string) ([]doc, error) {
			cancel()
			return byID("x"), nil
		}}
		if _, err := rank.Retrieve(ctx, rank.Fusion{KeepGoing: keepGoing}, docView, "?", a, b, c); err != context.Canceled {
			t.Errorf("error %v", err)
		}
		same(t, "a", context.Canceled, <-endedA)
		same(t, "b", context.Canceled, <-endedB)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := rank.Source[doc]{Retrieve: func(context.Context, string) ([]doc, error) { t.Error("asked"); return nil, nil }}
	if _, err := rank.Retrieve(ctx, rank.Fusion{}, docView, "?", never); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestAFailureStopsTheOthers(t *testing.T) {
	t.Parallel()
	hanging, ended := hangs("hanging", 0)
	_, err := rank.Retrieve(t.Context(), rank.Fusion{}, docView, "?", hanging, fails("broken", errDown), finds("words", "a"))
	if e := mustBe[*rank.SourceError](t, err); e.Source != "broken" || !errors.Is(err, errDown) {
		t.Errorf("error %v", err)
	}
	mustMention(t, err, `retriever "broken" failed: down`)
	same(t, "the other", context.Canceled, <-ended)
}

func TestKeepGoing(t *testing.T) {
	t.Parallel()
	f := rank.Fusion{KeepGoing: true}
	got, err := rank.Retrieve(t.Context(), f, docView, "?", fails("", errDown), finds("", "a b"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "a b", idsOf(got.Docs))
	same(t, "stage of the second", "list 2", got.Stages[0].Name)
	same(t, "missing", "list 1", got.Missing[0].Source)

	_, err = rank.Retrieve(t.Context(), f, docView, "?", fails("a", errDown), fails("b", errDown))
	mustMention(t, err, `"a" failed`, `"b" failed`)

	got, err = rank.Retrieve(t.Context(), f, docView, "?", fails("a", errDown), finds("b", ""))
	if err != nil || got.Docs != nil {
		t.Errorf("no hit and a failure: %v, %v", got.Docs, err)
	}
}

func TestAPanicIsAFailure(t *testing.T) {
	t.Parallel()
	panics := rank.Source[doc]{Name: "wild", Retrieve: func(context.Context, string) ([]doc, error) { panic("index out of range") }}
	_, err := rank.Retrieve(t.Context(), rank.Fusion{}, docView, "?", panics, finds("words", "a"))
	mustBe[*rank.SourceError](t, err)
	mustMention(t, err, `"wild"`, "it panicked: index out of range")
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	_, err := rank.Retrieve[doc](t.Context(), rank.Fusion{K: -1}, docView, "?")
	mustBe[*core.ConfigError](t, err)
	mustMention(t, err, "K is -1", "sources")
	_, err = rank.Retrieve(t.Context(), rank.Fusion{}, docView, "?", rank.Source[doc]{Timeout: -1, Weight: -1})
	mustMention(t, err, "Retrieve of source 1", "Timeout of source 1", "Weight of list 1")
}
