package reuse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/reuse"
)

// sentOrder is one order that a memory was told, as the test remembers it.
type sentOrder struct {
	scope, before string
	docs          []doc
}

type scopeKey struct{}

// On every one of 10,000 random requests what an order is expected to lose by the curve is
// at most what the memory may give for what it saves, no remembered beginning would be
// worth more, ranks that are held keep their slots, and what counts as reused was sent.
func TestExpectedLossIsAtMostItsWorth(t *testing.T) {
	t.Parallel()
	const requests = 10_000
	moved, priced := 0, 0
	for i := 0; i < requests; {
		r := rand.New(rand.NewPCG(18, uint64(i)))
		c := randomConfig(r)
		p := randomPlacement(r, c.Curve)
		m := mustNew(t, c)
		with, without := by(t, p, m), by(t, p, nil)
		pool := randomDocs(r)
		var sent []sentOrder
		for turn := range 10 + r.IntN(30) {
			i++
			request := sentOrder{scope: string(rune('a' + r.IntN(2))), before: []string{"", "", "history"}[r.IntN(3)], docs: someOf(r, pool)}
			ctx := context.WithValue(t.Context(), scopeKey{}, request.scope)
			call := core.Call{Before: request.before}
			base := mustArrange(t, ctx, without, request.docs, call)
			got := mustArrange(t, ctx, with, request.docs, call)
			name := fmt.Sprintf("memory %d, turn %d, %+v", i, turn, c)
			if err := got.Check(len(request.docs)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if c.Worth == 0 && c.Hold == 0 || !slices.ContainsFunc(sent, request.sameRoot) {
				same(t, name+": arrangement", asJSON(t, base), asJSON(t, got))
			}
			for slot, p := range base.Slots {
				if p.Rank < c.Hold && got.Slots[slot].Rank != p.Rank {
					t.Fatalf("%s: rank %d was held in slot %d, which has rank %d", name, p.Rank, slot, got.Slots[slot].Rank)
				}
			}
			ranked := request.docs
			request.docs = placed(got, ranked)
			if got.Reused > 0 && !slices.ContainsFunc(sent, request.begins(got.Reused)) {
				t.Fatalf("%s: %d documents are reused, but no earlier prompt began with them", name, got.Reused)
			}
			worth := gainOf(c, base, got, request.docs)
			if c.Worth > 0 {
				loss, share := lossOf(c, base, got), savedShare(request.docs, got.Reused)
				if loss > c.Worth*share+1e-9 {
					t.Fatalf("%s: loses %v points for %v of the bytes", name, loss, share)
				}
				if loss != 0 {
					priced++
				}
			}
			if got.Order() != base.Order() {
				moved++
				if !strings.Contains(strings.Join(got.Notes, "\n"), "as an earlier prompt began") {
					t.Fatalf("%s: notes %q do not say why", name, got.Notes)
				}
			}
			if best := bestOf(c, base, ranked, request, sent); c.Worth+float64(c.Hold) > 0 && math.Abs(best-worth) > 1e-9 {
				t.Fatalf("%s: the order is worth %v, the best %v", name, worth, best)
			}
			sent = append(sent, request)
		}
	}
	if moved < requests/10 || priced < requests/100 {
		t.Errorf("%d of %d orders were moved, %d at a price: too few to test the rest", moved, requests, priced)
	}
}

func randomConfig(r *rand.Rand) reuse.Config {
	c := reuse.Config{
		Hold: max(r.IntN(5)-2, 0), Decay: []float64{0, 0.3, 0.9, 1}[r.IntN(4)],
		Scope: func(ctx context.Context) string { scope, _ := ctx.Value(scopeKey{}).(string); return scope },
		Now:   newClock().Now,
	}
	if worth := []float64{0, 0.05, 1, 5, 30}[r.IntN(5)]; worth > 0 {
		c.Worth, c.Curve = worth, randomCurve(r)
	}
	return c
}

// randomCurve is measured at all slots, at some, or fitted; or flat.
func randomCurve(r *rand.Rand) *core.Curve {
	c := &core.Curve{Format: core.CurveFormat, Documents: 2 + r.IntN(12), Shape: []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeFlat}[r.IntN(4)]}
	c.Slots = []int{0}
	for slot := 1; slot < c.Documents-1; slot++ {
		if r.IntN(3) > 0 {
			c.Slots = append(c.Slots, slot)
		}
	}
	c.Slots = append(c.Slots, c.Documents-1)
	for range c.Slots {
		c.Accuracy = append(c.Accuracy, r.Float64())
		c.Fitted = append(c.Fitted, r.Float64())
	}
	if c.Shape == core.ShapePrimacy {
		c.Fitted = nil
	}
	return c
}

func randomPlacement(r *rand.Rand, curve *core.Curve) core.Placement {
	if curve != nil && r.IntN(3) == 0 {
		return core.Measured{Curve: curve}
	}
	return []core.Placement{core.RankOrder, core.HeadTail, core.Reversed, core.EdgesFirst{}}[r.IntN(4)]
}

// randomDocs are documents of other sizes, two of which have one text, and one is empty.
func randomDocs(r *rand.Rand) []doc {
	var pool []doc
	for i := range 14 {
		pool = append(pool, doc{fmt.Sprint("d", i), strings.Repeat(string(rune('a'+i)), 1+r.IntN(2_000))})
	}
	return append(pool, doc{"e", ""}, doc{"f", pool[0].text}, pool[1])
}

