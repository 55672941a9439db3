package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// orderCase says which documents come out and in which order, and what is left
// out and why.
type orderCase struct {
	rule    int
	name    string
	config  core.Config
	docs    []Doc
	want    string
	dropped string
	// missing says that a document of the case has no score of its own.
	missing bool
}

var (
	ranked   = by(core.RankOrder)
	higher   = core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, Placement: ranked}
	lower    = core.Config{Rank: core.ByScore, Direction: core.LowerIsBetter, Placement: ranked}
	headTail = core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}
)

// byField ranks by a metadata field.
func byField(c core.Config) core.Config {
	c.Keys.Score = "relevance"
	return c
}

// fields returns documents whose metadata field "relevance" holds the values; nil
// leaves the field out.
func fields(values ...any) []Doc {
	return with(named(len(values)), func(i int, d *Doc) {
		if values[i] != nil {
			d.Meta["relevance"] = values[i]
		}
	})
}

// texts returns documents with the given texts.
func texts(texts ...string) []Doc {
	return with(named(len(texts)), func(i int, d *Doc) { d.Text = texts[i] })
}

// ids returns documents with the given IDs.
func ids(ids ...string) []Doc {
	return with(named(len(ids)), func(i int, d *Doc) { d.ID = ids[i] })
}

// words returns documents of so many words each, which differ.
func words(counts ...int) []Doc {
	return with(named(len(counts)), func(i int, d *Doc) {
		d.Text = strings.Repeat(fmt.Sprint("w", i, " "), counts[i])
	})
}

