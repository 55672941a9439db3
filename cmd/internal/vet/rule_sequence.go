package vet

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/internal/nearest"
	"github.com/bookend-rag/bookend/core"
)

var orderBeforeTrim = &Rule{
	ID: "BE001", Name: "order-before-trim", Level: Error,
	Title: "documents are placed before the list is cut",
	Why: `A placement puts the second best document last, and others put the best there. What cuts the list
afterwards cuts at the end, and so takes the best documents first:

    slot         1   2   3   4   5   6   7   8
    placed      r1  r3  r5  r7  r8  r6  r4  r2
    cut to 4    r1  r3  r5  r7                  r2 and r4 are gone, r5 and r7 stay`,
	Fix:    `Cut first, place last: rank, admit, place. Move the step that places behind everything that leaves documents out.`,
	Fine:   `Never: the cut takes documents that are better than those that stay. If the later step never has to cut, remove it.`,
	Before: "pipeline:\n  - type: retriever\n    top_k: 8\n  - type: long_context_reorder\n  - type: filter\n    top_k: 4\n",
	After:  "pipeline:\n  - type: retriever\n    top_k: 8\n  - type: filter\n    top_k: 4\n  - type: long_context_reorder\n",
}

var orderBeforeReranker = &Rule{
	ID: "BE002", Name: "order-before-reranker", Level: Error,
	Title: "documents are placed before a step that ranks them anew",
	Why: `A reranker, a fusion of lists or a sort reads the order of its input as ranks, or throws it away.
Either way the placement in front of it is lost: the documents reach the prompt as ranked, and a
fusion that goes by ranks takes the second best for the worst.

    slot        1   2   3   4   5
    placed     r1  r3  r5  r4  r2
    reranked   r1  r2  r3  r4  r5   as if nothing had been placed`,
	Fix:     `Place last: move the step that places behind the reranker.`,
	Fine:    `Never: the placement does nothing, or harm. Remove it, or move it.`,
	Before:  "retriever:\n  top_k: 20\n  chunk_order: head_tail_alternating\nreranker:\n  top_n: 8\n",
	After:   "retriever:\n  top_k: 20\nreranker:\n  top_n: 8\naugmentation:\n  chunk_order: head_tail_alternating\n",
	Sources: []string{"Haystack places as the last step before the prompt: https://docs.haystack.deepset.ai/docs/lostinthemiddleranker"},
}

var orderTwice = &Rule{
	ID: "BE003", Name: "order-twice", Level: Error,
	Title: "documents are placed twice",
	Why: `A placement reads its input as ranks, best first. A second one on top of the first takes the second
best, which stands last, for the worst, and puts it into the middle:

    slot         1   2   3   4   5
    once        r1  r3  r5  r4  r2
    twice       r1  r5  r2  r4  r3   the second best stands in the middle`,
	Fix:    `Place once, as the last step. Remove the other.`,
	Fine:   `Never: two placements make an order that nobody chose.`,
	Before: "pipeline:\n  - type: retriever\n    top_k: 5\n  - type: reorder\n    strategy: head_tail_alternating\n  - type: lost_in_the_middle\n",
	After:  "pipeline:\n  - type: retriever\n    top_k: 5\n  - type: lost_in_the_middle\n",
}

var tooManyChunks = &Rule{
	ID: "BE104", Name: "too-many-chunks", Level: Warning,
	Title: "far more chunks than pay",
	Why: fmt.Sprintf(`More than %d documents reach the prompt. Liu et al. gave readers 50 documents in place of 20 and
won about 1.5 points with GPT-3.5-Turbo and 1 with Claude-1.3, while cost and time grew with the
prompt, and the middle that models read worst grew with it. This rule speaks up at more than twice
the 20 where they saw the gain flatten.`, manyChunks),
	Fix:     `Retrieve many if a reranker needs them, and let fewer into the prompt: cut to 20 or less behind the ranking.`,
	Fine:    `Questions that need many documents at once, such as summaries and counts, and very short chunks. Measure recall and answers at both sizes.`,
	Before:  "retriever:\n  top_k: 50\nprompt:\n  template: |\n    {context}\n\n    Question: {question}\n",
	After:   "retriever:\n  top_k: 20\nprompt:\n  template: |\n    {context}\n\n    Question: {question}\n",
	Sources: []string{"Liu et al. 2024, section 5: https://arxiv.org/abs/2307.03172", "Levy et al. 2024: https://arxiv.org/abs/2402.14848"},
}

