package reuse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/core/reuse"
)

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	undecided, use, broken := line(1, 0), line(1, 0), line(1, 0)
	undecided.Shape, use.Kind, broken.Accuracy = core.ShapeUndecided, core.CurveOfUse, nil
	for name, test := range map[string]struct {
		config reuse.Config
		fields []string
	}{
		"worth below 0":       {reuse.Config{Worth: -1, Curve: flat()}, []string{"Worth"}},
		"worth of no number":  {reuse.Config{Worth: math.NaN(), Curve: flat()}, []string{"Worth"}},
		"worth without end":   {reuse.Config{Worth: math.Inf(1), Curve: flat()}, []string{"Worth"}},
		"worth without curve": {reuse.Config{Worth: 1}, []string{"Worth"}},
		"an undecided curve":  {reuse.Config{Worth: 1, Curve: undecided}, []string{"Curve"}},
		"a curve of use":      {reuse.Config{Worth: 1, Curve: use}, []string{"Curve"}},
		"decay":               {reuse.Config{Decay: 1.5}, []string{"Decay"}},
		"decay below 0":       {reuse.Config{Decay: -0.5}, []string{"Decay"}},
		"all at once":         {reuse.Config{Hold: -1, MaxDocuments: -1, TTL: -1}, []string{"Hold", "MaxDocuments", "TTL"}},
		"too many documents":  {reuse.Config{MaxDocuments: math.MaxInt}, []string{"MaxDocuments"}},
	} {
		m, err := reuse.New(test.config)
		if m != nil || err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Log(err)
		refused(t, err, test.fields...)
	}
	if _, err := reuse.New(reuse.Config{Curve: broken}); !errors.As(err, new(*core.CurveError)) {
		t.Errorf("a broken curve: error %v", err)
	}
}

func TestCurveIsCopied(t *testing.T) {
	t.Parallel()
	curve := line(0.7, 0.7)
	a := by(t, core.RankOrder, mustNew(t, reuse.Config{Worth: 1, Curve: curve}))
	curve.Accuracy[1], curve.Slots[1], curve.Documents = 0, 1, 2
	place(t, t.Context(), a, "EDCBA")
	same(t, "order", "EDCBA", place(t, t.Context(), a, "ABCDE"))
}

// The default placement, which has a short way of its own, asks the memory, too; and texts
// of no bytes are not worth a move.
func TestTheDefaultPlacement(t *testing.T) {
	t.Parallel()
	a := by(t, nil, mustNew(t, reuse.Config{Hold: 1}))
	place(t, t.Context(), a, "ABCD")
	same(t, "order", "ACDB", place(t, t.Context(), a, "ADCB"))
	place(t, t.Context(), a, "")

	var docs []doc
	for _, id := range []string{"1", "2", "3", "4"} {
		docs = append(docs, doc{id: id})
	}
	for range 2 {
		placed, err := core.Transform(t.Context(), a, docs, view, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "without texts", docs[0].id+docs[2].id+docs[3].id+docs[1].id, letters(placed))
		docs[1], docs[3] = docs[3], docs[1]
	}
}

// Two tenants never see each other's orders, nor do two models of one.
func TestScopesAreApart(t *testing.T) {
	t.Parallel()
	type key struct{}
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat(), Scope: func(ctx context.Context) string {
		scope, _ := ctx.Value(key{}).(string)
		return scope
	}})
	a := by(t, core.RankOrder, m)
	of := func(scope string) context.Context { return context.WithValue(t.Context(), key{}, scope) }
	place(t, of("tenant 1, model 1"), a, "EDCBA")
	for _, other := range []string{"tenant 2, model 1", "tenant 1, model 2", ""} {
		same(t, other, "ABCDE", place(t, of(other), a, "ABCDE"))
		same(t, other+": predicted", int64(0), m.Stats().PredictedBytes)
	}
	same(t, "the same", "EDCBA", place(t, of("tenant 1, model 1"), a, "ABCDE"))
}

// What stands before the documents has to be the same.
func TestBefore(t *testing.T) {
	t.Parallel()
	a := by(t, core.RankOrder, mustNew(t, reuse.Config{Worth: 1, Curve: flat()}))
	after := func(before, ranked string) string {
		placed, err := core.Transform(t.Context(), a, docs(ranked), view, core.Call{Before: before})
		if err != nil {
			t.Fatal(err)
		}
		return letters(placed)
	}
	after("one history", "EDCBA")
	same(t, "another history", "ABCDE", after("another", "ABCDE"))
	same(t, "the same", "EDCBA", after("one history", "ABCDE"))
}

