package shape_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

// plainTrial is the rule written down once more, over whole lists: nothing is kept from
// one look to the next.
type plainTrial struct {
	documents int
	slots     []int
	h, t, e   [][2]float64 // low and high of each unit
}

func (p *plainTrial) hasMiddle() bool {
	for _, s := range p.slots {
		if x := float64(s) / float64(p.documents-1); .25 <= x && x <= .75 {
			return true
		}
	}
	return false
}

func (p *plainTrial) add(rows ...shape.Row) {
	zone := func(scores []float64, from, to float64) (mean float64, there bool) {
		sum, n := 0.0, 0.0
		for i, s := range p.slots {
			x := float64(s) / float64(p.documents-1)
			if from <= x && x <= to && !math.IsNaN(scores[i]) {
				sum, n = sum+scores[i], n+1
			}
		}
		return sum / n, n > 0
	}
	contrast := func(to *[][2]float64, firstFrom, firstTo, lastFrom, lastTo float64) {
		low, high, n := 0.0, 0.0, 0.0
		for _, r := range rows {
			firstLow, there1 := zone(r.Low, firstFrom, firstTo)
			lastLow, there2 := zone(r.Low, lastFrom, lastTo)
			firstHigh, _ := zone(r.High, firstFrom, firstTo)
			lastHigh, _ := zone(r.High, lastFrom, lastTo)
			if there1 && there2 {
				low, high, n = low+firstLow-lastHigh, high+firstHigh-lastLow, n+1
			}
		}
		if n > 0 {
			*to = append(*to, [2]float64{low / n, high / n})
		}
	}
	contrast(&p.h, 0, .15, .25, .75)
	contrast(&p.t, .85, 1, .25, .75)
	contrast(&p.e, 0, .15, .85, 1)
}

// above is the e-value that the mean is above m; below turns it round.
func above(values [][2]float64, m float64) float64 {
	total, weights := 0.0, 0.0
	for j := range 40 {
		t := (float64(j) + .5) / 40
		product := 1.0
		for _, c := range values {
			product *= 1 + t*(c[0]-m)/(1+m)
		}
		total, weights = total+(1-t)*(1-t)*product, weights+(1-t)*(1-t)
	}
	return total / weights
}

func below(values [][2]float64, m float64) float64 {
	turned := make([][2]float64, len(values))
	for i, c := range values {
		turned[i] = [2]float64{-c[1], -c[0]}
	}
	return above(turned, -m)
}

func (p *plainTrial) look() (any float64, word core.Shape, settled bool) {
	type contrast struct{ up, down, small bool }
	of := func(c [][2]float64) contrast {
		return contrast{above(c, 0) >= 10, below(c, 0) >= 10, below(c, .05) >= 20 && above(c, -.05) >= 20}
	}
	h, t, e := of(p.h), of(p.t), of(p.e)
	if !p.hasMiddle() {
		any = (above(p.e, 0) + below(p.e, 0)) / 2
		switch {
		case any >= 20 && e.up:
			return any, core.ShapePrimacy, true
		case any >= 20 && e.down:
			return any, core.ShapeRecency, true
		}
		return any, core.ShapeUndecided, false
	}
	for _, c := range [][][2]float64{p.h, p.t, p.e} {
		any += (above(c, 0) + below(c, 0)) / 6
	}
	if any < 20 {
		if h.small && t.small && e.small {
			return any, core.ShapeFlat, true
		}
		return any, core.ShapeUndecided, false
	}
	known := func(c contrast) bool { return c.up || c.down || c.small }
	settled = known(h) && known(t) && known(e)
	switch {
	case h.up && t.up:
		return any, core.ShapeU, settled
	case h.down && t.down:
		return any, core.ShapeInverted, settled
	case e.up && (h.up || t.down):
		return any, core.ShapePrimacy, settled
	case e.down && (t.up || h.down):
		return any, core.ShapeRecency, settled
	}
	return any, core.ShapeUndecided, false
}

func sameNumber(got, want float64) bool {
	return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
}

