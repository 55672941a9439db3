package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

var comparisonFileNames = []string{"summary.csv", "summary.json", "flips.csv", "forest.svg", "forest.png", "report.html", "settings.json"}

// comparisonFolder runs a comparison of 60 lists of 4 documents into a new folder.
// The reader finds the answer in the last slot alone, and gives it in the
// second line, among other words.
func comparisonFolder(t *testing.T, m string, change func(*compare.Described), placements ...core.Placement) string {
	t.Helper()
	lists, err := dataset.SimulatedLists(1, 60, 4, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	var arms []compare.Arm
	for _, p := range placements {
		arms = append(arms, compare.Arm{Name: p.(core.StandardPlacement).String(), Order: core.Config{Placement: core.Choice{Placement: p}}, Prompt: compare.DefaultPrompt()})
	}
	plan, err := compare.NewPlan(lists, compare.Settings{Model: m, Arms: arms, Seed: 1, Shuffles: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := compare.Described{Manifest: plan.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}}
	if change != nil {
		change(&d)
	}
	dir := t.TempDir()
	journal, err := journal.Open(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = compare.Run(t.Context(), plan, d, model.Func(func(ctx context.Context, p model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		a := model.Answer{Text: "no", FinishReason: "stop", Usage: model.Usage{Prompt: len(p.Text) / 4, Completion: 2}}
		if call.Slot == 3 {
			a.Text = "\nwell, I would say that it is " + call.Answers[0]
		}
		return a, nil
	}), journal, run.Limits{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestComparisonFromTheJournalAlone(t *testing.T) {
	t.Parallel()
	for _, until := range []bool{false, true} {
		first, second := comparisonFolder(t, "m", func(d *compare.Described) { d.UntilDecided = until }, core.RankOrder, core.Reversed), t.TempDir()
		r, err := compare.SummarizeJournal(filepath.Join(first, journalName), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Questions.Counted < r.Questions.Planned; got != until {
			t.Errorf("until decided %v: %+v", until, r.Questions)
		}
		var printed bytes.Buffer
		if err := publishComparison(&printed, folder{dir: first}, r); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(second, journalName), read(t, first, journalName))
		report := mustRun(t, "report", second)
		for _, name := range comparisonFileNames {
			if read(t, first, name) != read(t, second, name) {
				t.Errorf("%s: the report differs from that of the run", name)
			}
		}
		if want, got := words(printed.String(), first), words(report, second); want != got {
			t.Errorf("the report prints (-want +got)\n-%s\n+%s", want, got)
		}
		if !strings.HasPrefix(report, "\nReorder: with reversed, ") || !strings.Contains(report, "reversed (winner)") {
			t.Errorf("the verdict is not the first sentence:\n%s", report)
		}
		if got := strings.Contains(report, "McNemar"); got == until {
			t.Errorf("until decided %v: McNemar %v in:\n%s", until, got, report)
		}
		settled, err := settings.Load(filepath.Join(second, "settings.json"), nil)
		if err != nil || settled.Order.Placement.Placement != core.Reversed {
			t.Errorf("settings %+v, error %v", settled, err)
		}
	}
}

// The same answers can be judged otherwise; then the file of the first report is
// overwritten by force alone.
func TestComparisonJudgedOtherwise(t *testing.T) {
	t.Parallel()
	dir := comparisonFolder(t, "m", nil, core.RankOrder, core.Reversed)
	mustRun(t, "report", dir)
	for _, args := range [][]string{{"--first-line"}, {"--score", "token-f1"}} {
		args = append([]string{"report", dir}, args...)
		if o := command(t, args...); o.code != exitFailed || !strings.Contains(o.err, "--force overwrites it") {
			t.Errorf("%q: code %d, %s", args, o.code, o.err)
		}
		// The first line has no answer, and the whole much else.
		out := mustRun(t, append(args, "--force")...)
		for _, line := range strings.Split(out, "\n") {
			if fields := strings.Fields(line); len(fields) > 3 && strings.HasPrefix(line, "ranked (baseline)  60 ") && fields[3] != "0" {
				t.Errorf("%q: not judged as asked:\n%s", args, out)
			}
		}
	}
}

func TestComparisonMarks(t *testing.T) {
	t.Parallel()
	dir := comparisonFolder(t, model.SimulatedPrefix+"u", func(d *compare.Described) { d.SameQuestions = true }, core.RankOrder, core.Reversed)
	texts := map[string]string{"what is printed": mustRun(t, "report", dir)}
	for _, name := range []string{"summary.csv", "summary.json", "flips.csv", "forest.svg", "report.html"} {
		texts[name] = read(t, dir, name)
	}
	for name, text := range texts {
		text = strings.ReplaceAll(strings.ToLower(text), "_", " ")
		for _, want := range []string{"simulated", "same questions"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	var summary struct {
		Same bool `json:"same_questions"`
	}
	if err := json.Unmarshal([]byte(texts["summary.json"]), &summary); err != nil || !summary.Same {
		t.Errorf("summary.json: %+v, error %v", summary, err)
	}
}

func TestComparisonStandsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	comparison := comparisonFolder(t, "m", nil, core.RankOrder, core.Reversed)
	swept := filepath.Join(dir, "sweep")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", swept)
	for _, dirs := range [][]string{{comparison, comparison}, {swept, comparison}, {comparison, swept}} {
		o := command(t, append([]string{"report", "--out", filepath.Join(dir, "both")}, dirs...)...)
		if o.code != exitUsage || !strings.Contains(o.err, "holds a comparison, which has a report of its own") {
			t.Errorf("%q: code %d, %s", dirs, o.code, o.err)
		}
	}
}

// Where every arm gives the same prompts nothing is asked, and the report names what has
// no effect.
func TestIdenticalArms(t *testing.T) {
	t.Parallel()
	dir := comparisonFolder(t, "m", func(d *compare.Described) { d.UntilDecided = true }, core.LongContext, core.TailHead)
	o := command(t, "report", dir)
	out := o.out
	if o.code != exitUnfit {
		t.Errorf("code %d, want %d", o.code, exitUnfit)
	}
	for _, want := range []string{"Unfit, no verdict", "the very same prompts as long-context", "(tail-head in order.placement)", "tail-head is identical to long-context", "No plot"} {
		if !tells(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "forest.png") || strings.Contains(out, "settings.json") {
		t.Errorf("a picture of nothing:\n%s", out)
	}
}

// Names out of a journal are text in every output.
func TestHostileComparison(t *testing.T) {
	t.Parallel()
	name := "=HYPERLINK(\"http://x\")<script>alert(1)</script>\x1b]0;t\a\u202e"
	dir := comparisonFolder(t, name, func(d *compare.Described) {
		d.Remarks = []string{"remark" + name}
		d.Server = name
	}, core.RankOrder, core.Reversed)
	journal := read(t, dir, journalName)
	hostile, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, journalName), strings.ReplaceAll(strings.ReplaceAll(journal, `"name":"reversed"`, `"name":`+string(hostile)), `"reversed":{`, string(hostile)+`:{`))
	out := mustRun(t, "report", dir)
	if !strings.Contains(out, "Reorder: with =HYPERLINK") {
		t.Errorf("the arm is not the winner:\n%s", out)
	}
	texts := map[string]string{"what is printed": out}
	for _, file := range comparisonFileNames {
		if file != "forest.png" {
			texts[file] = read(t, dir, file)
		}
	}
	for file, text := range texts {
		bad := []string{"\x1b", "\a", "\u202e"}
		switch file {
		case "summary.csv", "flips.csv":
			bad = append(bad, ",=HYPER", "\"=HYPER")
		case "what is printed":
		default:
			bad = append(bad, "<script")
		}
		for _, bad := range bad {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", file, bad)
			}
		}
	}
}
