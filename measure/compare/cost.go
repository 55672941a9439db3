package compare

import (
	"context"
	"math"

	"github.com/bookend-rag/bookend/measure/internal/saturate"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// estimateQuestions is how many questions Estimate reads at most.
const estimateQuestions = 200

// Estimate counts the calls and the tokens of the plan and their price. It reads up
// to 200 questions in plan order and extrapolates; calls that arms share count
// once. The errors are those of Call, of a cancelled context and of the prices.
func (p *Plan) Estimate(ctx context.Context, prices model.Prices) (run.Estimate, error) {
	e := run.Estimate{Questions: len(p.order), Read: min(len(p.order), estimateQuestions), Unbounded: p.settings.Params.MaxTokens == 0}
	var decisive, controls counted
	for question := range e.Read {
		if err := ctx.Err(); err != nil {
			return run.Estimate{}, err
		}
		b, err := p.build(question)
		if err != nil {
			return run.Estimate{}, err
		}
		seen := map[string]bool{}
		for i, call := range b.calls {
			if seen[call.Key] {
				continue
			}
			seen[call.Key] = true
			if i < len(p.settings.Arms) {
				decisive.add(call)
			} else {
				controls.add(call)
			}
		}
	}
	all := decisive.times(e.Questions, e.Read)
	some := controls.times(p.settings.Controls, min(p.settings.Controls, e.Read))
	e.Calls = int(math.Round(all.calls + some.calls))
	e.Usage = model.Usage{Prompt: int(math.Round(all.tokens + some.tokens)), Completion: saturate.Mul(e.Calls, p.settings.Params.MaxTokens)}
	if err := prices.Check(); err != nil {
		return run.Estimate{}, err
	}
	e.Cost, e.Priced = prices.Cost(e.Usage), prices != model.Prices{}
	return e, nil
}

// counted is a number of calls and the tokens of their prompts.
type counted struct{ calls, tokens float64 }

func (c *counted) add(call model.Call) {
	c.calls++
	c.tokens += float64(call.Tokens)
}

// times extrapolates from the questions that were read to all.
func (c counted) times(all, read int) counted {
	scale := float64(all) / float64(max(read, 1))
	return counted{c.calls * scale, c.tokens * scale}
}
