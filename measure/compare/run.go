package compare

import (
	"context"

	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Run asks what the journal has no answer to, by run.Run, and notes every
// question before it is asked. It looks at what was found after every question, in plan
// order, and begins no further one once the run is surely unfit or, with d.UntilDecided,
// once the verdict is known; what is open then ends first. d must describe plan, and its
// Judge the Grader of a model that is a run.Judged.
//
// The errors are those of run.Run, and a *core.ConfigError for another Judge. A run that
// ends like this returns none, with calls left.
func Run(ctx context.Context, plan *Plan, d Described, model model.Model, journal *journal.Journal, limits run.Limits) (run.Progress, error) {
	d = d.after(journal.Path())
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
// first call is built, for batch.Write and batch.Read. d must describe plan. With
// d.UntilDecided it goes on until the answers in the journal no longer say whom to ask:
// a round of d.Lag questions.
func Noted(plan *Plan, d Described, journal *journal.Journal) (run.Source, error) {
	d = d.after(journal.Path())
	w, err := watcherOf(d)
	if err != nil {
		return nil, err
	}
	return watch.Noted(plan, d, journal, w)
}

func watcherOf(d Described) (*watcher, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	j, err := d.judging()
	if err != nil {
		return nil, err
	}
	return newWatcher(newLedger(d, j))
}

// Place returns the question of call i, by its place in plan order, and the place of its
// arm. Shuffles and repeats stand last, and have calls in the first questions alone.
func (p *Plan) Place(i int) (question, arm int) {
	withControls := p.settings.Controls * len(p.arms)
	if i < withControls {
		return i / len(p.arms), i % len(p.arms)
	}
	i -= withControls
	each := len(p.settings.Arms)
	return p.settings.Controls + i/each, i % each
}

// NoteOf is Question, for what runs the plan.
func (p *Plan) NoteOf(question int) (id string, note any, err error) {
	id, q, err := p.Question(question)
	return id, q, err
}
