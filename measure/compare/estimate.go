package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
)

// AssumedDiscordance is the share of questions that two placements are taken to
// answer differently where nobody has measured it; real models show .12 to .15.
const AssumedDiscordance = 0.15

// Assumptions are what an Estimated rests on, for people.
var Assumptions = []string{
	"one document has the answer (the best-ranked one where several do)",
	"a document is read as well in its slot beside any others",
	"the curve holds for this model, task, layout and prompt size",
	"a question whose answer is in no document is wrong under every placement",
}

// Estimated is what placements would be worth on lists of a retriever, by
// arithmetic: no model was asked.
type Estimated struct {
	Curve     string         `json:"curve"`
	Lists     int            `json:"lists"`
	WithGold  int            `json:"with_gold"`  // lists in which a document has the answer
	ManyGolds int            `json:"many_golds"` // of them those in which several have it
	Ranks     []int          `json:"ranks"`      // how often the answer stood at each rank, from 0
	Arms      []EstimatedArm `json:"arms"`       // the baseline first
	// Shuffled is the expected accuracy where the baseline's documents stand in random
	// order. The baseline's accuracy less that, times the share of requests, is what a
	// core.Share costs.
	Shuffled float64 `json:"shuffled"`
	// Worthwhile is the smallest gain that matters, Compare whether a comparison may
	// find it, Settle about how many questions that takes, for which word.
	Worthwhile float64       `json:"worthwhile"`
	Compare    bool          `json:"compare"`
	Settle     int           `json:"settle"`
	For        evidence.Word `json:"for"`
	Finding    string        `json:"finding"`
	// Note tells of a curve that was measured with another number of documents.
	Note string `json:"note,omitempty"`
}

// EstimatedArm is the estimate of one arm.
type EstimatedArm struct {
	Name     string  `json:"name"`
	Accuracy float64 `json:"accuracy"` // expected, over all lists
	Gain     float64 `json:"gain"`     // over the baseline
	// Error is the standard error of Gain that the questions behind the curve leave,
	// slots taken as independent, which overstates it; 0 where they are not known.
	Error float64 `json:"error"`
	Slots float64 `json:"slots"` // mean slot of the answer, as a share of the prompt from 0 to 1
}

// Estimate works out the expected accuracy of each arm, the first of which is the
// baseline: each list is arranged, and the slot of its answer looked up on the
// curve. Only Arm.Name and Arm.Order count. worthwhile is the smallest gain that
// matters, as a share.
//
// It reads every list once. The errors are those of a list, of the curve and of the
// arms, and a *core.ConfigError for lists without any answer.
func Estimate(ctx context.Context, lists *dataset.Dataset, arms []Arm, curve Reading, worthwhile float64) (Estimated, error) {
	if _, err := evidence.NewTrial(evidence.Rule{Worthwhile: worthwhile}, 1); err != nil {
		return Estimated{}, err
	}
	plans, err := compile(withoutPrompts(arms), 0, 0)
	if err != nil {
		return Estimated{}, err
	}
	if curve.At == nil {
		return Estimated{}, &core.ConfigError{Field: "curve", Value: curve.Name, Rule: "has no At: make it by ReadingOf or ReadingOfPublished"}
	}
	report := lists.Report()
	if !report.Lists {
		return Estimated{}, &core.ConfigError{Field: "lists", Value: report.Path, Rule: "it holds no lists of a retriever: open it with Rules.Lists"}
	}
	e := Estimated{Curve: curve.Name, Lists: lists.Len(), Worthwhile: worthwhile, Ranks: make([]int, report.MaxDocuments)}
	sums := make([]tally, len(plans))
	for i := range e.Lists {
		if err := ctx.Err(); err != nil {
			return Estimated{}, err
		}
		c, err := lists.Case(i)
		if err != nil {
			return Estimated{}, err
		}
		if len(c.Golds) == 0 {
			continue
		}
		e.WithGold++
		e.Ranks[c.Gold]++
		if len(c.Golds) > 1 {
			e.ManyGolds++
		}
		for j, arm := range plans {
			if err := sums[j].add(ctx, arm, c, curve); err != nil {
				return Estimated{}, err
			}
		}
	}
	if e.WithGold == 0 {
		return Estimated{}, &core.ConfigError{Field: "lists", Value: report.Path, Rule: "no list has the answer in any of its documents: label them"}
	}
	for len(e.Ranks) > 0 && e.Ranks[len(e.Ranks)-1] == 0 {
		e.Ranks = e.Ranks[:len(e.Ranks)-1]
	}
	for j, arm := range plans {
		a := EstimatedArm{Name: arm.name, Accuracy: sums[j].accuracy / float64(e.Lists), Slots: sums[j].place / float64(max(sums[j].placed, 1))}
		if gain := a.Accuracy - sums[0].accuracy/float64(e.Lists); math.Abs(gain) >= sameValue {
			a.Gain = gain
		}
		a.Error = sums[j].noise(sums[0], e.Lists, curve.Questions)
		e.Arms = append(e.Arms, a)
	}
	e.Shuffled = sums[0].shuffled / float64(e.Lists)
	e.conclude()
	least, most := lengths(sums)
	if most == 1 {
		e.Compare, e.Settle = false, 0
		e.Finding = "Estimate, not a measurement: with one document in a prompt every order is the same, so there is nothing to compare."
	}
	if n := curve.Documents; n > 0 && (n < least || n > most) {
		e.Note = fmt.Sprintf("The curve is of %d documents, and the prompts have %s: it is stretched to that length, which is a guess.", n, sizes(least, most))
	}
	return e, nil
}

