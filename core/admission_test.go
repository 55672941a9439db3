package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// sizeOf is a counter for texts that are their own size: the text "5" counts 5.
func sizeOf(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// parse reads documents written as "A id=x text=5 score=0.5 pin, B …".
func parse(t testing.TB, list string) []doc {
	t.Helper()
	var docs []doc
	for _, item := range strings.Split(list, ",") {
		fields := strings.Fields(item)
		if len(fields) == 0 {
			continue
		}
		d := doc{name: fields[0], score: missing}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			switch key {
			case "id":
				d.id = value
			case "text":
				d.text = value
			case "score":
				s, err := strconv.ParseFloat(value, 64)
				if err != nil {
					t.Fatal(err)
				}
				d.score = s
			case "pin":
				d.meta = map[string]any{"pin": true}
			default:
				t.Fatalf("unknown key in %q", field)
			}
		}
		docs = append(docs, d)
	}
	return docs
}

// outcome writes an arrangement as "A B | C: reason", the admitted by rank.
func outcome(a core.Arrangement, docs []doc) string {
	var in, out []string
	ranks := a.Ranks()
	slices.Sort(ranks)
	for _, rank := range ranks {
		slot, _ := a.SlotOf(rank)
		in = append(in, docs[a.Slots[slot].Index].name)
	}
	for _, d := range a.Dropped {
		out = append(out, docs[d.Index].name+": "+d.Reason.String())
	}
	return strings.Join(in, " ") + " | " + strings.Join(out, ", ")
}

