package compare

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

// soon is the number of questions after which a server that answers nothing is found out.
const soon = 25

// lookups compares the retriever's order with the reverse, over lists of four documents.
func lookups(t *testing.T, questions int, arms ...string) *Plan {
	t.Helper()
	if arms == nil {
		arms = []string{"ranked", "reversed"}
	}
	return mustPlan(t, fake.Lookups(t, questions, 4, true), armsOf(t, arms...), func(s *Settings) { s.Model, s.Shuffles, s.Repeats = "m", -1, -1 })
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
	return described(p, func(d *Described) { d.UntilDecided = untilDecided })
}

// checkFault says what is wrong with the result of a comparison at a server with the
// fault.
func checkFault(t *testing.T, f fake.Fault, r Result) {
	t.Helper()
	if f.Compare == "" {
		if r.Unfit != nil || !slices.Contains(f.CompareWords, string(r.Word)) {
			t.Errorf("want %v: %s", f.CompareWords, r.Finding)
		}
		return
	}
	if r.Unfit == nil || string(r.Unfit.Rule) != f.Compare || r.Word != evidence.Unfit || r.Winner != "ranked" ||
		!reflect.DeepEqual(r.Settings, Settled{}) || !strings.HasPrefix(r.Finding, "Unfit, ") {
		t.Errorf("want %s: %s", f.Compare, r.Finding)
	}
}

// Servers that misbehave give the right word, or none: never keep or reorder by accident,
// and what is hopeless ends soon.
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
				p, j := lookups(t, 500), mustJournal(t)
				progress := mustRun(t, p, describedBy(p, untilDecided), client(t, url), j, 4)
				r := mustSummarize(t, j)
				checkFault(t, f, r)
				if progress.Left() == 0 {
					t.Errorf("asked to the end: %v", progress)
				}
				// While one call takes long, a run makes up to 100 others.
				if each := len(p.Describe().Arms); f.Within > 0 && int(asked.Load()) > f.Within*each+100 {
					t.Errorf("%d calls were made, want at most those of %d questions and 100", asked.Load(), f.Within)
				}
				if r.Counts.Failed > 0 {
					return
				}
				// What stopped the run is what the summary says, and nothing more is asked.
				before := asked.Load()
				mustRun(t, p, describedBy(p, untilDecided), client(t, url), j, 4)
				if n := asked.Load() - before; n > 0 {
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
			p, j := lookups(t, 500), mustJournal(t)
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
			checkFault(t, f, mustSummarize(t, j))
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
		p, j := lookups(t, 300), mustJournal(t)
		d := describedBy(p, untilDecided)
		mustRun(t, p, d, client(t, url), j, 4)
		if r := mustSummarize(t, j); r.Unfit == nil || r.Unfit.Rule != fitness.NoAnswers || !strings.Contains(r.Unfit.Remedy, "asked again") {
			t.Errorf("%+v: %s", kind, r.Finding)
		}
		good := asked.Load() - broken.Load()
		mended.Store(true)
		asked.Store(0)
		progress := mustRun(t, p, d, client(t, url), j, 4)
		got := mustSummarize(t, j)

		wantURL, all := fake.Chat(t, healthy)
		fresh := mustJournal(t)
		mustRun(t, p, d, client(t, wantURL), fresh, 4)
		want := mustSummarize(t, fresh)
		if got.Finding != want.Finding || got.Word != evidence.Keep || !reflect.DeepEqual(got.Arms[1].Against, want.Arms[1].Against) {
			t.Errorf("%+v (-want +got)\n-%s\n+%s", kind, want.Finding, got.Finding)
		}
		if !untilDecided && (progress.Left() > 0 || asked.Load()+good != all.Load() || got.Counts.Failed > 0) {
			t.Errorf("%+v: %d answers were kept, %d asked again, want %d in all", kind, good, asked.Load(), all.Load())
		}
	}
}

// Arms whose prompts never differ are neither kept nor reordered, however many questions
// were asked; a setting without effect is named.
func TestArmsThatNeverDifferAreUnfit(t *testing.T) {
	t.Parallel()
	url, asked := fake.Chat(t, func(prompt string) fake.Reply { return fake.Reply{Text: fake.LookUp(prompt, "no idea")} })
	arms := armsOf(t, "ranked", "ranked")
	arms[1].Name, arms[1].Order.DropSameText = "no copies", true // there are none, which no plan can know
	run := func(questions int, d func(*Described)) (Result, *Plan) {
		p := mustPlan(t, fake.Lookups(t, questions, 4, true), arms, func(s *Settings) { s.Model, s.Shuffles, s.Repeats = "m", -1, -1 })
		if p.Describe().Arms[1].Identical != "" {
			t.Fatal("the plan knows already that the arms are alike")
		}
		j := mustJournal(t)
		mustRun(t, p, described(p, d), client(t, url), j, 2)
		return mustSummarize(t, j), p
	}
	for _, untilDecided := range []bool{false, true} {
		r, _ := run(300, func(d *Described) { d.UntilDecided = untilDecided })
		if r.Unfit == nil || r.Unfit.Rule != fitness.SamePrompts || !strings.Contains(r.Finding, "no copies in order.") || r.Questions.Counted == 300 {
			t.Errorf("%s", r.Finding)
		}
	}
	if r, _ := run(10, nil); r.Unfit == nil || !strings.Contains(r.Finding, "in 10 questions") {
		t.Errorf("when all were asked: %s", r.Finding)
	}
	if n := asked.Load(); n > 550 { // 2 × 233, and what was open
		t.Errorf("%d calls were made for nothing", n)
	}
	// Before that, nothing is said.
	p := mustPlan(t, fake.Lookups(t, 10, 4, true), arms, func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	notes, records := ask(t, p, fake.Echo)
	if r, err := Summarize(described(p, nil), notes[:3], records[:3], nil); err != nil || r.Unfit != nil {
		t.Errorf("after three of ten questions: %s, %v", r.Finding, err)
	}
}

// Settings that differ are named by their keys.
func TestDifferences(t *testing.T) {
	t.Parallel()
	a := ArmInfo{Name: "a", Order: core.Config{}, Prompt: prompt.Config{}}
	b := ArmInfo{Name: "b", Order: core.Config{TopK: 3}, Prompt: prompt.Config{Instruction: "Be short."}}
	if got := differences(a, a); got != "nothing" {
		t.Errorf("%q", got)
	}
	if got := differences(a, b); !strings.Contains(got, "order.") || !strings.Contains(got, "prompt.") || strings.Count(got, ",") != 1 {
		t.Errorf("%q", got)
	}
}

var _ model.Model = (*openai.Client)(nil)
