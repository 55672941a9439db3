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
	if r.Verdict == nil {
		return "Nothing can be said yet: no question was answered in every measured slot."
	}
	of := fmt.Sprintf("%s of %d documents, %s each", text.Count(len(r.Slots), "slot"), r.Documents, text.Count(r.Questions.Complete, "question"))
	if len(r.Slots) == r.Documents {
		of = fmt.Sprintf("all %d slots, %s each", r.Documents, text.Count(r.Questions.Complete, "question"))
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
		return fmt.Sprintf("Nothing is decided yet about where %s reads best (%s): more questions would tell.", who, of)
	}
	best, worst := r.extremes()
	return fmt.Sprintf("%s by %s: %s right with the answer in slot %d, %s in slot %d (%s).", sentence, who,
		percent(r.Judged(best).Accuracy), best.Slot, percent(r.Judged(worst).Accuracy), worst.Slot, of)
}

// extremes returns the best and the worst slot, the first of equal ones.
func (r Result) extremes() (best, worst ArmResult) {
	best, worst = r.Slots[0], r.Slots[0]
	for _, s := range r.Slots {
		if r.Judged(s).Correct > r.Judged(best).Correct {
			best = s
		}
		if r.Judged(s).Correct < r.Judged(worst).Correct {
			worst = s
		}
	}
	return best, worst
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Round(share*1000)/10) }