func TestAdmission(t *testing.T) {
	t.Parallel()
	huge := fmt.Sprint(math.MaxInt)
	higher, lower := core.HigherIsBetter, core.LowerIsBetter
	for _, test := range []struct {
		rule   string
		config core.Config
		docs   string
		want   string
	}{
		// A copy goes only where another one enters.
		{"a copy without a score does not push out one that has it", core.Config{DropSameID: true, Direction: higher, Threshold: ptr(.5)}, "A id=x, B id=x score=.9", "B | A: no score"},
		{"nor one over the byte cap", core.Config{DropSameID: true, MaxBytes: 3}, "A id=x text=long, B id=x text=abc", "B | A: text longer than the byte cap"},
		{"nor a text below the threshold", core.Config{DropSameText: true, Direction: higher, Threshold: ptr(.5)}, "A text=x score=.1, B text=x score=.9", "B | A: worse than the threshold"},
		{"under skip a copy stands in for what did not fit", core.Config{DropSameID: true, Budget: 5, Count: sizeOf, Overflow: core.Skip}, "A id=x text=9, B id=x text=2, C id=x text=1", "B | A: beyond the budget, C: same ID as a better document"},
		{"and takes its place among top-k", core.Config{DropSameID: true, Budget: 5, Count: sizeOf, Overflow: core.Skip, TopK: 2}, "A id=x text=9, B text=1, C id=x text=2, D text=1", "B C | A: beyond the budget, D: beyond top-k"},
		{"under stop nothing stands in", core.Config{DropSameID: true, Budget: 5, Count: sizeOf}, "A id=x text=9, B id=x text=2", " | A: beyond the budget, B: beyond the budget"},
		// Duplicates.
		{"no setting: all enter", core.Config{}, "A id=1 text=x, B id=1 text=x", "A B | "},
		{"same ID: the best stays", core.Config{DropSameID: true}, "A id=1, B id=1, C id=2, D id=1", "A C | B: same ID as a better document, D: same ID as a better document"},
		{"same text: the best stays", core.Config{DropSameText: true}, "A text=x, B text=y, C text=x", "A B | C: same text as a better document"},
		{"an empty ID is no duplicate", core.Config{DropSameID: true}, "A, B, C id=1", "A B C | "},
		{"an empty text is no duplicate", core.Config{DropSameText: true}, "A, B, C text=x", "A B C | "},
		{"same ID alone: texts do not count", core.Config{DropSameID: true}, "A id=1 text=x, B id=2 text=x", "A B | "},
		{"same text alone: IDs do not count", core.Config{DropSameText: true}, "A id=1 text=x, B id=1 text=y", "A B | "},
		{"text is compared byte for byte", core.Config{DropSameText: true}, "A text=x, B text=X", "A B | "},
		{"the ID is looked at first", core.Config{DropSameID: true, DropSameText: true}, "A id=1 text=x, B id=1 text=x", "A | B: same ID as a better document"},
		{"a dropped document's text does not count", core.Config{DropSameID: true, DropSameText: true}, "A id=1 text=x, B id=1 text=y, C id=2 text=y", "A C | B: same ID as a better document"},
		{"a dropped document's ID does not count", core.Config{DropSameID: true, DropSameText: true}, "A id=1 text=x, B id=2 text=x, C id=2 text=y", "A C | B: same text as a better document"},
		{"the best is found by rank", core.Config{DropSameID: true, Rank: core.ByScore, Direction: higher}, "A id=1 score=1, B id=1 score=2", "B | A: same ID as a better document"},

		// Threshold.
		{"higher is better", core.Config{Direction: higher, Threshold: ptr(0.5)}, "A score=0.9, B score=0.4, C score=0.6", "A C | B: worse than the threshold"},
		{"lower is better", core.Config{Direction: lower, Threshold: ptr(0.5)}, "A score=0.9, B score=0.4, C score=0.6", "B | A: worse than the threshold, C: worse than the threshold"},
		{"equal stays, higher", core.Config{Direction: higher, Threshold: ptr(0.5)}, "A score=0.5", "A | "},
		{"equal stays, lower", core.Config{Direction: lower, Threshold: ptr(0.5)}, "A score=0.5", "A | "},
		{"zero and negative thresholds count", core.Config{Direction: higher, Threshold: ptr(0.0)}, "A score=0, B score=-1", "A | B: worse than the threshold"},
		{"missing: no score", core.Config{Direction: higher, Threshold: ptr(-5.0)}, "A, B score=-4, C score=NaN", "B | A: no score, C: no score"},
		{"a float32 equals the threshold that it stands for", core.Config{Direction: higher, Threshold: ptr(0.7)}, "A score=0.699999988079071, B score=0.69", "A | B: worse than the threshold"},
		{"infinities are scores", core.Config{Direction: higher, Threshold: ptr(0.0)}, "A score=-Inf, B score=+Inf", "B | A: worse than the threshold"},
		{"infinities, lower is better", core.Config{Direction: lower, Threshold: ptr(0.0)}, "A score=-Inf, B score=+Inf", "A | B: worse than the threshold"},

		// Top-k.
		{"top-k", core.Config{TopK: 2}, "A, B, C, D", "A B | C: beyond top-k, D: beyond top-k"},
		{"top-k of more than there are", core.Config{TopK: 9}, "A, B", "A B | "},
		{"top-k by rank", core.Config{TopK: 1, Rank: core.ByScore, Direction: lower}, "A score=3, B score=1, C score=2", "B | C: beyond top-k, A: beyond top-k"},
		{"top-k of what the threshold left", core.Config{TopK: 2, Direction: higher, Threshold: ptr(0.5)}, "A score=0.1, B score=0.9, C score=0.8, D score=0.7", "B C | A: worse than the threshold, D: beyond top-k"},
		{"top-k of what duplicates left", core.Config{TopK: 2, DropSameID: true}, "A id=1, B id=1, C id=2", "A C | B: same ID as a better document"},

		// Budget.
		{"stop: the longest prefix that fits", core.Config{Budget: 10, Count: sizeOf}, "A text=4, B text=5, C text=2, D text=1", "A B | C: beyond the budget, D: beyond the budget"},
		{"skip: what does not fit is passed over", core.Config{Budget: 10, Count: sizeOf, Overflow: core.Skip}, "A text=4, B text=5, C text=2, D text=1", "A B D | C: beyond the budget"},
		{"exactly full", core.Config{Budget: 9, Count: sizeOf}, "A text=4, B text=5, C text=0, D text=1", "A B C | D: beyond the budget"},
		{"the first does not fit", core.Config{Budget: 3, Count: sizeOf}, "A text=4, B text=1", " | A: beyond the budget, B: beyond the budget"},
		{"the first does not fit, skip", core.Config{Budget: 3, Count: sizeOf, Overflow: core.Skip}, "A text=4, B text=1", "B | A: beyond the budget"},
		{"the budget counts what top-k left", core.Config{Budget: 3, Count: sizeOf, Overflow: core.Skip, TopK: 2}, "A text=2, B text=2, C text=1", "A | B: beyond the budget, C: beyond top-k"},
		{"runes", core.Config{Budget: 3, Unit: core.Runes}, "A text=äöü", "A | "},
		{"words", core.Config{Budget: 1, Unit: core.Words}, "A text=one", "A | "},
		{"huge sizes do not wrap around", core.Config{Budget: math.MaxInt, Count: sizeOf, Overflow: core.Skip}, "A text=" + huge + ", B text=" + huge + ", C text=1, D text=0", "A D | B: beyond the budget, C: beyond the budget"},

		// KeepBest.
		{"the best enters over the budget", core.Config{Budget: 3, Count: sizeOf, KeepBest: true}, "A text=4, B text=1", "A | B: beyond the budget"},
		{"after an overrun nothing fits, not even nothing", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, Overflow: core.Skip}, "A text=4, B text=1, C text=0", "A | B: beyond the budget, C: beyond the budget"},
		{"no more than the best", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, Overflow: core.Skip}, "A text=3, B text=4", "A | B: beyond the budget"},
		{"the best of what is left", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, DropSameID: true, Pins: []string{"2"}}, "A id=2 text=1, B id=3 text=9", "A | B: beyond the budget"},
		{"the best goes over beside a pin", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, Pins: []string{"2"}}, "A text=9, B id=2 text=2", "A B | "},
		{"the best after the threshold", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, Direction: higher, Threshold: ptr(1.0)}, "A text=1 score=0, B text=9 score=2, C text=1 score=1", "B | A: worse than the threshold, C: beyond the budget"},
		{"an overrun of the largest size", core.Config{Budget: 3, Count: sizeOf, KeepBest: true, Pins: []string{"2"}}, "A text=" + huge + ", B id=2 text=2", "A B | "},

		// Byte cap.
		{"longer than the cap", core.Config{MaxBytes: 3}, "A text=abcd, B text=abc", "B | A: text longer than the byte cap"},
		{"bytes, not runes", core.Config{MaxBytes: 3}, "A text=äö", " | A: text longer than the byte cap"},
		{"the cap frees a place of top-k", core.Config{MaxBytes: 3, TopK: 1}, "A text=abcd, B text=abc", "B | A: text longer than the byte cap"},

		// Pins.
		{"pins take places of top-k", core.Config{TopK: 2, Pins: []string{"4"}}, "A, B, C, D id=4", "A D | B: beyond top-k, C: beyond top-k"},
		{"pins fill top-k", core.Config{TopK: 1, Pins: []string{"4"}}, "A, D id=4", "D | A: beyond top-k"},
		{"pins are charged to the budget first", core.Config{Budget: 10, Count: sizeOf, Pins: []string{"3"}}, "A text=4, B text=4, C id=3 text=4", "A C | B: beyond the budget"},
		{"pins are exempt from the threshold", core.Config{Direction: higher, Threshold: ptr(0.5), Pins: []string{"1", "2"}}, "A id=1 score=0.1, B id=2, C score=0.4", "A B | C: worse than the threshold"},
		{"a pin wins over its better duplicate", core.Config{DropSameText: true, Pins: []string{"2"}}, "A id=1 text=x, B id=2 text=x", "B | A: same text as a better document"},
		{"a metadata field pins", core.Config{TopK: 1, Keys: core.Keys{Pin: "pin"}}, "A, B pin", "B | A: beyond top-k"},
		{"a metadata field pins, and so does an ID", core.Config{TopK: 2, Keys: core.Keys{Pin: "pin"}, Pins: []string{"3"}}, "A, B pin, C id=3", "B C | A: beyond top-k"},
		{"two pinned copies: the better stays", core.Config{DropSameID: true, Pins: []string{"1"}}, "A, B id=1, C id=1", "A B | C: same ID as a better document"},
		{"two pinned copies without a rule: both stay", core.Config{TopK: 2, Pins: []string{"1"}}, "A, B id=1, C id=1", "B C | A: beyond top-k"},
		{"a dropped pin is not charged", core.Config{DropSameID: true, TopK: 2, Pins: []string{"1"}}, "A, B id=1, C id=1", "A B | C: same ID as a better document"},
		{"a pin that is not there", core.Config{TopK: 1, Pins: []string{"9"}}, "A, B", "A | B: beyond top-k"},
		{"pins that fill the budget exactly", core.Config{Budget: 4, Count: sizeOf, Pins: []string{"1"}}, "A id=1 text=4, B text=0, C text=1", "A B | C: beyond the budget"},
		{"a pin of just the cap", core.Config{MaxBytes: 3, Pins: []string{"1"}}, "A id=1 text=abc", "A | "},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			docs := parse(t, test.docs)
			same(t, "outcome", test.want, outcome(mustArrange(t, mustNew(t, test.config), docs), docs))
		})
	}
}

