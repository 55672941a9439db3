package traffic

// maxGroups is into how many groups the requests of one window are dealt, in turn.
// The bootstrap draws groups: up to that many requests a window they are single
// requests, and beyond it memory no longer grows.
const maxGroups = 256

// groupCounters bounds the counters of the groups of one window, which grow with
// the square of the number of documents.
const groupCounters = 1 << 16

// tally counts, for prompts of n documents, which rank was shown in which slot, and
// how often each slot and each rank was cited.
//
//	[0, n²)           shown: rank·n + slot
//	[n², n²+n)        cited, by slot
//	[n²+n, n²+2n)     cited, by rank
//	n²+2n             requests
type tally []uint32

func tallySize(n int) int { return n*n + 2*n + 1 }

// add counts one request: the rank in each slot, and the slots that were cited.
func (t tally) add(ranks, cited []int) {
	n := len(ranks)
	for slot, rank := range ranks {
		t[rank*n+slot]++
	}
	for _, slot := range cited {
		t[n*n+slot]++
		t[n*n+n+ranks[slot]]++
	}
	t[n*n+2*n]++
}

// floats returns the counts for sums with weights.
func (t tally) floats() counts {
	f := make(counts, len(t))
	for i, v := range t {
		f[i] = float64(v)
	}
	return f
}

// counts is a tally, or a weighted sum of some.
type counts []float64

// estimate writes for each slot what was cited there, what was to be expected from
// the ranks, and the ratio of the two, which is 1 where nothing was expected.
func (c counts) estimate(n int, cited, expected, used []float64) {
	requests := c[n*n+2*n]
	clear(expected)
	for rank := range n {
		share := c[n*n+n+rank] / requests
		for slot, shown := range c[rank*n : rank*n+n] {
			expected[slot] += shown * share
		}
	}
	for slot := range n {
		cited[slot] = c[n*n+slot]
		used[slot] = 1
		if expected[slot] > 0 {
			used[slot] = cited[slot] / expected[slot]
		}
	}
}

// groups are the requests of one window, dealt into groups in turn.
type groups struct {
	n       int
	next    int
	tallies []tally
	sum     tally
}

func newGroups(n int) *groups { return &groups{n: n, sum: make(tally, tallySize(n))} }

// groupsOf is how many groups requests of n documents are dealt into.
func groupsOf(n int) int { return max(32, min(maxGroups, groupCounters/tallySize(n))) }

// add counts one request.
func (g *groups) add(ranks, cited []int) {
	if len(g.tallies) <= g.next {
		g.tallies = append(g.tallies, make(tally, tallySize(g.n)))
	}
	g.tallies[g.next].add(ranks, cited)
	g.sum.add(ranks, cited)
	g.next = (g.next + 1) % groupsOf(g.n)
}
