package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/sweep"
)

// What Settings take for zero.
const (
	DefaultShuffles = 3
	DefaultRepeats  = 1
)

const maxControls = 100

// Settings say what a comparison asks. Model and Arms have no default.
type Settings struct {
	// Model is the name that the server knows.
	Model  string
	Params sweep.Params
	// Arms are the baseline, first, and the challengers, one or more.
	Arms []Arm
	// Questions is how many lists are asked. 0: all.
	Questions int
	// Seed shuffles the questions, and with the ID of each question its documents in
	// the shuffle arms. More questions of the same seed begin with those of fewer.
	Seed uint64
	// Shuffles and Repeats are the numbers of control arms. 0: DefaultShuffles,
	// DefaultRepeats; negative: none.
	Shuffles, Repeats int
	// Count returns the tokens of a text, for estimates, caps and limits of tokens.
	// nil: sweep.EstimateTokens.
	Count func(text string) int
}

// DefaultPrompt returns the layout of a comparison where none is chosen: that of a
// sweep, with labels by rank, as a chain with Bookend has them.
func DefaultPrompt() prompt.Config {
	c := sweep.PaperPrompt()
	c.Labels = prompt.ByRank
	return c
}

// Plan is every call of a comparison, in order, before anything is spent: for one
// question after the other, in an order that the seed decides, the baseline, the
// challengers, the shuffles and the repeats. Arms that give one prompt share its
// call. It holds about 8 bytes a question and one question's prompts, and is safe
// for concurrent use.
type Plan struct {
	dataset  *sweep.Dataset
	settings Settings // defaults filled in
	arms     []armPlan
	same     []string // the earlier arm that each is identical to, or ""
	order    []int    // the cases, in plan order

	mu   sync.Mutex
	last built
	at   int // its place in order; -1 for none
}

var _ sweep.Source = (*Plan)(nil)

// built is one question, ready to ask.
type built struct {
	calls    []sweep.Call // one an arm
	question Question
}

