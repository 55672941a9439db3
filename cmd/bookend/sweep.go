package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// Run runs `bookend sweep`.
func (c *sweepCommand) Run(ctx context.Context, s streams) error {
	if err := errors.Join(knownReader(c.Simulate), c.check()); err != nil {
		return err
	}
	scorer, err := c.scorer()
	if err != nil {
		return err
	}
	client, server, err := c.model(s, c.Simulate, c.Seed)
	if err != nil {
		return err
	}
	documents := 0
	if c.Simulate != "" {
		accuracy, err := simulate.Accuracy(c.Simulate, c.Documents)
		if err != nil {
			return forFlag("--simulate", err)
		}
		documents = len(accuracy)
	}
	var dataset *dataset.Dataset
	if err := unlessSoon(s, "Reading "+c.Data, func() (err error) {
		dataset, err = c.open(scorer, documents)
		return err
	}); err != nil {
		return err
	}
	defer dataset.Close()
	settings, err := c.settings(dataset)
	if err != nil {
		return err
	}
	plan, err := sweep.NewPlan(dataset, settings)
	if err != nil {
		return err
	}
	var estimate run.Estimate
	if err := unlessSoon(s, "Counting what the prompts hold", func() (err error) {
		estimate, err = plan.Estimate(ctx, c.prices.prices())
		return err
	}); err != nil {
		return err
	}
	judge, err := c.grader(s)
	if err != nil {
		return err
	}
	defer judge.close()
	c.announce(s, dataset, plan, estimate)
	if estimate, err = c.foresee(s, plan, judge, estimate); err != nil {
		return err
	}
	if c.DryRun {
		c.foreseeCaps(s, estimate)
		fmt.Fprintln(s.out, "\nDry run: nothing was asked, spent or written.")
		return nil
	}
	described := sweep.Described{Manifest: plan.Describe(), Scorer: c.Score, FirstLine: c.FirstLine, Judge: judge.describe(), UntilDecided: c.UntilDecided, Prices: c.prices.prices(), JudgePrices: judge.prices}
	same := func(path string) error { return sameSweep(path, described) }
	ask := func(m model.Model) func(*journal.Journal, run.Limits) (run.Progress, error) {
		return func(j *journal.Journal, limits run.Limits) (run.Progress, error) {
			return sweep.Run(ctx, plan, described, m, j, limits)
		}
	}
	if c.BatchOut != "" {
		return c.writeBatch(s, func(*journal.Journal) (run.Source, error) { return plan, nil }, settings.Model, settings.Params, same)
	}
	if c.BatchIn != nil {
		described.Server = "by batch"
		err = c.readBatches(s, same, func(journal *journal.Journal) (run.Source, error) {
			return sweep.Noted(plan, described, journal)
		})
		err = c.judgeBatch(ctx, s, judge, err, same, plan.Len(), ask(judge.of(nil)))
	} else {
		described.Server = server
		err = c.ask(ctx, s, c.Out, same, plan.Len(), ask(judge.of(client)))
	}
	failed := (*incompleteError)(nil)
	if err != nil && !(errors.As(err, &failed) && failed.report) {
		return err
	}
	result, err := sweep.SummarizeJournal(filepath.Join(c.Out, journalName), nil)
	if err == nil && c.WithQuestions {
		err = fillSweep(&result, dataset)
	}
	if err == nil {
		err = publish(s.out, c.folder(c.Out, judgedBy([]sweep.Result{result})), []sweep.Result{result})
	}
	if err == nil && failed != nil {
		return failed
	}
	return err
}

// announce says what will be asked, before anything is.
func (c *sweepCommand) announce(s streams, dataset *dataset.Dataset, plan *sweep.Plan, estimate run.Estimate) {
	if c.Simulate != "" {
		fmt.Fprint(s.out, "SIMULATED: no model is asked; nothing below is a measurement.\n\n")
	}
	if c.Data != "" {
		tell(s.out, c.Data+": "+dataset.Report().String())
	}
	tellAll(s.out, plan.String(), estimate.String())
	if c.UntilDecided {
		tell(s.out, "It ends once the shape is settled, and may then take far fewer calls.")
	}
}

// model makes the client, or the simulated reader; nil where nothing is asked. server
// is its address without secrets.
func (e *experiment) model(s streams, simulate string, seed uint64) (model model.Model, server string, err error) {
	switch {
	case simulate != "":
		model, err := newSimulated(simulate, seed)
		return model, "", err
	case e.DryRun || e.BatchOut != "" || e.BatchIn != nil:
		return nil, "", nil
	}
	return e.client(s)
}

// sameSweep refuses a folder that holds the journal of another sweep.
func sameSweep(path string, want sweep.Described) error {
	have, err := sweep.DescriptionOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, sweep.ErrNoSweep):
		if comparison, err := isComparison(path); err == nil && comparison {
			return usage("%s holds a comparison: name another folder by --out", path)
		}
		return nil
	case err != nil:
		return err
	case !have.SameSweep(want):
		return usage("%s holds another sweep (%s, %d documents, layout %s, seed %d): name another folder by --out, or give the flags of that sweep",
			path, have.Model, have.Documents, have.Layout, have.Seed)
	}
	return nil
}
