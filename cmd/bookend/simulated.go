package main

import (
	"context"
	"errors"
	"slices"

	"github.com/bookend-rag/bookend/core/sweep"
)

// simulated is a simulated reader as a model. It knows the call, reads no prompt,
// and answers with an accepted answer or with a wrong one.
type simulated struct {
	reader             *sweep.Reader
	closedBook, oracle float64
}

// simulatedNote tells how the baselines of a simulated reader come about.
const simulatedNote = "Its closed-book accuracy is made up as 0.8 of its worst slot, its oracle as half the way from its best slot to 1."

func newSimulated(name string, documents int, seed uint64) (*simulated, error) {
	reader, err := sweep.NewNamedReader(name, documents, seed)
	if err != nil {
		return nil, err
	}
	accuracy := reader.Accuracy()
	return &simulated{reader, 0.8 * slices.Min(accuracy), (1 + slices.Max(accuracy)) / 2}, nil
}

// Ask implements sweep.Model.
func (s *simulated) Ask(ctx context.Context, _ sweep.Prompt) (sweep.Answer, error) {
	call, ok := sweep.CallFrom(ctx)
	if !ok || len(call.Answers) == 0 {
		return sweep.Answer{}, &sweep.ModelError{Permanent: true, Err: errors.New("a simulated reader answers the calls of a sweep alone")}
	}
	right := false
	switch call.Arm {
	case sweep.ArmClosedBook:
		right = s.reader.RightIn(call.Index, call.Arm, s.closedBook)
	case sweep.ArmOracle:
		right = s.reader.RightIn(call.Index, call.Arm, s.oracle)
	default:
		right = s.reader.Right(call.Index, call.Slot)
	}
	answer := sweep.Answer{Text: "(a simulated wrong answer)", FinishReason: "stop", Usage: sweep.Usage{Prompt: call.Tokens, Completion: 8}}
	if right {
		answer.Text = call.Answers[0]
	}
	return answer, nil
}