// The reason is the first rule that a document breaks, in the order of the stages.
func TestAdmissionOrderOfReasons(t *testing.T) {
	t.Parallel()
	docs := parse(t, `
		best id=1 text=1 score=9,
		bytes id=1 text=toolong,
		score id=1 text=1,
		threshold id=1 text=1 score=1,
		id id=1 text=1 score=5,
		text id=2 text=1 score=5,
		budget text=7 score=5,
		top text=2 score=5,
	`)
	a := mustNew(t, core.Config{
		DropSameID: true, DropSameText: true, Direction: core.HigherIsBetter, Threshold: ptr(4.0),
		MaxBytes: 3, TopK: 2, Budget: 6, Count: sizeOf,
	})
	var got []core.Reason
	for _, d := range mustArrange(t, a, docs).Dropped {
		got = append(got, d.Reason)
	}
	same(t, "reasons", []core.Reason{
		core.OverMaxBytes, core.NoScore, core.OverThreshold, core.SameID, core.SameText, core.OverBudget, core.OverTopK,
	}, got)
}

func TestPinErrors(t *testing.T) {
	t.Parallel()
	pins := []string{"1", "2"}
	for _, test := range []struct {
		rule    string
		config  core.Config
		docs    string
		want    core.PinError
		mention []string
	}{
		{
			"over top-k",
			core.Config{TopK: 1, Pins: pins},
			"A id=1, B id=2",
			core.PinError{Limit: "TopK", Max: 1, Got: 2, Rank: -1},
			[]string{"pinned documents alone need 2", "TopK allows 1", "pin fewer"},
		},
		{
			"over the budget",
			core.Config{Budget: 5, Count: sizeOf, Pins: pins},
			"A id=1 text=3, B id=2 text=3",
			core.PinError{Limit: "Budget", Max: 5, Got: 6, Rank: -1},
			[]string{"need 6", "Budget allows 5"},
		},
		{
			"over the budget, which KeepBest does not excuse",
			core.Config{Budget: 5, Count: sizeOf, KeepBest: true, Pins: pins},
			"A id=1 text=6",
			core.PinError{Limit: "Budget", Max: 5, Got: 6, Rank: -1},
			nil,
		},
		{
			"over the budget by sizes that would wrap around",
			core.Config{Budget: 5, Count: sizeOf, Pins: pins},
			fmt.Sprintf("A id=1 text=%d, B id=2 text=%d", math.MaxInt, math.MaxInt),
			core.PinError{Limit: "Budget", Max: 5, Got: math.MaxInt, Rank: -1},
			nil,
		},
		{
			"over the byte cap",
			core.Config{MaxBytes: 3, Pins: pins},
			"A text=toolong, B id=2 text=abcd",
			core.PinError{Limit: "MaxBytes", Max: 3, Got: 4, Rank: 1},
			[]string{"pinned document of rank 1 has 4 bytes", "MaxBytes allows 3", "do not pin it"},
		},
		{
			"over the byte cap, rank 0",
			core.Config{MaxBytes: 3, Pins: pins},
			"A id=1 text=abcd",
			core.PinError{Limit: "MaxBytes", Max: 3, Got: 4, Rank: 0},
			nil,
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			docs, err := core.Transform(t.Context(), mustNew(t, test.config), parse(t, test.docs), docView, core.Call{})
			same(t, "error", test.want, *mustBe[*core.PinError](t, err))
			mustMention(t, err, test.mention...)
			if docs != nil {
				t.Errorf("got %v with the error", names(docs))
			}
		})
	}
}