var rerankerWithoutTrim = &Rule{
	ID: "BE105", Name: "reranker-without-trim", Level: Warning,
	Title: "a reranker with no cut behind it",
	Why: `A reranker is given many documents to pick the best of them. Where nothing behind it cuts the list,
all of them reach the prompt, and the pick is lost on a model that reads every one:

    retrieved   r1 … r20
    reranked    r1 … r20   all of them`,
	Fix:    `Say how many the reranker keeps ("top_n"), or cut by score or size behind it.`,
	Fine:   `The program may cut by a number of its own that is not in the file, or few documents are retrieved and only their order matters.`,
	Before: "retriever:\n  top_k: 20\nreranker:\n  model: bge-reranker-v2-m3\n",
	After:  "retriever:\n  top_k: 20\nreranker:\n  model: bge-reranker-v2-m3\n  top_n: 8\n",
}

// manyChunks is twice the number from which on Liu et al. saw next to no gain.
const manyChunks = 40

func init() {
	orderBeforeTrim.check = checkBeforeTrim
	orderBeforeReranker.check = checkBeforeReranker
	orderTwice.check = checkTwice
	tooManyChunks.check = checkTooMany
	rerankerWithoutTrim.check = checkNoTrim
}

// places says that a step puts the documents into an order that is not their ranks'.
func places(s *Step) bool {
	return s.Order != nil && (s.Order.Meaning == Folded || s.Order.Meaning == Reversed)
}

// ranksAnew says that a step throws away what order its input has.
func ranksAnew(s *Step) bool {
	return s.Kind == Rerank || s.Kind == Fuse || s.Order != nil && s.Order.Meaning == Ranked
}

// placement returns the placement of an order, HeadTail where only pictures need one.
func (w *Word) placement() core.Placement {
	if w.Placement == nil {
		return core.HeadTail
	}
	return w.Placement
}

func checkBeforeTrim(c *checker, rule *Rule, chain *Chain) error {
	for i, s := range chain.Steps {
		if !places(s) {
			continue
		}
		for j := i + 1; j < len(chain.Steps); j++ {
			cut := chain.Steps[j]
			if ranksAnew(cut) {
				break // another rule
			}
			n, known := chain.Documents(i)
			cuts := cut.Keep != nil && (!known || cut.Keep.Value < n.Value)
			if !cuts && !(cut.Cuts && cut.Kind == Trim) {
				continue
			}
			f := Finding{Message: fmt.Sprintf("%s places the documents, and %s cuts the list behind it, at the end where good documents stand.", s.Order.Name, cut.Name)}
			if known && cut.Keep != nil {
				ranks, err := core.Order(s.Order.placement(), n.Value)
				if err != nil {
					return err
				}
				left := append([]int(nil), ranks...)
				for slot := cut.Keep.Value; slot < len(left); slot++ {
					left[slot] = -1
				}
				p := slots{n: n.Value}
				p.add("placed", ranks, "")
				p.add("cut", left, fmt.Sprintf("%d of the best %d are gone", missing(left, cut.Keep.Value), cut.Keep.Value))
				f.Picture = p.lines()
			}
			f.Advice = "Cut first and place last: move the step that places behind " + cut.Name + "."
			c.report(rule, s.Order.At, f)
			break
		}
	}
	return nil
}

// missing counts the best documents that are not among those left.
func missing(left []int, keep int) int {
	gone := keep
	for _, rank := range left {
		if rank >= 0 && rank < keep {
			gone--
		}
	}
	return gone
}

