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
	"github.com/bookend-rag/bookend/measure/traffic"
)

// useBar is the length of the bar of a slot that is used twice as much as the
// average, or more.
const useBar = 40

// Use returns how much each slot is used, with a bar for it.
func Use(c traffic.Curve) (columns []string, rows [][]string) {
	columns = []string{"slot", "cited", "expected", "used", "95 % interval", ""}
	for _, s := range c.Slots {
		length := int(math.Round(min(s.Used, 2) * useBar / 2))
		bar := strings.Repeat("█", length) + strings.Repeat(" ", useBar-length)
		rows = append(rows, []string{
			strconv.Itoa(s.Slot), fmt.Sprint(s.Cited), fmt.Sprintf("%.1f", s.Expected),
			fmt.Sprintf("%.2f", s.Used), fmt.Sprintf("%.2f – %.2f", s.Low, s.High), bar,
		})
	}
	return columns, rows
}

// UseContrasts returns the three contrasts, in per cent of an average slot.
func UseContrasts(c traffic.Curve) [][]string { return nil }

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

// UseCSV returns one line for each slot of each curve, under a line of names.
func UseCSV(r traffic.Result) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{{"model", "documents", "up_to", "unit", "requests", "shape", "slot", "cited", "expected", "used", "low", "high"}}
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	for _, c := range r.Curves {
		for _, s := range c.Slots {
			lines = append(lines, []string{
				show.Cell(c.Model), strconv.Itoa(c.Documents), strconv.Itoa(c.UpTo), c.Unit, strconv.Itoa(c.Requests), string(c.Verdict.Shape),
				strconv.Itoa(s.Slot), fmt.Sprint(s.Cited), fixed(s.Expected), fixed(s.Used), fixed(s.Low), fixed(s.High),
			})
		}
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}
