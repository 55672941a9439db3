package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// told returns the challenger that a verdict tells of: the winner, or the one with the
// largest difference; nil where there is none.
func told(r compare.Result) *compare.ArmResult {
	var best *compare.ArmResult
	for i := range r.Arms {
		a := &r.Arms[i]
		switch {
		case a.Kind != compare.Challenger || a.Against == nil || a.Identical != "":
		case a.Name == r.Winner:
			return a
		case best == nil || a.Against.Difference > best.Against.Difference:
			best = a
		}
	}
	return best
}

// ToldFlips returns the questions whose outcome changed with the challenger that the
// verdict tells of, and a sentence that says so; "" where there are none.
func ToldFlips(r compare.Result) (sentence string, flips []compare.Flip) {
	arm := told(r)
	if arm == nil || r.Unfit != nil && r.Anyway == "" {
		return "", nil
	}
	gained := 0
	for _, f := range r.Flips {
		if f.Arm == arm.Name {
			flips = append(flips, f)
			gained += map[bool]int{true: 1}[f.Against.Right]
		}
	}
	if len(flips) == 0 {
		return "", nil
	}
	listed := "The outcome changed in " + show.Count(len(flips), "question")
	if len(flips) == compare.MaxFlips {
		listed = fmt.Sprintf("Of the questions whose outcome changed, the first %d are looked at", len(flips))
	}
	return fmt.Sprintf("%s: %d right with %s alone, %d with %s alone.", listed,
		gained, show.Line(arm.Name), len(flips)-gained, show.Line(r.Arms[0].Name)), flips
}

// FlipsNote says what the columns of Flips hold.
const FlipsNote = "Slots: where the document with the answer stood, in the baseline and with the challenger. Right: whose answer was right. With --with-questions the text of a question stands in place of its ID."

// Flips returns a row for each flip, with both answers, cut where a row would have more
// than 80 characters.
func Flips(r compare.Result, flips []compare.Flip) (columns []string, rows [][]string) {
	arm := told(r)
	columns = []string{"question", "slots", middle(show.Line(r.Arms[0].Name), 16), middle(show.Line(arm.Name), 16), "right"}
	for _, f := range flips {
		right := r.Arms[0].Name
		if f.Against.Right {
			right = f.Arm
		}
		rows = append(rows, []string{
			show.Cut(flipName(f.Question, f.Text), 20), Slot(f.Baseline.Slot) + " → " + Slot(f.Against.Slot),
			show.Cut(Answer(f.Baseline.Got, f.Baseline.NoAnswer), 16), show.Cut(Answer(f.Against.Got, f.Against.NoAnswer), 16), middle(show.Line(right), 10),
		})
	}
	return columns, rows
}

func flipName(id, text string) string {
	if text != "" {
		return show.Line(text)
	}
	return show.Line(id)
}

// Slot writes a slot, counted from 1; – where no document with the answer was placed.
func Slot(slot int) string {
	if slot < 0 {
		return "–"
	}
	return strconv.Itoa(slot + 1)
}

// Answer writes an answer in one line.
func Answer(got string, none bool) string {
	switch {
	case none:
		return "(no answer)"
	case got == "":
		return "(empty)"
	}
	return show.Line(strings.Join(strings.Fields(got), " "))
}

// FlipsCSV returns one line for each flip of each challenger, under a line of names; nil
// where there are none. Cells are as in ComparisonCSV; a slot counts from 1, and is empty
// where no document with the answer was placed.
func FlipsCSV(r compare.Result) ([]byte, error) {
	if len(r.Flips) == 0 {
		return nil, nil
	}
	lines := [][]string{{
		"simulated", "same_questions", "arm", "question_id", "question", "wanted", "right",
		"baseline_slot", "baseline_right", "baseline_answer", "slot", "arm_right", "answer",
	}}
	slot := func(s int) string { return strings.TrimPrefix(Slot(s), "–") }
	for _, f := range r.Flips {
		right := r.Arms[0].Name
		if f.Against.Right {
			right = f.Arm
		}
		lines = append(lines, []string{
			map[bool]string{true: "simulated", false: "no"}[r.Simulated], yes(r.SameQuestions),
			show.Cell(f.Arm), show.Cell(f.Question), show.Cell(f.Text), show.Cell(strings.Join(f.Wanted, " | ")), show.Cell(right),
			slot(f.Baseline.Slot), yes(f.Baseline.Right), show.Cell(f.Baseline.Got),
			slot(f.Against.Slot), yes(f.Against.Right), show.Cell(f.Against.Got),
		})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

// Beside returns three rows for each question of Result.Beside.
func Beside(r sweep.Result) (columns []string, rows [][]string) {
	columns = []string{"question", "answer in", "judged", "wanted", "answer"}
	for _, b := range r.Beside {
		name := show.Cut(flipName(b.Question, b.Text), 20)
		for _, p := range b.Slots {
			rows = append(rows, []string{
				name, "slot " + Slot(p.Slot), map[bool]string{true: "right", false: "wrong"}[p.Right],
				show.Cut(show.Line(strings.Join(b.Wanted, " | ")), 16), show.Cut(Answer(p.Got, false), 20),
			})
			name = ""
		}
	}
	return columns, rows
}
