package vet

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

const lostInTheMiddle = "Liu et al. 2024, Lost in the Middle: https://arxiv.org/abs/2307.03172"

var secondBestInTheMiddle = &Rule{
	ID: "BE101", Name: "second-best-in-the-middle", Level: Warning,
	Title: "ranked order gives the end of the prompt to the worst document",
	Why: `Sorted by score or similarity, best first, the documents reach the prompt as the retriever
ranked them: the best stands first, and the second best in the slot behind it. Many models
read the two ends of a long prompt best and lose the middle. Then the last slot, a strong one,
goes to the worst document, while good ones fill the middle:

    slot       1   2   3   4   5   6   7   8   9  10
    ranked    r1  r2  r3  r4  r5  r6  r7  r8  r9 r10
    head-tail r1  r3  r5  r7  r9 r10  r8  r6  r4  r2

Whether that costs anything depends on the model. On published curves the alternating order
wins for some models and loses for others, mostly the newer ones, so that this is a warning until
a curve decides it: with --curve it becomes an error where ranked order loses beyond noise,
and disappears where it does not.`,
	Fix: `Place alternately from both ends, the best first and the second best last: "head_tail_alternating"
in many home-made programs, "head-tail" in Bookend, LostInTheMiddleRanker in Haystack. Better:
measure your model with "bookend sweep" and pass the curve.`,
	Fine: `Ranked order is right for a model that reads the start best or every slot alike, and where the
best document nearly always holds the answer. Below five documents it hardly matters.`,
	Before:  "retriever:\n  top_k: 20\nreranker:\n  top_n: 10\naugmentation:\n  chunk_order: similarity_desc\n",
	After:   "retriever:\n  top_k: 20\nreranker:\n  top_n: 10\naugmentation:\n  chunk_order: head_tail_alternating\n",
	Sources: []string{lostInTheMiddle, "Jin et al. 2024: https://arxiv.org/abs/2410.05983"},
}

var bestLast = &Rule{
	ID: "BE102", Name: "best-last", Level: Warning,
	Title: "ascending order puts the worst document first",
	Why: `Sorted by ascending score, the worst document opens the prompt and the best one ends it, next
to the question. That suits a model that reads the end best. Most read the start at least as
well, and there the best slot goes to the worst document:

    slot      1   2   3   4   5   6
    reversed r6  r5  r4  r3  r2  r1

It is also what a wrong direction looks like: where the score is a distance, ascending order is
best first. Say so by a name that means it, such as "distance_asc".`,
	Fix: `Place alternately from both ends, or measure your model with "bookend sweep" and pass the curve.`,
	Fine: `It is right for a model whose curve rises to the end (recency), and where the score is a distance,
so that ascending means best first.`,
	Before:  "retriever:\n  top_k: 8\ncontext:\n  chunk_order: similarity_asc\n",
	After:   "retriever:\n  top_k: 8\ncontext:\n  chunk_order: head_tail_alternating\n",
	Sources: []string{lostInTheMiddle},
}

var orderLosesOnCurve = &Rule{
	ID: "BE106", Name: "order-loses-on-curve", Level: Error,
	Title: "the measured curve shows that this order loses",
	Why: `A placement that is neither ranked nor reversed is taken for a decision, and nothing is said of
it, until a curve says that it costs answers. With --curve the expected accuracy of the order is
worked out: the sum over the ranks of how probable it is that a rank holds the answer, each rank
--decay times as probable as the one before it, times the accuracy in the slot where the rank
stands. The order loses if ranked, head-tail or reversed is better by more than 2.24 standard
errors, which the number of questions behind the curve gives.

Such arithmetic takes for granted that one document holds the answer, and that a document is read
as well beside any others. "bookend compare" measures without it.`,
	Fix:     `Use the order that the finding names, or the placement "measured", which follows the curve.`,
	Fine:    `A curve of another model, task or prompt size says little. Measure the one that you run.`,
	Before:  "order:\n  top_k: 10\n  placement: head-tail\n",
	After:   "order:\n  top_k: 10\n  placement: ranked\n",
	Sources: []string{"docs/sweep.md"},
}

var unknownOrder = &Rule{
	ID: "BE006", Name: "unknown-order", Level: Error,
	Title: "nobody knows an order of that name",
	Why: `The name is none of those that are in use for orders of documents. A program that does not know
it stops, or leaves the documents as ranked and says nothing.`,
	Fix:    `Correct the name. Bookend knows ` + knownOrders() + `.`,
	Fine:   `If the name is one of your own program's, nothing is wrong. This rule then tells that others cannot read it.`,
	Before: "retriever:\n  top_k: 8\naugmentation:\n  chunk_order: head_tial_alternating\n",
	After:  "retriever:\n  top_k: 8\naugmentation:\n  chunk_order: head_tail_alternating\n",
}

func knownOrders() string { return strings.Join(core.PlacementNames(), ", ") }

func init() {
	secondBestInTheMiddle.check = checkRanked
	bestLast.check = checkReversed
	orderLosesOnCurve.check = checkPlaced
	unknownOrder.check = checkNames
}

func checkRanked(c *checker, rule *Rule, chain *Chain) error {
	w, step := chain.final()
	if w == nil || w.Meaning != Ranked {
		return nil
	}
	return c.order(rule, chain, w, step, "The documents reach the prompt best first: %s the second best stands in slot 2, and the last slot holds the worst. Many models read the middle worst (lost in the middle).")
}

