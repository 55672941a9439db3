package traffic

import (
	"cmp"
	"slices"
)

// requests are the shuffled and answered requests of one curve, kept small until all
// are there.
//
// Requests hang together where they share an ID or a question: a program that asks the
// same over and over, an answer that is fetched again. What hangs together is one unit,
// the source of one independent observation.
type requests struct {
	n      int     // documents of each
	cells  []cell  // by request and slot
	member []int32 // by request: a number of its unit
	window []int64 // by request: Unix time of the start of its window
	cited  int     // citations

	unitOf map[uint64]int32 // by hash of an ID or a question
	parent []int32          // joins numbers that turned out to be one unit
}

// cell is the rank in one slot of one request, and what became of it.
type cell uint16

const (
	rankMask cell = 1<<8 - 1 // MaxDocuments is below it
	isCited  cell = 1 << 8
	// isCopy marks a text that stands in the list more than once. Which of the copies was
	// read cannot be told, so that neither counts.
	isCopy cell = 1 << 9
)

func (c cell) rank() int { return int(c & rankMask) }

// counts says whether the document counts, and cited whether it was cited.
func (c cell) counts() bool { return c&isCopy == 0 }

func (c cell) cited() float64 {
	if c&isCited != 0 {
		return 1
	}
	return 0
}

func newRequests(n int) *requests { return &requests{n: n, unitOf: map[uint64]int32{}} }

// bytesOf is about what a request of n documents holds in memory.
func bytesOf(n int) int { return 2*n + 80 }

// add adds one request: what stood in each slot, and hashes of its ID and its question.
func (r *requests) add(cells []cell, window int64, hashes ...uint64) {
	r.cells = append(r.cells, cells...)
	r.window = append(r.window, window)
	r.cited += citations(cells)
	unit := int32(-1)
	for _, h := range hashes {
		known, ok := r.unitOf[h]
		switch {
		case ok && unit < 0:
			unit = r.root(known)
		case ok:
			r.parent[r.root(known)] = unit
		case unit < 0:
			unit = int32(len(r.parent))
			r.parent = append(r.parent, unit)
			r.unitOf[h] = unit
		default:
			r.unitOf[h] = unit
		}
	}
	r.member = append(r.member, unit)
}

// root finds the number that stands for a unit, and shortens the way to it.
func (r *requests) root(unit int32) int32 {
	for r.parent[unit] != unit {
		r.parent[unit] = r.parent[r.parent[unit]]
		unit = r.parent[unit]
	}
	return unit
}

func (r *requests) len() int { return len(r.member) }

func (r *requests) at(i int32) []cell { return r.cells[int(i)*r.n : (int(i)+1)*r.n] }

// byUnit returns the numbers of all requests, those of a unit next to each other.
func (r *requests) byUnit() []int32 {
	next := make([]int32, len(r.parent)+1) // by unit: its requests, and then where the next one goes
	for i, unit := range r.member {
		unit = r.root(unit)
		r.member[i] = unit
		next[unit+1]++
	}
	for unit := range r.parent {
		next[unit+1] += next[unit]
	}
	all := make([]int32, r.len())
	for i, unit := range r.member {
		all[next[unit]] = int32(i)
		next[unit]++
	}
	return all
}

// windows splits the numbers that byUnit returned by time, oldest first, and keeps units
// together.
func (r *requests) windows(byUnit []int32) [][]int32 {
	if len(byUnit) == 0 {
		return nil
	}
	sorted := slices.Clone(byUnit)
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(r.window[a], r.window[b]) })
	var out [][]int32
	from := 0
	for i := range sorted {
		if i+1 == len(sorted) || r.window[sorted[i+1]] != r.window[sorted[i]] {
			out = append(out, sorted[from:i+1])
			from = i + 1
		}
	}
	return out
}

// eachUnit calls f with the requests of one unit after another.
func (r *requests) eachUnit(byUnit []int32, f func(unit []int32)) {
	from := 0
	for i := range byUnit {
		if i+1 == len(byUnit) || r.member[byUnit[i+1]] != r.member[byUnit[i]] {
			f(byUnit[from : i+1])
			from = i + 1
		}
	}
}

// citations counts the documents of one request that were cited.
func citations(cells []cell) int {
	count := 0
	for _, c := range cells {
		if c.counts() && c&isCited != 0 {
			count++
		}
	}
	return count
}

// sums are weighed counts: each unit counts once, so that each of its m requests counts
// 1/m.
type sums struct {
	n      int
	units  int
	shown  []float64 // rank·n + slot: how often the rank stood in the slot
	cited  []float64 // by slot
	ofRank []float64 // citations, by rank
	rate   []float64 // by rank: how often it is cited where it is shown, wherever that is
	// expected is, by slot, how many citations the ranks that stood there let expect.
	expected []float64
}

func (r *requests) sums(byUnit []int32) *sums {
	n := r.n
	s := &sums{
		n: n, shown: make([]float64, n*n), cited: make([]float64, n), ofRank: make([]float64, n),
		rate: make([]float64, n), expected: make([]float64, n),
	}
	r.eachUnit(byUnit, func(unit []int32) {
		s.units++
		weight := 1 / float64(len(unit))
		for _, i := range unit {
			for slot, c := range r.at(i) {
				if !c.counts() {
					continue
				}
				rank, cited := c.rank(), weight*c.cited()
				s.shown[rank*n+slot] += weight
				s.cited[slot] += cited
				s.ofRank[rank] += cited
			}
		}
	})
	for rank := range n {
		shown := s.shown[rank*n : rank*n+n]
		if all := sum(shown); all > 0 {
			s.rate[rank] = s.ofRank[rank] / all
		}
		for slot, v := range shown {
			s.expected[slot] += v * s.rate[rank]
		}
	}
	return s
}

// used is how much each slot is used: what was cited there beside what was to be expected,
// 1 where nothing was.
func (s *sums) used() []float64 {
	used := make([]float64, s.n)
	for slot, e := range s.expected {
		used[slot] = 1
		if e > 0 {
			used[slot] = s.cited[slot] / e
		}
	}
	return used
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}
