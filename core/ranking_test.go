package core_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/meta"
)

// byScore returns an Arranger that sorts and leaves the ranked order.
func byScore(t testing.TB, d core.Direction) *core.Arranger {
	return mustNew(t, core.Config{Rank: core.ByScore, Direction: d, Placement: core.Choice{Placement: core.RankOrder}})
}

func TestByScore(t *testing.T) {
	t.Parallel()
	higher, lower := core.HigherIsBetter, core.LowerIsBetter
	for _, test := range []struct {
		rule      string
		direction core.Direction
		docs      string
		want      string
	}{
		{"higher is better", higher, "A score=1, B score=3, C score=2", "B C A"},
		{"lower is better", lower, "A score=1, B score=3, C score=2", "A C B"},
		{"negative scores are scores, missing is last", higher, "A, B score=-3, C score=-1", "C B A"},
		{"negative scores, lower is better", lower, "A, B score=-1, C score=-3", "C B A"},
		{"missing is not zero", lower, "A, B score=1", "B A"},
		{"missing in input order", higher, "A, B score=1, C, D score=2, E", "D B A C E"},
		{"NaN is missing", higher, "A score=NaN, B score=-Inf, C score=NaN", "B A C"},
		{"NaN is missing, lower is better", lower, "A score=NaN, B score=+Inf, C score=NaN", "B A C"},
		{"all missing", higher, "A, B, C", "A B C"},
		{"infinities", higher, "A score=-Inf, B score=0, C score=+Inf", "C B A"},
		{"infinities, lower is better", lower, "A score=+Inf, B score=0, C score=-Inf", "C B A"},
		{"equal infinities keep input order", higher, "A score=0, B score=+Inf, C score=+Inf", "B C A"},
		{"equal scores keep input order", higher, "A score=1, B score=2, C score=1, D score=2", "B D A C"},
		{"equal scores keep input order, lower is better", lower, "A score=2, B score=1, C score=2, D score=1", "B D A C"},
		{"zero and minus zero are equal", higher, "A score=-0, B score=0, C score=1", "C A B"},
		{"zero and minus zero are equal, lower is better", lower, "A score=0, B score=-0, C score=-1", "C A B"},
		{"sorted already", higher, "A score=3, B score=3, C score=1, D", "A B C D"},
		{"only the last is out of place", higher, "A score=2, B score=1, C, D score=0", "A B D C"},
		{"one document", higher, "A", "A"},
	} {
		if got := mustTransform(t, byScore(t, test.direction), parse(t, test.docs)); got != test.want {
			t.Errorf("%s: (-want +got)\n-%s\n+%s", test.rule, test.want, got)
		}
	}
}

// By default the order of the retriever is trusted, whatever the scores say.
func TestAsGivenTrustsTheInput(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=1, B score=3, C score=2")
	for _, c := range []core.Config{{}, {Rank: core.AsGiven, Direction: core.HigherIsBetter}} {
		same(t, "placed", "A C B", mustTransform(t, mustNew(t, c), docs))
	}
}

// An unstable sort looks stable below 13 elements.
func TestTiesKeepInputOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	for _, direction := range []core.Direction{core.HigherIsBetter, core.LowerIsBetter} {
		for _, different := range []int{1, 2, 7} {
			docs := make([]doc, 1000)
			for i := range docs {
				docs[i] = doc{name: strconv.Itoa(i), score: float64(random.IntN(different))}
				if docs[i].score == 6 {
					docs[i].score = missing
				}
			}
			want := slices.Clone(docs)
			slices.SortStableFunc(want, func(a, b doc) int {
				x, y := a.score, b.score
				switch {
				case math.IsNaN(x) || math.IsNaN(y):
					return fewer(!math.IsNaN(x), !math.IsNaN(y))
				case direction == core.LowerIsBetter:
					x, y = y, x
				}
				return fewer(x > y, y > x)
			})
			if got := mustTransform(t, byScore(t, direction), docs); got != names(want) {
				t.Errorf("%s, %d scores: (-want +got)\n-%s\n+%s", direction, different, names(want), got)
			}
		}
	}
}

// fewer puts what is true first.
func fewer(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Input that is sorted already takes a way of its own, with the same result.
func TestSortedInputGivesTheSameResult(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 9))
	for _, direction := range []core.Direction{core.HigherIsBetter, core.LowerIsBetter} {
		for n := range 40 {
			scores := random.Perm(n)
			unsorted := make([]doc, n)
			sorted := make([]doc, n)
			for i, s := range scores {
				unsorted[i] = doc{name: strconv.Itoa(s), score: float64(s)}
				place := s
				if direction == core.HigherIsBetter {
					place = n - 1 - s
				}
				sorted[place] = unsorted[i]
			}
			a := mustNew(t, core.Config{Rank: core.ByScore, Direction: direction})
			same(t, fmt.Sprintf("%s, n=%d", direction, n), mustTransform(t, a, sorted), mustTransform(t, a, unsorted))
			same(t, fmt.Sprintf("%s, n=%d, ranks", direction, n), names(sorted), mustTransform(t, byScore(t, direction), unsorted))
		}
	}
}

// Where the input is sorted each score is looked at once.
func TestSortedInputIsOnlyChecked(t *testing.T) {
	t.Parallel()
	looks := 0
	view := &core.View[float64]{Score: func(s float64) (float64, bool) {
		looks++
		return s, true
	}}
	if _, err := core.Transform(t.Context(), byScore(t, core.HigherIsBetter), []float64{4, 3, 3, 1}, view, core.Call{}); err != nil {
		t.Fatal(err)
	}
	same(t, "looks at four scores", 4, looks)
}

