package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/model"
)

// verdict fills in word, winner and settings.
func (w *watcher) verdict(r *Result) {
	arms := w.ledger.arms
	r.Word, r.Winner, r.Unfit = evidence.Inconclusive, arms[0].Name, w.unfit
	switch {
	case len(w.parts) == 0:
	case r.By != "":
		w.verdictByKind(r)
	default:
		r.Decision = w.decision(&w.parts[0])
		w.awaited(r)
	}
	if w.unfit != nil {
		r.Anyway, r.Decision, r.Kinds = r.Word, Decision{Word: evidence.Unfit, Winner: arms[0].Name}, nil
		return
	}
	r.Notes = append(r.Notes, w.check.Remarks(r.Simulated)...)
	w.settings(r)
}

// decision is what is known of a kind.
func (w *watcher) decision(p *part) Decision {
	d := Decision{Word: p.word, Winner: w.ledger.arms[0].Name}
	if !p.done {
		d.Word = w.look(p, p.trial, true)
	}
	v := p.trial.Verdict()
	if d.Word == evidence.Reorder {
		d.Winner = w.challengers[v.Winner]
	}
	if arm, open := w.cheapest(p, p.trial); d.Word == evidence.AsGood {
		d.Winner = w.challengers[p.betterOfAlike(arm, v.Challengers)]
		d.Open = w.names(open)
	} else if d.Word != evidence.Reorder {
		d.Open = w.names(open)
	}
	if v.More != nil && w.says(v.More.Word) && d.Word == evidence.Inconclusive && w.ledger.described.NoWorse == 0 {
		d.More = &More{Word: v.More.Word, Arm: w.challengers[v.More.Challenger], Questions: v.More.Questions}
	}
	if known := w.look(p, p.known, true); d.Word == evidence.Inconclusive && w.says(known) {
		d.FailuresDecide = known
	}
	if (d.Word == evidence.Keep || d.Word == evidence.AsGood) && !w.says(d.Word) {
		d.Word, d.Winner, d.Withheld = evidence.Inconclusive, w.ledger.arms[0].Name, true
	}
	return d
}

// betterOfAlike returns, of the challengers that are no worse and cost what an arm costs,
// the one with the largest estimate.
func (p *part) betterOfAlike(arm int, found []evidence.Standing) int {
	least, _ := p.expenses[arm].share()
	best := arm
	for i, e := range p.expenses {
		share, _ := e.share()
		if e.cheaper() && found[i].NoWorse && share <= least*(1+cheaperBy) && found[i].Difference > found[best].Difference {
			best = i
		}
	}
	return best
}

func (w *watcher) names(challengers []int) (names []string) {
	for _, i := range challengers {
		names = append(names, w.challengers[i])
	}
	return names
}

// verdictByKind decides each kind. The word of all is reorder where some kind is, as good
// where some kind is, keep where all are, else inconclusive.
func (w *watcher) verdictByKind(r *Result) {
	keeps := true
	for i := range w.parts {
		p := &w.parts[i]
		k := KindResult{QuestionKind: w.ledger.described.Kinds[i], Decision: w.decision(p), Questions: len(p.counted)}
		if err := w.kindArms(&k, p); err != nil {
			r.Notes = append(r.Notes, err.Error())
		}
		r.Kinds = append(r.Kinds, k)
		keeps = keeps && k.Word == evidence.Keep
		if k.Word == evidence.Reorder || k.Word == evidence.AsGood && r.Word != evidence.Reorder {
			r.Word = k.Word
		}
	}
	if keeps {
		r.Word = evidence.Keep
	}
}

// earlier says whether an arm is one of an earlier run, which is not asked any more.
func (w *watcher) earlier(name string) bool {
	return slices.ContainsFunc(w.ledger.described.Earlier, func(a ArmInfo) bool { return a.Name == name })
}

// awaited says which earlier arms, that are not asked any more, stand in the way of keep.
func (w *watcher) awaited(r *Result) {
	if r.Word != evidence.Inconclusive || r.Withheld {
		return
	}
	var names []string
	for i, name := range w.challengers {
		if w.earlier(name) && !w.parts[0].trial.Excluded(i) {
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

// settings fills in the settings that the verdict says to use.
func (w *watcher) settings(r *Result) {
	of := func(name string) ArmInfo {
		arms := w.ledger.arms
		return arms[slices.IndexFunc(arms, func(a ArmInfo) bool { return a.Name == name })]
	}
	arm := of(r.Winner)
	r.Settings = Settled{Note: r.note() + arm.withReuse(), Order: arm.Order, Prompt: arm.Prompt, Tokenizer: arm.Tokenizer, By: r.By}
	for _, k := range r.Kinds {
		arm := of(k.Winner)
		r.Settings.Kinds = append(r.Settings.Kinds, SettledKind{
			Values: k.Values, Note: fmt.Sprintf("%s: %s, %s", k.Word, k.Winner, text.Count(k.Questions, "question")), Order: arm.Order, Prompt: arm.Prompt,
		})
	}
}

// note marks the settings of the winner.
func (r Result) note() string {
	note := fmt.Sprintf("%s, by a comparison against %s: %s, asked of %s", r.Word, r.Arms[0].Name, r.behind(), strings.TrimPrefix(r.Model, model.SimulatedPrefix))
	if r.Simulated {
		note = "SIMULATED, no measurement: " + note
	}
	if r.SameQuestions {
		note += "; the measured placement was fitted on the same questions, which flatters it"
	}
	return note
}
