package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
)

// Progress says how far a run is.
type Progress struct {
	Calls    int  // of the source; those that share their key with a call before them count once
	Skipped  int  // need not be asked, by what others answered
	Enough   bool // the source has enough: what is left need not be asked
	Known    int  // had an answer before the run
	Answered int  // by this run
	Failed   int  // in this run
	Open     int  // being asked
	Retries  int  // attempts after a first one
	Spent    journal.Spent
	Cost     float64 // of Spent
	Elapsed  time.Duration
	Last     journal.Record // what finished last
}

// Left returns the calls that are not finished. Once Run has returned, they are
// those that were never begun or were interrupted.
func (p Progress) Left() int { return p.Calls - p.Skipped - p.Known - p.Answered - p.Failed }

// String says in one line what became of the calls; counts of 0 are left out.
func (p Progress) String() string {
	if p.Enough && p.Known+p.Answered+p.Failed == 0 {
		return "No call was made, since none is needed"
	}
	needless, left, why := p.Skipped, p.Left(), "not needed"
	if p.Enough {
		needless, left, why = needless+left, 0, "not needed, since enough is known"
	}
	said := fmt.Sprintf("%s answered", text.Count(p.Answered, "call"))
	for _, part := range []struct {
		calls int
		what  string
	}{
		{p.Known, "answered before"}, {p.Failed, "failed"}, {left, "left"}, {needless, why},
	} {
		if part.calls > 0 {
			said += fmt.Sprintf(", %d %s", part.calls, part.what)
		}
	}
	return said
}

// FailuresError says that Limits.MaxFailures calls in a row failed.
type FailuresError struct {
	Failures int
	Last     journal.Failure
}

// Error gives the number and the last failure.
func (e *FailuresError) Error() string {
	return fmt.Sprintf("bookend: %d calls in a row failed, the last with: %s", e.Failures, strings.TrimPrefix(e.Last.Message, "bookend: "))
}

// LaterError says that the server asks to come back later than a run waits: a quota of
// the day is used up, perhaps.
type LaterError struct {
	Wait  time.Duration // what the server asked for, from when it said so
	Until time.Time
	Last  journal.Failure
}

// Error gives the wait, its end, and the server's words.
func (e *LaterError) Error() string {
	return fmt.Sprintf("bookend: the server asks to come back in %v, at %s: %s",
		e.Wait.Round(time.Second), e.Until.Format("2006-01-02 15:04 MST"), strings.TrimPrefix(e.Last.Message, "bookend: "))
}
