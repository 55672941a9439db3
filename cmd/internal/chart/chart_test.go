package chart

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// result is a simulated sweep of 40 questions.
func result(t *testing.T, m string, documents int, slots []int) sweep.Result {
	t.Helper()
	reader, err := simulate.NewNamedReader("u", documents, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := sweep.Described{Manifest: sweep.Manifest{
		Model: m, Task: dataset.QuestionAnswer, Documents: documents, Slots: slots, Questions: 40,
		Arms: []string{sweep.ArmClosedBook, sweep.ArmOracle, sweep.ArmSlot},
	}}
	var records []journal.Record
	add := func(q int, arm string, slot int, right bool) {
		text := "no"
		if right {
			text = "yes"
		}
		records = append(records, journal.Record{
			Key: fmt.Sprint(q, arm, slot), Question: fmt.Sprint(q), Arm: arm, Slot: slot, Answers: []string{"yes"}, Answer: &model.Answer{Text: text},
		})
	}
	for q := range 40 {
		add(q, sweep.ArmClosedBook, model.NoSlot, q%4 == 0)
		add(q, sweep.ArmOracle, model.NoSlot, q%10 != 0)
		for _, slot := range slots {
			add(q, sweep.ArmSlot, slot, reader.Right(q, slot))
		}
	}
	r, err := sweep.Summarize(d, nil, records, judge.Judging{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(n int) []int {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = i
	}
	return slots
}

func TestTextFitsATerminal(t *testing.T) {
	t.Parallel()
	for _, documents := range []int{2, 3, 10, 20, 59, 60, 200} {
		slots := all(documents)
		if documents > 60 {
			slots = []int{0, 1, 2, 50, 100, 150, 198, 199}
		}
		text := Text([]sweep.Result{result(t, "m", documents, slots)})
		lines := strings.Split(text, "\n")
		if len(lines) > 20 {
			t.Errorf("%d documents: %d lines, want 20 at most", documents, len(lines))
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 90 || strings.HasSuffix(line, " ") {
				t.Errorf("%d documents: a line of %d characters, or with spaces at its end:\n%q", documents, n, line)
			}
		}
		ticks := lines[len(lines)-3]
		if f := strings.Fields(ticks); f[0] != "1" || f[len(f)-1] != fmt.Sprint(documents) {
			t.Errorf("%d documents: not from 1 to %d: the axis %q", documents, documents, ticks)
		}
		for _, want := range []string{"m, ", "n = 40", "oracle 90 %", "closed-book 25 %", "●", "│", "slot of the answer"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d documents: no %q in\n%s", documents, want, text)
			}
		}
	}
}

func TestTitleSaysSimulated(t *testing.T) {
	t.Parallel()
	real, simulated := result(t, "m", 3, all(3)), result(t, model.SimulatedPrefix+"u", 3, all(3))
	for want, results := range map[string][]sweep.Result{
		"m, 3 documents, n = 40":            {real},
		"SIMULATED: u, 3 documents, n = 40": {simulated},
		"2 sweeps":                          {real, real},
		"SIMULATED in part: 2 sweeps":       {real, simulated},
		"SIMULATED: 2 sweeps":               {simulated, simulated},
	} {
		if got := Title(results); got != want {
			t.Errorf("title (-want +got)\n-%s\n+%s", want, got)
		}
	}
}

func TestPicture(t *testing.T) {
	t.Parallel()
	hostile := "<script>alert(1)</script>\x1b[31m"
	svg, pixels, err := Picture([]sweep.Result{result(t, hostile, 10, all(10)), result(t, "b", 4, all(4))})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "\x1b"} {
		if strings.Contains(string(svg), bad) {
			t.Errorf("the SVG holds %q", bad)
		}
	}
	for _, want := range []string{"right answers, %", "place of the answer", "n = 40", "&lt;script&gt;"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
	picture, err := png.Decode(bytes.NewReader(pixels))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 1080 || size.Y != 648 {
		t.Errorf("the picture is %v", size)
	}
	if r, g, b, a := picture.At(0, 0).RGBA(); r&g&b&a != 0xffff {
		t.Error("the margin is not white")
	}
	again, _, err := Picture([]sweep.Result{result(t, hostile, 10, all(10)), result(t, "b", 4, all(4))})
	if err != nil || !bytes.Equal(again, svg) {
		t.Errorf("a second picture differs, error %v", err)
	}
}

func TestNothingToDraw(t *testing.T) {
	t.Parallel()
	svg, pixels, err := Picture([]sweep.Result{{}})
	if svg != nil || pixels != nil || err != nil {
		t.Errorf("a picture of nothing: %d and %d bytes, %v", len(svg), len(pixels), err)
	}
	if text := Text([]sweep.Result{{}}); !strings.HasPrefix(text, "No plot") {
		t.Errorf("text: %q", text)
	}
}

func TestRangeIsWide(t *testing.T) {
	t.Parallel()
	for _, accuracy := range []float64{0, 0.5, 1} {
		tally := sweep.Tally{Accuracy: accuracy, Interval: stats.Interval{Low: accuracy, High: accuracy}}
		low, high := Range([]sweep.Result{{Slots: []sweep.ArmResult{{Full: tally}}}}, true)
		if high-low < 0.39 || low < -0.01 || high > 1.01 || accuracy < low-0.01 || accuracy > high+0.01 {
			t.Errorf("accuracy %v: range %v to %v", accuracy, low, high)
		}
	}
}
