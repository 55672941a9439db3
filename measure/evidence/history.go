package evidence

// span is the range that a value lies in; both ends are the value where it is known.
type span struct{ low, high float64 }

// history counts how often each value came, in the order of first sight.
type history struct {
	n      int
	ranges []span
	times  []int
	index  map[span]int // of those behind the first few
}

// few is how many values are looked for one by one: right and wrong answers give few.
const few = 16

func (h *history) add(r span) {
	h.n++
	for i, seen := range h.ranges[:min(few, len(h.ranges))] {
		if seen == r {
			h.times[i]++
			return
		}
	}
	if i, seen := h.index[r]; seen {
		h.times[i]++
		return
	}
	if len(h.ranges) >= few {
		if h.index == nil {
			h.index = map[span]int{}
		}
		h.index[r] = len(h.ranges)
	}
	h.ranges, h.times = append(h.ranges, r), append(h.times, 1)
}
