package chart

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/stats"
)

// arm has wins and losses over 100 questions, and intervals of 5 and 10 points to
// each side.
func arm(name string, kind compare.Kind, wins, losses int, fixed bool) compare.ArmResult {
	difference := float64(wins-losses) / 100
	a := compare.ArmResult{Name: name, Kind: kind, Against: &compare.Against{
		Counts: stats.Counts{Wins: wins, Losses: losses, Same: 100 - wins - losses}, Difference: difference,
		Sequence: stats.Interval{Low: difference - 0.1, High: difference + 0.1},
	}}
	if fixed {
		a.Against.Fixed = &compare.Fixed{Bootstrap: stats.Interval{Low: difference - 0.05, High: difference + 0.05}}
	}
	return a
}

// comparison has a winner, an identical arm, and controls between the challengers.
func comparison(fixed bool) compare.Result {
	same := arm("tail-head", compare.Challenger, 0, 0, fixed)
	same.Identical = "reversed"
	return compare.Result{
		Model: "m", Date: "2026-01-02", Decision: compare.Decision{Word: evidence.Reorder, Winner: "reversed"}, UntilDecided: !fixed,
		Rule: evidence.Rule{Alpha: 0.05, Worthwhile: 0.03}, Questions: compare.Questions{Planned: 100, Counted: 100},
		Arms: []compare.ArmResult{
			{Name: "ranked", Kind: compare.Baseline},
			arm("head-tail", compare.Challenger, 4, 2, fixed), arm("shuffle 1", compare.Shuffle, 3, 11, fixed),
			arm("reversed", compare.Challenger, 13, 1, fixed), same, arm("repeat 1", compare.Repeat, 1, 1, fixed),
		},
	}
}

func TestForestRows(t *testing.T) {
	t.Parallel()
	for _, fixed := range []bool{true, false} {
		d := DifferencesOf(comparison(fixed))
		var got []string
		for _, row := range d.Rows {
			got = append(got, row.Label()+" "+row.Value())
		}
		want := []string{
			"head-tail +2.0 [−8.0, +12.0]", "reversed (winner) +12.0 [+2.0, +22.0]", "tail-head identical to reversed",
			"shuffle 1 −8.0 [−18.0, +2.0]", "repeat 1 0.0 [−10.0, +10.0]",
		}
		name := "95 % confidence sequence"
		if !slices.Equal(got, want) {
			t.Errorf("fixed %v, rows (-want +got)\n-%q\n+%q", fixed, want, got)
		}
		if want, got := "points against ranked, with "+name, d.Axis+", "+d.Drawn; got != want {
			t.Errorf("axis (-want +got)\n-%s\n+%s", want, got)
		}
	}
}

func TestForestAxisHoldsAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wins, losses int }{{0, 0}, {3, 0}, {0, 60}, {90, 0}, {50, 50}} {
		r := comparison(false)
		r.Arms = append(r.Arms[:1], arm("x", compare.Challenger, c.wins, c.losses, false))
		d := DifferencesOf(r)
		row := d.Rows[0]
		if d.Low > row.Low || d.High < row.High || d.Low > 0 || d.High < d.Worthwhile {
			t.Errorf("%+v: axis %v to %v for %+v", c, d.Low, d.High, row)
		}
		if !slices.Contains(d.Ticks, 0) || len(d.Ticks) < 3 || len(d.Ticks) > 11 || d.Ticks[0] != d.Low || d.Ticks[len(d.Ticks)-1] != d.High {
			t.Errorf("%+v: ticks %v on %v to %v", c, d.Ticks, d.Low, d.High)
		}
	}
}

func TestTicksHaveRoom(t *testing.T) {
	t.Parallel()
	d := Differences{Ticks: []float64{-15, -10, -5, 0, 5, 10}}
	for _, c := range []struct {
		need float64
		want []bool
	}{
		{0.1, []bool{true, true, true, true, true, true}},
		{0.3, []bool{false, true, false, true, false, true}},
		{0.6, []bool{true, false, false, true, false, false}},
	} {
		if got := d.Labelled(c.need); !slices.Equal(got, c.want) {
			t.Errorf("room of %v (-want +got)\n-%v\n+%v", c.need, c.want, got)
		}
	}
}

