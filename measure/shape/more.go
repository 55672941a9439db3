package shape

import "math"

// More says about how many more questions would settle a curve. They are estimates, so
// that each is a rough number: a first idea of the cost. 0 says that it is not in sight.
type More struct {
	Flat  int `json:"flat,omitempty"`  // until it is flat, if all slots are really read alike
	Named int `json:"named,omitempty"` // until a shape is named, if the contrasts stay as they are
}

// more is nil without a question.
func (t *Trial) more() *More {
	if t.e.Len() == 0 {
		return nil
	}
	contrasts := t.contrasts()
	flat, named := math.Inf(1), math.Inf(1)
	if len(contrasts) == 3 && !t.some() { // without a middle nothing is ever flat
		flat = 0
	}
	any := namesLimit + math.Log(float64(2*len(contrasts)))
	for _, c := range contrasts {
		flat = max(flat, c.toReach(flatMargin, namesLimit, min(c.LogBelow(flatMargin), c.LogAbove(-flatMargin))))
		toName := c.toReach(math.Abs(c.Value()), any, max(c.LogAbove(0), c.LogBelow(0)))
		if toName > 0 { // one that is known already makes no shape by itself
			named = min(named, toName)
		}
	}
	return &More{Flat: whole(flat), Named: whole(named)}
}

// toReach returns how many more questions bring evidence from have to limit, where the
// contrast lies that far from what is to be excluded: it grows by about
// distance²/(2·variance) a question, as a logarithm.
func (d *difference) toReach(distance, limit, have float64) float64 {
	if have >= limit {
		return 0
	}
	if distance == 0 {
		return math.Inf(1)
	}
	variance := max(d.Square(), 1/float64(d.Len())) // one that differs may come next
	return (limit - have) * 2 * variance / (distance * distance)
}

// whole rounds up; what is beyond all bounds is 0.
func whole(questions float64) int {
	if questions > math.MaxInt32 {
		return 0
	}
	return max(1, int(math.Ceil(questions)))
}
