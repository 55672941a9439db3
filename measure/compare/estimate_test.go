package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/worth"
)

// by reads each slot by a func of its number and that of the documents.
func by(at func(slot, n int) float64) Reading {
	return Reading{Name: "own", At: func(n int) ([]float64, error) {
		accuracy := make([]float64, n)
		for slot := range accuracy {
			accuracy[slot] = at(slot, n)
		}
		return accuracy, nil
	}}
}

// firstSlot is right in the first slot, and nowhere else.
var firstSlot = by(func(slot, _ int) float64 { return float64(max(0, 1-slot)) })

func mustEstimate(t *testing.T, lists *dataset.Dataset, arms []Arm, curve Reading) Estimated {
	t.Helper()
	e, err := Estimate(t.Context(), lists, arms, curve, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// openLists opens lines as lists.
func openLists(t *testing.T, lines ...string) *dataset.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	lists, err := dataset.Rules{Lists: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lists.Close() })
	return lists
}

// listed is a list whose documents at these ranks hold the answer.
func listed(question string, documents int, ranks ...int) string {
	var texts []string
	for rank := range documents {
		text := fmt.Sprint("document ", rank)
		if slices.Contains(ranks, rank) {
			text = "It is Rome."
		}
		texts = append(texts, fmt.Sprintf(`{"text":%q}`, text))
	}
	return fmt.Sprintf(`{"question":%q,"answers":["Rome"],"ctxs":[%s]}`, question, strings.Join(texts, ","))
}