func TestArrangementCountsTheBudget(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A text=4, B id=2 text=3, C text=9, D text=1")
	a := mustArrange(t, mustNew(t, core.Config{
		Budget: 8, Count: sizeOf, Overflow: core.Skip, Pins: []string{"2"}, Placement: core.Choice{Placement: core.RankOrder},
	}), docs)
	same(t, "room", 8, a.Room)
	same(t, "used", 8, a.Used)
	var sizes []int
	for _, p := range a.Slots {
		sizes = append(sizes, p.Size)
		same(t, "pinned", p.Rank == 1, p.Pinned)
	}
	same(t, "sizes", []int{4, 3, 1}, sizes)
	same(t, "size of the dropped", 9, a.Dropped[0].Size)

	over := mustArrange(t, mustNew(t, core.Config{Budget: 3, Count: sizeOf, KeepBest: true}), docs)
	same(t, "used with KeepBest", 4, over.Used)
	same(t, "room with KeepBest", 3, over.Room)
	same(t, "size of what was not counted", 0, over.Dropped[2].Size)

	none := mustArrange(t, mustNew(t, core.Config{TopK: 1, Count: sizeOf}), docs)
	same(t, "room without a budget", 0, none.Room)
	same(t, "used without a budget", 0, none.Used)
	same(t, "size without a budget", 0, none.Slots[0].Size)
}

