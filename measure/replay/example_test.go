package replay_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/replay"
)

func Example() {
	// Two pages that change places: replay.Read reads such traffic from a file.
	a := dataset.Document{ID: "a", Text: strings.Repeat("A page. ", 50)}
	b := dataset.Document{ID: "b", Text: strings.Repeat("B page. ", 50)}
	traffic := replay.Traffic{Requests: []replay.Request{
		{Question: "Where?", Documents: []dataset.Document{a, b}},
		{Question: "When?", Documents: []dataset.Document{b, a}},
		{Question: "Why?", Documents: []dataset.Document{a, b}},
		{Question: "Who?", Documents: []dataset.Document{b, a}},
	}}
	ranked := replay.Setting{
		Name:   "ranked",
		Order:  core.Config{Placement: core.Choice{Placement: core.RankOrder}},
		Prompt: prompt.Config{Labels: prompt.ByID},
	}
	free := ranked // as on a flat curve, where no order is worse than another
	free.Name = "reuse"
	free.Reuse = &reuse.Config{Worth: 1, Curve: &core.Curve{
		Format: core.CurveFormat, Documents: 2, Shape: core.ShapeFlat, Slots: []int{0, 1}, Accuracy: []float64{0.8, 0.8},
	}}
	r, err := replay.Run(context.Background(), traffic, replay.Config{Settings: []replay.Setting{ranked, free}})
	if err != nil {
		panic(err)
	}
	for _, row := range r.Rows {
		fmt.Printf("%s: %.0f %% of %d tokens from the cache\n", row.Name, 100*row.Share, row.Tokens)
	}
	// Output:
	// ranked: 50 % of 834 tokens from the cache
	// reuse: 74 % of 834 tokens from the cache
}
