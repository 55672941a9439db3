package evidence

import "math"

const (
	// everybody is asked so often before anybody is left behind.
	everybody = 20
	// behind is how many standard errors a challenger must lie behind the best one to be
	// left behind: by simulation the fewest calls where one challenger gains and others
	// do not, without many more where none does.
	behind = 1.5
)

// Asks says whether the next question should go to a challenger: it is not excluded, and
// not so far behind the best of those that are left that it will hardly win. A challenger
// that was left behind is asked again when the others are excluded, or fall behind it. The choice
// rests on what was added alone, so that the evidence stays valid. It panics for a
// challenger that does not exist, as a slice does.
func (t *Trial) Asks(challenger int) bool {
	c := &t.challengers[challenger]
	if t.Excluded(challenger) {
		return false
	}
	best := c.Value()
	for i := range t.challengers {
		if i != challenger && !t.Excluded(i) {
			best = max(best, t.challengers[i].Value())
		}
	}
	n := float64(max(c.Len(), 1))
	return n <= everybody || c.Value()+behind*math.Sqrt(2*max(c.Square(), 1/n)/n) >= best
}
