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
	calls, tokens := 0, 0
	for question := range e.Read {
		if err := ctx.Err(); err != nil {
			return run.Estimate{}, err
		}
		b, err := p.build(question)
		if err != nil {
			return run.Estimate{}, err
		}
		seen := map[string]bool{}
		for _, call := range b.calls {
			if call.Key != "" && !seen[call.Key] {
				seen[call.Key] = true
				calls++
				tokens += call.Tokens
			}
		}
	}
	scale := float64(e.Questions) / float64(e.Read)
	e.Calls = int(math.Round(float64(calls) * scale))
	e.Usage = model.Usage{Prompt: int(math.Round(float64(tokens) * scale)), Completion: saturate.Mul(e.Calls, p.settings.Params.MaxTokens)}
	if err := prices.Check(); err != nil {
		return run.Estimate{}, err
	}
	e.Cost, e.Priced = prices.Cost(e.Usage), prices != model.Prices{}
	return e, nil
}
