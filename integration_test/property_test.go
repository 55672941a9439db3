package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
)

var background = context.Background()

// arrange runs a call, and returns false when its pins go over a limit, after it
// has checked that this is what the reference says.
func (c call) arrange(t *rapid.T) (core.Arrangement, *reference, bool) {
	want := expect(c)
	got, err := core.Arrange(background, c.arranger(t), c.docs, documentView, c.of())
	var pins *core.PinError
	switch {
	case errors.As(err, &pins):
		if pins.Limit != want.limit {
			t.Fatalf("the pins go over %q, want %q: %v", pins.Limit, want.limit, err)
		}
		return got, want, false
	case err != nil:
		t.Fatal(err)
	case want.limit != "":
		t.Fatalf("no error, but the pins go over %s", want.limit)
	}
	return got, want, true
}

func (c call) arranger(t *rapid.T) *core.Arranger {
	a, err := core.New(c.config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Admitted and dropped documents are together all, each once, and each stands
// where it does for the reason that the reference finds.
func TestEveryDocumentIsPlacedOrDroppedForItsReason(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		got, want, ok := c.arrange(t)
		if !ok {
			return
		}
		reason := make([]core.Reason, len(c.docs))
		times := make([]int, len(c.docs))
		note := func(index, rank int, score core.Score, why core.Reason) {
			if rank < 0 || rank >= len(c.docs) || index < 0 || index >= len(c.docs) {
				t.Fatalf("document %d of rank %d: there are only %d", index, rank, len(c.docs))
			}
			times[index]++
			reason[rank] = why
			if serial := want.ranked[rank].serial; serial != index {
				t.Errorf("document %d has rank %d, which is that of document %d", index, rank, serial)
			}
			if s := want.score(want.ranked[rank]); s != float64(score) && (known(s) || score.Known()) {
				t.Errorf("rank %d: score %v, want %v", rank, score, s)
			}
		}
		for _, p := range got.Slots {
			note(p.Index, p.Rank, p.Score, "")
		}
		for _, d := range got.Dropped {
			note(d.Index, d.Rank, d.Score, d.Reason)
			if d.Reason == "" {
				t.Errorf("rank %d was dropped without a reason", d.Rank)
			}
		}
		for index, n := range times {
			if n != 1 {
				t.Errorf("document %d occurs %d times", index, n)
			}
		}
		if d := cmp.Diff(want.reason, reason); d != "" {
			t.Errorf("reasons by rank (-want +got)\n%s", d)
		}
		if !slices.IsSortedFunc(got.Dropped, func(a, b core.Dropped) int { return a.Rank - b.Rank }) {
			t.Errorf("the dropped are not in the order of their ranks: %v", got.Dropped)
		}
		if got.N != len(c.docs) {
			t.Errorf("N is %d, want %d", got.N, len(c.docs))
		}
	})
}

// The draws above would prove little if they never reached a rule. Examples are
// the same in every run.
func TestGeneratedCallsReachEveryRule(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{
		string(core.SameID): true, string(core.SameText): true, string(core.NoScore): true,
		string(core.OverThreshold): true, string(core.OverMaxBytes): true, string(core.OverTopK): true,
		string(core.OverBudget): true, "MaxBytes": true, "TopK": true, "Budget": true,
		"a pin": true, "over the budget by KeepBest": true, "skipped": true,
	}
	const examples = 1000
	faults := 0
	for i := range examples {
		r := expect(calls.Example(i))
		if r.limit != "" {
			faults++
			delete(missing, r.limit)
			continue
		}
		for _, reason := range r.reason {
			delete(missing, string(reason))
		}
		if len(r.in(true)) > 0 {
			delete(missing, "a pin")
		}
		if r.config.Budget == 0 {
			continue
		}
		if r.sum(r.admitted()) > r.config.Budget {
			delete(missing, "over the budget by KeepBest")
		}
		if first := slices.Index(r.reason, core.OverBudget); first >= 0 && slices.Contains(r.in(false), first+1) {
			delete(missing, "skipped")
		}
	}
	if len(missing) > 0 {
		t.Errorf("%d calls never met %v", examples, missing)
	}
	if faults > examples/3 {
		t.Errorf("%d of %d calls fail because of their pins: too few are left to test the rest", faults, examples)
	}
}

