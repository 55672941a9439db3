package compare

import (
	"fmt"
	"slices"
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
		known := w.known.Look()
		if r.Word == evidence.Inconclusive && (known == evidence.Reorder || w.keeps(known)) {
			r.FailuresDecide = known
		}
	}
	w.awaited(r)
	if r.Word == evidence.Keep && !w.keeps(r.Word) {
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
			r.Settings = Settled{Note: r.note() + arm.withReuse(), Order: arm.Order, Prompt: arm.Prompt, Tokenizer: arm.Tokenizer}
		}
	}
}

// awaited says which earlier arms, that are not asked any more, stand in the way of keep.
func (w *watcher) awaited(r *Result) {
	if r.Word != evidence.Inconclusive || w.trial == nil {
		return
	}
	var names []string
	for i, name := range w.challengers {
		earlier := slices.ContainsFunc(w.ledger.arms, func(a ArmInfo) bool { return a.Name == name && a.Kind == Earlier })
		if earlier && !w.trial.Excluded(i) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("Keep cannot be said as long as a gain is not excluded for %s of an earlier run: ask with it again, or compare in another folder.", strings.Join(names, ", ")))
	if r.More != nil && r.More.Word == evidence.Keep {
		r.More = nil
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
