package simulate_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// A slot is right with its probability, at every correlation. 40,000 questions give a
// standard error of at most a quarter of a point; the seed is fixed.
func TestReaderHasItsAccuracy(t *testing.T) {
	t.Parallel()
	accuracy := []float64{0, 0.03, 0.5, 0.5, 0.9, 1}
	for _, correlation := range []float64{0, 0.5, 0.9, 1} {
		o, err := newReader(t, accuracy, correlation, 5).Outcomes(40000, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range o.Accuracy() {
			if math.Abs(p-accuracy[i]) > 0.012 || (accuracy[i] == 0 || accuracy[i] == 1) && p != accuracy[i] {
				t.Errorf("r = %g, slot %d: got %.3f, want %.3f", correlation, i, p, accuracy[i])
			}
		}
	}
}

// How often two slots of one accuracy disagree follows from the correlation: for two
// standard normals of correlation r that share is acos(r)/π at an accuracy of 1/2.
// At the default it is what real models show.
func TestReaderHasItsCorrelation(t *testing.T) {
	t.Parallel()
	for _, correlation := range []float64{0, 0.3, 0.9, 1} {
		o, err := newReader(t, []float64{0.5, 0.5, 0.7, 0.6}, correlation, 6).Outcomes(40000, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := o.Discordance(0, 1), math.Acos(correlation)/math.Pi; math.Abs(got-want) > 0.012 {
			t.Errorf("r = %g: two slots disagree on %.3f, want %.3f", correlation, got, want)
		}
		if got := o.Discordance(2, 3); correlation == simulate.DefaultCorrelation && (got < 0.12 || got > 0.18) {
			t.Errorf("the default reader's slots disagree on %.3f, want about .15", got)
		}
	}
}

func TestReaderAnswersTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	reader, err := simulate.NewNamedReader("gpt-3.5-turbo", 10, 9)
	if err != nil {
		t.Fatal(err)
	}
	const questions = 60
	slots := []int{0, 3, 4, 9}
	o, err := reader.Outcomes(questions, slots)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for q := questions - 1; q >= 0; q-- {
				for i := len(slots) - 1; i >= 0; i-- {
					if got, want := reader.Right(q, slots[i]), o.Right(q, i); got != want {
						t.Errorf("question %d, slot %d: got %t, before %t", q, slots[i], got, want)
					}
				}
			}
		}()
	}
	group.Wait()
}