// randomRow is what a reader of that accuracy answers: right or wrong, or with half
// points; some calls failed, and some slots were not asked.
func randomRow(draw *rand.Rand, accuracy []float64, graded bool, failed, unasked float64) shape.Row {
	r := shape.Row{Low: make([]float64, len(accuracy)), High: make([]float64, len(accuracy))}
	difficulty := draw.NormFloat64()
	for i, p := range accuracy {
		score := 0.0
		if z := math.Sqrt(.9)*difficulty + math.Sqrt(.1)*draw.NormFloat64(); z < math.Sqrt2*math.Erfinv(2*p-1) {
			score = 1
		}
		if graded {
			score = (score + float64(draw.IntN(3))/2) / 2
		}
		r.Low[i], r.High[i] = score, score
		switch u := draw.Float64(); {
		case u < failed:
			r.Low[i], r.High[i] = 0, 1
		case u < failed+unasked:
			r.Low[i], r.High[i] = math.NaN(), math.NaN()
		}
	}
	return r
}

// Readers of all kinds, over random slots, against the plain rule at many looks.
func TestTrialFollowsTheRule(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for run := range 250 {
		draw := rand.New(rand.NewPCG(uint64(run), 1))
		documents := 2 + draw.IntN(20)
		slots := []int{0}
		for s := 1; s < documents-1; s++ {
			if draw.IntN(3) > 0 {
				slots = append(slots, s)
			}
		}
		slots = append(slots, documents-1)
		name := []string{"flat", "u", "inverted", "primacy", "recency", "gpt-3.5-turbo/20"}[run%6]
		curve, err := simulate.Accuracy(name, documents)
		if err != nil {
			t.Fatal(err)
		}
		accuracy := make([]float64, len(slots))
		for i, s := range slots {
			accuracy[i] = curve[s]
			if run%5 == 1 { // 40 points in place of 20
				accuracy[i] = min(.95, max(.05, 2*curve[s]-.65))
			}
			if name == "flat" && run%12 == 0 {
				accuracy[i] = .99
			}
		}
		graded, failed, unasked := run%5 == 2, 0.0, 0.0
		if run%7 == 3 {
			failed, unasked = .03, .1
		}
		trial, err := shape.NewTrial(documents, slots)
		if err != nil {
			t.Fatal(err)
		}
		plain := &plainTrial{documents: documents, slots: slots}
		for question := range 180 {
			rows := []shape.Row{randomRow(draw, accuracy, graded, failed, unasked)}
			for run%9 == 4 && draw.IntN(3) == 0 { // a cluster
				rows = append(rows, randomRow(draw, accuracy, graded, failed, unasked))
			}
			if err := trial.Add(rows...); err != nil {
				t.Fatal(err)
			}
			plain.add(rows...)
			if question > 30 && question%6 > 0 { // the plain rule goes through everything
				continue
			}
			any, word, settled := plain.look()
			gotWord, gotSettled := trial.Look()
			if gotWord != word || gotSettled != settled {
				t.Fatalf("run %d, %s, %d documents, slots %v, question %d: got %s, settled %t, want %s, %t",
					run, name, documents, slots, question, gotWord, gotSettled, word, settled)
			}
			kind := string(word)
			if !plain.hasMiddle() {
				kind += " without a middle"
			}
			if settled {
				kind += ", settled"
			}
			seen[kind]++
			if question%60 != 0 {
				continue
			}
			v := trial.Verdict()
			if !sameNumber(v.LogAny, math.Log(any)) || v.Shape != word || v.Settled != settled || (v.More == nil) != (settled || len(plain.e) == 0) ||
				v.EndsDiffer != (above(plain.e, 0) >= 10 || below(plain.e, 0) >= 10) {
				t.Fatalf("run %d, question %d: got %+v, want %s, settled %t, any %g", run, question, v, word, settled, any)
			}
			for _, c := range []struct {
				what string
				got  shape.Contrast
				want [][2]float64
			}{{"start-middle", v.StartMiddle, plain.h}, {"end-middle", v.EndMiddle, plain.t}, {"start-end", v.StartEnd, plain.e}} {
				sameContrast(t, c.what, c.got, c.want)
			}
		}
	}
	for _, kind := range []string{
		"U", "U, settled", "inverted", "inverted, settled", "primacy", "primacy, settled", "recency", "recency, settled", "flat, settled", "undecided",
		"primacy without a middle, settled", "recency without a middle, settled", "undecided without a middle",
	} {
		if seen[kind] < 5 {
			t.Errorf("%d looks said %s, too few to have tried it: %v", seen[kind], kind, seen)
		}
	}
}