// A changed text under an old ID is another document, and so is a text under another ID.
func TestAChangedDocumentIsAnother(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*doc){
		"text": func(d *doc) { d.text += "." },
		"ID":   func(d *doc) { d.id += "." },
		"swap": func(d *doc) { d.id, d.text = d.text, d.id },
	} {
		a := by(t, core.RankOrder, mustNew(t, reuse.Config{Worth: 1, Curve: flat()}))
		place(t, t.Context(), a, "CBA")
		changed := docs("ABC")
		change(&changed[1])
		got := mustArrange(t, t.Context(), a, changed, core.Call{})
		same(t, name+": order", "r3 r1 r2", got.Order())
		same(t, name+": reused", 1, got.Reused)
	}
}

func TestTTL(t *testing.T) {
	t.Parallel()
	c := newClock()
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat(), TTL: time.Minute, Now: c.Now})
	a := by(t, core.RankOrder, m)
	place(t, t.Context(), a, "EDCBA")
	c.now = c.now.Add(time.Minute)
	same(t, "in time", "EDCBA", place(t, t.Context(), a, "ABCDE"))
	c.now = c.now.Add(time.Minute)
	same(t, "in time, since it was used", "EDCBA", place(t, t.Context(), a, "ABCDE"))
	c.now = c.now.Add(time.Minute + 1)
	predicted := m.Stats().PredictedBytes
	same(t, "too late", "ABCDE", place(t, t.Context(), a, "ABCDE"))
	same(t, "too late: predicted", predicted, m.Stats().PredictedBytes)
	c.now = c.now.Add(time.Hour)
	for range 20 {
		place(t, t.Context(), a, "X")
	}
	same(t, "remembered: a scope, what stands before, and a document", 3, m.Stats().Remembered)
}

// The best that is remembered is lost first where the memory is full.
func TestTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	t.Parallel()
	a := by(t, core.RankOrder, mustNew(t, reuse.Config{Worth: 1, Curve: flat(), MaxDocuments: 2 + 6}))
	place(t, t.Context(), a, "CBA")
	place(t, t.Context(), a, "FED")
	same(t, "both fit", "CBA", place(t, t.Context(), a, "ABC"))
	place(t, t.Context(), a, "XY")
	same(t, "used", "CBA", place(t, t.Context(), a, "ABC"))
	same(t, "its first is left", "FDE", place(t, t.Context(), a, "DEF"))

	small := by(t, core.RankOrder, mustNew(t, reuse.Config{Worth: 1, Curve: flat(), MaxDocuments: 1}))
	place(t, t.Context(), small, "CBA")
	same(t, "no room for anything", "ABC", place(t, t.Context(), small, "ABC"))
}

// What is to be an experiment, or is switched off, neither asks the memory nor tells it.
func TestWhatGoesPastTheMemory(t *testing.T) {
	t.Parallel()
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat()})
	a := by(t, core.RankOrder, m)
	config := core.Config{Placement: core.Choice{Placement: core.RankOrder}, Reuse: m}
	shared, err := core.Share{Rate: 1}.In(config)
	if err != nil {
		t.Fatal(err)
	}
	arm, err := a.With(core.Reversed)
	if err != nil {
		t.Fatal(err)
	}
	arranger := func(c core.Config) *core.Arranger {
		a, err := core.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	seeded := config
	seeded.Placement.Placement = core.Shuffled{Seed: 1}
	place(t, t.Context(), a, "EDCBA")
	before := m.Stats()
	for name, test := range map[string]struct {
		a    *core.Arranger
		call core.Call
		want core.Placement
	}{
		"a shuffled share":        {arranger(shared), core.Call{}, core.Shuffled{Seed: core.SeedFor(0, "r-1")}},
		"a shuffled placement":    {arranger(seeded), core.Call{}, core.Shuffled{Seed: 1}},
		"an arm":                  {arm, core.Call{}, core.Reversed},
		"an arm of a call":        {a, core.Call{Arranger: arm}, core.Reversed},
		"off":                     {core.Off, core.Call{}, core.RankOrder},
		"off, chosen by the call": {a, core.Call{Arranger: core.Off}, core.RankOrder},
		"placed before":           {a, core.Call{Placed: true}, core.RankOrder},
	} {
		ranked := docs("ABCDE")
		got := mustArrange(t, core.WithRequestID(t.Context(), "r-1"), test.a, ranked, test.call)
		want, err := core.Order(test.want, 5)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, fmt.Sprint(want), fmt.Sprint(got.Ranks()))
		same(t, name+": reused", 0, got.Reused)
		same(t, name+": stats", before, m.Stats())
	}
}

