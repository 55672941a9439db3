package integration_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
)

// call is one generated call: the documents, the settings, and the top-k that the
// caller asks for.
type call struct {
	docs   []document
	config core.Config
	atMost int
}

var calls = rapid.Custom(func(t *rapid.T) call {
	return call{docs: drawDocuments(t), config: drawConfig(t), atMost: sometimes(t, "at most", 1, 12)}
})

// GoString keeps a failure readable.
func (c call) GoString() string {
	threshold := "none"
	if c.config.Threshold != nil {
		threshold = fmt.Sprint(*c.config.Threshold)
	}
	return fmt.Sprintf("at most %d, threshold %s, placement %v, config %+v, documents %#v", c.atMost, threshold, c.config.Placement, c.config, c.docs)
}

func (c call) of() core.Call { return core.Call{TopK: c.atMost} }

// sometimes returns 0 in most cases, else a number from low to high.
func sometimes(t *rapid.T, label string, low, high int) int {
	if rapid.IntRange(0, 2).Draw(t, "has "+label) > 0 {
		return 0
	}
	return rapid.IntRange(low, high).Draw(t, label)
}

func drawConfig(t *rapid.T) core.Config {
	oneIn := func(n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == 1 }
	c := core.Config{
		Rank:         rapid.SampledFrom([]core.Ranking{"", core.AsGiven, core.ByScore}).Draw(t, "rank"),
		Direction:    rapid.SampledFrom([]core.Direction{core.HigherIsBetter, core.LowerIsBetter}).Draw(t, "direction"),
		Keys:         core.Keys{ID: idKey},
		DropSameID:   oneIn(3, "drop same id"),
		DropSameText: oneIn(3, "drop same text"),
		TopK:         sometimes(t, "top-k", 1, 12),
		MaxBytes:     sometimes(t, "max bytes", 4, 40),
		MinDocuments: sometimes(t, "min documents", 1, 8),
		Groups:       oneIn(4, "groups"),
		Placement:    core.Choice{Placement: drawPlacement(t)},
	}
	if oneIn(3, "by field") {
		c.Keys.Score = scoreKey
	}
	if oneIn(3, "has threshold") {
		threshold := rapid.SampledFrom([]float64{-3, -1, 0, 0.5, 1, 2}).Draw(t, "threshold")
		c.Threshold = &threshold
	}
	if oneIn(4, "has pins") {
		c.Pins = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "7", "not there"}), 1, 2).Draw(t, "pins")
	}
	if oneIn(4, "has pin key") {
		c.Keys.Pin = pinKey
	}
	if oneIn(2, "has budget") {
		c.Budget = rapid.IntRange(1, 60).Draw(t, "budget")
		c.Overflow = rapid.SampledFrom([]core.Overflow{"", core.Stop, core.Skip}).Draw(t, "overflow")
		c.KeepBest = oneIn(3, "keep best")
		switch rapid.IntRange(0, 2).Draw(t, "counter") {
		case 0:
			c.Unit = core.Runes
		case 1:
			c.Unit = core.Words
		case 2:
			c.Count = drawCounter(t)
		}
	}
	return c
}

// drawCounter returns a counter without a pattern: 0 for some texts, more for
// shorter texts than for longer ones.
func drawCounter(t *rapid.T) func(string) int {
	factor := rapid.IntRange(1, 9).Draw(t, "counter factor")
	limit := rapid.IntRange(1, 25).Draw(t, "counter limit")
	return func(text string) int { return len(text) * factor % limit }
}

// rotated is a placement of the user's own, with a type of its own.
type rotated int

func (by rotated) Place(slots []int, _ func(rank int) core.Origin) error {
	for i := range slots {
		slots[i] = (i + int(by)) % len(slots)
	}
	return nil
}

func drawPlacement(t *rapid.T) core.Placement {
	number := rapid.IntRange(0, 4).Draw(t, "placement parameter")
	return rapid.SampledFrom([]core.Placement{
		nil, core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext,
		core.DocumentOrder, core.DocumentOrder,
		core.EdgesFirst{Edge: number},
		core.Shuffled{Seed: uint64(number)},
		core.Measured{Curve: drawCurve(t)},
		rotated(number),
		core.PlacementFunc(rotated(number).Place),
	}).Draw(t, "placement")
}

func drawCurve(t *rapid.T) *core.Curve {
	c := &core.Curve{
		Format:    core.CurveFormat,
		Model:     "a model",
		Documents: rapid.IntRange(2, 9).Draw(t, "documents of the curve"),
		Shape: rapid.SampledFrom([]core.Shape{
			core.ShapeU, core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided,
		}).Draw(t, "shape"),
		EndsDiffer: rapid.Bool().Draw(t, "ends differ"),
	}
	for slot := range c.Documents {
		if isEnd := slot == 0 || slot == c.Documents-1; !isEnd && rapid.Bool().Draw(t, "slot left out") {
			continue
		}
		c.Slots = append(c.Slots, slot)
		c.Accuracy = append(c.Accuracy, float64(rapid.IntRange(0, 4).Draw(t, "accuracy"))/4)
	}
	c.Fitted = c.Accuracy
	return c
}