func sameContrast(t *testing.T, what string, got shape.Contrast, values [][2]float64) {
	t.Helper()
	if len(values) == 0 {
		if got != (shape.Contrast{}) {
			t.Errorf("%s: got %+v of nothing", what, got)
		}
		return
	}
	sum, known := 0.0, 0.0
	for _, c := range values {
		if c[0] == c[1] {
			sum, known = sum+c[0], known+1
		}
	}
	up, down := above(values, 0), below(values, 0)
	if got.Questions != len(values) || !sameNumber(got.Mean, sum/max(known, 1)) || !sameNumber(got.LogAbove, math.Log(up)) ||
		!sameNumber(got.LogBelow, math.Log(down)) || got.Up != (up >= 10) || got.Down != (down >= 10) ||
		got.Small != (below(values, .05) >= 20 && above(values, -.05) >= 20) {
		t.Errorf("%s: got %+v, want %d questions, up %g, down %g", what, got, len(values), up, down)
	}
	const step = 1e-6
	if got.Low > -1 && (above(values, got.Low) < 40*(1-1e-9) || above(values, got.Low+step) >= 40) ||
		got.High < 1 && (below(values, got.High) < 40*(1-1e-9) || below(values, got.High-step) >= 40) {
		t.Errorf("%s: got %g to %g, want what is not excluded at 40", what, got.Low, got.High)
	}
}

// A mirrored prompt gives the mirrored shape.
func TestTrialIsItsOwnMirrorImage(t *testing.T) {
	t.Parallel()
	mirror := map[core.Shape]core.Shape{core.ShapePrimacy: core.ShapeRecency, core.ShapeRecency: core.ShapePrimacy}
	for run := range uint64(40) {
		draw := rand.New(rand.NewPCG(run, 2))
		accuracy := []float64{.9, .7, .6, .6, .6}
		slots := slotsUpTo(5)
		one, err1 := shape.NewTrial(5, slots)
		other, err2 := shape.NewTrial(5, slots)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for question := range 150 {
			r := randomRow(draw, accuracy, false, 0, 0)
			turned := make([]float64, 5)
			for i, v := range r.Low {
				turned[4-i] = v
			}
			if err := errors.Join(one.Add(r), other.Add(shape.Row{Low: turned, High: turned})); err != nil {
				t.Fatal(err)
			}
			got, settled1 := one.Look()
			want, settled2 := other.Look()
			if m, turns := mirror[want]; turns {
				want = m
			}
			if got != want || settled1 != settled2 {
				t.Fatalf("question %d: got %s, settled %t, and mirrored %s, %t", question, got, settled1, want, settled2)
			}
		}
	}
}

// repeated gives n questions of each pattern.
func repeated(n int, patterns ...string) []string {
	var rows []string
	for _, p := range patterns {
		for range n {
			rows = append(rows, p)
		}
	}
	return rows
}

