package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
)

var keepGoing = rank.Fusion{KeepGoing: true}

func TestSeveralSources(t *testing.T) {
	t.Parallel()
	var asked [2]string
	a, b := finds("words", "a b c"), finds("dense", "d b")
	for i, s := range []*source{&a, &b} {
		inner := s.Find
		s.Find = func(ctx context.Context, query string, k int) ([]doc, error) {
			asked[i] = query
			return inner(ctx, query, k)
		}
	}
	b.Weight = 5
	ids, arrangement, err := run(t, config{Sources: []source{a, b}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "asked", [2]string{"which?", "which?"}, asked)
	same(t, "order", "b d a c", ids)
	same(t, "stages", "words, dense, fusion", stages(arrangement))
	same(t, "ranks among the words", []int{1, -1, 0, 2}, arrangement.Stages[0].Ranks)

	_, arrangement, err = run(t, config{Sources: []source{finds("", "a"), finds("", "b")}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "names", "list 1, list 2, fusion", stages(arrangement))

	ids, _, err = run(t, config{Sources: []source{a, b}, Fusion: rank.Fusion{TopK: 2}})
	if err != nil || ids != "b d" {
		t.Errorf("a fusion of two documents: %q, %v", ids, err)
	}
}

// One slow source among three holds back nobody beyond its own time.
func TestASlowSource(t *testing.T) {
	t.Parallel()
	slow, ended := hangs("slow", 20*time.Millisecond)
	ids, a, err := run(t, config{Fusion: keepGoing, Sources: []source{slow, finds("words", "a b"), finds("dense", "b c")}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "b a c", ids)
	same(t, "stages", "slow (timeout), words, dense, fusion", stages(a))
	same(t, "notes", []string{"ranking by slow is missing (timeout)"}, a.Notes)
	same(t, "the source was told", context.DeadlineExceeded, <-ended)

	slow, _ = hangs("slow", 20*time.Millisecond)
	_, _, err = run(t, config{Sources: []source{finds("words", "a b"), slow}})
	if e := mustBe[*pipeline.SourceError](t, err); e.Source != "slow" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("not tolerated: %v", err)
	}
}

// A source that does not heed its context is not waited for.
func TestADeafSource(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	deaf := source{Name: "deaf", Timeout: 10 * time.Millisecond, Find: func(context.Context, string, int) ([]doc, error) {
		<-release
		return byID("x"), nil
	}}
	ids, a, err := run(t, config{Fusion: keepGoing, Sources: []source{deaf, finds("words", "a b")}})
	if err != nil || ids != "a b" || stages(a) != "deaf (timeout), words, fusion" {
		t.Errorf("%q, %v, stages %s", ids, err, stages(a))
	}
	deaf.Timeout = 0
	ctx, cancel := context.WithCancel(t.Context())
	other := source{Find: func(context.Context, string, int) ([]doc, error) {
		cancel()
		return nil, nil
	}}
	p := mustNew(t, config{Fusion: keepGoing, Sources: []source{deaf, other}})
	if _, err := p.Run(ctx, core.Call{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Cancel stops all, whatever is tolerated.
func TestCancelStopsAll(t *testing.T) {
	t.Parallel()
	for _, keepGoing := range []bool{false, true} {
		a, endedA := hangs("a", 0)
		b, endedB := hangs("b", time.Hour)
		ctx, cancel := context.WithCancelCause(t.Context())
		var begun atomic.Int32
		a, b = counted(a, &begun), counted(b, &begun)
		c := source{Name: "c", Find: func(context.Context, string, int) ([]doc, error) {
			for begun.Load() < 2 {
				runtime.Gosched()
			}
			cancel(errDown)
			return byID("x"), nil
		}}
		p := mustNew(t, config{Fusion: rank.Fusion{KeepGoing: keepGoing}, Sources: []source{a, b, c}})
		if _, err := p.Run(ctx, core.Call{}); err != context.Canceled {
			t.Errorf("error %v", err)
		}
		same(t, "a", context.Canceled, <-endedA)
		same(t, "b", context.Canceled, <-endedB)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := source{Find: func(context.Context, string, int) ([]doc, error) { t.Error("asked"); return nil, nil }}
	for _, sources := range [][]source{{never}, {never, never}} {
		if _, err := mustNew(t, config{Sources: sources}).Run(ctx, core.Call{}); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	}
}

func TestAFailureStopsTheOthers(t *testing.T) {
	t.Parallel()
	var begun atomic.Int32
	hanging, ended := hangs("hanging", 0)
	hanging = counted(hanging, &begun)
	broken := source{Name: "broken", Find: func(context.Context, string, int) ([]doc, error) {
		for begun.Load() < 1 {
			runtime.Gosched()
		}
		return nil, errDown
	}}
	_, _, err := run(t, config{Sources: []source{hanging, broken, finds("words", "a")}})
	if e := mustBe[*pipeline.SourceError](t, err); e.Source != "broken" || !errors.Is(err, errDown) {
		t.Errorf("error %v", err)
	}
	mustMention(t, err, `retriever "broken" failed: down`)
	same(t, "the other", context.Canceled, <-ended)
}

// A source that failed is a stage with a code. What its error says, which may repeat
// the question, is not in the arrangement.
func TestKeepGoing(t *testing.T) {
	t.Parallel()
	ids, a, err := run(t, config{Fusion: keepGoing, Sources: []source{fails("", errDown), finds("", "a b")}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "a b", ids)
	same(t, "stages", "list 1 (error), list 2, fusion", stages(a))
	same(t, "notes", []string{"ranking by list 1 is missing (error)"}, a.Notes)
	text, err := json.Marshal(a)
	if err != nil || strings.Contains(string(text)+a.String(), "Blue Harbour") {
		t.Errorf("the arrangement holds the text of an error: %s, %v", text, err)
	}

	busy := &rank.Error{Kind: rank.ErrServer, Status: 503, Detail: "Blue Harbour"}
	_, a, err = run(t, config{Fusion: keepGoing, Sources: []source{finds("a", "a"), fails("b", busy), finds("c", "c"), fails("d", errDown)}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stages", "a, b (http 503), c, d (error), fusion", stages(a))

	_, _, err = run(t, config{Fusion: keepGoing, Sources: []source{fails("a", errDown), fails("b", errDown)}})
	mustBe[*pipeline.SourceError](t, err)
	mustMention(t, err, `"a" failed`, `"b" failed`)

	docs, err := mustNew(t, config{Fusion: keepGoing, Sources: []source{fails("a", errDown), finds("b", "")}}).Run(t.Context(), core.Call{})
	if err != nil || docs != nil {
		t.Errorf("no hit and a failure: %v, %v", docs, err)
	}
	same(t, "a source's zero error", true, (&pipeline.SourceError{}).Error() != "")
}

// A source that does not return has failed: nothing panics, and nothing hangs.
func TestASourceThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says, code string
		find             func()
	}{
		{"panic", "it panicked: index out of range", "panic", func() { panic("index out of range") }},
		{"goexit", "it ended its goroutine", "ended", runtime.Goexit},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wild := source{Name: "wild", Find: func(context.Context, string, int) ([]doc, error) { c.find(); return nil, nil }}
			_, _, err := run(t, config{Sources: []source{wild, finds("words", "a")}})
			mustBe[*pipeline.SourceError](t, err)
			mustMention(t, err, `"wild"`, c.says)

			ids, a, err := run(t, config{Fusion: keepGoing, Sources: []source{finds("words", "a"), wild}})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "order", "a", ids)
			same(t, "stages", "words, wild ("+c.code+"), fusion", stages(a))

			_, _, err = run(t, config{Fusion: keepGoing, Sources: []source{wild, wild}})
			mustMention(t, err, c.says)
		})
	}
}

// The list of a single source is not fused, and its error comes out as it is.
func TestASingleSource(t *testing.T) {
	t.Parallel()
	ids, a, err := run(t, config{Sources: []source{finds("words", "a b a")}, Fusion: rank.Fusion{TopK: 1}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "a b a", ids)
	same(t, "stages", "", stages(a))
	if _, _, err := run(t, config{Sources: []source{fails("words", errDown)}, Fusion: keepGoing}); err != errDown {
		t.Errorf("error %v", err)
	}
	slow, ended := hangs("slow", 10*time.Millisecond)
	if _, _, err := run(t, config{Sources: []source{slow}}); err != context.DeadlineExceeded {
		t.Errorf("error %v", err)
	}
	same(t, "the source was told", context.DeadlineExceeded, <-ended)
}
