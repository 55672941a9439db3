package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/model"
)

// finding says the verdict in one sentence, and its numbers in those behind it.
func (r Result) finding() string {
	who := r.Model
	if r.Simulated {
		who = "the " + strings.Replace(who, model.SimulatedPrefix, model.SimulatedPrefix+"reader ", 1)
	}
	suffix := ""
	if r.SameQuestions {
		suffix = " The measured placement was fitted on these questions, which flatters it."
	}
	baseline, best := r.Arms[0].Name, r.best()
	switch {
	case r.Unfit != nil:
		return fmt.Sprintf("Unfit, no verdict about %s: %s. %s", who, r.Unfit.Reason, r.Unfit.Remedy)
	case r.Questions.Counted == 0 || best == nil:
		return "Inconclusive: no question is complete yet."
	case r.By != "":
		return r.findingByKind(who) + suffix
	case r.FailuresDecide != "":
		without := fmt.Sprintf("without the %s with a call that failed or was refused", text.Count(r.Questions.Dropped, "question"))
		if r.Unanswered == Wrong {
			without = "with what failed counted as wrong"
		}
		return fmt.Sprintf("Inconclusive, failures decide: %s the verdict on %s would be %q, but what the answers would have been may change it. %s Run again, and what failed is asked again.",
			without, who, r.FailuresDecide, r.failures())
	case r.Withheld && r.NoWorse > 0:
		return fmt.Sprintf("Inconclusive: no question shows a loss or a gain that matters with %s (%s), but nothing shows yet that it can do the task: too few answers are right to say \"keep\" or \"as good\".",
			who, r.behind())
	case r.Withheld:
		return fmt.Sprintf("Inconclusive: no challenger gains %s against %s with %s (%s), but nothing shows yet that it can do the task: too few answers are right to say \"keep\".",
			points(r.Worthwhile), baseline, who, r.behind())
	case r.Word == evidence.AsGood:
		return r.findingAsGood(who) + suffix
	case r.Word == evidence.Reorder:
		winner := r.arm(r.Winner)
		gain := "is right %s more often than"
		if r.Graded {
			gain = "scores %s more than"
		}
		return fmt.Sprintf("Reorder: with %s, %s "+gain+" with %s. %s; e = %s, where %.4g decide.%s", r.Winner, who,
			points(winner.Against.Difference), baseline, r.range95(*winner), exponential(winner.Against.Sequential.LogE), 1/r.Alpha, r.noneAsGood()+suffix)
	case r.Word == evidence.Keep:
		return fmt.Sprintf("Keep %s: with %s, a gain of %s or more is excluded for every challenger. The best (%s) stands at %s points. %s.%s",
			baseline, who, points(r.Worthwhile), best.Name, signed(best.Against.Difference), r.range95(*best), r.noneAsGood()+suffix)
	}
	if r.NoWorse > 0 {
		return fmt.Sprintf("Inconclusive: with %s nothing is settled after %s.%s%s", who, r.behind(), r.noneAsGood(), suffix)
	}
	more := ""
	if r.More != nil {
		more = fmt.Sprintf(" About %s would probably settle it for %q.", text.More(r.More.Questions), r.More.Word)
	}
	return fmt.Sprintf("Inconclusive: with %s the best challenger (%s) stands at %s points against %s. %s.%s", who,
		best.Name, signed(best.Against.Difference), baseline, r.range95(*best), more+r.noneAsGood()+suffix)
}

// findingAsGood names the cheapest arm that is no worse.
func (r Result) findingAsGood(who string) string {
	winner, open := r.arm(r.Winner), ""
	if len(r.Open) > 0 {
		open = fmt.Sprintf(" Still open, and cheaper: %s.", strings.Join(r.Open, "; "))
	}
	cost := ""
	if c, before := winner.Cost, r.Arms[0].Cost; c != nil && before != nil {
		cost = fmt.Sprintf(" A request costs %.0f %% of one with %s", 100*c.Share, r.Arms[0].Name)
		if c.Thousand != nil && before.Thousand != nil {
			cost += fmt.Sprintf(": a thousand cost %.3g in place of %.3g", *c.Thousand, *before.Thousand)
		}
		cost += "."
	}
	return fmt.Sprintf("As good and cheaper: with %s, %s loses less than %s against %s.%s It stands at %s points. %s; e = %s, where %.4g decide.%s",
		r.Winner, who, points(r.NoWorse), r.Arms[0].Name, cost, signed(winner.Against.Difference),
		r.range95(*winner), exponential(*winner.Against.Sequential.LogNoWorse), 1/r.Alpha, open)
}

// noneAsGood says what is known of cheaper arms where none is as good.
func (r Result) noneAsGood() string {
	if r.NoWorse == 0 {
		return ""
	}
	cheaper, worse := 0, 0
	for _, a := range r.Arms {
		if a.Cost != nil && a.Cost.Share < 1-cheaperBy && a.Against != nil && a.Against.Sequential != nil {
			cheaper++
			worse += one(a.Against.Sequential.Worse)
		}
	}
	switch {
	case cheaper == 0:
		return " No challenger is cheaper."
	case worse == cheaper:
		return fmt.Sprintf(" Every cheaper challenger loses %s or more.", points(r.NoWorse))
	case len(r.Open) == 0:
		return " No cheaper challenger is known to be as good."
	}
	return fmt.Sprintf(" No cheaper challenger is known to be as good; still open: %s.", strings.Join(r.Open, "; "))
}

