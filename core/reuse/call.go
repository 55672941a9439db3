package reuse

import (
	"slices"

	"github.com/bookend-rag/bookend/internal/recall"
)

// call is what a Memory recalls for the documents of one call.
type call struct {
	memory *Memory
	scope  string
	before uint64
	keys   *keySet
	known  []step
}

// Sent remembers the order of a prompt.
func (c *call) Sent(n int, doc func(slot int) (id, text string)) {
	if c.memory == nil || c.memory.tree == nil {
		return
	}
	keys, sizes := make([]uint64, n+1), make([]int, n)
	keys[0] = c.before
	for slot := range n {
		id, text := doc(slot)
		keys[slot+1], sizes[slot] = c.memory.hasher.document(id, text), len(text)
	}
	c.memory.sent(c.scope, keys, sizes)
}

// Place looks at every beginning that is known of these documents: they stand in it, and
// the others in the slots that the placement likes best, the best of them first. Of all
// these orders and the placement's own it takes the one that is worth most.
func (c *call) Place(slots []int, doc func(rank int) (id, text string)) recall.Outcome {
	if len(c.known) == 0 {
		return recall.Outcome{}
	}
	o := newOrders(c, slots, doc)
	if o.total == 0 {
		return recall.Outcome{}
	}
	best, gain := 0, 0.0
	for i, s := range c.known {
		if !o.step(s) {
			continue
		}
		if g := o.gain(); g > gain+tiny {
			best, gain = i+1, g
		}
	}
	if best == 0 {
		return recall.Outcome{Priced: o.price != nil}
	}
	o.goTo(c.known[:best])
	done := recall.Outcome{Reused: len(o.path), Saved: o.saved / o.total, Priced: o.price != nil}
	if done.Priced {
		done.Cost = o.cost()
	}
	placed := o.write()
	if done.Moved = !slices.Equal(slots, placed); done.Moved {
		copy(slots, placed)
	} else {
		done.Cost = 0
	}
	return done
}

// tiny is what a sum of shares may be off by.
const tiny = 1e-12

// orders are those of the documents of a call that begin as an earlier prompt did.
type orders struct {
	base   []int // rank by slot, as the placement has it
	slotOf []int // slot by rank
	hold   int   // ranks below it keep their slots
	worth  float64
	price  *price // nil: none

	bytes []float64 // by rank
	total float64
	first []int // the best rank of each key that is not in the path; -1 for none
	next  []int // the next rank of the same key

	path  []int   // ranks from the first slot on
	used  []bool  // by rank: it is in the path
	saved float64 // bytes of the path
	keys  []int32 // of the path
	cut   int32   // what is deeper than that in known does not fit; -1: nothing is cut
}

func newOrders(c *call, slots []int, doc func(rank int) (id, text string)) *orders {
	n, config := len(slots), &c.memory.config
	o := &orders{
		base: slots, slotOf: make([]int, n), hold: config.Hold, worth: config.Worth,
		bytes: make([]float64, n), first: make([]int, len(c.keys.list)), next: make([]int, n), cut: -1,
		path: make([]int, 0, n), keys: make([]int32, 0, n), used: make([]bool, n),
	}
	if config.Worth > 0 {
		o.price = newPrice(config, n)
	}
	for i := range o.first {
		o.first[i] = -1
	}
	for rank := n - 1; rank >= 0; rank-- {
		id, text := doc(rank)
		o.bytes[rank] = float64(len(text))
		o.total += o.bytes[rank]
		if key := c.keys.find(c.memory.hasher.document(id, text)); key >= 0 {
			o.next[rank], o.first[key] = o.first[key], rank
		}
	}
	for slot, rank := range slots {
		o.slotOf[rank] = slot
	}
	return o
}

// step goes on to the next of the known beginnings, which are listed depth first, and
// returns false where its document is not there or may not stand in its slot.
func (o *orders) step(s step) bool {
	for len(o.path) > int(s.depth) {
		o.back()
	}
	if o.cut >= 0 && s.depth > o.cut {
		return false
	}
	o.cut = -1
	rank := o.first[s.doc]
	if rank < 0 || !o.mayStand(rank, int(s.depth)) {
		o.cut = s.depth
		return false
	}
	o.first[s.doc] = o.next[rank]
	o.path, o.keys = append(o.path, rank), append(o.keys, s.doc)
	o.used[rank] = true
	o.saved += o.bytes[rank]
	return true
}

// mayStand says whether a rank may stand in a slot: ranks that are held stand nowhere
// else, and no other in their slots.
func (o *orders) mayStand(rank, slot int) bool {
	if slot >= len(o.base) {
		return false
	}
	return rank == o.base[slot] || rank >= o.hold && o.base[slot] >= o.hold
}

// back takes the last document out of the path.
func (o *orders) back() {
	last := len(o.path) - 1
	rank, key := o.path[last], o.keys[last]
	o.path, o.keys = o.path[:last], o.keys[:last]
	o.first[key] = rank
	o.used[rank] = false
	o.saved -= o.bytes[rank]
}

// goTo makes the path that of the last of the steps.
func (o *orders) goTo(known []step) {
	for len(o.path) > 0 {
		o.back()
	}
	o.cut = -1
	for _, s := range known {
		o.step(s)
	}
}

// gain is what the order of the path is worth more than that of the placement.
func (o *orders) gain() float64 {
	if o.price == nil {
		return o.saved / o.total
	}
	return o.worth*o.saved/o.total - o.cost()
}

// cost is what the order of the path loses by the curve against that of the placement,
// in points.
func (o *orders) cost() float64 {
	cost := 0.0
	o.each(func(slot, rank int) { cost += o.price.of(rank, o.slotOf[rank]) - o.price.of(rank, slot) })
	return cost
}

// write returns the order of the path, rank by slot.
func (o *orders) write() []int {
	placed := make([]int, len(o.base))
	o.each(func(slot, rank int) { placed[slot] = rank })
	return placed
}

// each visits every rank with its slot: those of the path, those that are held, and the
// others, the best of them in the free slot to which the placement gives the best rank.
func (o *orders) each(visit func(slot, rank int)) {
	for slot, rank := range o.path {
		visit(slot, rank)
	}
	free := 0 // the next rank whose slot may be free
	for rank, slot := range o.slotOf {
		if o.used[rank] {
			continue
		}
		if rank < o.hold {
			visit(slot, rank)
			continue
		}
		for free < o.hold || o.slotOf[free] < len(o.path) {
			free++
		}
		visit(o.slotOf[free], rank)
		free++
	}
}
