package sweep

import (
	"context"
	"math"

	"github.com/bookend-rag/bookend/measure/internal/saturate"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// estimateQuestions is how many questions Estimate reads at most.
const estimateQuestions = 200

// Estimate counts the tokens of the plan and their price. It reads up to 200
// questions in plan order and lays out one prompt for each kind of arm, since
// moving a document changes no size. The errors are those of Call, of a cancelled
// context and of the prices.
func (p *Plan) Estimate(ctx context.Context, prices model.Prices) (run.Estimate, error) {
	if err := prices.Check(); err != nil {
		return run.Estimate{}, err
	}
	e := run.Estimate{
		Calls: p.Len(), Questions: len(p.order), Read: min(len(p.order), estimateQuestions),
		Unbounded: p.settings.Params.MaxTokens == 0,
	}
	tokens := 0.0
	for question := range e.Read {
		sizes := map[bool]int{} // of the arms that have a slot
		for i, a := range p.arms {
			if err := ctx.Err(); err != nil {
				return run.Estimate{}, err
			}
			size, known := sizes[a.slot != model.NoSlot]
			if !known || a.slot == model.NoSlot {
				call, err := p.Call(question*len(p.arms) + i)
				if err != nil {
					return run.Estimate{}, err
				}
				size = call.Tokens
				sizes[a.slot != model.NoSlot] = size
			}
			tokens += float64(size)
		}
	}
	e.Usage.Prompt = int(math.Round(tokens / float64(e.Read) * float64(e.Questions)))
	e.Usage.Completion = saturate.Mul(e.Calls, p.settings.Params.MaxTokens)
	e.Cost, e.Priced = prices.Cost(e.Usage), prices != model.Prices{}
	return e, nil
}
