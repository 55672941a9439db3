package sweep

import (
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

const (
	spreadPermutations = 1000
	spreadSeed         = 1
	detectableAlpha    = 0.05
	detectablePower    = 0.8
)

// statistics fills in what needs complete questions.
func (s *summary) statistics(r *Result, complete []*asked) error {
	if len(complete) == 0 {
		r.CurveNote = "no question was answered in every measured slot"
		return nil
	}
	rows := make([][]bool, len(complete))
	for i, q := range complete {
		rows[i] = make([]bool, len(q.slots))
		for j, c := range q.slots {
			rows[i][j] = s.right(c)
		}
	}
	o, err := stats.NewOutcomes(s.described.Documents, s.described.Slots, rows)
	if err != nil {
		return err
	}
	verdict, cochran := shape.Judge(o), stats.CochranQ(o)
	spread, err := stats.BestWorst(o, spreadPermutations, spreadSeed)
	if err != nil {
		return err
	}
	r.Verdict, r.Cochran, r.Spread = &verdict, &cochran, &spread
	discordance := o.Discordance(0, len(s.described.Slots)-1)
	if least, err := stats.MinimumDetectable(o.Questions(), discordance, detectableAlpha, detectablePower); err == nil {
		r.Detectable = &Detectable{Difference: least, Discordance: discordance, Alpha: detectableAlpha, Power: detectablePower}
	}
	r.Curve, err = shape.Fit(o, shape.CurveInfo{Model: r.Model, Task: string(r.Task), Layout: r.Layout, Date: r.Date})
	if err != nil {
		r.Curve, r.CurveNote = nil, err.Error()
	}
	return nil
}
