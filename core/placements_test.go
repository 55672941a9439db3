package core_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// vectors are the orders by definition, as 1-based ranks by slot, for n = 1, 2, …
var vectors = map[string][]string{
	"ranked":        {"1", "12", "123", "1234", "12345", "123456", "1234567"},
	"reversed":      {"1", "21", "321", "4321", "54321", "654321", "7654321"},
	"head-tail":     {"1", "12", "132", "1342", "13542", "135642", "1357642"},
	"tail-head":     {"1", "21", "231", "2431", "24531", "246531", "2467531"},
	"long-context":  {"1", "21", "132", "2431", "13542", "246531", "1357642"},
	"edges-first":   {"1", "12", "123", "1234", "12534", "125634", "1256734"},
	"edges-first=1": {"1", "12", "132", "1342", "13452", "134562", "1345672"},
	"edges-first=3": {"1", "12", "123", "1234", "12345", "123456", "1237456"},
	"edges-first=9": {"1", "12", "123", "1234", "12345", "123456", "1234567"},
	// Nothing is known of where the documents come from.
	"document-order": {"1", "12", "123", "1234", "12345", "123456", "1234567"},
}

// digits writes an order as vectors does.
func digits(order []int) string {
	var b strings.Builder
	for _, rank := range order {
		fmt.Fprint(&b, rank+1)
	}
	return b.String()
}

func TestOrderVectors(t *testing.T) {
	t.Parallel()
	for name, orders := range vectors {
		p := mustParse(t, name)
		for i, want := range orders {
			if got := digits(mustOrder(t, p, i+1)); got != want {
				t.Errorf("%s, n=%d: (-want +got)\n-%s\n+%s", name, i+1, want, got)
			}
		}
		same(t, name+", n=0", []int{}, mustOrder(t, p, 0))
	}
}

func TestTransformVectors(t *testing.T) {
	t.Parallel()
	for name, orders := range vectors {
		a := mustNew(t, core.Config{Placement: core.Choice{Placement: mustParse(t, name)}})
		for i, want := range orders {
			docs := named("1 2 3 4 5 6 7")[:i+1]
			if got := strings.ReplaceAll(mustTransform(t, a, docs), " ", ""); got != want {
				t.Errorf("%s, n=%d: (-want +got)\n-%s\n+%s", name, i+1, want, got)
			}
		}
	}
}

func TestEdgeZeroMeansTwo(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		same(t, fmt.Sprint("n=", n), mustOrder(t, core.EdgesFirst{Edge: 2}, n), mustOrder(t, core.EdgesFirst{}, n))
	}
}

// Every placement is a permutation, also where n is no multiple of anything.
func TestOrderIsAPermutation(t *testing.T) {
	t.Parallel()
	for name := range vectors {
		for _, n := range []int{8, 9, 64, 101, 1000} {
			order := mustOrder(t, mustParse(t, name), n)
			slices.Sort(order)
			for i, rank := range order {
				if i != rank {
					t.Fatalf("%s, n=%d: rank %d is missing or double", name, n, i)
				}
			}
		}
	}
}

func TestOrderErrors(t *testing.T) {
	t.Parallel()
	_, err := core.Order(core.HeadTail, -1)
	e := mustBe[*core.ConfigError](t, err)
	same(t, "error", core.ConfigError{Field: "n", Value: -1, Rule: "the number of documents must be from 0 to 10000000"}, *e)

	for _, p := range []core.Placement{core.StandardPlacement(6), core.EdgesFirst{Edge: -1}, core.PlacementFunc(nil), (*pointerPlacement)(nil)} {
		order, err := core.Order(p, 3)
		mustBe[*core.ConfigError](t, err)
		if order != nil {
			t.Errorf("%v: got %v with the error", p, order)
		}
	}
	_, err = core.Order(core.HeadTail, 1<<31-1)
	mustMention(t, err, "n is 2147483647", "from 0 to 10000000")
	_, err = core.Order(core.Measured{}, 3)
	mustBe[*core.CurveError](t, err)
}

// pointerPlacement would panic on a nil pointer.
type pointerPlacement struct{ slots []int }

func (p *pointerPlacement) Place(slots []int, _ func(rank int) core.Origin) error {
	copy(slots, p.slots)
	return nil
}

func TestNilPointerPlacement(t *testing.T) {
	t.Parallel()
	_, err := core.New(core.Config{Placement: core.Choice{Placement: (*pointerPlacement)(nil)}})
	same(t, "field", "Placement", mustBe[*core.ConfigError](t, err).Field)
	mustMention(t, err, "(nil)", "pass one that is not nil")
	_, err = mustNew(t, core.Config{}).With((*pointerPlacement)(nil))
	mustBe[*core.ConfigError](t, err)
}

func TestOrderOfNilIsHeadTail(t *testing.T) {
	t.Parallel()
	same(t, "order", []int{0, 2, 4, 3, 1}, mustOrder(t, nil, 5))
}

