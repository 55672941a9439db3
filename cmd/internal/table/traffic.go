package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// useBar is the length of the bar of a slot that is used twice as much as the
// average, or more.
const useBar = 28

// Use returns how much each slot is used, with a bar for it. Slots are counted from 1.
func Use(c traffic.Curve) (columns []string, rows [][]string) {
	columns = []string{"slot", "cited", "expected", "used", "95 % at every look", ""}
	for _, s := range c.Slots {
		length := int(math.Round(min(s.Used, 2) * useBar / 2))
		bar := strings.Repeat("█", length) + strings.Repeat(" ", useBar-length)
		rows = append(rows, []string{
			strconv.Itoa(s.Slot + 1), fmt.Sprintf("%.1f", s.Cited), fmt.Sprintf("%.1f", s.Expected),
			fmt.Sprintf("%.2f", s.Used), fmt.Sprintf("%.2f – %.2f", s.Low, s.High), bar,
		})
	}
	return columns, rows
}

// UseNote says what the columns of Use mean.
const UseNote = "Cited: citations of the documents in that slot; if a question came several times, they count once together. Expected: how many citations documents of the same ranks get in any slot. Used: cited, as a multiple of expected; 1 is like the average slot."

// UseContrastsNote says what the columns of UseContrasts mean.
const UseContrastsNote = "Evidence is an e-value: what a stake of 1 would have become in a fair bet against \"no difference\". From 10 on it is known which side is used more: up or down. Open: not known yet."

// UseContrasts returns the three contrasts with their evidence.
func UseContrasts(c traffic.Curve) (columns []string, rows [][]string) {
	columns = []string{"contrast", "% of an average slot", "95 % at every look", "evidence", "is"}
	for _, row := range []struct {
		name string
		*traffic.Contrast
	}{
		{"start minus middle", c.Verdict.StartMiddle},
		{"end minus middle", c.Verdict.EndMiddle},
		{"start minus end", c.Verdict.StartEnd},
	} {
		if row.Contrast == nil {
			rows = append(rows, []string{row.name, "no middle", "–", "–", "–"})
			continue
		}
		rows = append(rows, []string{row.name, points(row.Mean), pointsRange(row.Interval), Evalue(row.Evidence), row.Is})
	}
	return columns, rows
}

// Evalue prints an e-value of traffic, which ends at 1e9.
func Evalue(e float64) string {
	if e >= 1e9 {
		return "10^9 or more"
	}
	return exponential(math.Log(e))
}

// Windows returns how much each slot was used in each span of time of that length.
func Windows(c traffic.Curve, window string) (columns []string, rows [][]string) {
	columns = []string{"from", "requests", "cited", "used, by slot (" + window + " each)"}
	for _, w := range c.Windows {
		used := "too few"
		if w.Used != nil {
			values := make([]string, len(w.Used))
			for slot, v := range w.Used {
				values[slot] = fmt.Sprintf("%.2f", v)
			}
			used = strings.Join(values, " ")
		}
		rows = append(rows, []string{w.Start.Format(time.DateTime), strconv.Itoa(w.Requests), strconv.Itoa(w.Citations), used})
	}
	return columns, rows
}

// UseCSV returns one line for each slot of each curve, under a line of names. Slots are
// counted from 1, and a curve without a shape has one line without a slot.
func UseCSV(r traffic.Result) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{{"model", "documents", "up_to", "unit", "requests", "units", "shape", "slot", "cited", "expected", "used", "low", "high"}}
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	for _, c := range r.Curves {
		if c.Verdict == nil {
			word := "too-few"
			if c.Unfit != nil {
				word = string(core.ShapeUnfit)
			}
			lines = append(lines, []string{
				show.Cell(c.Model), strconv.Itoa(c.Documents), strconv.Itoa(c.UpTo), c.Unit, strconv.Itoa(c.Requests), strconv.Itoa(c.Units), word, "", "", "", "", "", "",
			})
		}
		for _, s := range c.Slots {
			lines = append(lines, []string{
				show.Cell(c.Model), strconv.Itoa(c.Documents), strconv.Itoa(c.UpTo), c.Unit, strconv.Itoa(c.Requests), strconv.Itoa(c.Units), string(c.Verdict.Shape),
				strconv.Itoa(s.Slot + 1), fixed(s.Cited), fixed(s.Expected), fixed(s.Used), fixed(s.Low), fixed(s.High),
			})
		}
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}