// Fewer than MinDocuments stay as ranked, and are remembered: they were sent.
func TestMinDocuments(t *testing.T) {
	t.Parallel()
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat()})
	a, err := core.New(core.Config{Reuse: m, MinDocuments: 4})
	if err != nil {
		t.Fatal(err)
	}
	place(t, t.Context(), a, "CBA")
	same(t, "few", "ABC", place(t, t.Context(), a, "ABC"))
	same(t, "more", "ABCD", place(t, t.Context(), a, "ABCD"))
	same(t, "requests", int64(3), m.Stats().Requests)
}

// A call that fails was not sent.
func TestAFailedCallIsNotRemembered(t *testing.T) {
	t.Parallel()
	m := mustNew(t, reuse.Config{})
	a := by(t, core.RankOrder, m)
	failed := errors.New("failed")
	_, err := core.Arrange(t.Context(), a, docs("ABC"), view, core.Call{Refine: func(_ *core.Arranger, a core.Arrangement) (core.Arrangement, error) {
		return a, failed
	}})
	same(t, "error", failed, err)
	if _, err := core.Transform(t.Context(), a, docs("ABC"), nil, core.Call{}); err == nil || !strings.Contains(err.Error(), "View.Text") {
		t.Errorf("without a view: error %v", err)
	}
	place(t, t.Context(), a, "")
	same(t, "stats", reuse.Stats{}, m.Stats())
}

// What Refine leaves out is placed by the same recollection, and not remembered.
func TestWhatIsTrimmedIsNotRemembered(t *testing.T) {
	t.Parallel()
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat()})
	a := by(t, core.RankOrder, m)
	place(t, t.Context(), a, "EDCBA")
	ranked := docs("ABCDE")
	got := mustArrange(t, t.Context(), a, ranked, core.Call{Refine: func(used *core.Arranger, a core.Arrangement) (core.Arrangement, error) {
		same(t, "before", "r5 r4 r3 r2 r1", a.Order())
		place(t, t.Context(), by(t, core.RankOrder, m), "BAC") // another request, meanwhile
		return core.Without(used, a, ranked, view, func(p core.Placed) core.Reason {
			if p.Rank == 3 {
				return core.OverBudget
			}
			return ""
		})
	}})
	same(t, "order", "r5 r1 r2 r3", got.Order())
	same(t, "reused", 1, got.Reused)
	same(t, "notes", "reuse: the first document stands as an earlier prompt began, 25 % of the documents' bytes, at no expected cost", strings.Join(got.Notes, "\n"))
	same(t, "the next", "EABC", place(t, t.Context(), a, "ABCE"))
}

func TestStats(t *testing.T) {
	t.Parallel()
	m := mustNew(t, reuse.Config{})
	same(t, "nothing", "predicted: 0 requests with 0 bytes of documents, of which 0 (no share) stood as an earlier prompt began. Confirmed: no answer told how long its prompt was.", m.Stats().String())
	a := by(t, core.RankOrder, m)
	place(t, t.Context(), a, "ABCD")
	place(t, t.Context(), a, "ABXY")
	for _, reply := range []record.Reply{{}, {PromptTokens: -1}, {PromptTokens: 1000}, {PromptTokens: 1000, CachedTokens: 800}, {PromptTokens: 10, CachedTokens: math.MaxInt}, {PromptTokens: 10, CachedTokens: -5}} {
		m.Answered(t.Context(), reply)
	}
	want := reuse.Stats{
		Requests: 2, DocumentBytes: 800, PredictedBytes: 200, Answers: 4, PromptTokens: 2020, CachedTokens: 810,
		Remembered: 2 + 6,
	}
	same(t, "stats", want, m.Stats())
	same(t, "text", "predicted: 2 requests with 800 bytes of documents, of which 200 (25 %) stood as an earlier prompt began. Confirmed: 4 answers to 2020 tokens of prompts, of which the provider says 810 (40 %) came from its cache.", m.Stats().String())
}

