package worth_test

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/worth"
)

// What two orders of ten documents are worth on a published curve, when the best
// document has the answer in half of the cases.
func ExampleExpected() {
	curve, err := published.Lookup("gpt-3.5-turbo/10", 0)
	if err != nil {
		panic(err)
	}
	gold, err := dataset.DecayingRanks(10, 0.5)
	if err != nil {
		panic(err)
	}
	for _, placement := range []core.Placement{core.RankOrder, core.HeadTail} {
		order, err := core.Order(placement, 10)
		if err != nil {
			panic(err)
		}
		accuracy, err := worth.Expected(curve.At(10), order, gold)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%v: %.1f %%\n", placement, 100*accuracy)
	}
	// Output:
	// ranked: 73.2 %
	// head-tail: 71.1 %
}
