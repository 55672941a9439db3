package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/bookend-rag/bookend/cmd/internal/openai"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core/sweep"
)

// journalName is the journal in the folder of a sweep.
const journalName = "journal.jsonl"

// Run runs `bookend sweep`.
func (c *sweepCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	scorer, err := c.scorer()
	if err != nil {
		return err
	}
	documents := 0
	if c.Simulate != "" {
		accuracy, err := sweep.SimulatedAccuracy(c.Simulate, c.Documents)
		if err != nil {
			return usage("--simulate: %w", err)
		}
		documents = len(accuracy)
	}
	dataset, err := c.open(scorer, documents)
	if err != nil {
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
	estimate, err := plan.Estimate(ctx, c.prices.prices())
	if err != nil {
		return err
	}
	c.announce(s, dataset, plan, estimate)
	if c.DryRun {
		c.foreseeCaps(s, estimate)
		fmt.Fprintln(s.out, "\nDry run: nothing was asked, spent or written.")
		return nil
	}
	described := sweep.Described{Manifest: plan.Describe(), Scorer: c.Score, FirstLine: c.FirstLine}
	if c.BatchOut != "" {
		return c.writeBatch(s, source{plan, described})
	}
	if c.BatchIn != nil {
		err = c.readBatches(s, source{plan, described})
	} else {
		err = c.run(ctx, s, source{plan, described})
	}
	failed := (*incompleteError)(nil)
	if err != nil && !(errors.As(err, &failed) && failed.report) {
		return err
	}
	result, err := sweep.SummarizeJournal(filepath.Join(c.Out, journalName), nil)
	if err == nil {
		err = publish(s.out, c.Out, c.Force, []sweep.Result{result})
	}
	if err == nil && failed != nil {
		return failed
	}
	return err
}

// run asks the model.
func (c *sweepCommand) run(ctx context.Context, s streams, plan source) error {
	model, server, err := c.model(s, plan.described.Documents)
	if err != nil {
		return err
	}
	plan.described.Server = server
	progress, err := c.ask(ctx, s, plan, model)
	if progress.Calls == 0 {
		return err
	}
	fmt.Fprintf(s.err, "%s in %s\n", progress, progress.Elapsed.Round(time.Millisecond))
	if err == nil && progress.Failed > 0 {
		return &incompleteError{reason: show.Count(progress.Failed, "call") + " failed", report: true}
	}
	return stopped(err, progress)
}

// announce says what will be asked, before anything is.
func (c *sweepCommand) announce(s streams, dataset *sweep.Dataset, plan *sweep.Plan, estimate sweep.Estimate) {
	if c.Simulate != "" {
		fmt.Fprintf(s.out, "SIMULATED: no model is asked; nothing below is a measurement.\n%s\n\n", simulatedNote)
	}
	if c.Data != "" {
		fmt.Fprintf(s.out, "%s: %s\n", show.Line(c.Data), show.Line(dataset.Report().String()))
	}
	fmt.Fprintf(s.out, "%s\n%s\n", show.Lines(plan.String()), show.Line(estimate.String()))
}

// foreseeCaps says which caps would stop the sweep.
func (c *sweepCommand) foreseeCaps(s streams, e sweep.Estimate) {
	for _, limit := range []struct {
		flag      string
		cap, need float64
	}{
		{"max-calls", float64(c.MaxCalls), float64(e.Calls)},
		{"max-total-tokens", float64(c.MaxTotal), float64(e.Usage.Prompt + e.Usage.Completion)},
		{"max-cost", c.MaxCost, e.Cost},
	} {
		if limit.cap > 0 && limit.need > limit.cap {
			fmt.Fprintf(s.out, "--%s %g may stop it early: all of it may take %.6g.\n", limit.flag, limit.cap, limit.need)
		}
	}
}

// model makes the client, or the simulated reader. server is its address without
// secrets.
func (c *sweepCommand) model(s streams, documents int) (model sweep.Model, server string, err error) {
	if c.Simulate != "" {
		model, err := newSimulated(c.Simulate, documents, c.Seed)
		return model, "", err
	}
	config := openai.Config{
		BaseURL: c.BaseURL, Key: openai.NewKey(s.getenv("OPENAI_API_KEY")), AllowPlainKey: c.PlainKey,
		Model: c.Model, Completion: c.Completion, MaxTokens: c.MaxTokens, Extra: []byte(c.Params),
		Timeout: c.Timeout, Connections: c.Concurrency,
	}
	client, err := openai.New(config)
	if err != nil {
		if config.AllowPlainKey = true; !c.PlainKey {
			if _, allowed := openai.New(config); allowed == nil {
				err = fmt.Errorf("%w, which --allow-plain-key does", err)
			}
		}
		return nil, "", err
	}
	return client, client.String(), nil
}

// source is a plan that also says how its answers are judged.
type source struct {
	*sweep.Plan
	described sweep.Described
}

// Manifest goes into the journal.
func (s source) Manifest() any { return s.described }

// ask runs the plan into the journal of the folder.
func (c *sweepCommand) ask(ctx context.Context, s streams, plan source, model sweep.Model) (progress sweep.Progress, err error) {
	journal, err := c.journal(s, plan)
	if err != nil {
		return progress, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	limits := c.limits()
	if s.terminal {
		limits.Progress = bar(s, plan.Len())
	}
	progress, err = sweep.Run(ctx, plan, model, journal, limits)
	if s.terminal {
		fmt.Fprintln(s.err)
	}
	return progress, err
}

// journal opens the journal of the folder to write.
func (c *sweepCommand) journal(s streams, plan source) (*sweep.Journal, error) {
	if err := safefile.Folder(c.Out); err != nil {
		return nil, err
	}
	path := filepath.Join(c.Out, journalName)
	if err := sameSweep(path, plan.described); err != nil {
		return nil, err
	}
	journal, err := sweep.OpenJournal(path)
	if err == nil && journal.Torn() > 0 {
		fmt.Fprintf(s.err, "The journal ended in a torn line of %d bytes, which was dropped; its call is made again.\n", journal.Torn())
	}
	return journal, err
}

// sameSweep refuses a folder that holds the journal of another sweep.
func sameSweep(path string, want sweep.Described) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &safefile.LinkError{Path: path, Want: "regular file"}
	}
	have, err := sweep.DescriptionOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, sweep.ErrNoSweep):
		return nil
	case err != nil:
		return err
	case !have.SameSweep(want):
		return usage("%s holds another sweep (%s, %d documents, layout %s, seed %d): name another folder by --out, or give the flags of that sweep",
			path, have.Model, have.Documents, have.Layout, have.Seed)
	}
	return nil
}

// bar draws the progress with its rate and the time left.
func bar(s streams, calls int) func(sweep.Progress) {
	b := progressbar.NewOptions(calls,
		progressbar.OptionSetWriter(s.err), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("calls"), progressbar.OptionSetPredictTime(true), progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetElapsedTime(true), progressbar.OptionSetDescription("asking"))
	return func(p sweep.Progress) {
		if p.Failed > 0 {
			b.Describe(fmt.Sprintf("asking, %d failed", p.Failed))
		}
		_ = b.Set(p.Calls - p.Left()) // a bar that cannot be drawn is no reason to stop
	}
}

// stopped turns what ended a run early into an error that says how to go on.
func stopped(err error, p sweep.Progress) error {
	var (
		full    *sweep.CapError
		failing *sweep.FailuresError
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &incompleteError{reason: fmt.Sprintf("interrupted with %s left", show.Count(p.Left(), "call"))}
	case errors.As(err, &full):
		return errors.Join(err, &incompleteError{reason: show.Count(p.Left(), "call") + " left"})
	case errors.As(err, &failing):
		return fmt.Errorf("%w; look at --base-url, --model and the key, and run the same command again", err)
	}
	return err
}
