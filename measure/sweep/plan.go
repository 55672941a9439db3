package sweep

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Plan is every call of a sweep, in order, before anything is spent. It holds no
// texts: about 8 bytes a question, and one case. It is safe for concurrent use.
//
// The questions come in an order that the seed decides. All arms of one question
// stand together, because servers cache what prompts begin with: closed-book,
// oracle, the slots in ascending order, and the repeats.
type Plan struct {
	dataset  *dataset.Dataset
	settings Settings // defaults filled in
	arms     []arm    // of each question
	order    []int    // the cases, in plan order
	prompts  prompts

	mu   sync.Mutex
	last dataset.Case // the arms of one question follow each other
	at   int          // its index; -1 for none
}

type arm struct {
	name   string
	slot   int
	repeat int
}

var _ run.Source = (*Plan)(nil)

// NewPlan lays out a sweep. It reads no case and asks nothing. cases must stay
// open, and is not closed. Every fault of the settings is a *core.ConfigError, and
// they come joined.
func NewPlan(cases *dataset.Dataset, s Settings) (*Plan, error) {
	p := &Plan{dataset: cases, settings: s, at: -1}
	err := p.settings.complete(cases.Report())
	var fault error
	if p.prompts, fault = newPrompts(&p.settings, cases.Task()); err != nil || fault != nil {
		return nil, errors.Join(err, fault)
	}
	p.settings.Slots = slices.Clone(p.settings.Slots)
	p.settings.Params.Stop = slices.Clone(p.settings.Params.Stop)
	p.settings.Without = slices.Clone(p.settings.Without)
	on := func(name string) bool { return !slices.Contains(s.Without, name) }
	if on(ArmClosedBook) {
		p.arms = append(p.arms, arm{name: ArmClosedBook, slot: model.NoSlot})
	}
	if on(ArmOracle) {
		p.arms = append(p.arms, arm{name: ArmOracle, slot: model.NoSlot})
	}
	for _, slot := range p.settings.Slots {
		p.arms = append(p.arms, arm{name: ArmSlot, slot: slot})
	}
	if on(ArmRepeat) {
		middle := p.settings.Slots[len(p.settings.Slots)/2]
		for i := range p.settings.Repeats {
			p.arms = append(p.arms, arm{name: ArmRepeat, slot: middle, repeat: i + 1})
		}
	}
	p.order = cases.Order(p.settings.Seed)[:p.settings.Questions]
	return p, nil
}

// Len returns the number of calls.
func (p *Plan) Len() int { return len(p.order) * len(p.arms) }

// Questions returns the number of questions.
func (p *Plan) Questions() int { return len(p.order) }

// Settings returns the settings, defaults filled in. The caller must not write to
// what they hold.
func (p *Plan) Settings() Settings { return p.settings }

// Call builds call i, from 0, in the order of the plan: it reads the case, unless
// it is that of the call before, and lays out the prompt. It costs a few times the
// length of the prompt. The errors are those of dataset.Dataset.Case and of the layout, and
// a *core.ConfigError for an index outside 0 … Len()-1.
func (p *Plan) Call(i int) (model.Call, error) {
	if i < 0 || i >= p.Len() {
		return model.Call{}, &core.ConfigError{Field: "call", Value: i, Rule: fmt.Sprintf("the plan has %d calls, from 0", p.Len())}
	}
	index, a := p.order[i/len(p.arms)], p.arms[i%len(p.arms)]
	c, err := p.caseAt(index)
	if err != nil {
		return model.Call{}, err
	}
	call := model.Call{
		Question: c.ID, Cluster: c.Cluster, Index: index, Arm: a.name, Slot: a.slot, Repeat: a.repeat,
		Answers: c.Answers, Asked: c.Question, MaxTokens: p.settings.Params.MaxTokens,
	}
	var shown []dataset.Document
	switch a.name {
	case ArmClosedBook:
		call.Prompt = p.prompts.alone(c.Question)
		if c.Cluster != "" { // another key may ask the same, and want another answer
			call.Repeat = index + 1
		}
	case ArmOracle:
		shown = c.Documents[c.Gold : c.Gold+1]
	default:
		shown = c.WithGoldAt(a.slot, p.settings.Documents)
		before, after := alike(c, a.slot, p.settings.Documents)
		call.Repeat = before
		if a.name == ArmRepeat {
			call.Repeat += after + a.repeat
		}
	}
	if shown != nil {
		call.Documents = len(shown)
		if call.Prompt, err = p.prompts.with(c, shown); err != nil {
			return model.Call{}, err
		}
	}
	for _, d := range shown {
		call.Shown = append(call.Shown, model.Document{Title: d.Title, Text: d.Text})
	}
	call.Tokens, call.Least = p.count(call.Prompt), model.LeastTokens(call.Prompt.Text)
	call.Key, err = model.CallKey(p.settings.Model, p.settings.Params, call.Prompt, call.Repeat)
	return call, err
}

func (p *Plan) count(ask model.Prompt) int { return max(p.settings.Count(ask.Text), 0) }

func (p *Plan) caseAt(index int) (dataset.Case, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != index {
		c, err := p.dataset.Case(index)
		if err != nil {
			return dataset.Case{}, err
		}
		p.last, p.at = c, index
	}
	return p.last, nil
}