func TestJudgeByHand(t *testing.T) {
	t.Parallel()
	five := slotsUpTo(5)
	for _, tt := range []struct {
		name                string
		slots               []int
		rows                []string
		want                core.Shape
		endsDiffer, settled bool
	}{
		{"always the ends", five, repeated(20, "10001"), core.ShapeU, false, false},
		{"always the ends, and they are alike", five, repeated(150, "10001"), core.ShapeU, false, true},
		{"always the middle", five, repeated(20, "01110"), core.ShapeInverted, false, false},
		{"always the start", five, repeated(20, "10000"), core.ShapePrimacy, true, false},
		{"always the end", five, repeated(20, "00001"), core.ShapeRecency, true, false},
		{"never the end", five, repeated(20, "11110"), core.ShapePrimacy, true, false},
		{"never the start", five, repeated(20, "01111"), core.ShapeRecency, true, false},
		{"always the start, and the rest is alike", five, repeated(150, "10000"), core.ShapePrimacy, true, true},
		{"all or nothing", five, repeated(75, "11111", "00000"), core.ShapeFlat, false, true},
		{"all wrong", five, repeated(150, "00000"), core.ShapeFlat, false, true},
		{"five questions without any spread", five, repeated(5, "11111"), core.ShapeUndecided, false, false},
		{"forty questions without any spread", five, repeated(40, "00000"), core.ShapeUndecided, false, false},
		{"two questions", five, []string{"10001", "00000"}, core.ShapeUndecided, false, false},
		{"one question", five, []string{"10001"}, core.ShapeUndecided, false, false},
		{"one question, only the start", five, []string{"10000"}, core.ShapeUndecided, false, false},
		{"a U with a better start", five, repeated(20, "10000", "10001"), core.ShapeU, true, true},
		{"ends alone, primacy", []int{0, 4}, repeated(20, "10"), core.ShapePrimacy, true, true},
		{"ends alone, recency", []int{0, 4}, repeated(20, "01"), core.ShapeRecency, true, true},
		{"ends alone, equal", []int{0, 4}, repeated(500, "11"), core.ShapeUndecided, false, false},
		{"no start", []int{1, 2, 4}, repeated(20, "001"), core.ShapeUndecided, false, false},
		{"no end", []int{0, 1, 2}, repeated(20, "100"), core.ShapeUndecided, false, false},
		{"no start, all or nothing", []int{1, 2, 4}, repeated(300, "111", "000"), core.ShapeUndecided, false, false},
		{"no end, all or nothing", []int{0, 1, 2}, repeated(300, "111", "000"), core.ShapeUndecided, false, false},
		{"middle alone", []int{2}, repeated(300, "1"), core.ShapeUndecided, false, false},
	} {
		got := shape.Judge(outcomesOf(t, 5, tt.slots, tt.rows...))
		if got.Shape != tt.want || got.EndsDiffer != tt.endsDiffer || got.Settled != tt.settled || got.Margin != 0.05 {
			t.Errorf("%s: got %s, ends differ %t, settled %t, want %s, %t, %t\n%+v",
				tt.name, got.Shape, got.EndsDiffer, got.Settled, tt.want, tt.endsDiffer, tt.settled, got)
		}
	}
	for what, got := range map[string]shape.Verdict{"no outcomes": shape.Judge(stats.Outcomes{}), "the zero value": new(shape.Trial).Verdict()} {
		if got.Shape != core.ShapeUndecided || got.Settled || got.More != nil || got.EndsDiffer || got.LogAny != 0 {
			t.Errorf("%s: got %+v, want undecided", what, got)
		}
	}
}