// fill makes a placement that writes the same slots whatever comes in.
func fill(result ...int) core.PlacementFunc {
	return func(slots []int, _ func(rank int) core.Origin) error {
		copy(slots, result)
		return nil
	}
}

func TestCustomPlacementIsChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what    string
		result  []int
		mention []string
	}{
		{
			"repeats a rank, which loses another",
			[]int{0, 2, 2, 3},
			[]string{`"custom"`, "put rank 2 into slot 2", "already stands in slot 1"},
		},
		{
			"repeats rank 0",
			[]int{0, 0, 2, 3},
			[]string{"put rank 0 into slot 1", "already stands in slot 0"},
		},
		{
			"counts from 1",
			[]int{1, 2, 3, 4},
			[]string{"put rank 4 into slot 3", "ranks go from 0 to 3"},
		},
		{
			"goes below 0",
			[]int{-1, 0, 1, 2},
			[]string{"put rank -1 into slot 0", "does not exist"},
		},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			_, err := core.Order(fill(test.result...), 4)
			same(t, "placement in the error of Order", "custom", mustBe[*core.PlacementError](t, err).Placement)
			mustMention(t, err, test.mention...)

			a := mustNew(t, core.Config{Placement: core.Choice{Placement: fill(test.result...)}})
			placed, err := core.Transform(t.Context(), a, named("A B C D"), docView, core.Call{})
			mustBe[*core.PlacementError](t, err)
			mustMention(t, err, test.mention...)
			if placed != nil {
				t.Errorf("Transform returned %v with the error", names(placed))
			}
		})
	}
}

var errOwn = errors.New("no order today")

func TestCustomPlacementThatFails(t *testing.T) {
	t.Parallel()
	fails := core.PlacementFunc(func([]int, func(int) core.Origin) error { return errOwn })
	a := mustNew(t, core.Config{Placement: core.Choice{Placement: fails}})
	_, err := core.Transform(t.Context(), a, named("A B"), docView, core.Call{})
	if !errors.Is(err, errOwn) {
		t.Errorf("%v is not the placement's own error", err)
	}
	same(t, "placement", "custom", mustBe[*core.PlacementError](t, err).Placement)
	mustMention(t, err, `"custom" failed`, "no order today")
}

// halves is a placement of the user's own with a name: the second half first.
type halves struct{}

func (halves) String() string { return "halves" }

func (halves) Place(slots []int, _ func(rank int) core.Origin) error {
	half := (len(slots) + 1) / 2
	slices.Reverse(slots[:half])
	slices.Reverse(slots[half:])
	slices.Reverse(slots)
	return nil
}

// Place receives the ranked order, as many slots as documents, and the origins.
func TestCustomPlacement(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{TopK: 5, Placement: core.Choice{Placement: halves{}}})
	arrangement := mustArrange(t, a, named("A B C D E F"))
	same(t, "ranks", []int{3, 4, 0, 1, 2}, arrangement.Ranks())
	same(t, "placement", "halves", arrangement.Placement)

	var slots []int
	var origins []core.Origin
	spy := core.PlacementFunc(func(s []int, origin func(rank int) core.Origin) error {
		slots = slices.Clone(s)
		for rank := -1; rank <= len(s); rank++ {
			origins = append(origins, origin(rank))
		}
		return nil
	})
	docs := []doc{
		{score: missing},
		{score: 1, meta: map[string]any{"source": "a.md", "page": 3}},
		{score: 2, meta: map[string]any{"source": "b.md"}},
	}
	a = mustNew(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 2, Placement: core.Choice{Placement: spy}})
	mustTransform(t, a, docs)
	same(t, "slots", []int{0, 1}, slots)
	same(t, "origins, from rank -1 on", []core.Origin{{}, {Source: "b.md"}, {Source: "a.md", Position: 3, HasPosition: true}, {}}, origins)
}

// Without metadata a placement still runs; it knows of no origin.
func TestCustomPlacementWithoutOrigins(t *testing.T) {
	t.Parallel()
	spy := core.PlacementFunc(func(slots []int, origin func(rank int) core.Origin) error {
		for rank := range slots {
			same(t, "origin", core.Origin{}, origin(rank))
		}
		slices.Reverse(slots)
		return nil
	})
	a := mustNew(t, core.Config{Placement: core.Choice{Placement: spy}})
	placed, err := core.Transform(t.Context(), a, []string{"A", "B"}, nil, core.Call{})
	same(t, "error", nil, err)
	same(t, "placed", []string{"B", "A"}, placed)
}

// A test of a placement of one's own passes the origins itself; what a placement asks
// of a rank that is not there is the zero Origin.
func TestOriginsOfAPlacement(t *testing.T) {
	t.Parallel()
	origins := []core.Origin{
		{Source: "b", Position: 2, HasPosition: true},
		{Source: "a"},
		{Source: "b", Position: 1, HasPosition: true},
	}
	slots := []int{0, 1, 2}
	same(t, "error", nil, core.DocumentOrder.Place(slots, func(rank int) core.Origin { return origins[rank] }))
	same(t, "slots", []int{2, 0, 1}, slots)

	var beyond []core.Origin
	asks := core.PlacementFunc(func(_ []int, origin func(rank int) core.Origin) error {
		beyond = append(beyond, origin(-1), origin(3))
		return nil
	})
	for _, groups := range []bool{false, true} {
		mustTransform(t, mustNew(t, core.Config{Groups: groups, Placement: core.Choice{Placement: asks}}), chunks("A1 B2 C3"))
	}
	same(t, "of ranks that are not there", make([]core.Origin, 4), beyond)
}

