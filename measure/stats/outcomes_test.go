package stats_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

func TestOutcomesCountOnlyCompleteQuestions(t *testing.T) {
	t.Parallel()
	o := outcomesOf(t, 10, []int{0, 4, 9}, "110", "-", "100", "000", "-", "101")
	if o.Documents() != 10 || o.Questions() != 4 || o.Incomplete() != 2 {
		t.Errorf("got %d documents, %d questions, %d incomplete, want 10, 4, 2", o.Documents(), o.Questions(), o.Incomplete())
	}
	if got, want := o.Slots(), []int{0, 4, 9}; !reflect.DeepEqual(got, want) {
		t.Errorf("slots (-want +got)\n-%v\n+%v", want, got)
	}
	if got, want := o.Counts(), []int{3, 1, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("counts (-want +got)\n-%v\n+%v", want, got)
	}
	if got, want := o.Accuracy(), []float64{0.75, 0.25, 0.25}; !reflect.DeepEqual(got, want) {
		t.Errorf("accuracy (-want +got)\n-%v\n+%v", want, got)
	}
	if got := o.Discordance(0, 2); got != 0.5 {
		t.Errorf("discordance of the ends: got %g, want 0.5", got)
	}
	if !o.Right(3, 2) || o.Right(1, 2) {
		t.Error("the last slot must be right in the last question and wrong in the second complete one")
	}
}

// More slots than bits in a word, against the plain table.
func TestOutcomesKeepEveryAnswer(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(1))
	for _, slots := range []int{1, 63, 64, 65, 130} {
		correct := make([][]bool, 9)
		counts := make([]int, slots)
		for q := range correct {
			correct[q] = make([]bool, slots)
			for i := range correct[q] {
				if random.Intn(2) == 0 {
					correct[q][i] = true
					counts[i]++
				}
			}
		}
		o, err := stats.NewOutcomes(200, slotsUpTo(slots), correct)
		if err != nil {
			t.Fatal(err)
		}
		for q := range correct {
			for i, want := range correct[q] {
				if o.Right(q, i) != want {
					t.Fatalf("%d slots, question %d, slot %d: got %t, want %t", slots, q, i, !want, want)
				}
			}
		}
		if got := o.Counts(); !reflect.DeepEqual(got, counts) {
			t.Errorf("%d slots: counts (-want +got)\n-%v\n+%v", slots, counts, got)
		}
	}
}

func TestOutcomesKeepNothingOfTheCallers(t *testing.T) {
	t.Parallel()
	slots, correct := []int{0, 1}, [][]bool{{true, false}}
	o, err := stats.NewOutcomes(2, slots, correct)
	if err != nil {
		t.Fatal(err)
	}
	slots[1], correct[0][1] = 7, true
	o.Slots()[0] = 7
	o.Counts()[0] = 7
	if got := fmt.Sprint(o.Slots(), o.Counts()); got != "[0 1] [1 0]" {
		t.Errorf("got %s, want [0 1] [1 0]", got)
	}
}

func TestOutcomesOfAsksEachQuestionOnce(t *testing.T) {
	t.Parallel()
	var asked []int
	o, err := stats.OutcomesOf(5, []int{0, 4}, 3, func(question int, right []bool) {
		asked = append(asked, question)
		right[0], right[1] = question == 1, true
	})
	if err != nil || !reflect.DeepEqual(asked, []int{0, 1, 2}) || !reflect.DeepEqual(o.Counts(), []int{1, 3}) || o.Incomplete() != 0 {
		t.Errorf("asked %v, counts %v, %v", asked, o.Counts(), err)
	}
	if _, err := stats.OutcomesOf(5, []int{0, 4}, 0, nil); err == nil {
		t.Error("no question at all is taken")
	}
}

func TestNewOutcomesRefuses(t *testing.T) {
	t.Parallel()
	row := [][]bool{{true, true}}
	for _, tt := range []struct {
		name      string
		documents int
		slots     []int
		correct   [][]bool
		field     string
		message   string
	}{
		{"one document", 1, []int{0}, row, "documents", "2 or more"},
		{"no slot", 2, nil, row, "slots", "at least one"},
		{"slot below 0", 2, []int{-1, 1}, row, "slots", "from 0 to 1"},
		{"slot too high", 2, []int{0, 2}, row, "slots", "from 0 to 1"},
		{"slot twice", 3, []int{1, 1}, row, "slots", "ascending"},
		{"slots that fall", 3, []int{2, 1}, row, "slots", "ascending"},
		{"short row", 3, []int{0, 2}, [][]bool{{true, true}, {true}}, "correct", "a row of 1 values for question 1"},
		{"empty row", 3, []int{0, 2}, [][]bool{{}}, "correct", "a row of 0 values"},
		{"long row", 3, []int{0, 2}, [][]bool{{true, true, true}}, "correct", "2 measured slots"},
		{"no row", 3, []int{0, 2}, nil, "correct", "at least 1"},
		{"none complete", 3, []int{0, 2}, [][]bool{nil, nil}, "correct", "2 questions"},
	} {
		_, err := stats.NewOutcomes(tt.documents, tt.slots, tt.correct)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != tt.field || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: got %v, want a *core.ConfigError of %s that says %q", tt.name, err, tt.field, tt.message)
		}
	}
}

func ExampleNewOutcomes() {
	o, err := stats.NewOutcomes(10, []int{0, 5, 9}, [][]bool{
		{true, false, true},
		{true, true, true},
		nil, // the model failed in one of the slots
		{true, false, false},
		{true, false, false},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Questions(), "questions count,", o.Incomplete(), "does not:", o.Accuracy())
	// Output: 4 questions count, 1 does not: [1 0.25 0.5]
}
