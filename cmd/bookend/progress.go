package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/run"
)

const (
	silence     = 500 * time.Millisecond // after which something is said
	lineEvery   = 10 * time.Second       // without a terminal
	repeatEvery = 10 * time.Second       // of a failure that stays the same
)

// unlessSoon does what may take long, and says so once it does. Nothing else may be
// written to s.err meanwhile.
func unlessSoon(s streams, what string, do func() error) error {
	told := make(chan struct{})
	timer := time.AfterFunc(silence, func() {
		defer close(told)
		fmt.Fprintln(s.err, show.Line(what)+" …")
	})
	err := do()
	if !timer.Stop() {
		<-told
	}
	return err
}

// progress tells how a run goes: a bar on a terminal, else a line now and then. Its
// methods are called by one at a time.
type progress struct {
	streams
	bar         *progressbar.ProgressBar // nil without a terminal
	lastLine    time.Time
	lastFailure string
	failedAt    time.Time
}

// newProgress says at once what is asked.
func newProgress(s streams, server string, calls int) *progress {
	p := &progress{streams: s, lastLine: time.Now()}
	if server != "" { // a simulated reader is done before anybody has read this
		fmt.Fprintf(s.err, "Asking %s …\n", show.Line(server))
	}
	if s.terminal {
		p.bar = progressbar.NewOptions(calls,
			progressbar.OptionSetWriter(s.err), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetWidth(20), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetElapsedTime(true))
		_ = p.bar.RenderBlank()
	}
	return p
}

// finished tells of a call that ended. What was known before the run is neither
// progress nor speed, so that the time left is that of what is asked: at most, since calls
// may turn out not to be needed.
func (p *progress) finished(now run.Progress) {
	asked, done := now.Calls-now.Known-now.Skipped, now.Answered+now.Failed
	switch {
	case p.bar != nil:
		var said []string
		if now.Known > 0 {
			said = append(said, fmt.Sprintf("%d answered before", now.Known))
		}
		if now.Failed > 0 {
			said = append(said, fmt.Sprintf("%d failed", now.Failed))
		}
		p.bar.Describe(strings.Join(said, ", "))
		p.bar.ChangeMax(max(asked, 1))
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
	case time.Since(p.lastLine) >= lineEvery:
		p.lastLine = time.Now()
		left := now.Elapsed * time.Duration(now.Left()) / time.Duration(max(done, 1))
		failed := ""
		if now.Failed > 0 {
			failed = fmt.Sprintf(", %d failed", now.Failed)
		}
		fmt.Fprintf(p.err, "%d of at most %d calls done%s; at most about %s left\n", now.Calls-now.Left(), now.Calls, failed, left.Round(time.Second))
	}
}

// repeating tells why an attempt is repeated: when that changes, and now and then.
func (p *progress) repeating(failure journal.Failure, wait time.Duration) {
	if failure.Message == p.lastFailure && time.Since(p.failedAt) < repeatEvery {
		return
	}
	p.lastFailure, p.failedAt = failure.Message, time.Now()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.err, "Trying again in %s: %s\n", wait.Round(100*time.Millisecond), show.Line(strings.TrimPrefix(failure.Message, "bookend: ")))
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	}
}

// end leaves the line of the bar.
func (p *progress) end() {
	if p.bar != nil {
		fmt.Fprintln(p.err)
	}
}
