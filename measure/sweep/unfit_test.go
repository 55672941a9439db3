package sweep

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// soon is the number of questions after which a server that answers nothing is found out.
const soon = 25

// lookups is a sweep of questions after codes in four documents.
func lookups(t *testing.T, questions int) *Plan {
	t.Helper()
	p, err := NewPlan(fake.Lookups(t, questions, 4, false), Settings{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func client(t *testing.T, url string) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Config{BaseURL: url, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func describedBy(p *Plan, untilDecided bool) Described {
	return Described{Manifest: p.Describe(), UntilDecided: untilDecided}
}

func mustRun(t *testing.T, p *Plan, d Described, url string, j *journal.Journal) run.Progress {
	t.Helper()
	progress, err := Run(t.Context(), p, d, client(t, url), j, run.Limits{Retries: -1, Concurrency: 4})
	if err != nil {
		t.Fatal(err)
	}
	return progress
}

func mustSummarizeJournal(t *testing.T, j *journal.Journal) Result {
	t.Helper()
	r, err := SummarizeJournal(j.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkFault says what is wrong with the result of a sweep at a server with the fault.
func checkFault(t *testing.T, f fake.Fault, r Result) {
	t.Helper()
	if f.Sweep == "" {
		if r.Unfit != nil || r.Verdict == nil || !slices.Contains(f.SweepWords, string(r.Verdict.Shape)) {
			t.Errorf("want %v: %s", f.SweepWords, r.Finding)
		}
		if r.Curve == nil || r.Curve.Check() != nil {
			t.Errorf("no curve: %s", r.CurveNote)
		}
		return
	}
	if r.Unfit == nil || string(r.Unfit.Rule) != f.Sweep || r.Verdict != nil || !strings.HasPrefix(r.Finding, "Unfit, ") {
		t.Errorf("want %s: %s", f.Sweep, r.Finding)
	}
	if r.Curve != nil {
		if r.Curve.Check() == nil || r.Curve.Shape != core.ShapeUnfit {
			t.Errorf("a curve to be placed by: %+v", r.Curve)
		}
		if _, err := core.New(core.Config{Placement: core.Choice{Placement: core.Measured{Curve: r.Curve}}}); err == nil {
			t.Error("measured takes the curve")
		}
	}
}

// Servers that misbehave give the right word, or none: never flat by accident, and what
// is hopeless ends soon.
func TestFaultsOfServers(t *testing.T) {
	t.Parallel()
	for _, f := range fake.Faults() {
		for _, untilDecided := range []bool{false, true} {
			if f.Within != soon && !untilDecided {
				continue // the same, and long
			}
			t.Run(fmt.Sprintf("%s, until decided %v", f.Name, untilDecided), func(t *testing.T) {
				t.Parallel()
				url, asked := fake.Chat(t, f.Reply)
				p, j := lookups(t, 250), fake.Journal(t, fake.Path(t))
				progress := mustRun(t, p, describedBy(p, untilDecided), url, j)
				r := mustSummarizeJournal(t, j)
				checkFault(t, f, r)
				if f.Sweep != "" && progress.Left() == 0 {
					t.Errorf("asked to the end: %v", progress)
				}
				// While one call takes long, a run makes up to 100 others.
				if each := p.Len() / p.Questions(); f.Within > 0 && int(asked.Load()) > f.Within*each+100 {
					t.Errorf("%d calls were made, want at most those of %d questions and 100", asked.Load(), f.Within)
				}
				if untilDecided && f.SweepWords != nil && progress.Left() == 0 {
					t.Errorf("did not stop when the shape was settled: %v", progress)
				}
				if r.Counts.Failed > 0 {
					return
				}
				// What stopped the run is what the summary says, and nothing more is asked.
				before := asked.Load()
				mustRun(t, p, describedBy(p, untilDecided), url, j)
				if n := asked.Load() - before; n > 0 && progress.Left() > 0 {
					t.Errorf("%d more calls were made after the end", n)
				}
			})
		}
	}
}

func TestFaultsOfServersInABatch(t *testing.T) {
	t.Parallel()
	for _, f := range fake.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			p, j := lookups(t, 250), fake.Journal(t, fake.Path(t))
			var requests bytes.Buffer
			if _, err := batch.Write(&requests, p, "m", p.Settings().Params, nil); err != nil {
				t.Fatal(err)
			}
			// In two files: the first may say already that the run is unfit.
			results := fake.Batch(t, &requests, f.Reply)
			half := strings.Index(results[len(results)/2:], "\n") + len(results)/2 + 1
			for _, file := range []string{results[:half], results[half:]} {
				source, err := Noted(p, describedBy(p, false), j)
				if err != nil {
					t.Fatal(err)
				}
				if read, err := batch.Read(strings.NewReader(file), source, j); err != nil || read.Unknown > 0 {
					t.Fatalf("%v, %v", read, err)
				}
			}
			checkFault(t, f, mustSummarizeJournal(t, j))
		})
	}
}

// After the fault is mended, the same folder gives what a fault would never have touched:
// what failed is asked again, what was answered is not.
func TestARunGoesOnAfterTheFaultIsMended(t *testing.T) {
	t.Parallel()
	healthy := func(prompt string) fake.Reply {
		return fake.Reply{Text: fake.LookUp(prompt, "no idea"), Prompt: fake.Tokens(prompt)}
	}
	for i, kind := range []fake.Reply{{Status: 500}, {Broken: true}, {Finish: "error"}, {Void: true}} {
		untilDecided := i%2 == 1
		var mended atomic.Bool
		var broken atomic.Int64
		url, asked := fake.Chat(t, func(prompt string) fake.Reply {
			if !mended.Load() && len(prompt)%2 == 0 {
				broken.Add(1)
				return kind
			}
			return healthy(prompt)
		})
		p, j := lookups(t, 200), fake.Journal(t, fake.Path(t))
		d := describedBy(p, untilDecided)
		mustRun(t, p, d, url, j)
		if r := mustSummarizeJournal(t, j); r.Unfit == nil || r.Unfit.Rule != fitness.NoAnswers || !strings.Contains(r.Unfit.Remedy, "asked again") {
			t.Errorf("%+v: %s", kind, r.Finding)
		}
		good := asked.Load() - broken.Load()
		mended.Store(true)
		asked.Store(0)
		progress := mustRun(t, p, d, url, j)
		got := mustSummarizeJournal(t, j)

		wantURL, all := fake.Chat(t, healthy)
		fresh := fake.Journal(t, fake.Path(t))
		mustRun(t, p, d, wantURL, fresh)
		want := mustSummarizeJournal(t, fresh)
		if got.Finding != want.Finding || got.Unfit != nil || !reflect.DeepEqual(got.Verdict, want.Verdict) || !reflect.DeepEqual(got.Curve, want.Curve) {
			t.Errorf("%+v (-want +got)\n-%s\n+%s", kind, want.Finding, got.Finding)
		}
		if !untilDecided && (progress.Left() > 0 || asked.Load()+good != all.Load() || got.Counts.Failed > 0) {
			t.Errorf("%+v: %d answers were kept, %d asked again, want %d in all", kind, good, asked.Load(), all.Load())
		}
	}
}
