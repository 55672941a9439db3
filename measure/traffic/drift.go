package traffic

import (
	"math"
	"time"
)

// minExpected is how many citations every slot of a window must expect. Below, a ratio
// says nothing.
const minExpected = 5

// windowed is a Window with what its ranks let expect.
type windowed struct {
	Window
	expected []float64
}

func newWindow(r *requests, byUnit []int32) windowed {
	w := windowed{Window: Window{
		Start: time.Unix(r.window[byUnit[0]], 0).UTC(), Requests: len(byUnit),
	}}
	for _, i := range byUnit {
		w.Citations += citations(r.at(i))
	}
	if w.Citations < r.n*minExpected {
		return w
	}
	s := r.sums(byUnit)
	for _, e := range s.expected {
		if e < minExpected {
			return w
		}
	}
	w.Used, w.expected = s.used(), s.expected
	return w
}

// drift returns the evidence that windows differ, nil for fewer than two: the likelihood
// ratio of curves that differ between windows by a standard deviation of scale against one
// curve, whatever that is. A citation counts as a Poisson event, which varies a little
// more than it does.
func drift(shown []windowed, slots []Slot) *Drift {
	d := &Drift{}
	for _, w := range shown {
		if w.Used != nil {
			d.Windows++
		}
	}
	if d.Windows < 2 {
		return nil
	}
	spread, fit := 0.0, 0.0 // of the logarithm
	for slot, s := range slots {
		if s.Used == 0 {
			continue
		}
		var same, apart around
		for _, w := range shown {
			if w.Used == nil {
				continue
			}
			variance := s.Used / w.expected[slot]
			same.add(w.Used[slot], variance)
			apart.add(w.Used[slot], variance+square(scale))
		}
		spread += same.logarithms - apart.logarithms + math.Log(same.precision) - math.Log(apart.precision)
		fit += same.squares() - apart.squares()
	}
	// The slots of a window sum up to what was cited in it: one of them follows.
	n := float64(len(slots))
	d.Evidence = math.Min(math.Exp((spread*(n-1)/n+fit)/2), maxEvidence)
	return d
}

// around sums up values with a common mean and known variances.
type around struct{ precision, first, second, logarithms float64 }

func (a *around) add(v, variance float64) {
	a.precision += 1 / variance
	a.first += v / variance
	a.second += v * v / variance
	a.logarithms += math.Log(variance)
}

// squares are the squared distances to the mean, in units of the variances.
func (a *around) squares() float64 { return a.second - a.first*a.first/a.precision }
