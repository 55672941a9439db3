package traffic_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

var noon = time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)

func simulation(curve string, n int, seed uint64) traffic.Simulation {
	return traffic.Simulation{Curve: traffic.Planted(curve, n), Relevance: traffic.FallingRelevance(n, 0.5, 0.8), Quiet: 0.1, Spread: 0.3, Seed: seed}
}

func collector(t testing.TB, o traffic.Options) *traffic.Collector {
	t.Helper()
	c, err := traffic.NewCollector(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// feed adds simulated entries, each changed first.
func feed(t testing.TB, c *traffic.Collector, s traffic.Simulation, n int, start time.Time, change func(i int, e *record.Entry)) {
	t.Helper()
	i := 0
	err := s.Entries(n, start, func(e record.Entry) error {
		if change != nil {
			change(i, &e)
		}
		i++
		c.Add(e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is planted is found: each shape, with its ends, and a curve that Measured
// takes.
func TestPlantedCurvesAreFound(t *testing.T) {
	t.Parallel()
	for shape, want := range map[core.Shape]string{
		core.ShapeU: "", core.ShapeInverted: "", core.ShapePrimacy: "r1 r2 r3", core.ShapeRecency: "r10 r9 r8",
	} {
		c := collector(t, traffic.Options{})
		s := simulation(string(shape), 10, 3)
		feed(t, c, s, 3000, noon, nil)
		r := c.Result()
		if len(r.Curves) != 1 || r.Curves[0].Verdict == nil {
			t.Fatalf("%s: %+v", shape, r)
		}
		got := r.Curves[0]
		if got.Verdict.Shape != shape || got.Needed != 0 || got.Requests != 3000 {
			t.Errorf("%s: found %s of %d requests, %d needed", shape, got.Verdict.Shape, got.Requests, got.Needed)
		}
		for slot, v := range s.True() {
			if x := got.Slots[slot]; math.Abs(x.Used/v-1) > 0.2 || x.Low >= x.Used || x.High <= x.Used || x.Slot != slot {
				t.Errorf("%s: slot %d is used %.2f, found %+v", shape, slot, v, x)
			}
		}
		if err := got.Curve.Check(); err != nil || got.Curve.Kind != core.CurveOfUse || got.Curve.Questions != 3000 {
			t.Errorf("%s: %v, %+v", shape, err, got.Curve)
		}
		text, err := json.Marshal(got.Curve)
		if err != nil {
			t.Fatal(err)
		}
		back, err := core.ParseCurve(text)
		if err != nil {
			t.Fatal(err)
		}
		docs := make([]int, 10)
		a, err := core.New(core.Config{Placement: core.Choice{Placement: core.Measured{Curve: back}}})
		if err != nil {
			t.Fatal(err)
		}
		arrangement, err := core.Arrange(t.Context(), a, docs, nil, core.Call{})
		if err != nil || !strings.HasPrefix(arrangement.Order(), want) {
			t.Errorf("%s places %s: %v", shape, arrangement.Order(), err)
		}
	}
}

// Better documents are cited more often, and that alone makes no curve: not when
// ranks differ a lot, and not when chance or a fault puts the best documents into
// one slot more often.
func TestRankAloneIsFlat(t *testing.T) {
	t.Parallel()
	s := simulation("flat", 10, 5)
	s.Relevance = traffic.FallingRelevance(10, 0.7, 0.6)
	c := collector(t, traffic.Options{})
	feed(t, c, s, 12_000, noon, nil)
	got := c.Result().Curves[0]
	if got.Verdict.Shape != core.ShapeFlat || got.Drift.Changed() {
		t.Errorf("found %s, %+v", got.Finding, got.Drift)
	}

	// Every tenth request keeps the order of the ranks, and names no seed that would tell.
	lopsided := collector(t, traffic.Options{})
	skewed := 0.0
	feed(t, lopsided, s, 12_000, noon, func(i int, e *record.Entry) {
		e.Arrangement.Placement = "shuffled by hand"
		if i%10 == 0 {
			inRankOrder(e)
		}
	})
	got = lopsided.Result().Curves[0]
	if got.Unfit != nil || got.Verdict.Shape != core.ShapeFlat {
		t.Errorf("with the best in front more often: %s", got.Finding)
	}
	for _, slot := range got.Slots {
		skewed = max(skewed, math.Abs(slot.Expected/(float64(got.Citations)/10)-1))
	}
	if skewed < 0.15 {
		t.Errorf("the test is none: expectations differ by %.2f", skewed)
	}
}

// inRankOrder places the documents as they are ranked.
func inRankOrder(e *record.Entry) {
	for slot := range e.Arrangement.Slots {
		e.Arrangement.Slots[slot] = core.Placed{Index: slot, Rank: slot, Label: slot + 1}
	}
}

func TestTooFew(t *testing.T) {
	t.Parallel()
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 10, noon, nil)
	got := c.Result().Curves[0]
	if got.Verdict != nil || got.Curve != nil || got.Needed == 0 || !strings.HasPrefix(got.Finding, "too few citations") {
		t.Errorf("%+v", got)
	}
	// Undecided, and about how much more it takes; with that much it is decided.
	flat := simulation("flat", 10, 1)
	c = collector(t, traffic.Options{})
	feed(t, c, flat, 1000, noon, nil)
	got = c.Result().Curves[0]
	if got.Verdict.Shape != core.ShapeUndecided || got.Needed < 1000 || got.Needed > 20_000 {
		t.Fatalf("%s: %d needed", got.Verdict.Shape, got.Needed)
	}
	c = collector(t, traffic.Options{})
	feed(t, c, flat, 2*(1000+got.Needed), noon, nil)
	if got = c.Result().Curves[0]; got.Verdict.Shape != core.ShapeFlat || got.Needed != 0 {
		t.Errorf("with twice as many: %s", got.Finding)
	}
	if got := collector(t, traffic.Options{}).Result(); !reflect.DeepEqual(got, traffic.Result{Window: "24h0m0s"}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Only answered requests of the shuffled share make a curve; all are counted.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 1000, noon, func(i int, e *record.Entry) {
		switch i % 10 {
		case 0:
			e.Arm = record.Configured
		case 1:
			e.Answer = nil
		case 2:
			e.Answer = &record.Answer{Unknown: 2}
		case 3:
			e.Answer = &record.Answer{}
		case 4:
			e.Arrangement.Slots = e.Arrangement.Slots[:1]
			e.Arrangement.Slots[0].Label = 1
		}
	})
	r := c.Result()
	if r.Configured.Requests != 100 || r.Shuffled.Requests != 900 || r.Shuffled.Answered != 800 || r.Shuffled.CitedUnknown != 100 || r.OtherSize != 100 || r.NoRoom != 0 {
		t.Errorf("%+v", r)
	}
	if got := r.Curves[0]; got.Requests != 700 || len(r.Curves) != 1 {
		t.Errorf("%d requests make %d curves", got.Requests, len(r.Curves))
	}
	if !r.First.Equal(noon) || !r.Last.Equal(noon.Add(999*time.Second)) {
		t.Errorf("from %v to %v", r.First, r.Last)
	}
}

// Ranks count among the documents of the prompt: one that was left out before them
// all changes nothing.
func TestRanksAreThoseOfTheAdmitted(t *testing.T) {
	t.Parallel()
	plain, shifted := collector(t, traffic.Options{Together: true}), collector(t, traffic.Options{Together: true})
	feed(t, plain, simulation("U", 6, 1), 500, noon, nil)
	feed(t, shifted, simulation("U", 6, 1), 500, noon, func(_ int, e *record.Entry) {
		e.Documents = append([]record.Document{{}}, e.Documents...)
		e.Arrangement.N++
		e.Arrangement.Dropped = []core.Dropped{{Index: 0, Rank: 0}}
		for slot := range e.Arrangement.Slots {
			e.Arrangement.Slots[slot].Rank++
			e.Arrangement.Slots[slot].Index++
		}
		for i := range e.Answer.Ranks {
			e.Answer.Ranks[i]++
		}
		if err := e.Arrangement.Check(7); err != nil {
			t.Error(err)
		}
		// What stands in no slot cannot be cited, and a citation counts once.
		e.Answer.Ranks = append(e.Answer.Ranks, e.Answer.Ranks...)
		e.Answer.Ranks = append(e.Answer.Ranks, 0)
	})
	want, got := plain.Result().Curves, shifted.Result().Curves
	if !reflect.DeepEqual(want, got) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
}

// Models, numbers of documents and prompt sizes have curves of their own, unless
// they are to be together.
func TestApart(t *testing.T) {
	t.Parallel()
	fill := func(o traffic.Options) []traffic.Curve {
		c := collector(t, o)
		feed(t, c, simulation("U", 10, 1), 400, noon, func(i int, e *record.Entry) {
			e.Model = []string{"a", "b"}[i%2]
			e.PromptTokens = []int{2049, 4096, 4097, 0}[i/2%4]
		})
		feed(t, c, simulation("U", 5, 2), 50, noon, nil)
		return c.Result().Curves
	}
	var keys []string
	for _, c := range fill(traffic.Options{}) {
		keys = append(keys, c.Key.String())
	}
	want := "a, 10 documents, up to 4096 tokens; b, 10 documents, up to 4096 tokens; " +
		"a, 10 documents, up to 32768 bytes; a, 10 documents, up to 8192 tokens; " +
		"b, 10 documents, up to 32768 bytes; b, 10 documents, up to 8192 tokens; simulated, 5 documents, up to 1024 tokens"
	if got := strings.Join(keys, "; "); got != want {
		t.Errorf("apart (-want +got)\n-%s\n+%s", want, got)
	}
	keys = nil
	for _, c := range fill(traffic.Options{Together: true}) {
		keys = append(keys, c.Key.String())
	}
	if got := strings.Join(keys, "; "); got != "unnamed model, 10 documents; unnamed model, 5 documents" {
		t.Errorf("together: %s", got)
	}
}

// Whatever a file says of a size, its power of two is one that every machine has.
func TestHugePromptsShareASize(t *testing.T) {
	t.Parallel()
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 5, 1), 50, noon, func(i int, e *record.Entry) {
		e.PromptTokens = []int{math.MaxInt, 1<<30 + 1}[i%2]
	})
	if got := c.Result().Curves; len(got) != 1 || got[0].UpTo != 1<<30 {
		t.Errorf("%+v", got)
	}
	c = collector(t, traffic.Options{})
	feed(t, c, simulation("U", 5, 1), 50, noon, func(_ int, e *record.Entry) {
		e.PromptTokens = 0 // the lengths of the documents count
		for i := range e.Documents {
			e.Documents[i].Length = math.MaxInt * (1 - i/4) // of four: their sum wraps
		}
	})
	if got := c.Result().Curves; len(got) != 1 || got[0].UpTo != 1<<30 {
		t.Errorf("by lengths: %+v", got)
	}
}

// A curve that turns round is drift; more citations an answer are none.
func TestDrift(t *testing.T) {
	t.Parallel()
	fill := func(second traffic.Simulation) traffic.Curve {
		c := collector(t, traffic.Options{})
		feed(t, c, simulation("primacy", 10, 1), 2000, noon, nil)
		feed(t, c, second, 2000, noon.Add(24*time.Hour), nil)
		return c.Result().Curves[0]
	}
	turned := fill(simulation("recency", 10, 2))
	if !turned.Drift.Changed() || len(turned.Windows) != 2 || !strings.Contains(turned.Finding, "changed between windows") {
		t.Errorf("turned round: %+v, %s", turned.Drift, turned.Finding)
	}
	more := simulation("primacy", 10, 2)
	more.Relevance = traffic.FallingRelevance(10, 0.2, 1)
	if same := fill(more); same.Drift.Changed() || same.Drift == nil || same.Drift.Windows != 2 {
		t.Errorf("cites other ranks: %+v", same.Drift)
	}
	one := collector(t, traffic.Options{Window: 240 * time.Hour})
	feed(t, one, simulation("primacy", 10, 1), 2000, noon, nil)
	if d := one.Result().Curves[0].Drift; d != nil {
		t.Errorf("of one window: %+v", d)
	}
}

// Drift is seldom found where there is none.
func TestDriftOfNothing(t *testing.T) {
	t.Parallel()
	const runs = 40
	changed := 0
	for run := range runs {
		c := collector(t, traffic.Options{Window: 10 * time.Minute})
		feed(t, c, simulation("U", 5, uint64(run)), 3*600, noon, nil)
		if c.Result().Curves[0].Drift.Changed() {
			changed++
		}
	}
	if changed > 1 { // 5 % are 2, and the test errs on the safe side
		t.Errorf("drift is found in %d of %d runs without any", changed, runs)
	}
}

func TestOptionFaults(t *testing.T) {
	t.Parallel()
	for _, o := range []traffic.Options{{Window: -1}, {Window: time.Millisecond}} {
		_, err := traffic.NewCollector(o)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	good := simulation("U", 10, 1)
	for i, change := range []func(*traffic.Simulation){
		func(s *traffic.Simulation) { s.Curve = s.Curve[:1] },
		func(s *traffic.Simulation) { s.Curve[0] = 0 },
		func(s *traffic.Simulation) { s.Relevance = s.Relevance[:3] },
		func(s *traffic.Simulation) { s.Relevance[0] = -1 },
		func(s *traffic.Simulation) { s.Relevance[0] = 1 },
		func(s *traffic.Simulation) { s.Spread = 2 },
	} {
		s := simulation("U", 10, 1)
		change(&s)
		if e := (*core.ConfigError)(nil); !errors.As(s.Check(), &e) {
			t.Errorf("fault %d: %v", i, s.Check())
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