// someOf returns some documents of the pool, more often the first, in an order of chance.
func someOf(r *rand.Rand, pool []doc) []doc {
	pool = slices.Clone(pool)
	pool = pool[:3+r.IntN(len(pool)-2)]
	for i := range pool {
		j := min(i+r.IntN(4), len(pool)-1)
		pool[i], pool[j] = pool[j], pool[i]
	}
	return pool[:1+r.IntN(min(len(pool), 12))]
}

func mustArrange(t *testing.T, ctx context.Context, a *core.Arranger, docs []doc, c core.Call) core.Arrangement {
	t.Helper()
	got, err := core.Arrange(ctx, a, docs, view, c)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func asJSON(t *testing.T, a core.Arrangement) string {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func placed(a core.Arrangement, docs []doc) []doc {
	var out []doc
	for _, p := range a.Slots {
		out = append(out, docs[p.Index])
	}
	return out
}

func (s sentOrder) sameRoot(other sentOrder) bool {
	return s.scope == other.scope && s.before == other.before
}

// begins returns whether an order begins with the first n documents of s.
func (s sentOrder) begins(n int) func(sentOrder) bool {
	return func(other sentOrder) bool {
		return s.sameRoot(other) && len(other.docs) >= n && slices.Equal(other.docs[:n], s.docs[:n])
	}
}

// savedShare is the share of the bytes that the first n documents have.
func savedShare(docs []doc, n int) float64 {
	saved, all := 0, 0
	for i, d := range docs {
		all += len(d.text)
		if i < n {
			saved += len(d.text)
		}
	}
	return float64(saved) / float64(max(all, 1))
}

// accuracyOf is that of a slot of n, by hand.
func accuracyOf(c *core.Curve, slot, n int) float64 {
	values := c.Fitted
	if c.Shape == core.ShapeFlat {
		return 0.5
	}
	if values == nil {
		values = c.Accuracy
	}
	x := 0.0
	if n > 1 {
		x = float64(slot*(c.Documents-1)) / float64(n-1)
	}
	for i := 1; i < len(c.Slots); i++ {
		left, right := float64(c.Slots[i-1]), float64(c.Slots[i])
		if x <= right {
			return values[i-1]*(right-x)/(right-left) + values[i]*(x-left)/(right-left)
		}
	}
	return values[len(values)-1]
}

// lossOf is what got is expected to lose against base, in points.
func lossOf(c reuse.Config, base, got core.Arrangement) float64 {
	decay := c.Decay
	if decay == 0 {
		decay = reuse.DefaultDecay
	}
	n, sum, loss := len(base.Slots), 0.0, 0.0
	for rank := range n {
		sum += math.Pow(decay, float64(rank))
	}
	for rank := range n {
		was, _ := base.SlotOf(rank)
		is, _ := got.SlotOf(rank)
		if was != is {
			loss += 100 * math.Pow(decay, float64(rank)) / sum * (accuracyOf(c.Curve, was, n) - accuracyOf(c.Curve, is, n))
		}
	}
	return loss
}

// gainOf is what got is worth more than base, of documents in its order.
func gainOf(c reuse.Config, base, got core.Arrangement, docs []doc) float64 {
	share := savedShare(docs, got.Reused)
	if c.Worth == 0 {
		return share
	}
	return c.Worth*share - lossOf(c, base, got)
}

// bestOf is the most that any beginning of what was sent is worth, tried one by one.
func bestOf(c reuse.Config, base core.Arrangement, ranked []doc, root sentOrder, sent []sentOrder) float64 {
	best := 0.0
	for _, other := range sent {
		if !other.sameRoot(root) {
			continue
		}
		var path []int
		for slot, d := range other.docs {
			rank := 0
			for rank < len(ranked) && (ranked[rank] != d || slices.Contains(path, rank)) {
				rank++
			}
			if rank == len(ranked) || slot == len(ranked) {
				break
			}
			if stood := base.Slots[slot].Rank; rank != stood && min(rank, stood) < c.Hold {
				break // a rank that is held, or its slot
			}
			path = append(path, rank)
			order := completed(c, base, path)
			docs := make([]doc, len(order.Slots))
			for slot, p := range order.Slots {
				docs[slot] = ranked[p.Rank]
			}
			best = max(best, gainOf(c, base, order, docs))
		}
	}
	return best
}

// completed puts the ranks that are not in the path into the other slots: those that are
// held into theirs, and the best of the others where the placement has the best.
func completed(c reuse.Config, base core.Arrangement, path []int) core.Arrangement {
	got := core.Arrangement{N: base.N, Reused: len(path), Slots: slices.Clone(base.Slots)}
	var ranks, slots []int
	for slot, p := range base.Slots {
		if !slices.Contains(path, p.Rank) && p.Rank >= c.Hold {
			ranks = append(ranks, p.Rank)
		}
		if slot >= len(path) && p.Rank >= c.Hold {
			slots = append(slots, slot)
		}
	}
	slices.Sort(ranks)
	slices.SortFunc(slots, func(a, b int) int { return base.Slots[a].Rank - base.Slots[b].Rank })
	for i, slot := range slots {
		got.Slots[slot].Rank = ranks[i]
	}
	for slot, rank := range path {
		got.Slots[slot].Rank = rank
	}
	return got
}
