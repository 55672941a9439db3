package traffic

import (
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

func newWindow(start time.Time, g *groups) Window {
	n := g.n
	w := Window{Start: start, Requests: int(g.sum[n*n+2*n])}
	for _, c := range g.sum[n*n : n*n+n] {
		w.Citations += int(c)
	}
	cited, expected, used := make([]float64, n), make([]float64, n), make([]float64, n)
	g.sum.floats().estimate(n, cited, expected, used)
	for _, e := range expected {
		if e < minExpected {
			return w
		}
	}
	w.Used = used
	return w
}

func drift(n int, shown []Window, windows map[int64]*groups, slots []Slot) *Drift {
	d := &Drift{}
	cited, expected, used := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, w := range shown {
		if w.Used == nil {
			continue
		}
		windows[w.Start.Unix()].sum.floats().estimate(n, cited, expected, used)
		d.Windows++
		for slot, e := range expected {
			if want := e * slots[slot].Used; want > 0 {
				d.Statistic += square(cited[slot]-want) / want
			}
		}
	}
	if d.Windows < 2 {
		return nil
	}
	d.Freedom = (d.Windows - 1) * (n - 1)
	d.P = distuv.ChiSquared{K: float64(d.Freedom)}.Survival(d.Statistic)
	return d
}