// Over many lists the estimate is what worth.Expected computes of the exact shares.
func TestEstimateIsArithmetic(t *testing.T) {
	t.Parallel()
	const cases, documents = 20_000, 10
	names := []string{"ranked", "head-tail", "tail-head", "reversed", "edges-first=3", "long-context"}
	for _, c := range []struct {
		curve string
		decay float64
	}{{"gpt-3.5-turbo", 0.3}, {"llama-2-70b-chat-repo", 0.5}, {"llama-2-70b-chat-repo", 1}} {
		curve := publishedAs(t, c.curve)
		accuracy := curve.At(documents)
		gold, err := dataset.DecayingRanks(documents, c.decay)
		if err != nil {
			t.Fatal(err)
		}
		arms := armsOf(t, names...)
		e := mustEstimate(t, mustLists(t, cases, documents, c.decay), arms, ReadingOfPublished(curve))
		for i, a := range e.Arms {
			order, err := core.Order(arms[i].Order.Placement.Placement, documents)
			if err != nil {
				t.Fatal(err)
			}
			want, err := worth.Expected(accuracy, order, gold)
			if err != nil {
				t.Fatal(err)
			}
			variance := 0.0
			for slot, rank := range order {
				variance += gold[rank] * (accuracy[slot] - want) * (accuracy[slot] - want)
			}
			if within := 4*math.Sqrt(variance/cases) + 1e-12; math.Abs(a.Accuracy-want) > within {
				t.Errorf("%s, decay %g, %s: want %.5f ± %.5f, got %.5f", c.curve, c.decay, a.Name, want, within, a.Accuracy)
			}
			if a.Name != names[i] || math.Abs(a.Gain-(a.Accuracy-e.Arms[0].Accuracy)) > 1e-12 {
				t.Errorf("%+v", a)
			}
		}
		if e.Lists != cases || e.WithGold != cases || e.ManyGolds != 0 || len(e.Ranks) > documents || sum(e.Ranks) != cases || e.Curve != curve.Name {
			t.Errorf("%+v", e)
		}
	}
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

func TestEstimateOfAbsentAndSeveralAnswers(t *testing.T) {
	t.Parallel()
	lists := openLists(t,
		listed("nowhere", 4), listed("first", 4, 0), listed("third", 3, 2),
		listed("second and fourth", 4, 1, 3), listed("alone", 1, 0))
	e := mustEstimate(t, lists, armsOf(t, "ranked", "reversed"), firstSlot)
	if e.Lists != 5 || e.WithGold != 4 || e.ManyGolds != 1 || !slices.Equal(e.Ranks, []int{2, 1, 1}) {
		t.Errorf("%+v", e)
	}
	// The best-ranked document with the answer counts; where there is none, nothing is
	// right.
	ranked, reversed := e.Arms[0], e.Arms[1]
	if ranked.Accuracy != 2.0/5 || reversed.Accuracy != 2.0/5 || reversed.Gain != 0 {
		t.Errorf("accuracy: ranked %v, reversed %v", ranked.Accuracy, reversed.Accuracy)
	}
	// Slots 0 of 4, 2 of 3, 1 of 4 and 0 of 1, as shares.
	if want := (0 + 1 + 1.0/3 + 0) / 4; math.Abs(ranked.Slots-want) > 1e-12 {
		t.Errorf("mean slot as ranked: want %v, got %v", want, ranked.Slots)
	}
	if want := (1 + 0 + 2.0/3 + 0) / 4; math.Abs(reversed.Slots-want) > 1e-12 {
		t.Errorf("mean slot reversed: want %v, got %v", want, reversed.Slots)
	}
}

// What a top-k leaves out is wrong, and the curve is asked for the documents that
// stay.
func TestEstimateWithTopK(t *testing.T) {
	t.Parallel()
	lists := openLists(t, listed("in", 5, 1), listed("out", 5, 4))
	arms := armsOf(t, "ranked", "reversed")
	arms[1].Order.TopK = 2
	asked := map[int]bool{}
	reading := by(func(slot, n int) float64 {
		asked[n] = true
		return float64(slot+n) / 10
	})
	e := mustEstimate(t, lists, arms, reading)
	if !asked[5] || !asked[2] || len(asked) != 2 {
		t.Errorf("the curve is asked for %v documents", asked)
	}
	if want := (0.6 + 0.9) / 2; math.Abs(e.Arms[0].Accuracy-want) > 1e-12 {
		t.Errorf("all documents: want %v, got %v", want, e.Arms[0].Accuracy)
	}
	if want := (0.2 + 0) / 2; math.Abs(e.Arms[1].Accuracy-want) > 1e-12 {
		t.Errorf("the 2 best, reversed: want %v, got %v", want, e.Arms[1].Accuracy)
	}
	// The layout does not count, a budget of it neither.
	arms[1].Prompt = prompt.Config{Budget: 1, Unit: core.Words}
	if again := mustEstimate(t, lists, arms, reading); again.Arms[1].Accuracy != e.Arms[1].Accuracy {
		t.Errorf("with a budget: %+v", again.Arms[1])
	}
}

func TestEstimateErrorBars(t *testing.T) {
	t.Parallel()
	lists := openLists(t, listed("a", 2, 0), listed("b", 2, 0), listed("c", 2, 1), listed("d", 2))
	reading := by(func(slot, _ int) float64 { return []float64{0.8, 0.5}[slot] })
	if e := mustEstimate(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), reading); e.Arms[1].Error != 0 {
		t.Errorf("no number of questions: %+v", e.Arms[1])
	}
	reading.Questions = 100
	e := mustEstimate(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), reading)
	// Reversed, the weight of slot 0 goes from 2 to 1 of 4 lists, that of slot 1 from 1
	// to 2.
	want := math.Sqrt((0.8*0.2 + 0.5*0.5) / 16 / 100)
	if math.Abs(e.Arms[1].Error-want) > 1e-12 || e.Arms[0].Error != 0 || e.Arms[2].Error != 0 {
		t.Errorf("want an error of %v for the second arm alone: %+v", want, e.Arms)
	}
	// Same input, same output, to the last bit.
	many := mustLists(t, 500, 12, 0.7)
	first := mustEstimate(t, many, armsOf(t, "ranked", "head-tail", "reversed"), ReadingOfPublished(publishedAs(t, "gpt-3.5-turbo")))
	for range 20 {
		again := mustEstimate(t, many, armsOf(t, "ranked", "head-tail", "reversed"), ReadingOfPublished(publishedAs(t, "gpt-3.5-turbo")))
		a, _ := json.Marshal(first)
		if b, _ := json.Marshal(again); !bytes.Equal(a, b) {
			t.Fatalf("(-first +again)\n-%s\n+%s", a, b)
		}
	}
}