func TestForestText(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	text := ForestText(r)
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 || strings.HasSuffix(line, " ") {
			t.Errorf("a line of %d characters, or with spaces at its end:\n%q", n, line)
		}
	}
	for _, want := range []string{"m, n = 100, 2026-01-02", "reorder: use reversed", "95 % confidence sequence", "worthwhile gain: +3", "identical to reversed", "○ control"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.Simulated, r.SameQuestions, r.Model = true, true, model.SimulatedPrefix+"m"
	if want, got := "SIMULATED, FITTED ON THE SAME QUESTIONS: m, n = 100", ForestText(r); !strings.HasPrefix(got, want) {
		t.Errorf("first line (-want +got)\n-%s\n+%s", want, got)
	}
}

func TestForestPicture(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	_, plain, err := Forest(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Arms[1].Name, r.Model, r.Simulated, r.SameQuestions = "<script>alert(1)</script>\x1b", "<script>\u202em", true, true
	svg, marked, err := Forest(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "\x1b", "\u202e"} {
		if strings.Contains(string(svg), bad) {
			t.Errorf("the SVG holds %q", bad)
		}
	}
	for _, want := range []string{"SIMULATED, FITTED ON THE SAME QUESTIONS", "&lt;script&gt;", "identical to reversed", "reversed (winner)", "worthwhile gain: +3", "95 % confidence sequence", "control"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the SVG", want)
		}
	}
	if with, without := height(t, marked), height(t, plain); with <= without {
		t.Errorf("no room for the marks: %d pixels, %d without", with, without)
	}
	again, _, err := Forest(r)
	if err != nil || !bytes.Equal(again, svg) {
		t.Errorf("a second picture differs, error %v", err)
	}
}

func height(t *testing.T, pixels []byte) int {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(pixels))
	if err != nil {
		t.Fatal(err)
	}
	return picture.Bounds().Dy()
}

// Names that differ at their end alone are told apart, and have room.
func TestForestOfLongNames(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	before, _ := DifferencesOf(r).widths()
	for i, end := range []string{"10", "20"} {
		r.Arms[2*i+1].Name = "reversed, " + strings.Repeat("long ", 9) + "instruction-first, top " + end
	}
	d := DifferencesOf(r)
	if a, b := d.Rows[0].Name, d.Rows[1].Name; a == b || utf8.RuneCountInString(a) != nameWidth || !strings.HasPrefix(a, "reversed, long") || !strings.HasSuffix(a, ", top 10") {
		t.Errorf("names %q and %q", a, b)
	}
	if after, _ := d.widths(); after <= before {
		t.Errorf("width %v, with long names %v", before, after)
	}
}

// A journal that names thousands of arms makes no picture of thousands of rows.
func TestForestHasLimits(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	for i := range 500 {
		r.Arms = append(r.Arms, arm(fmt.Sprint("shuffle ", i+2), compare.Shuffle, 1, 1, true))
	}
	d := DifferencesOf(r)
	if len(d.Rows) != maxRows || d.More != len(r.Arms)-1-maxRows || d.Rows[1].Name != "reversed" {
		t.Errorf("%d rows and %d more of %d arms", len(d.Rows), d.More, len(r.Arms))
	}
	if want, got := fmt.Sprintf("%d arms more stand in the table alone", d.More), ForestText(r); !strings.HasSuffix(got, want) {
		t.Errorf("no %q at the end of\n%s", want, got)
	}
}

func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	r.Questions.Counted = 0
	svg, pixels, err := Forest(r)
	if svg != nil || pixels != nil || err != nil {
		t.Errorf("a picture of nothing: %d and %d bytes, %v", len(svg), len(pixels), err)
	}
	if text := ForestText(r); !strings.HasPrefix(text, "No plot") {
		t.Errorf("text: %q", text)
	}
}