// counter counts how often it is called, and for which texts.
type counter struct{ texts []string }

func (c *counter) count(text string) int {
	c.texts = append(c.texts, text)
	return sizeOf(text)
}

// Tokenizers are slow: under Stop the counter sees the pins, the admitted and the
// first that does not fit.
func TestCounterIsCalledSparingly(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A text=4, B text=5, C text=2, D text=1, E id=5 text=0, F score=1 text=toolong")
	for _, test := range []struct {
		config core.Config
		want   []string
	}{
		{core.Config{Budget: 10}, []string{"4", "5", "2"}},
		{core.Config{Budget: 100}, []string{"4", "5", "2", "1", "0", "toolong"}},
		{core.Config{Budget: 10, Pins: []string{"5"}}, []string{"0", "4", "5", "2"}},
		{core.Config{Budget: 10, TopK: 2}, []string{"4", "5"}},
		{core.Config{Budget: 10, Overflow: core.Skip, MaxBytes: 3}, []string{"4", "5", "2", "1", "0"}},
		{core.Config{}, nil},
	} {
		var c counter
		test.config.Count = c.count
		a := mustArrange(t, mustNew(t, test.config), docs)
		same(t, fmt.Sprintf("counted with budget %d", test.config.Budget), test.want, c.texts)
		if most := len(a.Slots) + 1; test.config.Overflow != core.Skip && len(c.texts) > most {
			t.Errorf("counted %d times, want at most %d", len(c.texts), most)
		}
	}
}

// The byte cap of a budget spares the counter texts that would take it for ever.
func TestDefaultByteCap(t *testing.T) {
	t.Parallel()
	docs := []doc{
		{name: "long", text: strings.Repeat("a", core.DefaultMaxBytes+1), score: missing},
		{name: "just", text: strings.Repeat("a", core.DefaultMaxBytes), score: missing},
	}
	var c counter
	a := mustNew(t, core.Config{Budget: 1_000_000, Count: c.count})
	same(t, "outcome", "just | long: text longer than the byte cap", outcome(mustArrange(t, a, docs), docs))
	same(t, "number of texts counted", 1, len(c.texts))

	a = mustNew(t, core.Config{Budget: 1_000_000, Count: c.count, MaxBytes: core.DefaultMaxBytes + 1})
	same(t, "placed with a cap of one's own", "long just", mustTransform(t, a, docs))
	a = mustNew(t, core.Config{DropSameText: true, Count: c.count})
	same(t, "placed without a budget", "long just", mustTransform(t, a, docs))
}

