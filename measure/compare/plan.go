package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Plan is every call of a comparison, in order, before anything is spent: for one
// question after the other, in an order that the seed decides, the baseline, the
// challengers, the shuffles and the repeats. Arms that give one prompt share its
// call. It holds about 8 bytes a question and one question's prompts, and is safe
// for concurrent use.
type Plan struct {
	dataset  *dataset.Dataset
	settings Settings // defaults filled in
	arms     []armPlan
	same     []string // the earlier arm that each is identical to, or ""
	kinds    []QuestionKind
	order    []int // the cases, in plan order
	kindAt   []int // of each, its place among kinds; nil without kinds

	mu   sync.Mutex
	last built
	at   int // its place in order; -1 for none
}

var _ run.Source = (*Plan)(nil)

// built is one question, ready to ask.
type built struct {
	calls    []model.Call // one an arm
	question Question
}

// NewPlan lays out a comparison over lists, a dataset that was opened with
// dataset.Rules.Lists or made by dataset.SimulatedLists. It asks nothing, and reads
// no case unless there are kinds. lists must stay open, and is not closed. Every fault of the settings is
// a *core.ConfigError or its like, and they come joined.
func NewPlan(lists *dataset.Dataset, s Settings) (*Plan, error) {
	report := lists.Report()
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if !report.Lists {
		fault("lists", report.Path, "it holds no lists of a retriever: open it with Rules.Lists")
	}
	if s.Model == "" {
		fault("Model", s.Model, "must name the model")
	}
	if s.Questions < 0 {
		fault("Questions", s.Questions, "must be 0, for all, or more")
	}
	if s.Questions == 0 || s.Questions > report.Kept {
		s.Questions = report.Kept
	}
	for _, n := range []struct {
		field    string
		value    *int
		fallback int
	}{{"Shuffles", &s.Shuffles, DefaultShuffles}, {"Repeats", &s.Repeats, DefaultRepeats}} {
		switch {
		case *n.value > maxControls:
			fault(n.field, *n.value, fmt.Sprintf("must be at most %d", maxControls))
			*n.value = 0
		case *n.value == 0:
			*n.value = n.fallback
		case *n.value < 0:
			*n.value = 0
		}
	}
	switch {
	case s.Controls == 0:
		s.Controls = DefaultControls
	case s.Controls < 0:
		s.Controls = s.Questions
	}
	s.Controls = min(s.Controls, s.Questions)
	if t := s.Params.Temperature; !(t >= 0) || math.IsInf(t, 0) {
		fault("Params.Temperature", t, "must be finite and 0 or more")
		s.Params.Temperature = 0
	}
	if s.Params.MaxTokens == 0 {
		s.Params.MaxTokens = model.DefaultMaxTokens
	}
	if s.Params.MaxTokens > model.MaxTokens {
		fault("Params.MaxTokens", s.Params.MaxTokens, fmt.Sprintf("must be %d at most", model.MaxTokens))
	}
	s.Params.MaxTokens = max(s.Params.MaxTokens, 0)
	if s.Count == nil {
		s.Count = model.EstimateTokens
	}
	if _, err := model.CallKey(s.Model, s.Params, model.Prompt{}, 0); err != nil {
		faults = append(faults, err)
	}
	s.Arms = slices.Clone(s.Arms)
	arms, err := compile(s.Arms, s.Shuffles, s.Repeats)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	p := &Plan{dataset: lists, settings: s, arms: arms, at: -1}
	for i := range arms {
		p.same = append(p.same, identical(arms, i, report.MinDocuments, report.MaxDocuments))
	}
	p.order = lists.Order(s.Seed)[:s.Questions]
	if p.kinds, p.kindAt, err = p.split(); err != nil {
		return nil, err
	}
	return p, nil
}

// Len returns the number of calls: of each question in the baseline and the challengers,
// and of the first Settings.Controls in the shuffles and repeats. Calls that arms share
// count in each.
func (p *Plan) Len() int {
	arms := len(p.settings.Arms)
	return len(p.order)*arms + p.settings.Controls*(len(p.arms)-arms)
}

// Questions returns the number of questions.
func (p *Plan) Questions() int { return len(p.order) }

// Call builds call i. The errors are those of a question that cannot be read and of
// a prompt that cannot be laid out.
func (p *Plan) Call(i int) (model.Call, error) {
	if i < 0 || i >= p.Len() {
		return model.Call{}, &core.ConfigError{Field: "call", Value: i, Rule: fmt.Sprintf("calls go from 0 to %d", p.Len()-1)}
	}
	question, arm := p.Place(i)
	b, err := p.build(question)
	if err != nil {
		return model.Call{}, err
	}
	return b.calls[arm], nil
}