func checkBeforeReranker(c *checker, rule *Rule, chain *Chain) error {
	for i, s := range chain.Steps {
		if !places(s) {
			continue
		}
		for _, later := range chain.Steps[i+1:] {
			if later.Kind != Rerank && later.Kind != Fuse {
				continue
			}
			documents := drawnDocuments / 2
			if n, known := chain.Documents(i); known {
				documents = n.Value
			}
			placed, err := core.Order(s.Order.placement(), documents)
			if err != nil {
				return err
			}
			ranked, err := core.Order(core.RankOrder, documents)
			if err != nil {
				return err
			}
			p := slots{n: documents}
			p.add("placed", placed, "")
			p.add("after", ranked, "as "+later.Name+" ranks them")
			c.report(rule, s.Order.At, Finding{
				Message: fmt.Sprintf("%s places the documents, and %s ranks them anew behind it: the placement is lost.", s.Order.Name, later.Name),
				Picture: p.lines(),
				Advice:  "Place last: move the step that places behind " + later.Name + ", or remove it.",
			})
			break
		}
	}
	return nil
}

func checkTwice(c *checker, rule *Rule, chain *Chain) error {
	var first *Step
	for i, s := range chain.Steps {
		if ranksAnew(s) {
			first = nil
		}
		if !places(s) {
			continue
		}
		if first == nil {
			first = s
			continue
		}
		documents := 5
		if n, known := chain.Documents(i); known {
			documents = n.Value
		}
		once, err := core.Order(first.Order.placement(), documents)
		if err != nil {
			return err
		}
		again, err := core.Order(s.Order.placement(), documents)
		if err != nil {
			return err
		}
		twice := make([]int, documents)
		for slot, rank := range again {
			twice[slot] = once[rank]
		}
		p := slots{n: documents}
		p.add("once", once, "")
		p.add("twice", twice, "")
		c.report(rule, s.Order.At, Finding{
			Message: fmt.Sprintf("%s places the documents that %s in line %d has placed already: it takes their slots for ranks.", s.Order.Name, first.Order.Name, first.Order.At.Line),
			Picture: p.lines(),
			Advice:  "Keep one of the two, as the last step.",
		})
	}
	return nil
}

func checkTooMany(c *checker, rule *Rule, chain *Chain) error {
	n, known := chain.Documents(len(chain.Steps))
	if !known || n.Value <= manyChunks || n.At == nil {
		return nil
	}
	for _, s := range chain.Steps {
		if s.Cuts && s.Kind != Retrieve || s.Kind == Place && s.Cuts {
			return nil // cut by size or score, to nobody knows how many
		}
	}
	s := slots{n: n.Value}
	ranks, err := core.Order(core.RankOrder, n.Value)
	if err != nil {
		return err
	}
	s.add("now", ranks, fmt.Sprintf("%d documents", n.Value))
	c.report(rule, n.At, Finding{
		Message: fmt.Sprintf("%d documents reach the prompt. From 20 to 50 Liu et al. (2024, section 5) saw 1.5 points at most.", n.Value),
		Picture: s.lines(),
		Fix:     c.fix(n.At, "20", chain.Dialect != homemade),
		Advice:  "If a reranker needs that many, cut behind it instead.",
	})
	return nil
}

func checkNoTrim(c *checker, rule *Rule, chain *Chain) error {
	for i, s := range chain.Steps {
		if s.Kind != Rerank || chain.Dialect == haystack || !chain.retrieves() {
			continue // Haystack's rankers cut to 10 by default
		}
		cut := false
		for _, later := range chain.Steps[i:] {
			cut = cut || later.Keep != nil || later.Cuts
		}
		if cut {
			continue
		}
		f := Finding{
			Message: fmt.Sprintf("%s ranks the documents anew, and nothing behind it leaves any out: all that were retrieved reach the prompt.", s.Name),
			Advice:  "Say how many it keeps, such as \"top_n: 8\".",
		}
		n, known := chain.Documents(i)
		documents := drawnDocuments
		if known {
			documents = n.Value
			f.Message = fmt.Sprintf("%s ranks %d documents anew, and nothing behind it leaves any out: all %d reach the prompt.", s.Name, n.Value, n.Value)
			if n.Value < fewDocuments {
				f.Level = Note
			}
		}
		ranks, err := core.Order(core.RankOrder, documents)
		if err != nil {
			return err
		}
		p := slots{n: documents}
		p.add("now", ranks, "")
		f.Picture = p.lines()
		c.report(rule, s.At, f)
	}
	return nil
}

// nearestOrder returns the name that a misspelled one was meant to be, as the file's
// program spells it.
func nearestOrder(w *Word) string {
	names := orderNames()
	if w.Bookend {
		names = core.PlacementNames()
	}
	return nearest.Of(w.Name, names)
}
