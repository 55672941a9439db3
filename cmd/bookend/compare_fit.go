package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// fitted is a curve that was measured on other questions.
type fitted struct {
	curve    *core.Curve  // nil in a dry run
	estimate run.Estimate // of the sweep, in a dry run
	share    float64      // of --data that was swept; 0: another file
	seed     uint64
	remarks  []string
}

// chosen says that a question belongs to the split that is swept.
func (f fitted) chosen(id string) bool {
	return float64(core.SeedFor(f.seed, id)>>11)/(1<<53) < f.share
}

// fit sweeps the questions of --fit; nil without them.
func (c *compareCommand) fit(ctx context.Context, s streams, judge grading, model model.Model, server string) (*fitted, error) {
	if c.Fit == "" {
		return nil, nil
	}
	f := &fitted{seed: c.Seed}
	path := c.Fit
	if share, err := strconv.ParseFloat(c.Fit, 64); err == nil {
		if !(share > 0 && share < 1) || math.IsNaN(share) {
			return nil, usage("--fit is %s: a share must be above 0 and below 1", c.Fit)
		}
		f.share, path = share, c.Data
	}
	scorer, err := c.scorer()
	if err != nil {
		return nil, err
	}
	rules, err := c.rules(scorer)
	if err != nil {
		return nil, err
	}
	rules.OneGold, rules.MinDocuments = true, 2
	if f.share > 0 {
		rules.Choose = f.chosen
	}
	dataset, err := c.openLists(rules, path)
	if err != nil {
		return nil, err
	}
	defer dataset.Close()
	plan, described, err := c.fitPlan(dataset, server)
	if err != nil {
		return nil, err
	}
	described.Judge = judge.describe()
	tell(s.out, "First a sweep. The placement \"measured\" of the comparison follows its curve.")
	tellAll(s.out, path+": "+dataset.Report().String(), plan.String())
	if c.DryRun {
		if f.estimate, err = plan.Estimate(ctx, c.prices.prices()); err != nil {
			return nil, err
		}
		fmt.Fprintln(s.out, show.Line(f.estimate.String()))
		f.estimate, err = c.foresee(s, plan, judge, f.estimate)
		fmt.Fprintln(s.out, "\nThen the comparison.")
		return f, err
	}
	dir := filepath.Join(c.Out, "fit")
	if err := c.askToFit(ctx, s, dir, plan, described, judge.of(model)); err != nil {
		return nil, err
	}
	result, err := sweep.SummarizeJournal(filepath.Join(dir, journalName), nil)
	if err == nil {
		err = publish(s.out, folder{dir: dir, force: true, unfitToo: c.ForceVerdict, part: true}, []sweep.Result{result})
	}
	if err != nil {
		return nil, err
	}
	if result.Curve == nil {
		return nil, usage("--fit gives no curve: %s", result.CurveNote)
	}
	fmt.Fprintln(s.out, "\nNow the comparison.")
	f.curve = result.Curve
	if n := result.Counts.Failed; n > 0 {
		f.remarks = []string{fmt.Sprintf("In the sweep behind the measured placement %s failed: its curve rests on %d of %d questions.",
			show.Count(n, "call"), result.Questions.Complete, result.Questions.Planned)}
	}
	return f, c.spend(filepath.Join(dir, journalName))
}

// askToFit sweeps. Calls that fail leave their questions out of the curve. Once the
// comparison has begun, the curve stands, and what failed is not asked again.
func (c *compareCommand) askToFit(ctx context.Context, s streams, dir string, plan *sweep.Plan, described sweep.Described, model model.Model) error {
	path := filepath.Join(dir, journalName)
	if _, err := os.Lstat(filepath.Join(c.Out, journalName)); err == nil {
		switch have, err := sweep.DescriptionOf(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !have.SameSweep(described) || have.Questions != plan.Questions():
			return usage("%s holds the sweep of a comparison that has begun, with other flags: give those, or name another folder by --out", dir)
		default:
			return nil
		}
	}
	same := func(path string) error { return sameSweep(path, described) }
	err := c.ask(ctx, s, dir, same, plan.Len(), func(journal *journal.Journal, limits run.Limits) (run.Progress, error) {
		return sweep.Run(ctx, plan, described, model, journal, limits)
	})
	if failed := (*incompleteError)(nil); errors.As(err, &failed) && failed.report {
		return nil
	}
	return err
}

// sum is the estimate of two experiments.
func sum(a, b run.Estimate) run.Estimate {
	a.Calls += b.Calls
	a.Usage.Add(b.Usage)
	a.Cost += b.Cost
	return a
}

// spend takes what the sweep used off the caps, so that they hold for both.
func (c *compareCommand) spend(path string) error {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil {
		return err
	}
	spent := reading.Spent
	cost := c.prices.prices().Cost(spent.Usage) + c.graders.prices().Cost(spent.Judge)
	for _, limit := range []struct {
		name string
		left float64
		set  bool
	}{
		{"max-calls", float64(c.MaxCalls - spent.Requests), c.MaxCalls > 0},
		{"max-total-tokens", float64(c.MaxTotal - spent.Tokens()), c.MaxTotal > 0},
		{"max-cost", c.MaxCost - cost, c.MaxCost > 0},
	} {
		if limit.set && limit.left <= 0 {
			return &incompleteError{reason: "--" + limit.name + " is used up by the sweep of --fit; raise it"}
		}
	}
	if c.MaxCalls > 0 {
		c.MaxCalls -= spent.Requests
	}
	if c.MaxTotal > 0 {
		c.MaxTotal -= spent.Tokens()
	}
	if c.MaxCost > 0 {
		c.MaxCost -= cost
	}
	return nil
}

// fitPlan lays out the sweep of --fit in the layout of the baseline.
func (c *compareCommand) fitPlan(dataset *dataset.Dataset, server string) (*sweep.Plan, sweep.Described, error) {
	own, err := c.base()
	if err != nil {
		return nil, sweep.Described{}, err
	}
	layout := own.prompt
	if len(c.Layouts) > 0 {
		layout.Layout = prompt.Layout(c.Layouts[0])
	}
	layout.Budget, layout.Reserve, layout.MaxBytes, layout.Unit, layout.Count = 0, 0, 0, "", nil
	params, err := c.params()
	if err != nil {
		return nil, sweep.Described{}, err
	}
	documents := dataset.Report().MinDocuments
	if counts := c.counts(); len(counts) > 0 {
		documents = min(documents, counts[0])
	}
	slots, err := sweep.ParseSlots(c.FitSlots, documents)
	if err != nil {
		return nil, sweep.Described{}, err
	}
	plan, err := sweep.NewPlan(dataset, sweep.Settings{
		Model: c.modelName(c.Simulate), Params: params, Documents: documents, Slots: slots, Questions: c.FitLimit, Seed: c.Seed, Prompt: &layout,
	})
	if err != nil {
		return nil, sweep.Described{}, err
	}
	return plan, sweep.Described{Manifest: plan.Describe(), Scorer: c.Score, FirstLine: c.FirstLine, Server: server}, nil
}