func TestEachSlotHoldsTheRankOfItsPlacement(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		got, want, ok := c.arrange(t)
		if !ok {
			return
		}
		slots, err := want.slots()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(slots, got.Ranks()); d != "" {
			t.Errorf("rank by slot (-want +got)\n%s", d)
		}
	})
}

func TestLabelsAreDenseByRank(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		got, want, ok := calls.Draw(t, "call").arrange(t)
		if !ok {
			return
		}
		for slot, p := range got.Slots {
			if label := 1 + slices.Index(want.admitted(), p.Rank); p.Label != label {
				t.Errorf("slot %d, rank %d: label %d, want %d", slot, p.Rank, p.Label, label)
			}
			if p.Pinned != want.isPinned(p.Rank) {
				t.Errorf("rank %d: pinned is %v, want %v", p.Rank, p.Pinned, want.isPinned(p.Rank))
			}
			if at, ok := got.SlotOf(p.Rank); !ok || at != slot {
				t.Errorf("SlotOf(%d) = %d, %v, want %d", p.Rank, at, ok, slot)
			}
			if index, ok := got.IndexOf(p.Rank); !ok || index != p.Index {
				t.Errorf("IndexOf(%d) = %d, %v, want %d", p.Rank, index, ok, p.Index)
			}
		}
		for _, out := range got.Dropped {
			if at, ok := got.SlotOf(out.Rank); ok {
				t.Errorf("SlotOf(%d) = %d, but it was dropped", out.Rank, at)
			}
			if index, ok := got.IndexOf(out.Rank); ok {
				t.Errorf("IndexOf(%d) = %d, but it was dropped", out.Rank, index)
			}
		}
		if d := cmp.Diff(want.admitted(), slices.Sorted(maps.Values(got.Labels()))); d != "" {
			t.Errorf("rank by label (-want +got)\n%s", d)
		}
	})
}

// Under stop, the unpinned admitted are a prefix of the ranks that no earlier
// rule left out; it fits, and one more would not. This reads the result alone.
func TestStopAdmitsTheLongestPrefixThatFits(t *testing.T) {
	t.Parallel()
	budgeted := calls.Filter(func(c call) bool { return c.config.Budget > 0 && c.config.Overflow != core.Skip })
	rapid.Check(t, func(t *rapid.T) {
		c := budgeted.Draw(t, "call")
		got, want, ok := c.arrange(t)
		if !ok {
			return
		}
		used, unpinned, last, best := 0, 0, -1, math.MaxInt
		for _, p := range got.Slots {
			used += want.size(p.Rank)
			if p.Size != want.size(p.Rank) {
				t.Errorf("rank %d: size %d, want %d", p.Rank, p.Size, want.size(p.Rank))
			}
			if !p.Pinned {
				unpinned++
				last = max(last, p.Rank)
			}
			best = min(best, p.Rank)
		}
		next := -1 // the best rank that did not fit
		for _, d := range slices.Backward(got.Dropped) {
			if d.Reason == core.OverBudget {
				next = d.Rank
			}
		}
		if next >= 0 && last > next {
			t.Errorf("rank %d was left out over the budget, but rank %d entered", next, last)
		}
		if next >= 0 && used+want.size(next) <= c.config.Budget {
			t.Errorf("rank %d of size %d was left out, but %d of %d are used", next, want.size(next), used, c.config.Budget)
		}
		if overrun := used > c.config.Budget; overrun && (!c.config.KeepBest || unpinned != 1 || last != best) {
			t.Errorf("%d of %d are used, which KeepBest (%v) does not explain: %v", used, c.config.Budget, c.config.KeepBest, got)
		}
		if got.Used != used || got.Room != c.config.Budget {
			t.Errorf("the arrangement says %d of %d, want %d of %d", got.Used, got.Room, used, c.config.Budget)
		}
	})
}

func TestInputIsNeverWrittenTo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		array := c.docs[:len(c.docs):cap(c.docs)]
		before := clones(array[:cap(array)])
		placed, err := core.Transform(background, c.arranger(t), c.docs, documentView, c.of())
		if d := diff(before, array[:cap(array)]); d != "" {
			t.Errorf("the input changed (-before +after)\n%s", d)
		}
		if err != nil {
			return
		}
		// The result is a fresh slice: what its owner does to it stays there.
		clear(placed)
		_ = append(placed[:0], make([]document, cap(placed))...)
		if d := diff(before, array[:cap(array)]); d != "" {
			t.Errorf("the result shares its array with the input (-before +after)\n%s", d)
		}
	})
}