func newTrial(t testing.TB, documents int, slots []int) *shape.Trial {
	t.Helper()
	trial, err := shape.NewTrial(documents, slots)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

func addRows(t testing.TB, trial *shape.Trial, n int, rows ...shape.Row) {
	t.Helper()
	for range n {
		if err := trial.Add(rows...); err != nil {
			t.Fatal(err)
		}
	}
}

// row is the scores of a question; - was not asked, and ? failed.
func row(scores string) shape.Row {
	var r shape.Row
	for _, s := range scores {
		low, high := float64(s-'0'), float64(s-'0')
		switch s {
		case '-':
			low, high = math.NaN(), math.NaN()
		case '?':
			low, high = 0, 1
		case 'h':
			low, high = 0.5, 0.5
		}
		r.Low, r.High = append(r.Low, low), append(r.High, high)
	}
	return r
}

// Slots that were not asked are left out of their zone, and a zone without any leaves out
// the question; a call that failed speaks for nothing.
func TestTrialWithSlotsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	five := slotsUpTo(5)
	trial := newTrial(t, 5, five)
	addRows(t, trial, 10, row("1-0-0"))
	addRows(t, trial, 20, row("1---0"))
	addRows(t, trial, 3, row("----1"), row("11-11"))
	v := trial.Verdict()
	for what, pair := range map[string][2]float64{
		"start-middle": {float64(v.StartMiddle.Questions), 13}, "start-middle mean": {v.StartMiddle.Mean, 10.0 / 13},
		"end-middle": {float64(v.EndMiddle.Questions), 13}, "end-middle mean": {v.EndMiddle.Mean, 0},
		"start-end": {float64(v.StartEnd.Questions), 33}, "start-end mean": {v.StartEnd.Mean, 30.0 / 33},
	} {
		if !near(pair[0], pair[1]) {
			t.Errorf("%s: got %g, want %g", what, pair[0], pair[1])
		}
	}

	// The middle is measured, though not asked yet: the ends do not decide alone.
	trial = newTrial(t, 5, five)
	addRows(t, trial, 50, row("1---0"))
	if word, settled := trial.Look(); word != core.ShapeUndecided || settled {
		t.Errorf("the middle is not asked yet: got %s, settled %t, want undecided", word, settled)
	}

	// Fifty starts are better; as soon as as many failed, nothing is known.
	trial = newTrial(t, 5, five)
	addRows(t, trial, 50, row("10000"))
	if word, _ := trial.Look(); word != core.ShapePrimacy {
		t.Errorf("the start is better: got %s, want primacy", word)
	}
	addRows(t, trial, 50, row("?1111"))
	if word, _ := trial.Look(); word == core.ShapePrimacy {
		t.Error("of 100 questions 50 failed in the start, where all else is right: still primacy")
	}

	// All failed: neither flat nor anything else, whatever the number.
	trial = newTrial(t, 5, five)
	addRows(t, trial, 2000, row("?????"))
	if v := trial.Verdict(); v.Shape != core.ShapeUndecided || v.StartEnd.Low != -1 || v.StartEnd.High != 1 || v.StartEnd.Questions != 2000 {
		t.Errorf("all failed: got %+v, want undecided, and nothing known", v)
	}
}

// The start is 4 points above the middle, surely; which end that comes from is not clear,
// and each of the other contrasts is small. That is no shape, and so nothing is settled.
func TestNothingIsSettledWithoutAShape(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, 3, slotsUpTo(3))
	for question := range 420 {
		end := .52
		if question%2 == 1 {
			end = .12
		}
		scores := []float64{.34, .3, end}
		addRows(t, trial, 1, shape.Row{Low: scores, High: scores})
	}
	v := trial.Verdict()
	if !v.StartMiddle.Up || !v.EndMiddle.Small || v.EndMiddle.Up || !v.StartEnd.Small || v.StartEnd.Up {
		t.Fatalf("got %+v, want a clear start, and two small contrasts", v)
	}
	if word, settled := trial.Look(); word != core.ShapeUndecided || settled || v.Settled || v.More == nil {
		t.Errorf("got %s, settled %t, %+v", word, settled, v)
	}
}

