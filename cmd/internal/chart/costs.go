package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Costs are the points of a plot of what each arm gains against what a request costs.
type Costs struct {
	Title  string
	XName  string
	YName  string
	Points []CostPoint // the baseline among them, by cost
	// Margin is the loss that is still no worse, in points, below 0; 0: none was asked for.
	Margin      float64
	Low, High   float64 // of the axis of points
	Ticks       []float64
	Cheap, Dear float64 // of the axis of costs
	CostTicks   []float64
}

// CostPoint is an arm: At is what it gains, in points, with its interval.
type CostPoint struct {
	Name             string
	Baseline, Winner bool
	Cost, At         float64
	stats.Interval
}

// fewAsked is how many questions an arm needs to be drawn: before, its interval is as wide
// as the plot. Such arms stand in the table.
const fewAsked = 20

// CostsOf returns what the plot shows; no points where costs are not in question.
func CostsOf(r compare.Result) Costs {
	c := Costs{Margin: -100 * r.NoWorse, XName: "cost of a request, % of the baseline's"}
	if _, rows := table.Costs(r); len(rows) == 0 || len(r.Arms) == 0 || r.Arms[0].Cost == nil {
		return c
	}
	c.Title = "points against cost: " + table.Verdict(r)
	c.YName = "points against " + short(r.Arms[0].Name)
	priced := r.Arms[0].Cost.Thousand != nil
	if priced {
		c.XName = "cost of a thousand requests"
	}
	for _, a := range r.Arms {
		if a.Cost == nil || len(c.Points) == maxRows || r.Judged(a).N < fewAsked {
			continue
		}
		p := CostPoint{Name: short(a.Name), Baseline: a.Against == nil, Winner: a.Against != nil && a.Name == r.Winner, Cost: 100 * a.Cost.Share}
		if priced {
			p.Cost = *a.Cost.Thousand
		}
		if a.Against != nil {
			p.At = 100 * a.Against.Difference
			p.Interval = stats.Interval{Low: 100 * a.Against.Sequence.Low, High: 100 * a.Against.Sequence.High}
		}
		c.Points = append(c.Points, p)
	}
	if len(c.Points) == 0 {
		return c
	}
	slices.SortStableFunc(c.Points, func(a, b CostPoint) int { return cmp.Compare(a.Cost, b.Cost) })
	low, high, dear := min(c.Margin, -1), 1.0, 0.0
	for _, p := range c.Points {
		low, high, dear = min(low, p.Low, p.At), max(high, p.High, p.At), max(dear, p.Cost)
	}
	c.Ticks = roundTicks(low, high)
	c.Low, c.High = c.Ticks[0], c.Ticks[len(c.Ticks)-1]
	c.CostTicks = roundTicks(0, dear)
	c.Cheap, c.Dear = 0, c.CostTicks[len(c.CostTicks)-1]
	return c
}

// MarginName names the line at the margin.
func (c Costs) MarginName() string { return fmt.Sprintf("no worse: above −%.3g", -c.Margin) }

// roundTicks returns some round numbers, the first at low or less and the last at high or
// more; high is above low.
func roundTicks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, finer := range []float64{0.5, 0.4, 0.5} { // a half, a fifth and a tenth of it
		if (high-low)/(step*finer) > 8 {
			break
		}
		step *= finer
	}
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	var ticks []float64
	for i := first; i <= last; i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

// CostName is what stands at a tick of the axis of costs.
func CostName(at float64) string { return fmt.Sprintf("%.4g", at) }
