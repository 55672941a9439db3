package shape_test

import (
	"math"
	"testing"

	"github.com/bookend-rag/bookend/measure/stats"
)

// outcomesOf reads one row a question, one digit a slot; "-" is an incomplete one.
func outcomesOf(t testing.TB, documents int, slots []int, rows ...string) stats.Outcomes {
	t.Helper()
	correct := make([][]bool, len(rows))
	for i, row := range rows {
		if row == "-" {
			continue
		}
		correct[i] = make([]bool, len(row))
		for j := range row {
			correct[i][j] = row[j] == '1'
		}
	}
	o, err := stats.NewOutcomes(documents, slots, correct)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// slotsUpTo are 0 to n-1.
func slotsUpTo(n int) []int {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = i
	}
	return slots
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9 }