// A cluster is one value, the mean of its questions.
func TestTrialCountsAClusterOnce(t *testing.T) {
	t.Parallel()
	clusters, questions := newTrial(t, 5, slotsUpTo(5)), newTrial(t, 5, slotsUpTo(5))
	addRows(t, clusters, 30, row("10000"), row("10000"), row("11111"), row("11111"))
	addRows(t, questions, 30, row("1hhhh"))
	got, want := clusters.Verdict(), questions.Verdict()
	if !reflect.DeepEqual(got, want) || got.StartMiddle.Questions != 30 {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	five := newTrial(t, 5, slotsUpTo(5))
	addRows(t, five, 1, row("10001"), row("10001"), row("10001"), row("10001"), row("10001"))
	if word, _ := five.Look(); word != core.ShapeUndecided {
		t.Errorf("one cluster of five: got %s, want undecided", word)
	}
}

func TestTrialRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		field     string
		documents int
		slots     []int
	}{
		{"documents", 1, []int{0}},
		{"documents", -3, []int{0}},
		{"slots", 5, nil},
		{"slots", 5, []int{0, 5}},
		{"slots", 5, []int{-1}},
		{"slots", 5, []int{2, 1}},
		{"slots", 5, []int{1, 1}},
	} {
		trial, err := shape.NewTrial(tt.documents, tt.slots)
		if e := (*core.ConfigError)(nil); trial != nil || !errors.As(err, &e) || e.Field != tt.field {
			t.Errorf("%d documents, slots %v: got %v, want a *core.ConfigError of %s", tt.documents, tt.slots, err, tt.field)
		}
	}
	trial := newTrial(t, 3, slotsUpTo(3))
	addRows(t, trial, 4, row("101"))
	before := trial.Verdict()
	nan, inf := math.NaN(), math.Inf(1)
	for _, r := range []shape.Row{
		{},
		row("10"),
		row("1011"),
		{Low: []float64{1, 0, 1}},
		{Low: []float64{1, 0, 1}, High: []float64{1, 0}},
		{Low: []float64{1, 0, 1}, High: []float64{1, 0, 0}},
		{Low: []float64{1, 0, 1.5}, High: []float64{1, 0, 1.5}},
		{Low: []float64{1, 0, -1}, High: []float64{1, 0, 1}},
		{Low: []float64{1, 0, nan}, High: []float64{1, 0, 1}},
		{Low: []float64{1, 0, 0}, High: []float64{1, 0, nan}},
		{Low: []float64{1, 0, 0}, High: []float64{1, 0, inf}},
	} {
		for _, rows := range [][]shape.Row{{r}, {row("100"), r}} {
			err := trial.Add(rows...)
			if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != "rows" {
				t.Errorf("%v: got %v, want a *core.ConfigError of rows", rows, err)
			}
		}
	}
	if err := trial.Add(); err != nil {
		t.Errorf("no row at all: got %v", err)
	}
	if after := trial.Verdict(); !reflect.DeepEqual(before, after) {
		t.Errorf("what is refused was counted (-want +got)\n-%+v\n+%+v", before, after)
	}
	if err := new(shape.Trial).Add(row("1")); err == nil {
		t.Error("the zero value took a score of a slot that it does not have")
	}
}

// With 21 documents the borders are slots 3, 5, 15 and 17, all of them inside.
func TestZonesHoldTheirBorders(t *testing.T) {
	t.Parallel()
	all := slotsUpTo(21)
	for slot := range all {
		pattern := strings.Repeat("0", slot) + "1" + strings.Repeat("0", 20-slot)
		c := shape.Judge(outcomesOf(t, 21, all, pattern, pattern))
		start, middle, end := 0.0, 0.0, 0.0
		switch {
		case slot <= 3:
			start = 1.0 / 4
		case slot >= 5 && slot <= 15:
			middle = 1.0 / 11
		case slot >= 17:
			end = 1.0 / 4
		}
		want := [3]float64{start - middle, end - middle, start - end}
		got := [3]float64{c.StartMiddle.Mean, c.EndMiddle.Mean, c.StartEnd.Mean}
		of := shape.ZonesOf(21, all).Of(row(pattern).Low)
		for i := range want {
			if !near(got[i], want[i]) || !near(of[i], want[i]) {
				t.Errorf("slot %d: got %v and %v, want %v", slot, got, of, want)
				break
			}
		}
	}
}