// NewPlan lays out a comparison over lists, a dataset that was opened with
// sweep.Rules.Lists or made by sweep.SimulatedLists. It reads no case and asks
// nothing. lists must stay open, and is not closed. Every fault of the settings is
// a *core.ConfigError or its like, and they come joined.
func NewPlan(lists *sweep.Dataset, s Settings) (*Plan, error) {
	report := lists.Report()
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if !report.Lists {
		fault("lists", report.Path, "holds no lists of a retriever: open it with Rules.Lists")
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
	if t := s.Params.Temperature; !(t >= 0) || math.IsInf(t, 0) {
		fault("Params.Temperature", t, "must be finite and 0 or more")
		s.Params.Temperature = 0
	}
	if s.Params.MaxTokens == 0 {
		s.Params.MaxTokens = sweep.DefaultMaxTokens
	}
	s.Params.MaxTokens = max(s.Params.MaxTokens, 0)
	if s.Count == nil {
		s.Count = sweep.EstimateTokens
	}
	if _, err := sweep.CallKey(s.Model, s.Params, sweep.Prompt{}, 0); err != nil {
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
	p.order = sweep.QuestionOrder(lists.Len(), s.Seed)[:s.Questions]
	return p, nil
}

// Len returns the number of calls, questions times arms, those included that arms
// share.
func (p *Plan) Len() int { return len(p.order) * len(p.arms) }

// Questions returns the number of questions.
func (p *Plan) Questions() int { return len(p.order) }

// Call builds call i. The errors are those of a question that cannot be read and of
// a prompt that cannot be laid out.
func (p *Plan) Call(i int) (sweep.Call, error) {
	if i < 0 || i >= p.Len() {
		return sweep.Call{}, &core.ConfigError{Field: "call", Value: i, Rule: fmt.Sprintf("calls go from 0 to %d", p.Len()-1)}
	}
	b, err := p.build(i / len(p.arms))
	if err != nil {
		return sweep.Call{}, err
	}
	return b.calls[i%len(p.arms)], nil
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
	b := built{question: Question{Documents: len(c.Documents), Gold: c.Gold, Golds: len(c.Golds), Cells: map[string]Cell{}}}
	baseline := ""
	for _, arm := range p.arms {
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
func (p *Plan) call(arm armPlan, c sweep.Case, index int) (sweep.Call, error) {
	arranger := arm.arranger
	if arm.kind == Shuffle {
		seed := core.SeedFor(core.SeedFor(p.settings.Seed, c.ID), arm.name)
		var err error
		if arranger, err = arranger.With(core.Shuffled{Seed: seed}); err != nil {
			return sweep.Call{}, err
		}
	}
	rendered, err := prompt.Build(context.Background(), arm.renderer, arranger, c.Documents, view(arm.renderer.Config()), prompt.Input{Question: c.Question})
	if err != nil {
		return sweep.Call{}, err
	}
	call := sweep.Call{
		Question: c.ID, Index: index, Arm: arm.name, Slot: goldSlot(rendered.Arrangement, c.Golds), Answers: c.Answers,
		Documents: len(rendered.Arrangement.Slots),
		Prompt:    sweep.Prompt{Text: rendered.Text, Messages: rendered.Messages},
		MaxTokens: p.settings.Params.MaxTokens,
	}
	if arm.kind == Repeat {
		call.Repeat = arm.number
	}
	call.Tokens = max(p.settings.Count(call.Prompt.Text), 0)
	call.Key, err = sweep.CallKey(p.settings.Model, p.settings.Params, call.Prompt, call.Repeat)
	return call, err
}

// goldSlot returns the slot of the best document with the answer that was placed,
// sweep.NoSlot when none was.
func goldSlot(a core.Arrangement, golds []int) int {
	slot, best := sweep.NoSlot, math.MaxInt
	for s, placed := range a.Slots {
		if placed.Rank < best && slices.Contains(golds, placed.Index) {
			slot, best = s, placed.Rank
		}
	}
	return slot
}

// view reads a document under the names that the prompt looks for.
func view(c prompt.Config) *core.View[sweep.Document] {
	return &core.View[sweep.Document]{
		Text: func(d sweep.Document) string { return d.Text },
		ID:   func(d sweep.Document) string { return d.ID },
		Meta: func(d sweep.Document) map[string]any {
			meta := map[string]any{}
			if d.Title != "" {
				meta[c.TitleKey] = d.Title
			}
			if d.Source != "" {
				meta["source"] = d.Source
			}
			if d.Position != nil {
				meta["position"] = *d.Position
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

// ArmInfo describes an arm.
type ArmInfo struct {
	Name      string        `json:"name"`
	Kind      Kind          `json:"kind"`
	Identical string        `json:"identical,omitempty"` // the arm that gives the same prompts
	Order     core.Config   `json:"order"`
	Prompt    prompt.Config `json:"prompt"`
}

// Experiment is the value of a Manifest's "experiment" key.
const Experiment = "compare"

// Manifest describes a plan: what a journal says about its records.
type Manifest struct {
	Experiment string       `json:"experiment"`
	Model      string       `json:"model"`
	Params     sweep.Params `json:"params"`
	Dataset    sweep.Report `json:"dataset"`
	Questions  int          `json:"questions"`
	Seed       uint64       `json:"seed"`
	Arms       []ArmInfo    `json:"arms"`
	Calls      int          `json:"calls"`
}

// Describe returns the Manifest of the plan.
func (p *Plan) Describe() Manifest {
	m := Manifest{
		Experiment: Experiment, Model: p.settings.Model, Params: p.settings.Params, Dataset: p.dataset.Report(),
		Questions: len(p.order), Seed: p.settings.Seed, Calls: p.Len(),
	}
	for i, arm := range p.arms {
		info := ArmInfo{Name: arm.name, Kind: arm.kind, Identical: p.same[i], Order: arm.arranger.Config(), Prompt: arm.renderer.Config()}
		if i < len(p.settings.Arms) { // as it was given, without defaults
			info.Prompt = p.settings.Arms[i].Prompt
		}
		m.Arms = append(m.Arms, info)
	}
	return m
}

// Manifest returns what a journal notes of the plan alone: Describe.
func (p *Plan) Manifest() any { return p.Describe() }

// Settings returns the settings, defaults filled in. The caller may change them.
func (p *Plan) Settings() Settings {
	s := p.settings
	s.Arms = slices.Clone(s.Arms)
	return s
}

// String says in a few lines what would be asked, without reading a case.
func (p *Plan) String() string {
	var names []string
	for i, arm := range p.arms {
		name := arm.name
		if p.same[i] != "" {
			name += " (identical to " + p.same[i] + ")"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s, %d questions × %d arms = %d calls, fewer where arms share a prompt\narms: %s",
		p.settings.Model, len(p.order), len(p.arms), p.Len(), strings.Join(names, ", "))
}

// estimateQuestions is how many questions Estimate reads at most.
const estimateQuestions = 200

// Estimate counts the calls and the tokens of the plan and their price. It reads up
// to 200 questions in plan order and extrapolates; calls that arms share count
// once. The errors are those of Call, of a cancelled context and of the prices.
func (p *Plan) Estimate(ctx context.Context, prices sweep.Prices) (sweep.Estimate, error) {
	e := sweep.Estimate{Questions: len(p.order), Read: min(len(p.order), estimateQuestions), Unbounded: p.settings.Params.MaxTokens == 0}
	calls, tokens := 0, 0
	for question := range e.Read {
		if err := ctx.Err(); err != nil {
			return sweep.Estimate{}, err
		}
		b, err := p.build(question)
		if err != nil {
			return sweep.Estimate{}, err
		}
		seen := map[string]bool{}
		for _, call := range b.calls {
			if !seen[call.Key] {
				seen[call.Key] = true
				calls++
				tokens += call.Tokens
			}
		}
	}
	scale := float64(e.Questions) / float64(e.Read)
	e.Calls = int(math.Round(float64(calls) * scale))
	e.Usage = sweep.Usage{Prompt: int(math.Round(float64(tokens) * scale)), Completion: e.Calls * p.settings.Params.MaxTokens}
	if err := prices.Check(); err != nil {
		return sweep.Estimate{}, err
	}
	e.Cost, e.Priced = prices.Cost(e.Usage), prices != sweep.Prices{}
	return e, nil
}

// SharedWith returns how many questions of the plan stand behind a curve: one that
// is compared on questions which it was fitted on is flattered. A curve that does
// not say which they were shares none. It reads every case of the plan.
func (p *Plan) SharedWith(c *core.Curve) (int, error) {
	if c == nil || c.Asked == "" {
		return 0, nil
	}
	asked := map[string]bool{}
	for _, id := range strings.Fields(c.Asked) {
		asked[id] = true
	}
	shared := 0
	for _, i := range p.order {
		item, err := p.dataset.Case(i)
		if err != nil {
			return 0, err
		}
		if asked[item.ID] {
			shared++
		}
	}
	return shared, nil
}

// Misfits says in which ways a curve was made for something else than what the plan
// asks: another model, another layout, another number of documents; and whether it
// does not name its questions.
func (p *Plan) Misfits(c *core.Curve) []string {
	var misfits []string
	layout := func(c prompt.Config) string { return string(c.Layout) + "/" + string(c.Format) }
	if c.Asked == "" {
		misfits = append(misfits, "The curve does not say which questions stand behind it: if they are compared here, they flatter it.")
	}
	// A simulated reader is named after the curve that it follows.
	if c.Model != p.settings.Model && !strings.HasPrefix(p.settings.Model, sweep.SimulatedPrefix) {
		misfits = append(misfits, fmt.Sprintf("The curve was measured with the model %q, and this comparison asks %q.", c.Model, p.settings.Model))
	}
	if mine := layout(p.arms[0].renderer.Config()); c.Layout != "" && c.Layout != mine {
		misfits = append(misfits, fmt.Sprintf("The curve was measured in the layout %q, and the baseline has %q.", c.Layout, mine))
	}
	if r := p.dataset.Report(); c.Documents < r.MinDocuments || c.Documents > r.MaxDocuments {
		misfits = append(misfits, fmt.Sprintf("The curve was measured with %d documents, and the lists have %d to %d.", c.Documents, r.MinDocuments, r.MaxDocuments))
	}
	return misfits
}
