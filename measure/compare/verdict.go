package compare

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/model"
)

// verdict fills in word, winner and settings.
func (w *watcher) verdict(r *Result) {
	arms := w.ledger.arms
	r.Word, r.Winner, r.Unfit = evidence.Inconclusive, arms[0].Name, w.unfit
	if w.trial != nil {
		v := w.trial.Verdict()
		r.Word = v.Word
		if v.Winner >= 0 {
			r.Winner = w.challengers[v.Winner]
		}
		if v.More != nil {
			r.More = &More{Word: v.More.Word, Arm: w.challengers[v.More.Challenger], Questions: v.More.Questions}
		}
		if known := w.known.Look(); r.Word == evidence.Inconclusive && known != evidence.Inconclusive {
			r.FailuresDecide = known
		}
	}
	if r.Word == evidence.Keep && !w.check.ComparisonReads() {
		r.Word, r.Withheld = evidence.Inconclusive, true
	}
	if w.unfit != nil {
		r.Anyway, r.Word, r.Winner, r.More, r.FailuresDecide = r.Word, evidence.Unfit, arms[0].Name, nil, ""
		return
	}
	if w.check.TooEasy() {
		r.Notes = append(r.Notes, "More than 98 % of all answers are right: the task is too easy to show a difference.")
	}
	for _, arm := range arms {
		if arm.Name == r.Winner {
			r.Settings = Settled{Note: r.note(), Order: arm.Order, Prompt: arm.Prompt}
		}
	}
}

// note marks the settings of the winner.
func (r Result) note() string {
	note := fmt.Sprintf("%s, by a comparison of %s with %s, %s", r.Word, r.Arms[0].Name, strings.TrimPrefix(r.Model, model.SimulatedPrefix), r.behind())
	if r.Simulated {
		note = "SIMULATED, no measurement: " + note
	}
	if r.SameQuestions {
		note += "; the measured placement was fitted on the same questions, which flatters it"
	}
	return note
}