// The three ways to conclude, each with the word that a comparison would give.
func TestEstimateConcludes(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 200, 5, 0.5)
	gentle := func(gain float64, questions int) Reading { // reversed gains, a little
		r := by(func(slot, n int) float64 { return 0.5 + gain*float64(slot)/float64(n-1) })
		r.Questions = questions
		return r
	}
	for name, c := range map[string]struct {
		arms    []string
		curve   Reading
		compare bool
		word    evidence.Word
		want    []string
	}{
		"a gain that matters": {
			[]string{"ranked", "reversed"},
			gentle(0.4, 0), true, evidence.Reorder,
			[]string{"reversed gains ", " over ranked.", "A comparison may pay: about ", " questions would show such a gain."},
		},
		"a gain that may matter": {
			[]string{"ranked", "reversed"},
			gentle(0.015, 20), true, evidence.Keep,
			[]string{"reversed gains ", "A comparison may pay: so few questions stand behind the curve that a gain of 3 points is not excluded. A comparison of about ", " would exclude it."},
		},
		"a gain too small": {
			[]string{"ranked", "reversed"},
			gentle(0.015, 0), false, evidence.Keep,
			[]string{"reversed gains ", "A comparison is hardly worth its cost: to show that there is no gain of 3 points or more takes about "},
		},
		"no gain": {
			[]string{"ranked", "reversed"},
			gentle(-0.4, 0), false, evidence.Keep,
			[]string{"no placement is worth more than ranked here.", "hardly worth its cost"},
		},
		"a flat curve": {
			[]string{"ranked", "head-tail", "reversed"},
			by(func(int, int) float64 { return 0.5 }), false, evidence.Keep,
			[]string{"no placement is worth more", "hardly worth its cost"},
		},
	} {
		e := mustEstimate(t, lists, armsOf(t, c.arms...), c.curve)
		if e.Compare != c.compare || e.For != c.word || e.Worthwhile != 0.03 {
			t.Errorf("%s: %+v", name, e)
		}
		for _, want := range append(c.want, "Estimate, not a measurement: ") {
			if !strings.Contains(e.Finding, want) {
				t.Errorf("%s: no %q in %q", name, want, e.Finding)
			}
		}
		if !c.compare && c.word == evidence.Reorder || e.Settle < 1 || strings.Contains(e.Finding, "hardly") && !strings.Contains(e.Finding, fmt.Sprint(e.Settle)) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	// With k challengers, a gain of d: 2·.15·ln(k/.05)/d².
	e := mustEstimate(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), gentle(0.4, 0))
	if want := int(math.Ceil(0.3 * math.Log(2/0.05) / (e.Arms[1].Gain * e.Arms[1].Gain))); e.Settle != want {
		t.Errorf("questions to settle: want %d, got %d", want, e.Settle)
	}
	// However small what matters, the number is one.
	flat := by(func(int, int) float64 { return 0.5 })
	tiny, err := Estimate(t.Context(), lists, armsOf(t, "ranked", "reversed"), flat, 1e-200)
	if err != nil || tiny.Settle < 1 {
		t.Errorf("questions to exclude nearly nothing: %d, %v", tiny.Settle, err)
	}
}

// A placement with a smaller estimate leaves room for the gain, too, when more of the
// curve's noise falls on it.
func TestEstimateLooksAtTheRoomOfEachArm(t *testing.T) {
	t.Parallel()
	e := Estimated{Worthwhile: 0.03, Arms: []EstimatedArm{{Name: "ranked"}, {Name: "a", Gain: 0.01, Error: 0.001}, {Name: "b", Gain: 0.005, Error: 0.02}}}
	if e.conclude(); !e.Compare {
		t.Errorf("%+v", e)
	}
}