// The generator of random numbers is fixed for good: these orders were computed
// by a second program from the definition of PCG and of the shuffle.
func TestShuffledGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed uint64
		want []int
	}{
		{0, []int{6, 3, 0, 7, 5, 2, 4, 1}},
		{1, []int{5, 3, 1, 2, 6, 7, 0, 4}},
		{42, []int{3, 1, 2, 4, 5, 0, 7, 6}},
		{1<<64 - 1, []int{0, 4, 5, 7, 3, 1, 6, 2}},
		{42, []int{1, 2, 0, 3, 4}},
		{42, []int{6, 3, 0, 8, 15, 12, 11, 16, 9, 5, 10, 7, 4, 13, 14, 19, 1, 2, 18, 17}},
		{42, []int{0}},
		{42, []int{}},
	} {
		same(t, fmt.Sprintf("seed %d", test.seed), test.want, mustOrder(t, core.Shuffled{Seed: test.seed}, len(test.want)))
	}
}

// Over 24,000 seeds each of the 24 orders of four documents comes up about a
// thousand times. 49.7 is the 99.9 % point of chi-square with 23 degrees of
// freedom; the seeds are fixed, so that the test always says the same.
func TestShuffledIsUniform(t *testing.T) {
	t.Parallel()
	const seeds, orders = 24_000, 24
	count := map[[4]int]int{}
	for seed := range uint64(seeds) {
		count[[4]int(mustOrder(t, core.Shuffled{Seed: seed}, 4))]++
	}
	same(t, "different orders", orders, len(count))
	chi2 := 0.0
	for order, n := range count {
		if sorted := slices.Sorted(slices.Values(order[:])); !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("%v is no permutation", order)
		}
		d := float64(n) - seeds/orders
		chi2 += d * d / (seeds / orders)
	}
	if chi2 > 49.7 {
		t.Errorf("chi-square is %.1f, want at most 49.7", chi2)
	}
}

// These seeds were computed by a second program from the definition.
func TestSeedForGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed uint64
		id   string
		want uint64
	}{
		{0, "", 9313164154874788883},
		{0, "q1", 12971678582089700584},
		{1, "q1", 16692298085058000407},
		{42, "request-7", 4940394206769419199},
		{1<<64 - 1, "Zürich", 8641577900354553588},
	} {
		same(t, fmt.Sprintf("SeedFor(%d, %q)", test.seed, test.id), test.want, core.SeedFor(test.seed, test.id))
	}
}

// Transform has a way of its own for HeadTail. It gives what the placement gives.
func TestFastPathEqualsHeadTail(t *testing.T) {
	t.Parallel()
	sizes := []int{255, 256, 257, 1000, 1001, 4096, 10_007}
	for n := range 201 {
		sizes = append(sizes, n)
	}
	byScore := mustNew(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	number := &core.View[int]{Score: func(i int) (float64, bool) { return float64(i * 7919 % 10_007), true }}
	for _, n := range sizes {
		docs := make([]int, n)
		for i := range docs {
			docs[i] = i
		}
		want := mustOrder(t, core.HeadTail, n)
		if got := core.Reorder(docs); !slices.Equal(got, want) {
			t.Fatalf("Reorder, n=%d: (-want +got)\n-%v\n+%v", n, want, got)
		}
		for _, a := range []*core.Arranger{nil, mustNew(t, core.Config{})} {
			got, err := core.Transform(t.Context(), a, docs, nil, core.Call{})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("Transform, n=%d: (-want +got)\n-%v\n+%v, error %v", n, want, got, err)
			}
		}

		// By score: the long way round is Arrange and Apply.
		arrangement, err := core.Arrange(t.Context(), byScore, docs, number, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("ranks by score, n=%d", n), want, arrangement.Ranks())
		long, err := core.Apply(arrangement, docs)
		if err != nil {
			t.Fatal(err)
		}
		short, err := core.Transform(t.Context(), byScore, docs, number, core.Call{})
		if err != nil || !slices.Equal(short, long) {
			t.Fatalf("by score, n=%d: (-long +short)\n-%v\n+%v, error %v", n, long, short, err)
		}
	}
}

func TestFastPathResultIsFresh(t *testing.T) {
	t.Parallel()
	type list []string
	one := list{"A"}
	got := core.Reorder(one)
	got[0] = "changed"
	same(t, "input of one document", list{"A"}, one)
	same(t, "nil", list(nil), core.Reorder(list(nil)))
	same(t, "empty", list{}, core.Reorder(list{}))
}
