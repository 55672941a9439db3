package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// simulated is a simulated reader as a model. It knows the call, reads no prompt,
// and answers with an accepted answer or with a wrong one.
type simulated struct {
	name               string
	seed               uint64
	closedBook, oracle float64

	mu      sync.Mutex
	readers map[int]*simulate.Reader // by the number of documents
}

// knownReader refuses a name that no simulated reader has, and says which there are.
func knownReader(name string) error {
	if name == "" {
		return nil
	}
	if _, err := simulate.Accuracy(name, 0); err != nil {
		return forFlag("--simulate", err)
	}
	return nil
}

func newSimulated(name string, seed uint64) (*simulated, error) {
	accuracy, err := simulate.Accuracy(name, 0)
	if err != nil {
		return nil, forFlag("--simulate", err)
	}
	return &simulated{ // table.SimulatedBaselines tells of the two accuracies
		name: name, seed: seed, readers: map[int]*simulate.Reader{},
		closedBook: 0.8 * slices.Min(accuracy), oracle: (1 + slices.Max(accuracy)) / 2,
	}, nil
}

// reader returns the reader of prompts of so many documents. The questions are as
// hard for each of them.
func (s *simulated) reader(documents int) (*simulate.Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.readers[documents]; r != nil {
		return r, nil
	}
	r, err := simulate.NewNamedReader(s.name, documents, s.seed)
	if err == nil {
		s.readers[documents] = r
	}
	return r, err
}

// Ask implements sweep.Model.
func (s *simulated) Ask(ctx context.Context, _ model.Prompt) (model.Answer, error) {
	call, ok := model.CallFrom(ctx)
	if !ok || len(call.Answers) == 0 {
		return model.Answer{}, &model.Error{Permanent: true, Err: errors.New("a simulated reader answers the calls of an experiment alone")}
	}
	reader, err := s.reader(max(call.Documents, 1))
	if err != nil {
		return model.Answer{}, &model.Error{Permanent: true, Err: err}
	}
	right := false
	switch {
	case call.Arm == sweep.ArmOracle:
		right = reader.RightIn(call.Index, call.Arm, s.oracle)
	case call.Slot == model.NoSlot:
		right = reader.RightIn(call.Index, sweep.ArmClosedBook, s.closedBook)
	default:
		right = reader.Right(call.Index, call.Slot)
	}
	answer := model.Answer{Text: "(a simulated wrong answer)", FinishReason: "stop", Usage: model.Usage{Prompt: call.Tokens, Completion: 8}}
	if right {
		answer.Text = call.Answers[0]
	}
	return answer, nil
}