func TestNegativeCount(t *testing.T) {
	t.Parallel()
	for _, overflow := range []core.Overflow{core.Stop, core.Skip} {
		a := mustNew(t, core.Config{Budget: 10, Count: sizeOf, Overflow: overflow, Rank: core.ByScore, Direction: core.HigherIsBetter})
		_, err := core.Transform(t.Context(), a, parse(t, "A score=1 text=-8, B score=3 text=1, C score=2 text=-7"), docView, core.Call{})
		same(t, "value", any(-7), mustBe[*core.ConfigError](t, err).Value)
		mustMention(t, err, "Count is -7", "rank 1", "0 or more")
	}
	a := mustNew(t, core.Config{Budget: 10, Count: sizeOf, Pins: []string{"1"}})
	_, err := core.Transform(t.Context(), a, parse(t, "A text=1, B id=1 text=-1"), docView, core.Call{})
	same(t, "value of a pin", any(-1), mustBe[*core.ConfigError](t, err).Value)
	mustMention(t, err, "rank 1")
}

func TestAtMost(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{TopK: 2, Pins: []string{"3"}})
	docs := parse(t, "A, B, C id=3, D")
	for _, test := range []struct {
		k    int
		want string
	}{{0, "A C"}, {1, "C"}, {3, "A C B"}, {9, "A C D B"}} {
		same(t, fmt.Sprint("at most ", test.k), test.want, mustTransform(t, a, docs, core.Call{TopK: test.k}))
	}
	_, err := core.Transform(t.Context(), a, docs, docView, core.Call{TopK: -1})
	e := mustBe[*core.ConfigError](t, err)
	same(t, "field", "TopK", e.Field)
	same[any](t, "value", -1, e.Value)
	same(t, "the Arranger afterwards", "A C", mustTransform(t, a, docs))
}

func TestMissingAccessors(t *testing.T) {
	t.Parallel()
	higher := core.HigherIsBetter
	for _, test := range []struct {
		config core.Config
		field  string
	}{
		{core.Config{Rank: core.ByScore, Direction: higher}, "View.Score"},
		{core.Config{Rank: core.ByScore, Direction: higher, Groups: true}, "View.Score"},
		{core.Config{Threshold: ptr(1.0), Direction: higher}, "View.Score"},
		{core.Config{Rank: core.ByScore, Direction: higher, Keys: core.Keys{Score: "s"}}, "View.Meta"},
		{core.Config{Keys: core.Keys{Pin: "p"}}, "View.Meta"},
		{core.Config{Pins: []string{"1"}}, "View.ID"},
		{core.Config{DropSameID: true}, "View.ID"},
		{core.Config{Budget: 1, Unit: core.Words}, "View.Text"},
		{core.Config{MaxBytes: 1}, "View.Text"},
		{core.Config{DropSameText: true}, "View.Text"},
		{core.Config{Groups: true}, "View.Meta"},
		{core.Config{Placement: core.Choice{Placement: core.DocumentOrder}}, "View.Meta"},
	} {
		for _, v := range []*core.View[doc]{nil, {}} {
			_, err := core.Transform(t.Context(), mustNew(t, test.config), named("A B"), v, core.Call{})
			e := mustBe[*core.ConfigError](t, err)
			same(t, "field", test.field, e.Field)
			mustMention(t, err, "set the accessor")
		}
	}

	// Transform and Arrange are of one mind about what is needed.
	idle := mustNew(t, core.Config{Keys: core.Keys{Score: "s"}})
	_, transformErr := core.Transform(t.Context(), idle, named("A"), nil, core.Call{})
	_, arrangeErr := core.Arrange(t.Context(), idle, named("A"), nil, core.Call{})
	same(t, "does Arrange fail", transformErr != nil, arrangeErr != nil)

	// All that is missing is told at once.
	a := mustNew(t, core.Config{Rank: core.ByScore, Direction: higher, DropSameText: true, Keys: core.Keys{Pin: "p"}})
	_, err := core.Transform(t.Context(), a, named("A"), &core.View[doc]{}, core.Call{})
	same(t, "number of faults", 3, len(joined(err)))
}

