package sweep

import (
	"context"

	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Run asks what the journal has no answer to, by run.Run, and notes every question
// before it is asked. It looks at what was found after every question, in plan order,
// and begins no further one once the run is surely unfit or, with d.UntilDecided, once
// the shape is settled; what is open then ends first. d must describe plan,
// and its Judge the Grader of a model that is a run.Judged.
//
// The errors are those of run.Run and of DescriptionOf, and a *core.ConfigError for another
// Judge. A run that ends like this
// returns none, with calls left.
func Run(ctx context.Context, plan *Plan, d Described, model model.Model, journal *journal.Journal, limits run.Limits) (run.Progress, error) {
	w, err := watcherOf(d)
	if err != nil {
		return run.Progress{Calls: plan.Len()}, err
	}
	source, err := watch.New(plan, d, journal, w)
	if err != nil {
		return run.Progress{Calls: plan.Len()}, err
	}
	return source.Run(ctx, model, limits)
}

// Noted returns plan as a source that notes each question in the journal when its
// first call is built, for batch.Read. d must describe plan. The errors are those of
// DescriptionOf.
func Noted(plan *Plan, d Described, journal *journal.Journal) (run.Source, error) {
	w, err := watcherOf(d)
	if err != nil {
		return nil, err
	}
	return watch.Noted(plan, d, journal, w)
}

// noted is what a journal notes of a question, so that questions are counted in the
// order in which they were asked.
type noted struct {
	Cluster string `json:"cluster,omitempty"` // dataset.Case.Cluster
	// Slots are the measured slots that it is asked in, by their place among them; nil:
	// all. Bare says that it is asked without baselines and repeats.
	Slots []int `json:"slots,omitempty"`
	Bare  bool  `json:"bare,omitempty"`
}

// Place returns the question of call i, by its place in plan order, and the place of its arm.
func (p *Plan) Place(i int) (question, arm int) { return i / len(p.arms), i % len(p.arms) }

// NoteOf returns the ID of a question, by its place in the plan from 0, and what a
// journal notes of it.
func (p *Plan) NoteOf(question int) (id string, note any, err error) {
	c, err := p.caseAt(p.order[question])
	return c.ID, noted{Cluster: c.Cluster}, err
}