var orderCases = []orderCase{
	{
		rule: 2, name: "the given order is trusted though scores disagree",
		docs: scored(0.25, 0.5, 0.75, 1, 2), want: "d1 d3 d5 d4 d2",
	},
	{
		rule: 2, name: "by score, higher is better", config: higher,
		docs: scored(0.25, 0.75, 0.5), want: "d2 d3 d1",
	},
	{
		rule: 2, name: "by score, lower is better", config: lower,
		docs: scored(0.25, 0.75, 0.5), want: "d1 d3 d2",
	},
	{
		rule: 2, name: "by score, then placed", config: headTail,
		docs: scored(1, 5, 2, 4, 3), want: "d2 d5 d1 d3 d4",
	},
	{
		rule: 2, name: "by a metadata field, not by the score", config: byField(higher),
		docs: with(fields(1.0, 3.0, 2.0), func(i int, d *Doc) { d.Score = number(-float64(i)) }),
		want: "d2 d3 d1",
	},
	{
		rule: 3, name: "negative scores", config: higher,
		docs: scored(-3, -1, 0, -2), want: "d3 d2 d4 d1",
	},
	{
		rule: 3, name: "infinite scores", config: higher,
		docs: scored(math.Inf(-1), 1, math.Inf(1)), want: "d3 d2 d1",
	},
	{
		rule: 3, name: "a missing score ranks last, in input order", config: higher, missing: true,
		docs: with(scored(0, -3, 0, -1), func(i int, d *Doc) {
			if i%2 == 0 {
				d.Score = nil
			}
		}), want: "d4 d2 d1 d3",
	},
	{
		rule: 3, name: "a missing score ranks last when lower is better", config: lower, missing: true,
		docs: with(scored(0, -3, 0, 7), func(i int, d *Doc) {
			if i%2 == 0 {
				d.Score = nil
			}
		}), want: "d2 d4 d1 d3",
	},
	{
		rule: 3, name: "a threshold drops a missing score", missing: true,
		config: core.Config{Direction: core.LowerIsBetter, Threshold: number(1)},
		docs: with(scored(0, 0, 2), func(i int, d *Doc) {
			if i == 0 {
				d.Score = nil
			}
		}), want: "d2", dropped: "d1: no score, d3: worse than the threshold",
	},
	{
		rule: 3, name: "a missing field ranks last, in input order", config: byField(higher),
		docs: fields(nil, -3, math.NaN(), "9", -1), want: "d5 d2 d1 d3 d4",
	},
	{
		rule: 3, name: "a field of any numeric type", config: byField(higher),
		docs: fields(int8(1), uint16(2), float32(3), json.Number("4"), 5), want: "d5 d4 d3 d2 d1",
	},
	{
		rule: 3, name: "a threshold drops a missing field",
		config: byField(core.Config{Direction: core.HigherIsBetter, Threshold: number(0)}),
		docs:   fields(nil, 0, -1, math.NaN()), want: "d2",
		dropped: "d1: no score, d3: worse than the threshold, d4: no score",
	},
	{
		rule: 3, name: "zero is a score",
		config: core.Config{Direction: core.HigherIsBetter, Threshold: number(0), Placement: ranked},
		docs:   scored(0, 1, -1), want: "d1 d2", dropped: "d3: worse than the threshold",
	},
	{
		rule: 4, name: "equal scores keep input order", config: higher,
		docs: scored(1, 2, 1, 2, 1), want: "d2 d4 d1 d3 d5",
	},
	{
		rule: 4, name: "equal scores keep input order when lower is better", config: lower,
		docs: scored(1, 2, 1, 2, 1), want: "d1 d3 d5 d2 d4",
	},
	{
		rule: 5, name: "top-k admits by rank, before placing", config: core.Config{TopK: 3},
		docs: named(5), want: "d1 d3 d2", dropped: "d4: beyond top-k, d5: beyond top-k",
	},
	{
		rule: 5, name: "top-k goes by score where ranks do", config: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 2},
		docs: scored(1, 2, 3), want: "d3 d2", dropped: "d1: beyond top-k",
	},
	{
		rule: 5, name: "a pin is charged to top-k first", config: core.Config{Pins: []string{"d5"}, TopK: 2},
		docs: named(5), want: "d1 d5", dropped: "d2: beyond top-k, d3: beyond top-k, d4: beyond top-k",
	},
	{
		rule: 5, name: "a pin by metadata is exempt from the threshold",
		config: core.Config{Keys: core.Keys{Pin: "pin"}, Direction: core.HigherIsBetter, Threshold: number(2), Placement: ranked},
		docs: with(scored(3, 1, 0), func(i int, d *Doc) {
			if i == 2 {
				d.Meta["pin"] = true
			}
		}), want: "d1 d3", dropped: "d2: worse than the threshold",
	},
	{
		rule: 5, name: "a pin is charged to the budget first",
		config: core.Config{Pins: []string{"d3"}, Budget: 5, Unit: core.Words, Placement: ranked},
		docs:   words(2, 2, 3), want: "d1 d3", dropped: "d2: beyond the budget",
	},
	{
		rule: 5, name: "a pin wins over its better duplicate",
		config: core.Config{Pins: []string{"d3"}, DropSameText: true, Placement: ranked},
		docs:   texts("a", "b", "a"), want: "d2 d3", dropped: "d1: same text as a better document",
	},
	{
		rule: 5, name: "of one ID the best stays, an empty ID is no duplicate",
		config: core.Config{DropSameID: true, Placement: ranked},
		docs:   ids("a", "b", "a", "", "", "b"), want: "d1 d2 d4 d5",
		dropped: "d3: same ID as a better document, d6: same ID as a better document",
	},
	{
		rule: 5, name: "of one text the best stays, an empty text is no duplicate",
		config: core.Config{DropSameText: true, Placement: ranked},
		docs:   texts("a", "b", "a", "", "", "A"), want: "d1 d2 d4 d5 d6",
		dropped: "d3: same text as a better document",
	},
	{
		rule: 5, name: "of one ID the best by score stays",
		config: core.Config{Rank: core.ByScore, Direction: core.LowerIsBetter, DropSameID: true, Placement: ranked},
		docs:   with(scored(2, 1), func(_ int, d *Doc) { d.ID = "same" }), want: "d2",
		dropped: "d1: same ID as a better document",
	},
	{
		rule: 5, name: "a score at the threshold stays, higher is better",
		config: core.Config{Direction: core.HigherIsBetter, Threshold: number(0.5), Placement: ranked},
		docs:   scored(0.25, 0.5, 0.75), want: "d2 d3", dropped: "d1: worse than the threshold",
	},
	{
		rule: 5, name: "a score at the threshold stays, lower is better",
		config: core.Config{Direction: core.LowerIsBetter, Threshold: number(0.5), Placement: ranked},
		docs:   scored(0.25, 0.5, 0.75), want: "d1 d2", dropped: "d3: worse than the threshold",
	},
	{
		rule: 5, name: "a full budget stops",
		config: core.Config{Budget: 5, Unit: core.Words, Placement: ranked},
		docs:   words(3, 4, 1, 1), want: "d1",
		dropped: "d2: beyond the budget, d3: beyond the budget, d4: beyond the budget",
	},
	{
		rule: 5, name: "skip passes over what does not fit",
		config: core.Config{Budget: 5, Unit: core.Words, Overflow: core.Skip, Placement: ranked},
		docs:   words(3, 4, 1, 2), want: "d1 d3", dropped: "d2: beyond the budget, d4: beyond the budget",
	},
	{
		rule: 5, name: "a budget may be filled to the last word",
		config: core.Config{Budget: 5, Unit: core.Words}, docs: words(3, 2, 1),
		want: "d1 d2", dropped: "d3: beyond the budget",
	},
	{
		rule: 5, name: "keep-best admits the best over the budget",
		config: core.Config{Budget: 2, Unit: core.Words, KeepBest: true},
		docs:   words(3, 1), want: "d1", dropped: "d2: beyond the budget",
	},
	{
		rule: 5, name: "a text above the byte cap is dropped before it is counted",
		config: core.Config{MaxBytes: 4, Budget: 20, Count: func(text string) int {
			if len(text) > 4 {
				return 1_000 // would be beyond the budget and end the admission
			}
			return len(text)
		}, Placement: ranked},
		docs: texts("abcd", "abcde", "ab"), want: "d1 d3", dropped: "d2: text longer than the byte cap",
	},
	{
		rule: 5, name: "the stages in their order",
		config: core.Config{
			Pins: []string{"d7"}, DropSameText: true, Direction: core.HigherIsBetter, Threshold: number(1),
			TopK: 4, Budget: 6, Unit: core.Words,
		},
		docs: with(scored(9, 9, 0, 8, 8, 7, 0), func(i int, d *Doc) {
			d.Text = []string{"a a", "a a", "b", "c", "d d", "e", "f f"}[i]
		}),
		// d7 takes 2 of the 6 words, d1 2 and d4 1; d5 needs 2 more, which are not
		// there; d6 is the fifth of four.
		want:    "d1 d7 d4",
		dropped: "d2: same text as a better document, d3: worse than the threshold, d5: beyond the budget, d6: beyond top-k",
	},
	{
		rule: 5, name: "groups stay together in reading order", config: core.Config{Groups: true},
		docs: with(named(4), func(i int, d *Doc) {
			d.Meta["source"] = []string{"A", "B", "A", "C"}[i]
			d.Meta["position"] = []int{2, 0, 1, 0}[i]
		}), want: "d3 d1 d4 d2",
	},
}

// checkOrder runs a case twice. An observer must not change the outcome, and it
// tells what was left out.
func (k kit[E]) checkOrder(t *testing.T, c orderCase) {
	if c.missing && !k.MissingScores {
		t.Skip("a document of this framework cannot lack a score")
	}
	docs := k.make(c.docs)
	placed := k.call(t, k.build(t, c.config), docs)
	checkNames(t, c.want, k.names(placed))

	var reasons []string
	c.config.Observe = func(_ context.Context, e core.Event) {
		for _, d := range e.Arrangement.Dropped {
			reasons = append(reasons, fmt.Sprintf("%s: %s", k.Read(docs[d.Index]).Meta[nameKey], d.Reason))
		}
	}
	placed = k.call(t, k.build(t, c.config), docs)
	checkNames(t, c.want, k.names(placed))
	slices.Sort(reasons) // by document, as the cases are written
	if got := strings.Join(reasons, ", "); got != c.dropped {
		t.Errorf("left out (-want +got)\n-%s\n+%s", c.dropped, got)
	}
}
