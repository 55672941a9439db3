package shape

import (
	"math"

	"github.com/bookend-rag/bookend/core"
)

// More says about how many more questions would settle a curve. They are estimates, so
// that each is a rough number: a first idea of the cost. 0 says that it is not in sight.
type More struct {
	// Flat is how many until the curve is called flat, if all slots are really read alike.
	Flat int `json:"flat,omitempty"`
	// Named is how many until a shape is named, or, where one is named, until it is settled,
	// if the contrasts stay as they are.
	Named int `json:"named,omitempty"`
}

// allOf is how much longer the last of six bounds takes on average than one of them by
// itself, since each of them may lag: found by simulation.
const allOf = 1.6

// more is for a curve that is not settled; nil without a question.
func (t *Trial) more(shape core.Shape) *More {
	h, end, e := &t.h, &t.t, &t.e
	if e.Len() == 0 {
		return nil
	}
	if !t.hasMiddle() { // then nothing is ever flat, and what is named is settled
		return &More{Named: whole(e.toDiffer(namesLimit + math.Log(2)))}
	}
	if shape != core.ShapeUndecided {
		return &More{Named: whole(max(h.toKnow(), end.toKnow(), e.toKnow()))}
	}
	if t.some() {
		return &More{Named: whole(t.toName())}
	}
	some := math.Inf(1)
	for _, c := range []*difference{h, end, e} {
		some = min(some, c.toDiffer(namesLimit+math.Log(6)))
	}
	return &More{
		Flat:  whole(allOf * max(h.toSmall(), end.toSmall(), e.toSmall())),
		Named: whole(max(some, t.toName())),
	}
}

// toName returns how many more questions make each contrast of the nearest shape as clear
// as a name needs it.
func (t *Trial) toName() float64 {
	h, end, e := t.h.toDiffer(eachLimit), t.t.toDiffer(eachLimit), t.e.toDiffer(eachLimit)
	never := math.Inf(1)
	both, first, second := never, never, never
	if t.h.Value()*t.t.Value() > 0 {
		both = max(h, end)
	}
	if t.h.Value()*t.e.Value() > 0 {
		first = max(e, h)
	}
	if t.t.Value()*t.e.Value() < 0 {
		second = max(e, end)
	}
	return min(both, first, second)
}

// toDiffer is until the evidence for the sign that the contrast has reaches the limit,
// toSmall until it is small, and toKnow until either.
func (d *difference) toDiffer(limit float64) float64 {
	return d.toReach(math.Abs(d.Value()), limit, max(d.LogAbove(0), d.LogBelow(0)))
}

func (d *difference) toSmall() float64 {
	return d.toReach(flatMargin, namesLimit, min(d.LogBelow(flatMargin), d.LogAbove(-flatMargin)))
}

func (d *difference) toKnow() float64 { return min(d.toDiffer(eachLimit), d.toSmall()) }

// toReach returns how many more questions bring evidence from have to limit, where the
// contrast lies that far from what is to be excluded.
func (d *difference) toReach(distance, limit, have float64) float64 {
	if have >= limit {
		return 0
	}
	// A bet of a share t grows by about t·distance - t²·spread/2 a question, as a
	// logarithm, where spread is the mean square of what it is about; t is 1 at most.
	spread := max(d.Square(), 1/float64(d.Len())) + distance*distance // one that differs may come next
	t := min(1, distance/spread)
	return (limit - have) / (t*distance - t*t*spread/2)
}

// whole rounds up; what is beyond all bounds is 0.
func whole(questions float64) int {
	if !(questions <= math.MaxInt32) {
		return 0
	}
	return max(1, int(math.Ceil(questions)))
}
