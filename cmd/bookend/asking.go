package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// journalName is the journal in the folder of an experiment.
const journalName = "journal.jsonl"

// client makes the model of the flags. server is its address without secrets.
func (e *experiment) client(s streams) (model model.Model, server string, err error) {
	headers, err := parseHeaders(s, "header", e.Header)
	if err != nil {
		return nil, "", err
	}
	m, server, err := newClient(openai.Config{
		BaseURL: e.BaseURL, Headers: headers, Key: openai.NewKey(s.getenv("OPENAI_API_KEY")), AllowPlainKey: e.PlainKey,
		Model: e.Model, Completion: e.Completion, MaxTokens: e.MaxTokens, Extra: []byte(e.Params),
		Timeout: e.Timeout, Connections: e.Concurrency,
	})
	e.server = server
	return m, server, err
}

// newClient makes a client, and names the flag that would allow what it refuses.
func newClient(config openai.Config) (model model.Model, server string, err error) {
	client, err := openai.New(config)
	if err != nil {
		if !config.AllowPlainKey {
			config.AllowPlainKey = true
			if _, allowed := openai.New(config); allowed == nil {
				err = fmt.Errorf("%w, which --allow-plain-key does", err)
			}
		}
		return nil, "", err
	}
	return client, client.String(), nil
}

// journal opens the journal of a folder to write. same returns an error where it is
// that of another experiment.
func (e *experiment) journal(s streams, dir string, same func(path string) error) (*journal.Journal, error) {
	if err := safefile.Folder(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, journalName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &safefile.LinkError{Path: path, Want: "regular file"}
	}
	if err := same(path); err != nil {
		return nil, err
	}
	journal, err := journal.Open(path)
	if err == nil && journal.Torn() > 0 {
		fmt.Fprintf(s.err, "The journal ended in a torn line of %d bytes, which was dropped; its call is made again.\n", journal.Torn())
	}
	return journal, err
}

// ask runs an experiment into the journal of a folder, and says how it went. An
// *incompleteError with report set leaves enough for a report.
func (e *experiment) ask(ctx context.Context, s streams, dir string, same func(string) error, calls int, run func(*journal.Journal, run.Limits) (run.Progress, error)) error {
	progress, err := e.run(s, dir, same, calls, run)
	if progress.Calls == 0 {
		return err
	}
	fmt.Fprintf(s.err, "%s; it took %s\n", progress, progress.Elapsed.Round(time.Millisecond))
	if err == nil && progress.Failed > 0 {
		return &incompleteError{reason: show.Count(progress.Failed, "call") + " failed", report: true}
	}
	return stopped(err, progress)
}

func (e *experiment) run(s streams, dir string, same func(string) error, calls int, run func(*journal.Journal, run.Limits) (run.Progress, error)) (progress run.Progress, err error) {
	journal, err := e.journal(s, dir, same)
	if err != nil {
		return progress, err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	limits := e.limits()
	teller := newProgress(s, e.server, calls)
	defer teller.end()
	limits.Progress, limits.Repeating = teller.finished, teller.repeating
	return run(journal, limits)
}

// stopped turns what ended a run early into an error that says how to go on.
func stopped(err error, p run.Progress) error {
	var (
		full    *run.CapError
		failing *run.FailuresError
		later   *run.LaterError
	)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return &incompleteError{reason: fmt.Sprintf("interrupted with %s left", show.Count(p.Left(), "call"))}
	case errors.As(err, &full):
		return errors.Join(err, &incompleteError{reason: show.Count(p.Left(), "call") + " left"})
	case errors.As(err, &later):
		return errors.Join(err, &incompleteError{reason: show.Count(p.Left(), "call") + " left"})
	case errors.As(err, &failing):
		return fmt.Errorf("%w; %s, and run the same command again", err, remedy(failing.Last))
	}
	return err
}

// remedy says where to look for the cause of failures.
func remedy(last journal.Failure) string {
	if last.Judge {
		return "look at --score-command, or at --judge-url, --judge-model, --judge-prompt and JUDGE_API_KEY"
	}
	switch last.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return "look at --params, --model and --max-tokens"
	case http.StatusUnauthorized, http.StatusForbidden:
		return "look at OPENAI_API_KEY or --header"
	case http.StatusPaymentRequired, http.StatusTooManyRequests:
		return "look at your quota there, or ask more slowly by --rpm and --concurrency"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "look at --base-url and --model"
	}
	switch {
	case last.Status == 0:
		return "check whether the server at --base-url is up"
	case last.Status >= 500:
		return "wait until the server at --base-url serves again"
	}
	return "look at --base-url and --model" // as for an answer of another form
}

// writeBatch writes what the journal has no answer to as a batch file. source makes what
// is asked, for that journal, or for none.
func (e *experiment) writeBatch(s streams, source func(*journal.Journal) (run.Source, error), model string, params model.Params, same func(string) error) (err error) {
	var journal *journal.Journal
	if e.Out != "" {
		if journal, err = e.journal(s, e.Out, same); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, journal.Close()) }()
	}
	asked, err := source(journal)
	if err != nil {
		return err
	}
	var size batch.Size
	err = safefile.Stream(e.BatchOut, e.Force, func(w io.Writer) (err error) {
		size, err = batch.Write(w, asked, model, params, journal)
		return err
	})
	if err == nil {
		known := ""
		if size.Known > 0 {
			known = fmt.Sprintf("; %d more are answered already", size.Known)
		}
		tell(s.out, fmt.Sprintf("%s: %s, %d bytes%s. Have it answered, and read the results by the same command with --out DIR and --batch-in RESULTS in place of --batch-out.",
			e.BatchOut, show.Count(size.Requests, "request"), size.Bytes, known))
	}
	return err
}

// readBatches reads the results of a batch into the journal. source makes what was
// asked, for that journal.
func (e *experiment) readBatches(s streams, same func(string) error, source func(*journal.Journal) (run.Source, error)) (err error) {
	journal, err := e.journal(s, e.Out, same)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	asked, err := source(journal)
	if err != nil {
		return err
	}
	missing := 0
	for _, name := range e.BatchIn {
		file, err := os.Open(name)
		if err != nil {
			return usage("--batch-in cannot be read: %w", err)
		}
		result, err := batch.Read(file, asked, journal)
		file.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: %s\n", show.Line(name), result)
		if len(result.Broken) > 0 {
			others := ""
			if more := len(result.Broken) - 1; more > 0 {
				others = " and " + show.Count(more, "other line")
			}
			fmt.Fprintf(s.out, "Line %d%s could not be read as a result.\n", result.Broken[0], others)
		}
		missing = result.Missing
	}
	if missing > 0 {
		return &incompleteError{reason: show.Count(missing, "call") + " of the batch have no answer", report: true}
	}
	return nil
}