type (
	score   float64
	points  int16
	rating  uint8
	cyclic  *cyclic
	numeral json.Number
)

func TestNumber(t *testing.T) {
	t.Parallel()
	deep := ptr(ptr(ptr(2.5)))
	var loop cyclic
	loop = cyclic(&loop)
	for _, test := range []struct {
		value any
		want  float64
	}{
		{int(-2), -2},
		{int8(-2), -2},
		{int16(-2), -2},
		{int32(-2), -2},
		{int64(-2), -2},
		{uint(2), 2},
		{uint8(2), 2},
		{uint16(2), 2},
		{uint32(2), 2},
		{uint64(2), 2},
		{uintptr(2), 2},
		{float32(2.5), 2.5},
		{2.5, 2.5},
		{math.Inf(1), math.Inf(1)},
		{math.Inf(-1), math.Inf(-1)},
		{float32(math.Inf(1)), math.Inf(1)},
		{json.Number("2.5"), 2.5},
		{json.Number("-3"), -3},
		{score(2.5), 2.5},
		{points(-2), -2},
		{rating(2), 2},
		{time.Duration(2), 2},
		{ptr(2.5), 2.5},
		{ptr(float32(2.5)), 2.5},
		{ptr(2), 2},
		{ptr(uint64(2)), 2},
		{ptr(score(2.5)), 2.5},
		{ptr(json.Number("2.5")), 2.5},
		{deep, 2.5},
	} {
		got, ok := meta.Number(test.value)
		if !ok || got != test.want {
			t.Errorf("%T %v: (-want +got)\n-%v true\n+%v %v", test.value, test.value, test.want, got, ok)
		}
	}
	for _, value := range []any{
		nil, "2.5", []byte("2"), true, 'x' == 'y', complex(1, 2),
		[]float64{2},
		struct{}{},
		map[string]any{},
		math.NaN(), float32(math.NaN()), score(math.NaN()), ptr(math.NaN()),
		json.Number(""), json.Number("x"), json.Number("NaN"), json.Number("1e999"), numeral("2"),
		(*float64)(nil), (*json.Number)(nil), ptr("2"), ptr((*int)(nil)), loop, time.Unix(0, 0),
	} {
		if got, ok := meta.Number(value); ok {
			t.Errorf("%T %v is read as the number %v", value, value, got)
		}
	}
}

// A metadata field may hold the score, of any numeric type and of several.
func TestScoreKey(t *testing.T) {
	t.Parallel()
	values := []any{"9", json.Number("2"), float32(4), uint8(1), nil, ptr(int64(3)), score(5), true}
	docs := make([]doc, len(values))
	for i, v := range values {
		// The document's own score has no say.
		docs[i] = doc{name: fmt.Sprint(i), score: float64(i), meta: map[string]any{"s": v}}
	}
	docs = append(docs, doc{name: "8", score: 100, meta: map[string]any{}}, doc{name: "9", score: 100})
	c := core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, Keys: core.Keys{Score: "s"}, Placement: core.Choice{Placement: core.RankOrder}}
	a := mustNew(t, c)
	same(t, "higher is better", "6 2 5 1 3 0 4 7 8 9", mustTransform(t, a, docs))
	c.Direction = core.LowerIsBetter
	same(t, "lower is better", "3 1 5 2 6 0 4 7 8 9", mustTransform(t, mustNew(t, c), docs))
	same(t, "score in the arrangement", core.Score(5), mustArrange(t, a, docs).Slots[0].Score)

	c.Threshold = ptr(3.0)
	same(t, "threshold", "3 1 5", mustTransform(t, mustNew(t, c), docs))
}

// The arrangement shows a distance as it is, although it is ranked by its
// opposite.
func TestScoresAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	a := mustArrange(t, byScore(t, core.LowerIsBetter), parse(t, "A score=3, B score=1"))
	same(t, "scores", []core.Score{1, 3}, []core.Score{a.Slots[0].Score, a.Slots[1].Score})
}

// A retriever answers best first, so that a ranking which turns its order round has
// most likely been given the wrong direction. The arrangement says so.
func TestTurnedRoundIsNoted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		scores []float64
		want   bool
	}{
		{"rising", []float64{1, 2, 3}, true},
		{"falling", []float64{3, 2, 1}, false},
		{"mixed", []float64{2, 1, 3}, false},
		{"two", []float64{1, 2}, false},
		{"equal", []float64{1, 1, 1}, false},
	} {
		a, err := core.New(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
		if err != nil {
			t.Fatal(err)
		}
		view := &core.View[float64]{Score: func(s float64) (float64, bool) { return s, true }}
		got, err := core.Arrange(t.Context(), a, c.scores, view, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		short, err := core.Without(a, got, c.scores, view, func(p core.Placed) core.Reason {
			if p.Rank == len(c.scores)-1 {
				return core.OverBudget
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, arrangement := range []core.Arrangement{got, short} {
			if noted := strings.Contains(strings.Join(arrangement.Notes, "\n"), "direction"); noted != c.want {
				t.Errorf("%s: notes %q, want one on the direction: %v", c.name, arrangement.Notes, c.want)
			}
		}
	}
}
