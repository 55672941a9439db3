package reuse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// model is a tree as plain lists: each way from a root, with when it was used last.
type model map[string]int64

func way(scope string, keys []uint64) string { return fmt.Sprint(scope, keys) }

// A tree knows what a list of everything sent knows, as long as nothing had to go, and
// never more; its lists and its maps fit together after every step.
func TestTreeKnowsWhatWasSent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(5, seed))
		limit, ttl := 2+r.IntN(60), int64(1+r.IntN(50))
		tree, sent, evicts := newTree(limit, ttl), model{}, false
		now := int64(0)
		for range 100 {
			now += int64(r.IntN(4))
			scope := []string{"a", "b", ""}[r.IntN(3)]
			keys := make([]uint64, 1+r.IntN(6))
			for i := range keys {
				keys[i] = uint64(r.IntN(3))
			}
			want := 0
			fits := func(key string) bool { used, seen := sent[key]; return seen && now-used <= ttl }
			if fits(way(scope, nil)) {
				for want < len(keys) && fits(way(scope, keys[:want+1])) {
					want++
				}
			}
			evicts = evicts || tree.count+len(keys)+1 > limit
			got := tree.send(scope, keys, now)
			if got > want || got < want && !evicts {
				t.Fatalf("seed %d: %d of %v are known in %q, want %d", seed, got, keys, scope, want)
			}
			for i := range len(keys) + 1 {
				sent[way(scope, keys[:i])] = now
			}
			checkTree(t, tree)
			checkRecall(t, tree, scope, now)
		}
	}
}

// checkTree checks that the lists of a tree say the same as its maps, and that parents are
// newer than their children.
func checkTree(t *testing.T, tree *tree) {
	t.Helper()
	if tree.count > tree.limit || tree.count != len(tree.edges)+len(tree.roots) || tree.count+len(tree.free)+1 != len(tree.nodes) {
		t.Fatalf("%d nodes of at most %d, %d edges, %d roots, %d free of %d", tree.count, tree.limit, len(tree.edges), len(tree.roots), len(tree.free), len(tree.nodes))
	}
	position := map[uint32]int{0: -1}
	for at := tree.newest; at != 0; at = tree.nodes[at].older {
		position[at] = len(position)
		if older := tree.nodes[at].older; older != 0 && tree.nodes[older].newer != at || older == 0 && tree.oldest != at {
			t.Fatalf("node %d is not where its neighbours say", at)
		}
	}
	if len(position)-1 != tree.count {
		t.Fatalf("%d of %d nodes are listed by use", len(position)-1, tree.count)
	}
	for e, at := range tree.edges {
		n := tree.nodes[at]
		if n.parent != e.parent || n.key != e.key || position[n.parent] > position[at] || n.used > tree.nodes[n.parent].used {
			t.Fatalf("node %d is %+v, by its edge %+v, and its parent was used at %d", at, n, e, tree.nodes[n.parent].used)
		}
	}
	for at := range position {
		children := int32(0)
		for c := tree.nodes[at].child; c != 0 && at != 0; c = tree.nodes[c].next {
			children++
			if tree.nodes[c].parent != at {
				t.Fatalf("node %d has the child %d of %d", at, c, tree.nodes[c].parent)
			}
		}
		if at != 0 && children != tree.nodes[at].children {
			t.Fatalf("node %d has %d children, and says %d", at, children, tree.nodes[at].children)
		}
	}
}

// checkRecall checks what a tree recalls of two of the three keys against a walk.
func checkRecall(t *testing.T, tree *tree, scope string, now int64) {
	t.Helper()
	keys := newKeySet([]uint64{2, 0, 2})
	var want []step
	var walk func(at uint32, depth int32)
	walk = func(at uint32, depth int32) {
		for doc, key := range keys.list {
			if c := tree.edges[edge{at, key}]; c != 0 && tree.alive(c, now) {
				want = append(want, step{int32(doc), depth})
				walk(c, depth+1)
			}
		}
	}
	if before := tree.edges[edge{tree.roots[scope], 1}]; tree.roots[scope] != 0 && before != 0 && tree.alive(before, now) {
		walk(before, 0)
	}
	if got := tree.recall(scope, 1, keys, now); !slices.Equal(want, got) {
		t.Fatalf("recalled (-want +got)\n-%v\n+%v", want, got)
	}
}

