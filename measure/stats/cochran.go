package stats

import "gonum.org/v1/gonum/stat/distuv"

// Cochran is the result of Cochran's test that all measured slots are read alike.
type Cochran struct {
	Q  float64 `json:"q"`
	DF int     `json:"df"` // measured slots - 1
	P  float64 `json:"p"`  // by the chi-squared distribution
}

// CochranQ tests whether all measured slots are read alike (Cochran 1950). Where
// the answers do not differ between slots at all, Q is 0 and P is 1. It is reported
// beside a shape and decides nothing: it rejects too often when a question's
// answers hang together, and not rejecting does not show flatness. It costs one
// step a right answer.
func CochranQ(o Outcomes) Cochran {
	df := len(o.slots) - 1
	k, total, columns, rows := float64(len(o.slots)), 0.0, 0.0, 0.0
	for _, c := range o.Counts() {
		total += float64(c)
		columns += float64(c) * float64(c)
	}
	for question := range o.questions {
		r := float64(o.rightOf(question))
		rows += r * r
	}
	below := k*total - rows // 0 when each question is right everywhere or nowhere
	if below == 0 {
		return Cochran{DF: max(df, 0), P: 1}
	}
	q := (k - 1) * (k*columns - total*total) / below
	return Cochran{Q: q, DF: df, P: distuv.ChiSquared{K: float64(df)}.Survival(q)}
}