func checkReversed(c *checker, rule *Rule, chain *Chain) error {
	w, step := chain.final()
	if w == nil || w.Meaning != Reversed {
		return nil
	}
	return c.order(rule, chain, w, step, "The documents reach the prompt best last: %s the first slot holds the worst.")
}

// checkPlaced decides by the curve what is taken for a decision without one.
func checkPlaced(c *checker, rule *Rule, chain *Chain) error {
	w, step := chain.final()
	if c.Curve == nil || w == nil || w.Meaning != Folded || w.Placement == nil {
		return nil
	}
	return c.order(rule, chain, w, step, "The documents reach the prompt by "+w.Name+": %s another order is read better.")
}

// drawnDocuments is how many documents a picture has where nothing says how many
// there are.
const drawnDocuments = 10

// order reports an order that depends on the model, or lets the curve decide.
func (c *checker) order(rule *Rule, chain *Chain, w *Word, step int, message string) error {
	n, known := chain.Documents(len(chain.Steps))
	documents := drawnDocuments
	size := "how many they are is not in this file;"
	if known {
		documents = n.Value
		size = fmt.Sprintf("of %d,", documents)
	}
	f := Finding{Message: fmt.Sprintf(message, size)}
	if known && documents < fewDocuments {
		f.Level = Note
		f.Message += fmt.Sprintf(" With %d documents that hardly matters.", documents)
	}
	if known && documents < 2 {
		return nil
	}
	better, name := core.Placement(core.HeadTail), w.Head
	shown := "head-tail"
	if c.Curve != nil {
		if !known {
			documents = c.Curve.curves[0].Documents
		}
		v, err := c.Curve.judge(w.Placement, documents, c.Decay)
		if err != nil {
			return err
		}
		switch {
		case !v.decided:
			f.Message += " The curve does not say how many questions are behind it, so that it decides nothing."
		case !v.loses:
			return nil
		default:
			if f.Level == 0 {
				f.Level = Error
			}
			f.Message += fmt.Sprintf(" On the curve of %s this order is expected to answer %.1f %%, %s %.1f %%; the loss to an order that needs no curve is %.1f points, beyond the noise of %.1f (2.24 standard errors). %s",
				c.Curve.curves[0].Model, 100*v.now, v.better, 100*v.best, 100*v.loss, 100*NoiseLimit*v.se, v.stretch)
			f.Message = strings.TrimSpace(f.Message)
			better, name, shown = core.Measured{Curve: c.Curve.at(documents)}, c.measuredWord(w), "measured"
		}
	}
	if err := f.drawOrders(documents, w.Placement, better, shown); err != nil {
		return err
	}
	f.mendOrder(c, w, name, shown)
	c.report(rule, w.At, f)
	return nil
}

// plainPath is what needs no quotes in YAML or JSON.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// measuredWord returns how the file's program names a placement by the curve, or "".
// Its path starts at the folder of the file.
func (c *checker) measuredWord(w *Word) string {
	if w.Measured == "" || c.Curve.File == "" {
		return ""
	}
	path, err := filepath.Rel(filepath.Dir(c.file.Name), c.Curve.File)
	if err != nil {
		if path, err = filepath.Abs(c.Curve.File); err != nil {
			return ""
		}
	}
	path = filepath.ToSlash(path)
	if !plainPath.MatchString(path) {
		return ""
	}
	return w.Measured + path
}

func (f *Finding) drawOrders(documents int, now, better core.Placement, name string) error {
	old, err := core.Order(now, documents)
	if err != nil {
		return err
	}
	placed, err := core.Order(better, documents)
	if err != nil {
		return err
	}
	s := slots{n: documents}
	s.add("now", old, "")
	s.add(name, placed, "")
	f.Picture = s.lines()
	return nil
}

// mendOrder offers a word for the order: the one that the program takes, or else
// the one that most know, for people to look at.
func (f *Finding) mendOrder(c *checker, w *Word, name, shown string) {
	if name != "" {
		f.Fix = c.fix(w.At, name, true)
		return
	}
	offered := map[string]string{"head-tail": "head_tail_alternating", "measured": "measured"}[shown]
	f.Fix = c.fix(w.At, offered, false)
	switch {
	case shown == "measured":
		f.Advice = "Use a placement that follows the curve: in Bookend \"measured=FILE\", with the curve.json that \"bookend sweep\" writes."
	default:
		f.Advice = "Whether the program behind this file takes that word is not known: look at its documentation."
	}
}

func checkNames(c *checker, rule *Rule, chain *Chain) error {
	for _, s := range chain.Steps {
		if w := s.Order; w != nil && w.Meaning == Unknown {
			f := Finding{Message: fmt.Sprintf("%q is no order that is in use.", w.Name)}
			documents := drawnDocuments / 2
			if n, known := chain.Documents(len(chain.Steps)); known {
				documents = n.Value
			}
			ranked, err := core.Order(core.RankOrder, documents)
			if err != nil {
				return err
			}
			p := slots{n: documents}
			p.add("ranked", ranked, "if the program passes over the name")
			f.Picture = p.lines()
			near := nearestOrder(w)
			if near != "" {
				f.Message += fmt.Sprintf(" It looks like %q.", near)
				f.Fix = c.fix(w.At, near, w.Head != "" || w.Bookend)
			} else {
				f.Advice = "The names in use are " + knownOrders() + "."
			}
			c.report(rule, w.At, f)
		}
	}
	return nil
}
