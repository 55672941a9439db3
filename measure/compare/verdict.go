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
	r.Word, r.Winner = evidence.Inconclusive, arms[0].Name
	if w.trial == nil {
		r.Word = evidence.Keep
	} else {
		v := w.trial.Verdict()
		r.Word = v.Word
		if v.Winner >= 0 {
			r.Winner = w.challengers[v.Winner]
		}
		if v.More != nil {
			r.More = &More{Word: v.More.Word, Arm: w.challengers[v.More.Challenger], Questions: v.More.Questions}
		}
	}
	for _, arm := range arms {
		if arm.Name == r.Winner {
			r.Settings = Settled{Note: r.note(), Order: arm.Order, Prompt: arm.Prompt, Tokenizer: arm.Tokenizer}
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