func TestEqualInputGivesEqualOutput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		first, _, ok := c.arrange(t)
		if !ok {
			return
		}
		c.docs = clones(c.docs)
		second, _, _ := c.arrange(t)
		want, got := marshal(t, first), marshal(t, second)
		if !bytes.Equal(want, got) {
			t.Errorf("two calls with equal input (-first +second)\n-%s\n+%s", want, got)
		}
		var read core.Arrangement
		if err := json.Unmarshal(want, &read); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(first, read, sameScore); d != "" {
			t.Errorf("JSON there and back, by %s (-want +got)\n%s", want, d)
		}
	})
}

// sameScore holds one missing score equal to another.
var sameScore = cmp.Comparer(func(a, b core.Score) bool { return a == b || !a.Known() && !b.Known() })

func marshal(t *rapid.T, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTransformIsApplyOfArrange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		arrangement, want, ok := c.arrange(t)
		placed, err := core.Transform(background, c.arranger(t), c.docs, documentView, c.of())
		if (err == nil) != ok {
			t.Fatalf("Arrange succeeded: %v, but Transform: %v", ok, err)
		}
		if err != nil {
			if placed != nil {
				t.Fatalf("Transform returned documents beside its error: %v", placed)
			}
			return
		}
		applied, err := core.Apply(arrangement, c.docs)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(serials(applied), serials(placed)); d != "" {
			t.Errorf("Transform beside Apply (-Apply +Transform)\n%s", d)
		}
		restored, err := core.RestoreRank(arrangement, placed)
		if err != nil {
			t.Fatal(err)
		}
		var ranked []document
		for _, rank := range want.admitted() {
			ranked = append(ranked, want.ranked[rank])
		}
		if d := cmp.Diff(serials(ranked), serials(restored)); d != "" {
			t.Errorf("RestoreRank (-want +got)\n%s", d)
		}
	})
}

func TestNilStaysNil(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		placed, err := core.Transform[[]document](background, c.arranger(t), nil, documentView, c.of())
		if placed != nil || err != nil {
			t.Errorf("got %#v, %v, want nil, nil", placed, err)
		}
	})
}

func TestOffChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		c.config.Select = func(context.Context) *core.Arranger { return core.Off }
		placed, err := core.Transform(background, c.arranger(t), c.docs, documentView, c.of())
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(c.docs, placed); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

// An unstable sort looks stable below 13 elements, so that this takes 1,000.
func TestEqualScoresKeepInputOrder(t *testing.T) {
	t.Parallel()
	const n = 1000
	rapid.Check(t, func(t *rapid.T) {
		pool := rapid.SliceOfN(rapid.SampledFrom(someScores), 1, 4).Draw(t, "scores")
		pick := rapid.Uint64().Draw(t, "seed")
		docs := make([]document, n)
		for i := range docs {
			pick = pick*6364136223846793005 + 1442695040888963407
			score := pool[pick>>33%uint64(len(pool))]
			docs[i] = document{serial: i, score: &score}
		}
		c := call{docs: docs, config: core.Config{
			Rank:      core.ByScore,
			Direction: rapid.SampledFrom([]core.Direction{core.HigherIsBetter, core.LowerIsBetter}).Draw(t, "direction"),
			Placement: core.Choice{Placement: core.RankOrder},
		}}
		placed, err := core.Transform(background, c.arranger(t), c.docs, documentView, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		if len(placed) != n {
			t.Fatalf("%d documents, want %d", len(placed), n)
		}
		for i := 1; i < n; i++ {
			a, b := placed[i-1], placed[i]
			if same := *a.score == *b.score || !known(*a.score) && !known(*b.score); same && a.serial > b.serial {
				t.Fatalf("documents %d and %d have the score %v and changed places", b.serial, a.serial, *a.score)
			}
			if !known(*a.score) && known(*b.score) {
				t.Fatalf("document %d without a score stands before document %d with one", a.serial, b.serial)
			}
			if worse := *a.score < *b.score; c.config.Direction == core.HigherIsBetter && worse ||
				c.config.Direction == core.LowerIsBetter && *a.score > *b.score {
				t.Fatalf("score %v stands before %v", *a.score, *b.score)
			}
		}
	})
}