// More slots than bits in a word.
func TestJudgeOfManySlots(t *testing.T) {
	t.Parallel()
	for _, documents := range []int{63, 64, 65, 150} {
		reader, err := simulate.NewNamedReader("recency", documents, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := reader.Outcomes(120, nil)
		if err != nil {
			t.Fatal(err)
		}
		plain := &plainTrial{documents: documents, slots: slotsUpTo(documents)}
		for q := range o.Questions() {
			var r shape.Row
			for i := range documents {
				score := 0.0
				if o.Right(q, i) {
					score = 1
				}
				r.Low = append(r.Low, score)
			}
			r.High = r.Low
			plain.add(r)
		}
		got := shape.Judge(o)
		_, want, _ := plain.look()
		if got.Shape != want || want != core.ShapeRecency {
			t.Errorf("%d documents: got %s, want %s", documents, got.Shape, want)
		}
		sameContrast(t, "start-end", got.StartEnd, plain.e)
	}
}

// What it would take: the forecasts are in the right order, and go away once they came
// true.
func TestTrialSaysWhatWouldSettleIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		slots       []int
		n           int
		row         string
		flat, named [2]int // from, to
	}{
		{"no spread at all: 138 do", slotsUpTo(5), 40, "11111", [2]int{50, 200}, [2]int{0, 0}},
		{"no spread, nearly there", slotsUpTo(5), 130, "11111", [2]int{1, 20}, [2]int{0, 0}},
		{"all the start: 13 do", slotsUpTo(5), 5, "10000", [2]int{50, 1 << 30}, [2]int{6, 16}},
		{"all the start, not settled", slotsUpTo(5), 20, "10000", [2]int{0, 0}, [2]int{50, 200}},
		{"ends alone: 9 do", []int{0, 4}, 4, "10", [2]int{0, 0}, [2]int{4, 14}},
		{"ends alone, alike", []int{0, 4}, 100, "11", [2]int{0, 0}, [2]int{0, 0}},
		{"no end", []int{0, 2}, 100, "10", [2]int{-1, -1}, [2]int{-1, -1}},
		{"the start against the end is not asked", slotsUpTo(5), 100, "1000-", [2]int{-1, -1}, [2]int{-1, -1}},
	} {
		trial := newTrial(t, 5, tt.slots)
		addRows(t, trial, tt.n, row(tt.row))
		v := trial.Verdict()
		if tt.flat[0] < 0 {
			if v.More != nil {
				t.Errorf("%s: got %+v, want nothing in sight", tt.name, v.More)
			}
			continue
		}
		if v.More == nil || v.More.Flat < tt.flat[0] || v.More.Flat > tt.flat[1] || v.More.Named < tt.named[0] || v.More.Named > tt.named[1] {
			t.Errorf("%s: got %s and %+v, want flat in %v, named in %v", tt.name, v.Shape, v.More, tt.flat, tt.named)
		}
	}
}

// Half of the forecasts made at 100 questions are right within a factor of two.
func TestForecastsAreRoughlyRight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		slots    int
		accuracy float64
	}{{"five slots", 5, .5}, {"ten slots", 10, .2}} {
		accuracy := make([]float64, tt.slots)
		for i := range accuracy {
			accuracy[i] = tt.accuracy
		}
		right, runs := 0, 0
		for seed := range uint64(40) {
			draw := rand.New(rand.NewPCG(seed, 3))
			trial := newTrial(t, tt.slots, slotsUpTo(tt.slots))
			forecast := 0
			for question := 1; ; question++ {
				addRows(t, trial, 1, randomRow(draw, accuracy, false, 0, 0))
				word, settled := trial.Look()
				if question == 100 && !settled {
					forecast = trial.Verdict().More.Flat
				}
				if settled || question == 4000 {
					if took := question - 100; word == core.ShapeFlat && took > 0 {
						runs++
						if forecast <= 2*took && took <= 2*forecast {
							right++
						}
					}
					break
				}
			}
		}
		if runs < 30 || 2*right < runs {
			t.Errorf("%s: %d of %d forecasts are right within a factor of two, want half of them", tt.name, right, runs)
		}
	}
}

func TestLookAllocatesNothing(t *testing.T) {
	trial := newTrial(t, 5, slotsUpTo(5))
	rows := []shape.Row{row("10000"), row("11111"), row("00110"), row("1?-01")}
	addRows(t, trial, 1, rows...)
	for _, r := range rows {
		addRows(t, trial, 1, r)
	}
	trial.Look()
	n := 0
	if allocs := testing.AllocsPerRun(200, func() {
		n++
		if err := trial.Add(rows[n%4 : n%4+1]...); err != nil {
			t.Fatal(err)
		}
		trial.Look()
	}); allocs != 0 {
		t.Errorf("got %g allocations a question, want none", allocs)
	}
}