// lengths returns the least and the most documents of a prompt.
func lengths(sums []tally) (least, most int) {
	least = math.MaxInt
	for _, s := range sums {
		for n := range s.curves {
			least, most = min(least, n), max(most, n)
		}
	}
	return least, most
}

// sameValue is when two sums of accuracies differ by their rounding alone.
const sameValue = 1e-9

func withoutPrompts(arms []Arm) []Arm {
	arms = slices.Clone(arms)
	for i := range arms {
		arms[i].Prompt = prompt.Config{}
	}
	return arms
}

// conclude says whether a comparison is worth its cost.
func (e *Estimated) conclude() {
	best := 1
	for i := range e.Arms[1:] {
		if e.Arms[1+i].Gain > e.Arms[best].Gain {
			best = 1 + i
		}
	}
	a := e.Arms[best]
	e.Compare = slices.ContainsFunc(e.Arms[1:], func(a EstimatedArm) bool { return a.Gain+2*a.Error >= e.Worthwhile })
	distance, challengers := a.Gain, float64(len(e.Arms)-1)
	e.For = evidence.Reorder
	if keep := e.Worthwhile - a.Gain; keep > distance {
		distance, challengers, e.For = keep, 1, evidence.Keep
	}
	e.Settle = int(math.Ceil(min(math.MaxInt32, 2*AssumedDiscordance*math.Log(challengers/0.05)/(distance*distance))))
	if a.Gain <= 0 {
		e.Finding = fmt.Sprintf("Estimate, not a measurement: no placement is worth more than %s here.", e.Arms[0].Name)
	} else {
		e.Finding = fmt.Sprintf("Estimate, not a measurement: %s gains %.1f points over %s.", a.Name, 100*a.Gain, e.Arms[0].Name)
	}
	switch {
	case e.Compare && e.For == evidence.Reorder:
		e.Finding += fmt.Sprintf(" A comparison may pay: about %d questions would show such a gain.", e.Settle)
	case e.Compare:
		e.Finding += fmt.Sprintf(" A comparison may pay: so few questions stand behind the curve that a gain of %s is not excluded. A comparison of about %d questions would exclude it.", points(e.Worthwhile), e.Settle)
	case e.For == evidence.Reorder:
		e.Finding += fmt.Sprintf(" A comparison is hardly worth its cost: a gain below %s does not matter, and to show it takes about %d questions.", points(e.Worthwhile), e.Settle)
	default:
		e.Finding += fmt.Sprintf(" A comparison is hardly worth its cost: to show that there is no gain of %s or more takes about %d questions.", points(e.Worthwhile), e.Settle)
	}
}
