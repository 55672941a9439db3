package vet

import (
	"fmt"
	"math"
)

var thresholdAgainstDirection = &Rule{
	ID: "BE004", Name: "threshold-against-direction", Level: Error,
	Title: "a threshold contradicts the direction of the scores",
	Why: `Some stores score by similarity, where higher is better, others by distance, where lower is better.
A threshold of one kind under a direction of the other keeps the worst documents and drops the
best:

    score        .1  .2  .3  .8  .9     lower is better
    min_score .7          ·   ·   ·  r4  r5   the best three are dropped

The same holds for a least value above the greatest one, which lets nothing through.`,
	Fix:    `Use the threshold that goes with the direction: a least similarity, or a greatest distance.`,
	Fine:   `Never: one of the two is wrong. If the store turns a distance into a similarity before the threshold, the direction is "higher".`,
	Before: "retriever:\n  top_k: 8\n  direction: lower_is_better\n  min_score: 0.7\n",
	After:  "retriever:\n  top_k: 8\n  direction: lower_is_better\n  max_distance: 0.7\n",
}

var budgetOverWindow = &Rule{
	ID: "BE005", Name: "budget-over-window", Level: Error,
	Title: "a budget that the context window cannot hold",
	Why: `The tokens that prompt and answer may take are more than the model reads at once. What does not fit
is refused by the server, or cut off silently, mostly at an end, where the best documents stand:

    window   |==============|
    prompt   |===================|  answer |====|`,
	Fix:    `Lower the budget to the window less the answer, with some room for the rules and the question.`,
	Fine:   `Never, as long as both count tokens of the same model.`,
	Before: "retriever:\n  top_k: 8\naugmentation:\n  max_context_tokens: 16000\nllm:\n  context_window: 8192\n  max_tokens: 512\n",
	After:  "retriever:\n  top_k: 8\naugmentation:\n  max_context_tokens: 7000\nllm:\n  context_window: 8192\n  max_tokens: 512\n",
}

var questionBeforeDocuments = &Rule{
	ID: "BE103", Name: "question-before-documents", Level: Warning,
	Title: "the question or the rules stand above a long context alone",
	Why: `What stands above many documents is far away when the model begins to answer. Guides to long
contexts ask for the question below the documents, or at both ends:

    now    question, d1, d2, d3, …, d20, answer
    fix    d1, d2, d3, …, d20, question, answer`,
	Fix:    `Move the question below the documents, or repeat it there. In Bookend: layout question-last, query-aware or bookend.`,
	Fine:   `A few short documents, and models that were measured to read it as well from the top. A cached prefix that has to start with the rules may keep them there, and repeat them in one line below.`,
	Before: "retriever:\n  top_k: 20\nprompt:\n  template: |\n    Question: {question}\n\n    Context:\n    {context}\n",
	After:  "retriever:\n  top_k: 20\nprompt:\n  template: |\n    Context:\n    {context}\n\n    Question: {question}\n",
	Sources: []string{
		"Anthropic, long context tips: https://platform.claude.com/docs/en/build-with-claude/prompt-engineering/long-context-tips",
		"OpenAI, GPT-4.1 prompting guide: https://cookbook.openai.com/examples/gpt4-1_prompting_guide",
		"Liu et al. 2024, section 4.2: https://arxiv.org/abs/2307.03172",
	},
}

func init() {
	thresholdAgainstDirection.check = checkThreshold
	budgetOverWindow.check = checkBudget
	questionBeforeDocuments.check = checkLayout
}