// These bits are what a seed means; they must not change between versions.
func TestReaderIsTheSameForever(t *testing.T) {
	t.Parallel()
	reader := newReader(t, []float64{0.7, 0.5, 0.6}, 0.9, 42)
	got := ""
	for q := range 16 {
		for slot := range 3 {
			if reader.Right(q, slot) {
				got += "1"
			} else {
				got += "0"
			}
		}
		got += " "
	}
	if want := "000 100 101 111 111 100 111 000 111 000 000 000 100 000 100 111 "; got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

func TestAnotherSeedDrawsAllAnew(t *testing.T) {
	t.Parallel()
	accuracy := []float64{0.5, 0.5}
	a, b := newReader(t, accuracy, 0.9, 1), newReader(t, accuracy, 0.9, 2)
	differ := 0
	for q := range 4000 {
		if a.Right(q, 0) != b.Right(q, 0) {
			differ++
		}
	}
	if differ < 1800 || differ > 2200 { // independent: half of them, ± 32
		t.Errorf("two seeds differ on %d of 4000 questions, want about 2000", differ)
	}
}

// Also an arm without a name has luck of its own.
func TestNoArmIsASlot(t *testing.T) {
	t.Parallel()
	reader := newReader(t, []float64{0.5, 0.5}, 0, 3)
	same := 0
	for q := range 1000 {
		if reader.RightIn(q, "", 0.5) == reader.Right(q, 0) {
			same++
		}
	}
	if same < 400 || same > 600 {
		t.Errorf("independent answers agree on %d of 1000 questions, want about 500", same)
	}
}

// An arm without a slot has its own accuracy, hangs together with the question, and
// is the same each time.
func TestReaderAnswersInOtherArms(t *testing.T) {
	t.Parallel()
	reader := newReader(t, []float64{0.6, 0.6}, 0.9, 3)
	const n = 20000
	right, agreeSlot, agreeArm := 0, 0, 0
	for q := range n {
		closed := reader.RightIn(q, "closed-book", 0.6)
		if closed {
			right++
		}
		if closed == reader.Right(q, 0) {
			agreeSlot++
		}
		if closed == reader.RightIn(q, "oracle", 0.6) {
			agreeArm++
		}
		if closed != reader.RightIn(q, "closed-book", 0.6) {
			t.Fatalf("question %d: the same arm gave two answers", q)
		}
		if reader.RightIn(q, "none", 0) || !reader.RightIn(q, "all", 1) || reader.RightIn(q, "less", -1) || !reader.RightIn(q, "more", 2) {
			t.Fatalf("question %d: accuracies 0 and 1 must be certain, and bound the others", q)
		}
	}
	for what, share := range map[string][2]float64{
		"right":            {float64(right) / n, 0.6},
		"as in a slot":     {float64(agreeSlot) / n, 0.86},
		"as in other arms": {float64(agreeArm) / n, 0.86},
	} {
		if math.Abs(share[0]-share[1]) > 0.02 {
			t.Errorf("%s: got %.3f, want about %.2f", what, share[0], share[1])
		}
	}
}

func TestReaderKeepsNothingOfTheCallers(t *testing.T) {
	t.Parallel()
	accuracy := []float64{1, 0}
	reader := newReader(t, accuracy, 0.9, 1)
	accuracy[0] = 0
	reader.Accuracy()[1] = 1
	if got := reader.Accuracy(); !reflect.DeepEqual(got, []float64{1, 0}) || reader.Documents() != 2 {
		t.Errorf("got %v, want [1 0]", got)
	}
}

func TestReadersRefuse(t *testing.T) {
	t.Parallel()
	reader := newReader(t, []float64{0.5, 0.5, 0.5}, 0, 1)
	made := func(accuracy []float64, correlation float64) error {
		_, err := simulate.NewReader(accuracy, correlation, 1)
		return err
	}
	asked := func(questions int, slots []int) error { _, err := reader.Outcomes(questions, slots); return err }
	named := func(name string, documents int) error {
		_, err := simulate.NewNamedReader(name, documents, 1)
		return err
	}
	for _, tt := range []struct {
		name, field string
		err         error
	}{
		{"no slot", "accuracy", made(nil, 0.9)},
		{"per cent", "accuracy", made([]float64{0.5, 50}, 0.9)},
		{"below 0", "accuracy", made([]float64{-0.1}, 0.9)},
		{"NaN", "accuracy", made([]float64{math.NaN()}, 0.9)},
		{"correlation above 1", "correlation", made([]float64{0.5}, 1.1)},
		{"correlation below 0", "correlation", made([]float64{0.5}, -0.1)},
		{"correlation NaN", "correlation", made([]float64{0.5}, math.NaN())},
		{"no question", "questions", asked(0, nil)},
		{"slot out of range", "slots", asked(1, []int{0, 3})},
		{"empty slots", "slots", asked(1, []int{})},
		{"unknown name", "curve", named("gpt-99", 10)},
		{"negative size", "documents", named("flat", -1)},
	} {
		if e := (*core.ConfigError)(nil); !errors.As(tt.err, &e) || e.Field != tt.field {
			t.Errorf("%s: got %v, want a *core.ConfigError of %s", tt.name, tt.err, tt.field)
		}
	}
}

func BenchmarkReaderRight(b *testing.B) {
	reader, err := simulate.NewNamedReader("u", 20, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	q := 0
	for b.Loop() {
		reader.Right(q, q%20)
		q++
	}
}

func ExampleNewReader() {
	reader, err := simulate.NewReader([]float64{0.9, 0.2, 0.2, 0.9}, simulate.DefaultCorrelation, 7)
	if err != nil {
		panic(err)
	}
	for question := range 3 {
		fmt.Println(reader.Right(question, 0), reader.Right(question, 1), reader.Right(question, 0))
	}
	// Output:
	// false false false
	// true false true
	// true false true
}

func ExampleNewNamedReader() {
	reader, err := simulate.NewNamedReader("primacy", 5, 1)
	if err != nil {
		panic(err)
	}
	o, err := reader.Outcomes(1000, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("simulated: true accuracy %.2f, found %.2f\n", reader.Accuracy(), o.Accuracy())
	// Output: simulated: true accuracy [0.75 0.70 0.65 0.60 0.55], found [0.76 0.71 0.67 0.62 0.57]
}

func ExampleAccuracy() {
	accuracy, err := simulate.Accuracy("u", 5)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", accuracy)
	// Output: [0.75 0.60 0.55 0.60 0.75]
}