// JSON has no infinity, and a report must not fail for one.
func TestVerdictsMarshal(t *testing.T) {
	t.Parallel()
	for _, rows := range [][]string{{"10001"}, repeated(3, "01110"), repeated(3000, "10000"), repeated(2000, "00000", "11111")} {
		v := shape.Judge(outcomesOf(t, 5, slotsUpTo(5), rows...))
		data, err := json.Marshal(v)
		var again shape.Verdict
		if err == nil {
			err = json.Unmarshal(data, &again)
		}
		if err != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("got %+v from %s (%v), want %+v", again, data, err, v)
		}
	}
	got, err := json.Marshal(shape.Judge(outcomesOf(t, 5, []int{0, 4}, repeated(2, "10")...)))
	if err != nil || !strings.Contains(string(got), `"start_middle":{"questions":0,`) || !strings.Contains(string(got), `"more":{"named":`) {
		t.Errorf("got %s (%v)", got, err)
	}
}

func BenchmarkAddAndLook(b *testing.B) {
	for _, slots := range []int{5, 20} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			draw := rand.New(rand.NewPCG(1, 1))
			rows := make([]shape.Row, 2000)
			for i := range rows {
				accuracy := make([]float64, slots)
				for j := range accuracy {
					accuracy[j] = .65
				}
				rows[i] = randomRow(draw, accuracy, false, 0, 0)
			}
			var trial *shape.Trial
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if n%2000 == 0 {
					trial = newTrial(b, slots, slotsUpTo(slots))
				}
				addRows(b, trial, 1, rows[n%2000])
				trial.Look()
			}
		})
	}
}

func BenchmarkVerdict(b *testing.B) {
	trial := newTrial(b, 20, slotsUpTo(20))
	draw := rand.New(rand.NewPCG(1, 1))
	accuracy := make([]float64, 20)
	for i := range accuracy {
		accuracy[i] = .65
	}
	for range 300 {
		addRows(b, trial, 1, randomRow(draw, accuracy, false, 0, 0))
	}
	for b.Loop() {
		trial.Verdict()
	}
}

func ExampleJudge() {
	reader, err := simulate.NewNamedReader("gpt-3.5-turbo/20", 20, 1)
	if err != nil {
		panic(err)
	}
	o, err := reader.Outcomes(300, nil)
	if err != nil {
		panic(err)
	}
	v := shape.Judge(o)
	fmt.Printf("%s, settled: %t\n", v.Shape, v.Settled)
	fmt.Printf("start - middle %+.0f points (%+.0f to %+.0f)\n", 100*v.StartMiddle.Mean, 100*v.StartMiddle.Low, 100*v.StartMiddle.High)
	fmt.Println("the ends differ:", v.EndsDiffer)
	// Output:
	// U, settled: true
	// start - middle +16 points (+11 to +20)
	// the ends differ: true
}

// A sweep that stops when its shape is settled.
func ExampleTrial() {
	reader, err := simulate.NewNamedReader("recency", 10, 1)
	if err != nil {
		panic(err)
	}
	slots := []int{0, 3, 6, 9}
	trial, err := shape.NewTrial(10, slots)
	if err != nil {
		panic(err)
	}
	for question := range 2000 { // the cap
		// Here a run would ask a model four times, and score the answers.
		scores := make([]float64, len(slots))
		for i, slot := range slots {
			if reader.Right(question, slot) {
				scores[i] = 1
			}
		}
		if err := trial.Add(shape.Row{Low: scores, High: scores}); err != nil {
			panic(err)
		}
		if found, settled := trial.Look(); settled {
			fmt.Printf("%s after %d questions\n", found, question+1)
			break
		}
	}
	// Output: recency after 146 questions
}