func checkThreshold(c *checker, rule *Rule, chain *Chain) error {
	for i, t := range chain.Thresholds {
		if (t.Keeps == "above" && t.Better == "lower") || (t.Keeps == "below" && t.Better == "higher") {
			c.report(rule, t.At, Finding{
				Message: fmt.Sprintf("%s keeps what is %s %s, but %s in line %d says that %s scores are better: the best documents are dropped and the worst stay.",
					t.Key, t.Keeps, t.Fraction, t.Direction.Key, t.Direction.At.Line, t.Better),
				Picture: []string{"best documents    · · ·   dropped", "worst documents   r8 r9 r10   kept"},
				Advice:  "Turn one of the two round.",
			})
		}
		for _, other := range chain.Thresholds[:i] {
			low, high := t, other
			if t.Keeps == "below" {
				low, high = other, t
			}
			if low.Keeps == "above" && high.Keeps == "below" && sameSection(low, high) && low.value() > high.value() && !math.IsNaN(high.value()) {
				c.report(rule, t.At, Finding{
					Message: fmt.Sprintf("%s keeps what is above %s and %s what is below %s: nothing is both.", low.Key, low.Fraction, high.Key, high.Fraction),
					Picture: []string{"every document   ·   dropped"},
					Advice:  "Exchange the two numbers, or remove one.",
				})
			}
		}
	}
	return nil
}

// sameSection says that two thresholds are about the same score.
func sameSection(a, b *Threshold) bool {
	return hasWord(a.Key, "score") == hasWord(b.Key, "score") && abs(a.At.Line-b.At.Line) < 10
}

func checkBudget(c *checker, rule *Rule, chain *Chain) error {
	window, budget, answer := chain.Window, chain.Budget, chain.Answer
	if window == nil {
		return nil
	}
	used, at := 0, (*Number)(nil)
	if answer != nil {
		used, at = answer.Value, answer
	}
	if budget != nil {
		used, at = used+budget.Value, budget
	}
	if at == nil || used < window.Value || used == window.Value && budget != nil {
		return nil
	}
	f := Finding{Advice: fmt.Sprintf("Keep the sum below %d.", window.Value)}
	switch {
	case budget != nil && answer != nil:
		f.Message = fmt.Sprintf("%s %d and %s %d make %d, more than %s in line %d, %d.", budget.Key, budget.Value, answer.Key, answer.Value, used, window.Key, window.At.Line, window.Value)
	case budget != nil:
		f.Message = fmt.Sprintf("%s is %d, more than %s in line %d, %d.", budget.Key, budget.Value, window.Key, window.At.Line, window.Value)
	default:
		f.Message = fmt.Sprintf("%s is %d, which leaves nothing of %s in line %d, %d, for a prompt.", answer.Key, answer.Value, window.Key, window.At.Line, window.Value)
	}
	if budget != nil {
		room := window.Value
		if answer != nil {
			room -= answer.Value
		}
		f.Fix = c.fix(budget.At, fmt.Sprint(max(room*7/8/100*100, 1)), false)
	}
	f.Picture = []string{fmt.Sprintf("window  |%s| %d", bar(window.Value, used), window.Value), fmt.Sprintf("asked   |%s| %d", bar(used, used), used)}
	c.report(rule, at.At, f)
	return nil
}

// bar draws a number beside the greatest one.
func bar(n, greatest int) string {
	out := make([]byte, max(1, int(40*float64(n)/float64(greatest))))
	for i := range out {
		out[i] = '='
	}
	return string(out)
}

func checkLayout(c *checker, rule *Rule, chain *Chain) error {
	n, known := chain.Documents(len(chain.Steps))
	if known && n.Value < 2 {
		return nil
	}
	for _, l := range chain.Layouts {
		documents, f := "the documents", Finding{Line: l.Line}
		if known {
			documents = fmt.Sprintf("%d documents", n.Value)
			if n.Value < fewDocuments {
				f.Level = Note
			}
		}
		f.Message = fmt.Sprintf("The %s above %s, and nothing repeats %s below.", map[string]string{"question": "question stands", "rules": "rules stand"}[l.What], documents, map[string]string{"question": "it", "rules": "them"}[l.What])
		f.Picture = []string{
			"now  " + l.What + " | d1 d2 d3 … | answer",
			"fix  d1 d2 d3 … | " + l.What + " | answer",
		}
		if l.New != "" {
			f.Fix = c.fix(l.At, l.New, true)
		}
		f.Advice = "Move it below the documents, or repeat it there."
		c.report(rule, l.At, f)
	}
	return nil
}
