package vet

import "fmt"

// checkSequence looks from each step that places at what happens behind it. found says
// that the placement does not reach the prompt as it is.
func (c *checker) checkSequence(chain *Chain) (found bool) {
	documents := chain.documents()
	var cut, rank, again *Step // behind a step: the smallest cut and the nearest placement before the next ranking, and that
	for i := len(chain.Steps) - 1; i >= 0; i-- {
		s, n := chain.Steps[i], documents[i]
		if s.places() {
			name := s.Order.Name
			found = found || rank != nil || again != nil
			if cut != nil && (cut.Keep == nil || n == nil || cut.Keep.Value < n.Value) {
				found = true
				c.tell(orderBeforeTrim, s.At, Finding{
					Message: fmt.Sprintf("%s places the documents, and %s cuts the list behind it, at the end where good documents stand.", name, cut.Name),
					Picture: []string{"placed  r1 r3 r5 … r4 r2", "cut     r1 r3 r5"},
					Advice:  "Cut first and place last: move the step that places behind " + cut.Name + ".",
				})
			}
			if rank != nil {
				c.tell(orderBeforeReranker, s.At, Finding{
					Message: fmt.Sprintf("%s places the documents, and %s ranks them anew behind it: the placement is lost.", name, rank.Name),
					Picture: []string{"placed  r1 r3 r5 … r4 r2", "ranked  r1 r2 r3 r4 r5 …"},
					Advice:  "Place last: move the step that places behind " + rank.Name + ", or remove it.",
				})
			}
			if again != nil {
				c.tell(orderTwice, again.At, Finding{
					Message: fmt.Sprintf("%s places the documents that %s in line %d has placed already: it takes their slots for ranks.", again.Order.Name, name, s.At.Line),
					Picture: []string{"once    r1 r3 r5 r4 r2", "twice   r1 r5 r2 r4 r3"},
					Advice:  "Keep one of the two, as the last step.",
				})
			}
			again = s
		}
		if s.ranksAnew() {
			cut, rank, again = nil, s, nil
		} else if (s.Keep != nil || s.Cuts && s.Task == Trim) && (cut == nil || cut.Keep == nil || s.Keep != nil && s.Keep.Value <= cut.Keep.Value) {
			cut = s
		}
	}
	return found
}

// checkLayouts reports what stands above the documents alone.
func (c *checker) checkLayouts(chain *Chain) {
	n := chain.reach()
	if n != nil && n.Value < 2 {
		return
	}
	for _, l := range chain.Layouts {
		documents, f := "the documents", Finding{Line: l.Line, Advice: "Move it below the documents, or repeat it there."}
		if n != nil {
			documents = fmt.Sprintf("%d documents", n.Value)
			if n.Value < fewDocuments {
				f.Level = Note
			}
		}
		f.Message = fmt.Sprintf("Above %s: the %s. Nothing below them repeats that.", documents, l.What)
		f.Picture = []string{"now  " + l.What + " | d1 d2 d3 … | answer", "fix  d1 d2 d3 … | " + l.What + " | answer"}
		f.Fix = c.fix(l.At, l.New, true)
		c.tell(questionBeforeDocuments, l.At, f)
	}
}

// manyChunks is twice the number from which on Liu et al. saw next to no gain.
const manyChunks = 40

// checkCount reports far too many documents, where nothing may cut them by size or
// score to nobody knows how many.
func (c *checker) checkCount(chain *Chain) {
	n := chain.reach()
	if n == nil || n.Value <= manyChunks || n.At == nil || chain.Bound {
		return
	}
	for _, s := range chain.Steps {
		if s.Cuts {
			return
		}
	}
	c.tell(tooManyChunks, n.At, Finding{
		Message: fmt.Sprintf("%d documents reach the prompt. From 20 to 50 documents Liu et al. (2024, section 5) saw a gain of 1.5 points at most.", n.Value),
		Fix:     c.fix(n.At, "20", c.report.Kinds[0] == bookend),
		Advice:  "If a reranker needs that many, cut behind it instead.",
	})
}
