package simulate_test

import (
	"math"
	"testing"

	"github.com/bookend-rag/bookend/measure/simulate"
)

func newReader(t *testing.T, accuracy []float64, correlation float64, seed uint64) *simulate.Reader {
	t.Helper()
	r, err := simulate.NewReader(accuracy, correlation, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9 }
