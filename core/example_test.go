package core_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// The order that a retriever returns ends the prompt with its weakest document.
// Bookend puts the best first and the second best last.
func Example() {
	type hit struct {
		Text  string
		Score float64
	}
	hits := []hit{
		{"Refunds are paid within 45 days.", 0.91},
		{"Opened software cannot be returned.", 0.84},
		{"Return labels are free.", 0.62},
		{"The office is closed on Sundays.", 0.31},
	}
	for _, h := range core.Reorder(hits) {
		fmt.Println(h.Text)
	}
	// Output:
	// Refunds are paid within 45 days.
	// Return labels are free.
	// The office is closed on Sundays.
	// Opened software cannot be returned.
}

func ExampleReorder() {
	ranked := []string{"1st", "2nd", "3rd", "4th", "5th"}
	fmt.Println(core.Reorder(ranked))
	fmt.Println(ranked) // is not changed
	// Output:
	// [1st 3rd 5th 4th 2nd]
	// [1st 2nd 3rd 4th 5th]
}

func ExampleTransform() {
	type passage struct {
		Text     string
		Distance float64
	}
	view := &core.View[passage]{
		Text:  func(p passage) string { return p.Text },
		Score: func(p passage) (float64, bool) { return p.Distance, true },
	}
	arranger, err := core.New(core.Config{
		Rank:      core.ByScore,
		Direction: core.LowerIsBetter, // a distance
		TopK:      3,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, err := core.Transform(context.Background(), arranger, []passage{
		{"far", 0.9}, {"nearest", 0.1}, {"near", 0.3}, {"middling", 0.5},
	}, view, core.Call{})
	fmt.Println(placed, err)
	// Output:
	// [{nearest 0.1} {middling 0.5} {near 0.3}] <nil>
}

func ExampleArrange() {
	docs := []string{"refunds", "returns", "refunds", "shipping", "hours"}
	view := &core.View[string]{Text: func(s string) string { return s }}
	arranger, err := core.New(core.Config{DropSameText: true, TopK: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	arrangement, err := core.Arrange(context.Background(), arranger, docs, view, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for slot, p := range arrangement.Slots {
		fmt.Printf("slot %d: [%d] %s\n", slot, p.Label, docs[p.Index])
	}
	for _, d := range arrangement.Dropped {
		fmt.Printf("left out: %s, %s\n", docs[d.Index], d.Reason)
	}
	// Output:
	// slot 0: [1] refunds
	// slot 1: [3] shipping
	// slot 2: [2] returns
	// left out: refunds, same text as a better document
	// left out: hours, beyond top-k
}

func ExampleApply() {
	docs := []string{"1st", "2nd", "3rd", "4th"}
	arrangement, err := core.Arrange(context.Background(), nil, docs, nil, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, err := core.Apply(arrangement, docs)
	fmt.Println(placed, err)

	_, err = core.Apply(arrangement, docs[:2])
	fmt.Println(err)
	// Output:
	// [1st 3rd 4th 2nd] <nil>
	// bookend: Arrangement is "of 4 documents, head-tail": 2 documents were given: pass the input that it was made of
}

// Metrics and lists of sources read a list's order as rank.
func ExampleRestoreRank() {
	docs := []string{"1st", "2nd", "3rd", "4th"}
	arrangement, err := core.Arrange(context.Background(), nil, docs, nil, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, _ := core.Apply(arrangement, docs)
	ranked, err := core.RestoreRank(arrangement, placed)
	fmt.Println(placed)
	fmt.Println(ranked, err)
	// Output:
	// [1st 3rd 4th 2nd]
	// [1st 2nd 3rd 4th] <nil>
}

// New finds every fault of a Config at once.
func ExampleNew() {
	_, err := core.New(core.Config{Rank: core.ByScore, TopK: -1, Budget: 3000})
	fmt.Println(err)

	var fault *core.ConfigError
	if errors.As(err, &fault) {
		fmt.Println("the first fault is in", fault.Field)
	}
	// Output:
	// bookend: Direction is "": ranking by score needs "higher-is-better" or "lower-is-better"
	// bookend: TopK is -1: must be 0 (no limit) or more
	// bookend: Budget is 3000: needs a counter: set Unit to "runes" or "words", or set Count
	// the first fault is in Direction
}

func ExampleArranger_With() {
	arranger, err := core.New(core.Config{TopK: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	reversed, err := arranger.With(core.Reversed)
	if err != nil {
		fmt.Println(err)
		return
	}
	docs := []string{"1st", "2nd", "3rd", "4th", "5th"}
	for _, a := range []*core.Arranger{arranger, reversed} {
		placed, err := core.Transform(context.Background(), a, docs, nil, core.Call{})
		fmt.Println(placed, err)
	}
	// Output:
	// [1st 3rd 4th 2nd] <nil>
	// [4th 3rd 2nd 1st] <nil>
}

func ExampleOrder() {
	for _, p := range []core.Placement{core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext} {
		odd, _ := core.Order(p, 5)
		even, _ := core.Order(p, 4)
		fmt.Println(p, odd, even)
	}
	// Output:
	// ranked [0 1 2 3 4] [0 1 2 3]
	// reversed [4 3 2 1 0] [3 2 1 0]
	// head-tail [0 2 4 3 1] [0 2 3 1]
	// tail-head [1 3 4 2 0] [1 3 2 0]
	// long-context [0 2 4 3 1] [1 3 2 0]
}

func ExampleParsePlacement() {
	for _, name := range []string{"head-tail", "Long_Context_Reorder", "edges-first=3", "middle-out"} {
		p, err := core.ParsePlacement(name)
		fmt.Println(p, err)
	}
	// Output:
	// head-tail <nil>
	// long-context <nil>
	// edges-first=3 <nil>
	// <nil> bookend: Placement is "middle-out": no placement has that name; valid names: ranked, reversed, head-tail, tail-head, long-context, edges-first, document-order, measured, shuffled
}

// BestLast leaves the documents as ranked and moves the best to the end.
type BestLast struct{}

func (BestLast) String() string { return "best-last" }

func (BestLast) Place(slots []int, _ func(rank int) core.Origin) error {
	if len(slots) > 0 {
		copy(slots, slots[1:])
		slots[len(slots)-1] = 0
	}
	return nil
}

// A placement of one's own is a type with a method; its result is checked.
func ExamplePlacement() {
	order, err := core.Order(BestLast{}, 5)
	fmt.Println(order, err)
	// Output:
	// [1 2 3 4 0] <nil>
}

func ExamplePlacementFunc() {
	swapped := core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
		for i := 1; i < len(slots); i += 2 {
			slots[i-1], slots[i] = slots[i], slots[i-1]
		}
		return nil
	})
	fmt.Println(core.Order(swapped, 5))

	// One that loses a document is an error, not a shorter prompt.
	careless := core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
		slots[len(slots)-1] = 0
		return nil
	})
	_, err := core.Order(careless, 3)
	fmt.Println(err)
	// Output:
	// [1 0 3 2 4] <nil>
	// bookend: placement "custom" failed: it put rank 0 into slot 2, which already stands in slot 0; it must put each rank into exactly one slot
}

func ExampleEdgesFirst() {
	order, err := core.Order(core.EdgesFirst{Edge: 2}, 7)
	fmt.Println(order, err)
	// Output:
	// [0 1 4 5 6 2 3] <nil>
}

// A curve file says how well a model reads each slot. Here the last is read best,
// and then the first.
func ExampleMeasured() {
	curve, err := core.LoadCurve("testdata/curve.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := core.Order(core.Measured{Curve: curve}, 5)
	fmt.Println(order, err)
	// Output:
	// [1 3 4 2 0] <nil>
}

func ExampleShuffled() {
	order, err := core.Order(core.Shuffled{Seed: 42}, 5)
	fmt.Println(order, err)
	// Output:
	// [1 2 0 3 4] <nil>
}

// Every question of an experiment gets an order of its own, the same in each run.
func ExampleSeedFor() {
	for _, question := range []string{"q1", "q2"} {
		order, err := core.Order(core.Shuffled{Seed: core.SeedFor(1, question)}, 5)
		fmt.Println(question, order, err)
	}
	// Output:
	// q1 [1 4 3 0 2] <nil>
	// q2 [3 4 1 2 0] <nil>
}

// Documents enter by rank as long as they fit; then they are placed.
func ExampleConfig() {
	arranger, err := core.New(core.Config{
		TopK:   4,
		Budget: 9, // in words here; set Count to count tokens
		Unit:   core.Words,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	docs := []string{
		"refunds within 45 days",
		"free return labels",
		"closed on Sundays",
		"shipping takes two days",
	}
	view := &core.View[string]{Text: func(s string) string { return s }}
	arrangement, err := core.Arrange(context.Background(), arranger, docs, view, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(arrangement.Order(), "use", arrangement.Used, "of", arrangement.Room)
	for _, d := range arrangement.Dropped {
		fmt.Printf("r%d: %s\n", d.Rank+1, d.Reason)
	}
	// Output:
	// r1 r2 use 7 of 9
	// r3: beyond the budget
	// r4: beyond the budget
}

// Select may give each call an arm of an experiment, the settings of a tenant, or
// Off.
func ExampleConfig_select() {
	reversed, err := core.New(core.Config{Placement: core.Choice{Placement: core.Reversed}})
	if err != nil {
		fmt.Println(err)
		return
	}
	arranger, err := core.New(core.Config{
		Select: func(ctx context.Context) *core.Arranger {
			switch core.RequestID(ctx) {
			case "arm-b":
				return reversed
			case "opted-out":
				return core.Off
			}
			return nil // this one
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"arm-a", "arm-b", "opted-out"} {
		ctx := core.WithRequestID(context.Background(), id)
		placed, err := core.Transform(ctx, arranger, []string{"1st", "2nd", "3rd"}, nil, core.Call{})
		fmt.Println(id, placed, err)
	}
	// Output:
	// arm-a [1st 3rd 2nd] <nil>
	// arm-b [3rd 2nd 1st] <nil>
	// opted-out [1st 2nd 3rd] <nil>
}

// A fifth of the requests gets its documents in random order; which ones depends on
// their IDs alone.
func ExampleShare() {
	config, err := core.Share{Rate: 0.2, Seed: 2026}.In(core.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	arranger, err := core.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"req-15", "req-16", "req-17"} {
		ctx := core.WithRequestID(context.Background(), id)
		arrangement, err := core.Arrange(ctx, arranger, []string{"1st", "2nd", "3rd", "4th", "5th"}, nil, core.Call{})
		placement, _, _ := strings.Cut(arrangement.Placement, "=")
		fmt.Println(id, placement, arrangement.Order(), err)
	}
	// Output:
	// req-15 head-tail r1 r3 r5 r4 r2 <nil>
	// req-16 shuffled r1 r5 r4 r3 r2 <nil>
	// req-17 head-tail r1 r3 r5 r4 r2 <nil>
}

// An event logs as one record, without the question and the documents.
func ExampleEvent() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	arranger, err := core.New(core.Config{
		TopK:    3,
		Observe: func(ctx context.Context, e core.Event) { logger.InfoContext(ctx, "placed", "bookend", e) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := core.WithRequestID(context.Background(), "request-7")
	_, err = core.Transform(ctx, arranger, []string{"1st", "2nd", "3rd", "4th"}, nil, core.Call{Query: "Can I get a refund?"})
	fmt.Println(err)
	// Output:
	// level=INFO msg=placed bookend.request_id=request-7 bookend.arrangement.placement=head-tail bookend.arrangement.in=4 bookend.arrangement.placed=3 bookend.arrangement.order="r1 r3 r2" bookend.arrangement.dropped="top-k: 1"
	// <nil>
}

// Trim before placing. A list that is cut after it was placed loses the second
// best document first, since that stands at the end. TopK and Budget do it in the
// right order.
func Example_incorrectTrimAfterPlacing() {
	ranked := []string{"1st", "2nd", "3rd", "4th", "5th"}

	wrong := core.Reorder(ranked)[:3]
	right := core.Reorder(ranked[:3])
	fmt.Println("wrong:", wrong)
	fmt.Println("right:", right)
	fmt.Println("2nd is lost:", !slices.Contains(wrong, "2nd"))
	// Output:
	// wrong: [1st 3rd 5th]
	// right: [1st 3rd 2nd]
	// 2nd is lost: true
}

// Place once, and last. A second placement takes the first one's order for ranks
// and puts the second best document into the middle.
func Example_incorrectPlaceTwice() {
	ranked := []int{1, 2, 3, 4, 5}
	once := core.Reorder(ranked)
	twice := core.Reorder(once)
	fmt.Println("once: ", once)
	fmt.Println("twice:", twice)
	// Output:
	// once:  [1 3 5 4 2]
	// twice: [1 5 2 4 3]
}

// A Trace tells the code that holds the answer how the documents of the request were
// arranged, however deep in a chain that was.
func ExampleWithTrace() {
	ctx, trace := core.WithTrace(context.Background())
	placed, err := core.Transform(ctx, nil, []string{"best", "second", "third"}, nil, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(placed)
	fmt.Println(trace.Arrangement().Order())
	// Output:
	// [best third second]
	// r1 r3 r2
}

// What turns out not to fit is left out by rank, and the rest is placed again.
func ExampleWithout() {
	docs := []string{"best", "second", "third", "fourth", "fifth"}
	a, err := core.Arrange[[]string, string](context.Background(), nil, docs, nil, core.Call{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err = core.Without[[]string, string](nil, a, docs, nil, func(p core.Placed) core.Reason {
		if p.Rank >= 3 {
			return core.OverBudget
		}
		return ""
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Order())
	// Output:
	// r1 r3 r2
}