// An ID may come from the metadata: text or a whole number.
func TestIDs(t *testing.T) {
	t.Parallel()
	type level int
	for _, test := range []struct {
		rule   string
		config core.Config
		own    string
		meta   map[string]any
		want   string
	}{
		{"the document's own goes first", core.Config{}, "own", map[string]any{"id": "meta"}, "own"},
		{"metadata", core.Config{}, "", map[string]any{"id": "meta"}, "meta"},
		{"a key of one's own", core.Config{Keys: core.Keys{ID: "key"}}, "", map[string]any{"id": "meta", "key": "mine"}, "mine"},
		{"an int", core.Config{}, "", map[string]any{"id": 7}, "7"},
		{"an uint64", core.Config{}, "", map[string]any{"id": uint64(1<<64 - 1)}, "18446744073709551615"},
		{"a named int", core.Config{}, "", map[string]any{"id": level(7)}, "7"},
		{"a whole float64, as JSON decodes it", core.Config{}, "", map[string]any{"id": 7.0}, "7"},
		{"a json.Number", core.Config{}, "", map[string]any{"id": json.Number("7")}, "7"},
		{"a bool is none", core.Config{}, "", map[string]any{"id": true}, ""},
		{"a fraction is none", core.Config{}, "", map[string]any{"id": 7.5}, ""},
		{"nil is none", core.Config{}, "", map[string]any{"id": nil}, ""},
		{"no metadata", core.Config{}, "", nil, ""},
	} {
		var got string
		test.config.Observe = func(_ context.Context, e core.Event) { got = e.ID(0) }
		mustTransform(t, mustNew(t, test.config), []doc{{id: test.own, meta: test.meta}})
		same(t, test.rule, test.want, got)
	}
}

// A pin is a bool that is true, nothing that looks like one.
func TestPinKeyIsABool(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{TopK: 1, Keys: core.Keys{Pin: "pin"}})
	for value, want := range map[any]string{true: "B", false: "A", "true": "A", 1: "A", nil: "A"} {
		docs := []doc{{name: "A", score: missing}, {name: "B", score: missing, meta: map[string]any{"pin": value}}}
		same(t, fmt.Sprintf("pin: %v", value), want, mustTransform(t, a, docs))
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text         string
		runes, words int
	}{
		{"", 0, 0},
		{" \t\n", 3, 0},
		{"one", 3, 1},
		{" two  words ", 12, 2},
		{"non\u00a0breaking", 12, 2},
		{"äöü", 3, 1},
		{"\xff\xfe", 2, 1},
		{"日本語", 3, 1},
	} {
		same(t, fmt.Sprintf("runes of %q", test.text), test.runes, core.Runes.Count(test.text))
		same(t, fmt.Sprintf("words of %q", test.text), test.words, core.Words.Count(test.text))
	}
}

func TestCanceledContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, a := range []*core.Arranger{nil, core.Off, mustNew(t, core.Config{}), mustNew(t, core.Config{TopK: 1})} {
		docs, err := core.Transform(ctx, a, named("A B"), docView, core.Call{})
		if !errors.Is(err, context.Canceled) || docs != nil {
			t.Errorf("Transform: got %v, %v", docs, err)
		}
		arrangement, err := core.Arrange(ctx, a, named("A B"), docView, core.Call{})
		if !errors.Is(err, context.Canceled) || !slices.Equal(arrangement.Slots, nil) || arrangement.N != 0 {
			t.Errorf("Arrange: got %v, %v", arrangement, err)
		}
	}
}