// Question returns the i-th question in plan order, as it is noted in a journal,
// and its ID.
func (p *Plan) Question(i int) (id string, q Question, err error) {
	b, err := p.build(i)
	if err != nil {
		return "", Question{}, err
	}
	return b.calls[0].Question, b.question, nil
}

func (p *Plan) build(question int) (built, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == question {
		return p.last, nil
	}
	c, err := p.dataset.Case(p.order[question])
	if err != nil {
		return built{}, err
	}
	b := built{question: Question{Cluster: c.Cluster, Kind: c.Kind, Documents: len(c.Documents), Gold: c.Gold, Golds: len(c.Golds), Cells: map[string]Cell{}}}
	baseline := ""
	for _, arm := range p.arms {
		if question >= p.settings.Controls && (arm.kind == Shuffle || arm.kind == Repeat) {
			break // the rest are controls, too
		}
		call, err := p.call(arm, c, p.order[question])
		if err != nil {
			return built{}, fmt.Errorf("bookend: question %q in arm %q: %w", c.Question, arm.name, err)
		}
		if arm.kind == Baseline {
			baseline = call.Prompt.Text
		}
		b.calls = append(b.calls, call)
		b.question.Cells[arm.name] = Cell{
			Key: call.Key, Slot: call.Slot, Size: len(call.Prompt.Text), Prefix: commonPrefix(baseline, call.Prompt.Text),
		}
	}
	p.last, p.at = b, question
	return b, nil
}

// call builds the prompt of one arm.
func (p *Plan) call(arm armPlan, c dataset.Case, index int) (model.Call, error) {
	arranger, err := arm.as(p.dataset, index)
	if err != nil {
		return model.Call{}, err
	}
	if arm.kind == Shuffle {
		seed := core.SeedFor(core.SeedFor(p.settings.Seed, c.ID), arm.name)
		if arranger, err = arranger.With(core.Shuffled{Seed: seed}); err != nil {
			return model.Call{}, err
		}
	}
	rendered, err := prompt.Build(context.Background(), arm.renderer, arranger, c.Documents, view(arm), prompt.Input{Question: c.Question})
	if err != nil {
		return model.Call{}, err
	}
	call := model.Call{
		Question: c.ID, Cluster: c.Cluster, Index: index, Arm: arm.name, Slot: goldSlot(rendered.Arrangement, c.Golds), Answers: c.Answers, Asked: c.Question,
		Documents: len(rendered.Arrangement.Slots),
		Prompt:    model.Prompt{Text: rendered.Text, Messages: rendered.Messages},
		MaxTokens: p.settings.Params.MaxTokens,
	}
	for _, placed := range rendered.Arrangement.Slots {
		d := c.Documents[placed.Index]
		call.Shown = append(call.Shown, model.Document{Title: d.Title, Text: d.Text})
	}
	if arm.kind == Repeat {
		call.Repeat = arm.number
	}
	call.Tokens, call.Least = max(p.settings.Count(call.Prompt.Text), 0), model.LeastTokens(call.Prompt.Text)
	call.Key, err = model.CallKey(p.settings.Model, p.settings.Params, call.Prompt, call.Repeat)
	return call, err
}

// goldSlot returns the slot of the best document with the answer that was placed,
// model.NoSlot when none was.
func goldSlot(a core.Arrangement, golds []int) int {
	slot, best := model.NoSlot, math.MaxInt
	for s, placed := range a.Slots {
		if placed.Rank < best && slices.Contains(golds, placed.Index) {
			slot, best = s, placed.Rank
		}
	}
	return slot
}

// view reads a document under the names that the arm looks for.
func view(arm armPlan) *core.View[dataset.Document] {
	c, keys := arm.renderer.Config(), arm.arranger.Config().Keys
	return &core.View[dataset.Document]{
		Text: func(d dataset.Document) string { return d.Text },
		ID:   func(d dataset.Document) string { return d.ID },
		Meta: func(d dataset.Document) map[string]any {
			meta := map[string]any{}
			if d.Title != "" {
				meta[c.TitleKey] = d.Title
			}
			if d.Source != "" {
				meta[cmp.Or(keys.Source, "source")], meta[cmp.Or(c.SourceKey, "source")] = d.Source, d.Source
			}
			if d.Position != nil {
				meta[cmp.Or(keys.Position, "position")] = *d.Position
			}
			return meta
		},
	}
}

// commonPrefix returns in how many bytes two texts begin alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Settings returns the settings, defaults filled in. The caller may change them.
func (p *Plan) Settings() Settings {
	s := p.settings
	s.Arms = slices.Clone(s.Arms)
	return s
}
