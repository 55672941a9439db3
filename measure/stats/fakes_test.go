package stats_test

import (
	"encoding/json"
	"math"
	"os"
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

// reference holds values of statsmodels and scipy.
type reference struct {
	Wilson []struct {
		Successes, N          int
		Confidence, Low, High float64
	}
	CochranQ []struct {
		Rows []string
		Q, P float64
		DF   int
	} `json:"cochran_q"`
	SampleSize []struct {
		Discordance, Difference, Power, Alpha float64
		N                                     int
	} `json:"paired_sample_size"`
}

func loadReference(t *testing.T) reference {
	t.Helper()
	data, err := os.ReadFile("testdata/statistics.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Wilson) != 36 || len(r.CochranQ) != 4 || len(r.SampleSize) != 6 {
		t.Fatalf("got %d, %d and %d cases, want 36, 4 and 6", len(r.Wilson), len(r.CochranQ), len(r.SampleSize))
	}
	return r
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9 }

func load(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