func TestEstimateFaults(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 5, 4, 0.5)
	two := armsOf(t, "ranked", "reversed")
	kv, err := dataset.KeyValues(1, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	values := func(v ...float64) Reading {
		return Reading{Name: "own", At: func(int) ([]float64, error) { return v, nil }}
	}
	for name, c := range map[string]struct {
		lists      *dataset.Dataset
		arms       []Arm
		curve      Reading
		worthwhile float64
		field      string
	}{
		"no lists":              {kv, two, firstSlot, 0.03, "lists"},
		"no answer anywhere":    {openLists(t, listed("q", 3)), two, firstSlot, 0.03, "lists"},
		"one arm":               {lists, two[:1], firstSlot, 0.03, "Arms"},
		"arms of one name":      {lists, armsOf(t, "ranked", "ranked"), firstSlot, 0.03, "Arms"},
		"nothing worthwhile":    {lists, two, firstSlot, 0, "Worthwhile"},
		"too few values":        {lists, two, values(0.5, 0.5), 0.03, "curve"},
		"too many values":       {lists, two, values(0.5, 0.5, 0.5, 0.5, 0.5), 0.03, "curve"},
		"values in percent":     {lists, two, values(50, 50, 50, 50), 0.03, "curve"},
		"values that are none":  {lists, two, values(math.NaN(), 0.5, math.NaN(), math.NaN()), 0.03, "curve"},
		"a curve without a way": {lists, two, Reading{Name: "own"}, 0.03, "curve"},
	} {
		e, err := Estimate(t.Context(), c.lists, c.arms, c.curve, c.worthwhile)
		if !hasField(err, c.field) || e.Arms != nil {
			t.Errorf("%s: no fault of %s in %v", name, c.field, err)
		}
	}
	broken := errors.New("broken")
	if _, err := Estimate(t.Context(), lists, two, Reading{At: func(int) ([]float64, error) { return nil, broken }}, 0.03); !errors.Is(err, broken) {
		t.Errorf("a curve that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Estimate(ctx, lists, two, firstSlot, 0.03); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if _, err := ReadingOf(nil, "none"); err == nil {
		t.Error("no curve: no error")
	}
	if _, err := ReadingOfPublished(publishedAs(t, "gpt-3.5-turbo")).At(0); err == nil {
		t.Error("no document: no error")
	}
}

// A curve file reads as the published curve that it was made of.
func TestReadings(t *testing.T) {
	t.Parallel()
	curve := publishedAs(t, "gpt-3.5-turbo")
	file, err := simulate.CurveOf(curve)
	if err != nil {
		t.Fatal(err)
	}
	one := ReadingOfPublished(curve)
	two, err := ReadingOf(file, "file")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 7, 20, 33} {
		a, err1 := one.At(n)
		b, err2 := two.At(n)
		if err := errors.Join(err1, err2); err != nil || len(a) != n || !slices.Equal(a, b) {
			t.Errorf("%d documents: %v and %v, %v", n, a, b, err)
		}
	}
	if one.Questions != curve.Questions || two.Questions != curve.Questions || two.Name != "file" {
		t.Errorf("%+v and %+v", one, two)
	}
}

func TestEstimateTellsOfAStretchedCurve(t *testing.T) {
	t.Parallel()
	for documents, told := range map[int]bool{10: false, 20: true, 0: false} {
		curve := ReadingOfPublished(publishedAs(t, "gpt-3.5-turbo"))
		curve.Documents = documents
		e, err := Estimate(t.Context(), mustLists(t, 20, 10, 0.5), armsOf(t, "ranked", "reversed"), curve, 0.03)
		if err != nil || (e.Note != "") != told {
			t.Errorf("a curve of %d documents over lists of 10: %q, %v", documents, e.Note, err)
		}
	}
}