// A zero Memory changes nothing and remembers nothing; a nil one is refused.
func TestZeroMemory(t *testing.T) {
	t.Parallel()
	var m reuse.Memory
	a := by(t, core.RankOrder, &m)
	place(t, t.Context(), a, "CBA")
	same(t, "order", "ABC", place(t, t.Context(), a, "ABC"))
	m.Answered(t.Context(), record.Reply{PromptTokens: 7})
	same(t, "stats", reuse.Stats{}, m.Stats())

	for name, c := range map[string]core.Config{
		"nil":            {Reuse: (*reuse.Memory)(nil)},
		"groups":         {Reuse: &m, Groups: true},
		"document order": {Reuse: &m, Placement: core.Choice{Placement: core.DocumentOrder}},
	} {
		_, err := core.New(c)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		t.Log(err)
		refused(t, err, "Reuse")
	}
}

// A million distinct documents leave the memory as large as it may be.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const most = 10_000
	m := mustNew(t, reuse.Config{Hold: 1, MaxDocuments: most})
	a := by(t, core.RankOrder, m)
	heap := func() uint64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	send := func(from, to int) {
		list := make([]doc, 10)
		for i := from; i < to; i += len(list) {
			for j := range list {
				list[j] = doc{id: fmt.Sprint(i + j), text: "text"}
			}
			if _, err := core.Transform(t.Context(), a, list, view, core.Call{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(0, 200_000)
	full := heap()
	send(200_000, 1_000_000)
	if n := m.Stats().Remembered; n != most {
		t.Errorf("%d documents are remembered, want %d", n, most)
	}
	if now := heap(); now > full+1<<20 {
		t.Errorf("%d bytes after 200,000 documents, %d after a million", full, now)
	}
}

// Goroutines share one memory; the race detector watches.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, each = 64, 200
	m := mustNew(t, reuse.Config{Worth: 1, Curve: flat(), MaxDocuments: 300})
	a := by(t, core.HeadTail, m)
	var all sync.WaitGroup
	for i := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := range each {
				ranked := docs("ABCDEFGHIJKLMNOPQRSTUVWXYZ")[(i+j)%20:]
				got, err := core.Arrange(context.Background(), a, ranked, view, core.Call{})
				if err != nil || got.Check(len(ranked)) != nil {
					t.Errorf("%v, %v", got, err)
				}
				m.Answered(context.Background(), record.Reply{PromptTokens: 10, CachedTokens: 5})
				_ = m.Stats()
			}
		}()
	}
	all.Wait()
	same(t, "requests", int64(goroutines*each), m.Stats().Requests)
	same(t, "answers", int64(goroutines*each), m.Stats().Answers)
}

// No lock is held while a caller's func runs: others go on while it waits.
func TestNothingWaitsUnderTheLock(t *testing.T) {
	t.Parallel()
	type slow struct{}
	waiting, goOn := make(chan string), make(chan struct{})
	wait := func(ctx context.Context, where string) {
		if ctx.Value(slow{}) == where {
			waiting <- where
			<-goOn
		}
	}
	now := newClock()
	for _, where := range []string{"scope", "text", "clock"} {
		ctx := context.WithValue(t.Context(), slow{}, where)
		held := false
		m := mustNew(t, reuse.Config{
			Hold:  1,
			Scope: func(ctx context.Context) string { wait(ctx, "scope"); return "" },
			Now: func() time.Time {
				if where == "clock" && !held {
					held = true
					wait(ctx, "clock")
				}
				return now.Now()
			},
		})
		a := by(t, core.RankOrder, m)
		read := *view
		read.Text = func(d doc) string {
			if where == "text" && !held {
				held = true
				wait(ctx, "text")
			}
			return d.text
		}
		done := make(chan error)
		go func() {
			_, err := core.Transform(ctx, a, docs("ABC"), &read, core.Call{})
			done <- err
		}()
		<-waiting
		held = true
		place(t, t.Context(), a, "ABC")
		m.Answered(t.Context(), record.Reply{PromptTokens: 1})
		same(t, where+": requests meanwhile", int64(1), m.Stats().Requests)
		goOn <- struct{}{}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		same(t, where+": requests", int64(2), m.Stats().Requests)
	}
}