// findingByKind says the verdict on each kind.
func (r Result) findingByKind(who string) string {
	var kinds []string
	for _, k := range r.Kinds {
		kinds = append(kinds, k.finding(r))
	}
	return fmt.Sprintf("By %s, with %s: %s.", r.By, who, strings.Join(kinds, "; "))
}

func (k KindResult) finding(r Result) string {
	n := text.Count(k.Questions, "question")
	arm := k.Told()
	if arm != nil && arm.Against.N() < k.Questions {
		n = fmt.Sprintf("%d of %s", arm.Against.N(), n)
	}
	if len(k.Open) > 0 {
		n += "; cheaper, and still open: " + strings.Join(k.Open, ", ")
	}
	switch {
	case k.Questions == 0 || arm == nil:
		return fmt.Sprintf("inconclusive for %s, of which no question is complete yet", k.Title())
	case k.Word == evidence.AsGood && arm.Cost != nil:
		return fmt.Sprintf("%s for %s, use %s at %.0f %% of the cost (%s points, %s)", k.Word, k.Title(), k.Winner, 100*arm.Cost.Share, signed(arm.Against.Difference), n)
	case k.Word == evidence.Reorder || k.Word == evidence.AsGood:
		return fmt.Sprintf("%s for %s, use %s (%s points, %s)", k.Word, k.Title(), k.Winner, signed(arm.Against.Difference), n)
	case k.Word == evidence.Keep:
		return fmt.Sprintf("keep %s for %s (the best, %s, at %s points, %s)", r.Arms[0].Name, k.Title(), arm.Name, signed(arm.Against.Difference), n)
	case k.Withheld:
		return fmt.Sprintf("inconclusive for %s, since nothing shows yet that the model can do the task (%s)", k.Title(), n)
	case k.FailuresDecide != "":
		return fmt.Sprintf("inconclusive for %s, where failures decide (%s)", k.Title(), n)
	}
	return fmt.Sprintf("inconclusive for %s (the best, %s, at %s points, %s)", k.Title(), arm.Name, signed(arm.Against.Difference), n)
}

// Told returns the arm of a kind that a verdict tells of: the winner, or the challenger
// with the largest difference; nil where there is none.
func (k KindResult) Told() *KindArm {
	var best *KindArm
	for i := range k.Arms {
		a := &k.Arms[i]
		switch {
		case a.Against == nil:
		case a.Name == k.Winner:
			return a
		case best == nil || a.Against.Difference > best.Against.Difference:
			best = a
		}
	}
	return best
}

// failures says in which arms calls failed or were refused.
func (r Result) failures() string {
	var arms []string
	for _, a := range r.Arms {
		if n := a.Counts.Failed + a.Counts.Refused; n > 0 && a.Identical == "" {
			arms = append(arms, fmt.Sprintf("%s %d of %d", a.Name, n, a.Counts.Answered+a.Counts.Failed))
		}
	}
	return "By arm: " + strings.Join(arms, ", ") + "."
}

// best returns the challenger with the largest difference that takes part in the
// verdict; nil for none.
func (r Result) best() *ArmResult {
	var best *ArmResult
	for i := range r.Arms {
		a := &r.Arms[i]
		if (a.Kind == Challenger || a.Kind == Earlier) && a.Identical == "" && (best == nil || a.Against.Difference > best.Against.Difference) {
			best = a
		}
	}
	return best
}

func (r Result) arm(name string) *ArmResult {
	for i := range r.Arms {
		if r.Arms[i].Name == name {
			return &r.Arms[i]
		}
	}
	return nil
}

func (r Result) range95(a ArmResult) string {
	asked := r.behind()
	if n := a.Against.N(); n < r.Questions.Counted {
		asked = fmt.Sprintf("%d of %s", n, asked)
	}
	return fmt.Sprintf("After %s the %.4g %% confidence sequence goes from %s to %s points",
		asked, 100*(1-r.Alpha), signed(a.Against.Sequence.Low), signed(a.Against.Sequence.High))
}

func (r Result) behind() string {
	if r.Questions.Counted == 1 {
		return "1 question"
	}
	return fmt.Sprintf("%d questions", r.Questions.Counted)
}

// exponential writes e to the power of log, however large.
func exponential(log float64) string {
	if tens := log / math.Ln10; tens >= 4 {
		return fmt.Sprintf("10^%.0f", tens)
	}
	if e := math.Exp(log); e >= 1000 {
		return fmt.Sprintf("%.0f", e)
	}
	return fmt.Sprintf("%.3g", math.Exp(log))
}

func points(share float64) string { return fmt.Sprintf("%.3g points", 100*share) }

// signed writes a difference in points, with the sign of print; none where it is 0 once it
// is rounded.
func signed(share float64) string {
	text := fmt.Sprintf("%+.1f", 100*share)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}
