package vet

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

const (
	drawnDocuments = 10 // in a picture, where nothing says how many there are
	fewDocuments   = 5  // below it the place of a document hardly matters
)

// checkOrder reports an order that depends on the model, or lets the curve decide. The
// curve says nothing about a placement that does not arrive in the prompt as it is.
func (c *checker) checkOrder(chain *Chain, arrives bool) {
	step := chain.final()
	switch {
	case step == nil || step.Order.Near:
		return
	case step.Order.Placement == nil:
		c.checkName(step)
		return
	}
	w, reach := step.Order, chain.reach()
	documents, size := drawnDocuments, fmt.Sprintf("this file does not say how many; %d are drawn", drawnDocuments)
	switch {
	case reach != nil && chain.Bound:
		documents, size = reach.Value, fmt.Sprintf("%d at most", reach.Value)
	case reach != nil:
		documents, size = reach.Value, fmt.Sprint(reach.Value)
	case c.Curve != nil:
		documents = c.Curve.Documents
		size = fmt.Sprintf("this file does not say how many; %d are drawn, as the curve has them", documents)
	}
	if documents < 2 {
		return
	}
	rule, f := orderLosesOnCurve, Finding{Message: "The documents (" + size + ") reach the prompt by " + w.Name + ", and another order is read better."}
	switch w.Placement {
	case core.RankOrder:
		rule = secondBestInTheMiddle
		f.Message = "The documents (" + size + ") reach the prompt best first: the second best stands in slot 2, and the last slot holds the worst. Many models read the middle worst (lost in the middle)."
	case core.Reversed:
		rule, f.Message = bestLast, "The documents ("+size+") reach the prompt best last: the first slot holds the worst."
	}
	better, certain := core.StandardPlacement(core.HeadTail), false
	if c.Curve != nil {
		v, err := c.judge(w.Placement)
		switch {
		case err != nil || v.Fine || v.Decided && !v.Loses:
			return
		case v.Decided:
			f.Level, better, certain = Error, v.Better, true
			f.Message += fmt.Sprintf(" On the curve of %s, of %d documents, %.1f %% of the answers should be right in this order, and %.1f %% in that of %s: a loss of %.1f points, beyond the noise of %.1f (2.24 standard errors).",
				c.Curve.Model, c.Curve.Documents, 100*v.Now, 100*v.Best, v.Better, 100*(v.Best-v.Now), 100*v.Noise)
		default:
			f.Message += " The curve decides nothing: it does not say how many questions are behind it, or it says what answers cite and not what is right."
		}
	}
	if rule == orderLosesOnCurve && !(certain && arrives) {
		return
	}
	if reach != nil && documents < fewDocuments {
		f.Level = Note
		f.Message += fmt.Sprintf(" With %d documents that hardly matters.", documents)
	}
	f.Picture = draw(documents, "now", w.Placement, better.String(), better)
	switch {
	case c.report.Kinds[0] == bookend:
		word := better.String()
		if certain {
			word = c.measuredWord()
		}
		f.Fix = c.fix(step.At, word, true)
	case w.Name != "LostInTheMiddleRanker":
		f.Fix = c.fix(step.At, w.spell(better), certain)
	}
	f.Advice = "Whether the program behind this file takes another word is not known: look at its documentation."
	if f.Fix == nil {
		f.Advice = "Use the order " + better.String() + ", or one that follows the curve: in Bookend \"measured=FILE\", with the curve.json that \"bookend sweep\" writes."
	}
	c.tell(rule, step.At, f)
}

// judge asks the curve, once for each placement.
func (c *checker) judge(p core.Placement) (v judge.Verdict, err error) {
	v, known := c.verdicts[p]
	if !known {
		v, err = c.Curve.Judge(p, c.Decay)
		c.verdicts[p] = v
	}
	return v, err
}

// checkName reports the name of an order that is nearly known.
func (c *checker) checkName(s *Step) {
	if near := nearest.Of(s.Order.Name, orderNames()); near != "" {
		c.tell(unknownOrder, s.At, Finding{
			Message: fmt.Sprintf("%q is not an order in use. It looks like %q.", s.Order.Name, near),
			Fix:     c.fix(s.At, near, false),
			Advice:  "Look at the documentation of the program behind this file.",
		})
	}
}
