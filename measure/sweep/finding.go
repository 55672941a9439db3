package sweep

import (
	"fmt"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/model"
)

// finding says what was found, in one sentence.
func (r Result) finding() string {
	who := r.Model
	if who == "" {
		who = "the model"
	}
	if r.Simulated {
		who = "the " + strings.Replace(who, model.SimulatedPrefix, model.SimulatedPrefix+"reader ", 1)
	}
	if r.Unfit != nil {
		return fmt.Sprintf("Unfit, nothing can be said about %s: %s. %s", who, r.Unfit.Reason, r.Unfit.Remedy)
	}
	if r.Verdict == nil || len(r.Slots) == 0 || r.Questions.Complete == 0 {
		return "Nothing can be said yet: no question was answered in every measured slot."
	}
	each := text.Count(r.Questions.Complete, "question") + " each"
	if least, most := r.evenness(); least < most {
		each = fmt.Sprintf("%s, each slot by %d to %d", text.Count(r.Questions.Complete, "question"), least, most)
	}
	of := fmt.Sprintf("%s of %d documents, %s", text.Count(len(r.Slots), "slot"), r.Documents, each)
	if len(r.Slots) == r.Documents {
		of = fmt.Sprintf("all %d slots, %s", r.Documents, each)
	}
	sentence := ""
	switch r.Verdict.Shape {
	case core.ShapeU:
		sentence = "Both ends of the prompt are read better than its middle"
	case core.ShapeInverted:
		sentence = "The middle of the prompt is read better than its ends"
	case core.ShapePrimacy:
		sentence = "The start of the prompt is read best"
	case core.ShapeRecency:
		sentence = "The end of the prompt is read best"
	case core.ShapeFlat:
		return fmt.Sprintf("Every slot is read alike by %s, to within %.0f points (%s).", who, 100*r.Verdict.Margin, of)
	default:
		return fmt.Sprintf("It is not known yet where %s reads best (%s).%s", who, of, r.more())
	}
	best, worst := r.extremes()
	return fmt.Sprintf("%s by %s: %s with the answer in slot %d, %s in slot %d (%s).", sentence, who,
		r.score(best), best.Slot+1, r.score(worst), worst.Slot+1, of)
}

// score says how well a slot was read.
func (r Result) score(a ArmResult) string {
	v, _ := r.Accuracy(a)
	if r.Graded {
		return percent(v) + " of the points"
	}
	return percent(v) + " right"
}

// more says how many more questions would tell, in a sentence of its own.
func (r Result) more() string {
	if r.Withheld {
		return " Nothing shows yet that it uses its documents."
	}
	more := r.Verdict.More
	if more == nil {
		return ""
	}
	var ways []string
	if more.Named > 0 {
		ways = append(ways, fmt.Sprintf(" If the differences stay as they are, a shape is known after about %s.", text.More(more.Named)))
	}
	if more.Flat > 0 {
		ways = append(ways, fmt.Sprintf(" If every slot is read alike, that is known after about %s.", text.More(more.Flat)))
	}
	return strings.Join(ways, "")
}

// evenness is in how many questions the slots were asked: the least and the most.
func (r Result) evenness() (least, most int) {
	for i, s := range r.Slots {
		if i == 0 {
			least = s.N
		}
		least, most = min(least, s.N), max(most, s.N)
	}
	return least, most
}

// extremes returns the best and the worst slot, the first of equal ones, of those that were
// asked at least a quarter as often as the most asked one.
func (r Result) extremes() (best, worst ArmResult) {
	value := func(a ArmResult) float64 {
		v, _ := r.Accuracy(a)
		return v
	}
	_, most := r.evenness()
	first := true
	for _, s := range r.Slots {
		if 4*s.N < most {
			continue
		}
		if first {
			best, worst, first = s, s, false
		}
		if value(s) > value(best) {
			best = s
		}
		if value(s) < value(worst) {
			worst = s
		}
	}
	return best, worst
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Round(share*1000)/10) }