// adversarial makes a tree that is full of orders of the same n documents.
func adversarial(limit, n int) (*tree, []uint64) {
	r := rand.New(rand.NewPCG(1, 1))
	tree := newTree(limit, 1)
	keys := make([]uint64, n+1) // the first stands for what comes before
	for i := range keys {
		keys[i] = uint64(i)
	}
	order := slices.Clone(keys)
	for tree.count < limit {
		r.Shuffle(n, func(i, j int) { order[i+1], order[j+1] = order[j+1], order[i+1] })
		tree.send("", order, 0)
	}
	return tree, keys[1:]
}

// However much is remembered of the documents of a call, a search looks at few nodes.
func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 300} {
		tree, keys := adversarial(10_000, n)
		s := search{tree: tree, keys: newKeySet(keys), looks: maxLooks + 2*n}
		s.visit(tree.edges[edge{tree.roots[""], 0}], 0)
		if len(s.found) != maxFound+n {
			t.Errorf("%d documents: %d beginnings were found, and %d looks are left", n, len(s.found), s.looks)
		}
		if got := tree.recall("", 0, newKeySet(keys), 0); !slices.Equal(got, s.found) {
			t.Errorf("%d documents: recall finds %d beginnings, a bounded search %d", n, len(got), len(s.found))
		}
	}
}

// Nodes with many children cost a look for each document of the call: they are bounded, too.
func TestLooksAreBounded(t *testing.T) {
	t.Parallel()
	tree, keys := newTree(10_000, 1), []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	stranger := uint64(100)
	for _, first := range keys {
		for _, second := range keys {
			for range 11 {
				tree.send("", []uint64{0, first, second, stranger}, 0)
				stranger++
			}
		}
	}
	find := func(looks int) search {
		s := search{tree: tree, keys: newKeySet(keys), looks: looks}
		s.visit(tree.edges[edge{tree.roots[""], 0}], 0)
		return s
	}
	all, bounded := find(1_000_000), find(maxLooks+20)
	if looks := 1_000_000 - all.looks; looks < 1_000 {
		t.Fatalf("a search without bounds takes %d looks: too few for the test", looks)
	}
	if recalled := tree.recall("", 0, newKeySet(keys), 0); !slices.Equal(recalled, bounded.found) || len(recalled) >= len(all.found) {
		t.Errorf("%d beginnings are recalled, %d within the bound, %d in all", len(recalled), len(bounded.found), len(all.found))
	}
}

// In the traffic of a help desk no search is cut off: 200 topics of ten chunks by Zipf, and
// each list has its topic's chunks with two of others, in an order that changes a little.
func TestSearchInAHelpDesk(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(18, 1))
	topics := rand.NewZipf(r, 1.2, 1, 199)
	m, err := New(Config{Worth: 1, Curve: flatCurve})
	if err != nil {
		t.Fatal(err)
	}
	most, deepest, sum := 0, 0, 0
	const requests = 5_000
	for range requests {
		topic := topics.Uint64()
		ids := make([]uint64, 10)
		for i := range ids {
			ids[i] = 10*topic + uint64(i)
		}
		for range 2 {
			ids[r.IntN(10)] = r.Uint64N(2_000)
		}
		for range 3 {
			i := r.IntN(9)
			ids[i], ids[i+1] = ids[i+1], ids[i]
		}
		doc := func(rank int) (id, text string) { return fmt.Sprint(ids[rank]), "text" }
		c := m.Recall(t.Context(), "", len(ids), doc).(*call)
		s := search{tree: m.tree, keys: c.keys, now: m.config.Now().UnixNano(), looks: maxLooks + 20}
		s.visit(m.tree.edges[edge{m.tree.roots[""], c.before}], 0)
		looks := maxLooks + 20 - s.looks
		most, deepest, sum = max(most, looks), max(deepest, len(s.found)), sum+looks
		slots := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		c.Place(slots, doc)
		c.Sent(len(slots), func(slot int) (id, text string) { return doc(slots[slot]) })
	}
	t.Logf("%.0f looks a search, at most %d, at most %d beginnings", float64(sum)/requests, most, deepest)
	if most >= maxLooks+20 || deepest >= maxFound+10 {
		t.Errorf("a search was cut off after %d looks and %d beginnings", most, deepest)
	}
}

var flatCurve = &core.Curve{Format: core.CurveFormat, Documents: 2, Slots: []int{0, 1}, Accuracy: []float64{1, 1}, Shape: core.ShapeFlat}
