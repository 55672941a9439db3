package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core/sweep"
)

// writeBatch writes what the journal has no answer to as a batch file.
func (c *sweepCommand) writeBatch(s streams, plan source) (err error) {
	var journal *sweep.Journal
	if c.Out != "" {
		if journal, err = c.journal(s, plan); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, journal.Close()) }()
	}
	var size sweep.BatchSize
	settings := plan.Settings()
	err = safefile.Stream(c.BatchOut, c.Force, func(w io.Writer) (err error) {
		size, err = sweep.WriteBatch(w, plan, settings.Model, settings.Params, journal)
		return err
	})
	if err == nil {
		fmt.Fprintf(s.out, "%s: %s, %d bytes; %d known already\n", show.Line(c.BatchOut), show.Count(size.Requests, "request"), size.Bytes, size.Known)
	}
	return err
}

// readBatches reads the results of a batch into the journal.
func (c *sweepCommand) readBatches(s streams, plan source) (err error) {
	plan.described.Server = "by batch"
	journal, err := c.journal(s, plan)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	missing := 0
	for _, name := range c.BatchIn {
		file, err := os.Open(name)
		if err != nil {
			return usage("--batch-in cannot be read: %w", err)
		}
		result, err := sweep.ReadBatch(file, plan, journal)
		file.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %s\n", show.Line(name), result)
		if len(result.Broken) > 0 {
			fmt.Fprintf(s.out, "No result stands in line %d", result.Broken[0])
			if more := len(result.Broken) - 1; more > 0 {
				fmt.Fprintf(s.out, " and %d others", more)
			}
			fmt.Fprintln(s.out)
		}
		missing = result.Missing
	}
	if missing > 0 {
		return &incompleteError{reason: show.Count(missing, "call") + " of the batch have no answer", report: true}
	}
	return nil
}
