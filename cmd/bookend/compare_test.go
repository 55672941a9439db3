package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
)

// retrieved writes n lists of 4 documents. The answer is "Paris", in the document of
// rank i modulo 4.
func retrieved(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"question":"What is capital number %d?","answers":["Paris"],"ctxs":[`, i)
		for rank := range 4 {
			text := fmt.Sprintf("Text %d of %d.", rank, i)
			if rank == i%4 {
				text = "It is Paris."
			}
			fmt.Fprintf(&b, `%s{"id":"%d-%d","text":%q}`, strings.Repeat(",", min(rank, 1)), i, rank, text)
		}
		b.WriteString("]}\n")
	}
	return write(t, filepath.Join(t.TempDir(), "lists.jsonl"), b.String())
}

// readsTheEnd is right when the answer stands in the last document.
func readsTheEnd(prompt string) (int, string) {
	before, _, _ := strings.Cut(prompt, "\n\nQuestion:")
	if strings.HasSuffix(before, "It is Paris.") {
		return http.StatusOK, "Paris"
	}
	return http.StatusOK, "no idea"
}

// result reads what a comparison found.
func result(t *testing.T, dir string) compare.Result {
	t.Helper()
	var r compare.Result
	if err := json.Unmarshal([]byte(read(t, dir, "summary.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func armNames(r compare.Result) (names []string) {
	for _, a := range r.Arms {
		names = append(names, a.Name)
	}
	return names
}

// private says which files of a folder others may read.
func private(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if e.IsDir() && info.Mode().Perm() != 0o700 || !e.IsDir() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v", e.Name(), info.Mode())
		}
		names = append(names, e.Name())
	}
	return names
}

// Of a fixed number of questions: where a run that stops early stops exactly is a
// matter of what was being asked at that moment.
func TestGoldenSimulatedComparison(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	out := mustRun(t, "compare", "--simulate", "llama-2-70b-chat-repo", "--limit", "60", "--shuffles", "1", "--out", dir)
	got := map[string]string{"compare.txt": strings.ReplaceAll(out, dir, "DIR")}
	for _, name := range []string{"summary.csv", "summary.json", "settings.json"} {
		got["compare-"+name] = read(t, dir, name)
	}
	for name, text := range got {
		text = dates.ReplaceAllString(text, "DATE")
		path := filepath.Join("testdata", "golden", name)
		if *update {
			write(t, path, text)
		}
		if want := read(t, path); text != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, text)
		}
	}
}

func TestSimulatedUntilDecided(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--simulate", "llama-2-70b-chat-repo", "--until-decided", "--out", dir}
	out := mustRun(t, args...)
	if report := out[strings.LastIndex(out, "SIMULATED: A simulated reader"):]; !strings.Contains(report, "\n\nReorder: with reversed, the simulated reader llama-2-70b-chat-repo is right ") {
		t.Errorf("the verdict does not follow the mark:\n%s", report)
	}
	want := append([]string{".report.json", "journal.jsonl"}, comparisonFileNames...)
	names := private(t, dir)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("files (-want +got)\n-%v\n+%v", want, names)
	}
	settled, err := settings.Load(filepath.Join(dir, "settings.json"), nil)
	if err != nil || settled.Order.Placement.Placement != core.Reversed {
		t.Errorf("settings %+v, error %v", settled, err)
	}
	r := result(t, dir)
	if r.Word != evidence.Reorder || r.Questions.Counted >= r.Questions.Planned || !slices.Equal(armNames(r), []string{"ranked", "head-tail", "reversed", "shuffle 1", "shuffle 2", "shuffle 3", "repeat 1"}) {
		t.Errorf("%s, arms %v", r.Finding, armNames(r))
	}

	// The report says what the run said, and writes the same bytes.
	before := map[string]string{}
	for _, name := range want {
		before[name] = read(t, dir, name)
	}
	if text := mustRun(t, "report", dir); !strings.HasSuffix(out, text) {
		t.Errorf("the report prints (-want +got)\n-%s\n+%s", out, text)
	}
	for name, text := range before {
		if read(t, dir, name) != text {
			t.Errorf("%s: the report differs from that of the run", name)
		}
	}

	// What is decided asks nothing more.
	again := command(t, args...)
	if again.code != exitDone || read(t, dir, journalName) != before[journalName] {
		t.Errorf("the same command again: code %d\n%s", again.code, again.err)
	}
}

// Traffic that was recorded without answers, and a file of labels.
func TestCompareRecordedLists(t *testing.T) {
	t.Parallel()
	url, requests := server(t, readsTheEnd)
	dir := t.TempDir()
	data, labels, out := filepath.Join(dir, "lists.jsonl"), filepath.Join(dir, "labels.jsonl"), filepath.Join(dir, "out")
	lines, answers := []string{`{"record":"bookend 1"}`}, []string{}
	for i := range 9 {
		question := fmt.Sprintf("What is capital number %d?", i)
		lines = append(lines, fmt.Sprintf(`{"time":"2026-01-31T00:00:00Z","question":%q,"ctxs":[{"id":"p","text":"It is Paris.","score":1,"hash":"0","length":12},{"id":"o","text":"Other %d.","score":null,"hash":"0","length":8}],"arrangement":{},"arm":"configured"}`, question, i))
		if i < 8 {
			answers = append(answers, fmt.Sprintf(`{"question":%q,"answers":["Paris"],"gold":["p"]}`, question))
		}
	}
	write(t, data, strings.Join(lines, "\n"))
	write(t, labels, strings.Join(answers, "\n"))
	args := []string{"compare", "--data", data, "--model", "m", "--base-url", url, "--out", out, "--shuffles", "0", "--repeats", "0", "--placements", "ranked,reversed"}
	if o := command(t, args...); o.code != exitUsage || !strings.Contains(o.err, "no answer") || !strings.Contains(o.err, "--labels") {
		t.Errorf("without labels: code %d, %s", o.code, o.err)
	}
	text := mustRun(t, append(args, "--labels", labels)...)
	if !tells(text, "9 lines, 8 kept; 1 left out: no answer (line 10)") {
		t.Errorf("the lines are not counted:\n%s", text)
	}
	r := result(t, out)
	if requests.Load() != 16 || r.Questions.Counted != 8 || r.Arms[0].Full.Correct != 0 || r.Arms[1].Full.Correct != 8 || len(r.Strata) != 1 || r.Strata[0].Name != "answer at rank 1" {
		t.Errorf("%d requests: %s", requests.Load(), r.Finding)
	}
}

func TestCompareFailures(t *testing.T) {
	t.Parallel()
	url, _ := server(t, func(prompt string) (int, string) {
		if strings.Contains(prompt, "number 3?") {
			return http.StatusBadRequest, ""
		}
		return readsTheEnd(prompt)
	})
	for rule, want := range map[string]compare.Questions{"drop": {Planned: 8, Counted: 7, Dropped: 1}, "wrong": {Planned: 8, Counted: 8}} {
		out := filepath.Join(t.TempDir(), "out")
		o := command(t, "compare", "--data", retrieved(t, 8), "--model", "m", "--base-url", url, "--out", out, "--unanswered", rule)
		if o.code != exitIncomplete || !strings.Contains(o.err, "7 calls failed") {
			t.Errorf("%s: code %d, want %d:\n%s", rule, o.code, exitIncomplete, o.err)
		}
		if r := result(t, out); r.Questions != want || r.Counts.Failed != 7 || string(r.Unanswered) != rule {
			t.Errorf("%s: questions (-want +got)\n-%+v\n+%+v", rule, want, r.Questions)
		}
		if !strings.Contains(o.out, "Inconclusive: ") {
			t.Errorf("%s: no report:\n%s", rule, o.out)
		}
	}
}

func TestCompareCapThenContinue(t *testing.T) {
	t.Parallel()
	url, requests := server(t, readsTheEnd)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--data", retrieved(t, 6), "--model", "m", "--base-url", url, "--out", out, "--shuffles", "1", "--placements", "ranked,reversed"}
	o := command(t, append(args, "--max-calls", "9")...)
	if o.code != exitIncomplete || !strings.Contains(o.err, "cap of 9 on calls") || !strings.Contains(o.err, "continues") || requests.Load() != 9 {
		t.Fatalf("code %d after %d requests:\n%s", o.code, requests.Load(), o.err)
	}
	// Calls that share a prompt are asked once.
	distinct := int64(len(prompts(t, append(slices.Clone(args), "--out", filepath.Join(t.TempDir(), "other"))...)))
	mustRun(t, args...)
	if requests.Load() != distinct {
		t.Errorf("%d requests in all, want %d", requests.Load(), distinct)
	}
	mustRun(t, args...)
	// A placement is added: its calls alone are made.
	more := append(slices.Clone(args[:len(args)-1]), "ranked,reversed,tail-head", "--force")
	both := int64(len(prompts(t, append(slices.Clone(more), "--out", filepath.Join(t.TempDir(), "other"))...)))
	mustRun(t, more...)
	if requests.Load() != both || both <= distinct {
		t.Errorf("with a placement more: %d requests in all, want %d, more than %d", requests.Load(), both, distinct)
	}
	if r := result(t, out); r.Questions.Counted != 6 || !slices.Contains(armNames(r), "tail-head") {
		t.Errorf("%s, arms %v", r.Finding, armNames(r))
	}
}

// prompts returns the distinct calls of a comparison, from its batch file.
func prompts(t *testing.T, args ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "batch.jsonl")
	mustRun(t, append(args, "--batch-out", file)...)
	return strings.Split(strings.TrimSpace(read(t, file)), "\n")
}

func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int64
	url, requests := server(t, func(prompt string) (int, string) {
		if asked.Add(1) == 10 {
			cancel()
		}
		return readsTheEnd(prompt)
	})
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--data", retrieved(t, 6), "--model", "m", "--base-url", url, "--out", out, "--placements", "ranked,reversed", "--concurrency", "1"}
	var printed, errs strings.Builder
	code := execute(ctx, args, streams{out: &printed, err: &errs, getenv: func(string) string { return "" }})
	if code != exitIncomplete || !strings.Contains(errs.String(), "interrupted with") {
		t.Fatalf("code %d\n%s", code, errs.String())
	}
	done := strings.Count(read(t, out, journalName), `"answer":`)
	distinct := len(prompts(t, append(slices.Clone(args), "--out", filepath.Join(t.TempDir(), "other"))...))
	before := int(requests.Load())
	mustRun(t, args...)
	if got := int(requests.Load()) - before; got != distinct-done || done < 9 {
		t.Errorf("%d answered, then %d requests, want %d in all", done, got, distinct)
	}
}

func TestCompareBatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results, out := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "out")
	args := []string{"compare", "--data", retrieved(t, 8), "--model", "m", "--placements", "ranked,reversed"}
	lines := prompts(t, args...)
	var b strings.Builder
	for _, line := range lines[:len(lines)-1] {
		var r struct {
			ID   string `json:"custom_id"`
			Body struct {
				Messages []struct{ Content string }
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		_, answer := readsTheEnd(r.Body.Messages[0].Content)
		fmt.Fprintf(&b, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":%q}}]}}}`+"\n", r.ID, answer)
	}
	o := command(t, append(args, "--batch-in", write(t, results, b.String()), "--out", out)...)
	if o.code != exitIncomplete || !strings.Contains(o.out, fmt.Sprintf("%d answered", len(lines)-1)) || !strings.Contains(o.err, "1 call of the batch have no answer") {
		t.Errorf("code %d\n%s%s", o.code, o.out, o.err)
	}
	if r := result(t, out); r.Questions.Counted != 8 || r.Counts.Missing != 1 { // it is a control's
		t.Errorf("questions %+v, calls %+v", r.Questions, r.Counts)
	}
	if rest := prompts(t, append(args, "--out", out)...); len(rest) != 1 {
		t.Errorf("a second batch asks %d calls, want the 1 that is missing", len(rest))
	}
}

func TestAnotherComparisonIsRefused(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	base := []string{"compare", "--simulate", "u", "--limit", "5", "--out", out}
	mustRun(t, base...)
	before := read(t, out, journalName)
	for _, args := range [][]string{
		{"--simulate", "flat"}, {"--seed", "2"}, {"--placements", "reversed,ranked"}, {"--layouts", "question-last"}, {"--top-k", "3"}, {"--max-tokens", "7"},
	} {
		o := command(t, append(slices.Clone(base), args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, "holds another comparison") {
			t.Errorf("%q: code %d, %s", args, o.code, o.err)
		}
	}
	if o := command(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", out); o.code != exitUsage || !strings.Contains(o.err, "holds a comparison") {
		t.Errorf("a sweep in the folder of a comparison: code %d, %s", o.code, o.err)
	}
	if read(t, out, journalName) != before {
		t.Error("a refused command changed the journal")
	}
	swept := filepath.Join(t.TempDir(), "sweep")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", swept)
	if o := command(t, "compare", "--simulate", "u", "--limit", "5", "--out", swept); o.code != exitUsage || !strings.Contains(o.err, "holds no comparison") {
		t.Errorf("a comparison in the folder of a sweep: code %d, %s", o.code, o.err)
	}
}

func TestCompareDryRun(t *testing.T) {
	t.Parallel()
	url, requests := server(t, right)
	dir := t.TempDir()
	out, data := filepath.Join(dir, "out"), retrieved(t, 40)
	args := []string{"compare", "--data", data, "--model", "m", "--base-url", url, "--out", out, "--placements", "ranked,reversed", "--shuffles", "0", "--repeats", "0", "--dry-run"}
	text := mustRun(t, append(args, "--price-prompt", "1000000", "--max-calls", "79")...)
	for _, want := range []string{"40 lines, 40 kept", "40 questions, 2 arms", "80 calls", "--max-calls 79 may stop it early: all of it may take 80", "Dry run: nothing was asked"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	// With a fit, the caps hold over both, and the order of the curve is not known yet:
	// it counts as one of its own.
	text = mustRun(t, append(args, "--fit", "0.5", "--max-calls", "100")...)
	calls := regexp.MustCompile(`(\d+) calls, \d+ tokens`).FindAllStringSubmatch(text, -1)
	var fit, then int
	if len(calls) != 2 {
		t.Fatalf("want two estimates:\n%s", text)
	}
	_, _ = fmt.Sscan(calls[0][1], &fit)
	_, _ = fmt.Sscan(calls[1][1], &then)
	swept := splitOf(t, text)
	if fit != swept*7 || then != (40-swept)*3 {
		t.Errorf("%d questions to fit: %d and %d calls, want %d and %d", swept, fit, then, swept*7, (40-swept)*3)
	}
	if want := fmt.Sprintf("--max-calls 100 may stop it early: all of it may take %d", fit+then); !strings.Contains(text, want) {
		t.Errorf("no %q in:\n%s", want, text)
	}
	if entries, err := os.ReadDir(dir); requests.Load() != 0 || err != nil || len(entries) != 0 {
		t.Errorf("%d requests, files %v, %v; want none", requests.Load(), entries, err)
	}
}

// splitOf returns how many questions are swept.
func splitOf(t *testing.T, text string) (n int) {
	t.Helper()
	found := regexp.MustCompile(`(?s)First a sweep.*?: \d+\s+lines,\s+(\d+)\s+kept`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no split in:\n%s", text)
	}
	_, _ = fmt.Sscan(found[1], &n)
	return n
}

// asked returns the questions of a journal's answers.
func asked(t *testing.T, path ...string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	if _, err := journal.Read(filepath.Join(path...), func(r journal.Record) error { ids[r.Question] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// A curve is fitted on one part of the questions and compared on the other.
func TestFitShare(t *testing.T) {
	t.Parallel()
	url, requests := server(t, readsTheEnd)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--data", retrieved(t, 60), "--model", "m", "--base-url", url, "--out", out, "--fit", "0.4", "--placements", "ranked,head-tail", "--shuffles", "0", "--repeats", "0"}
	text := mustRun(t, args...)
	fitted, compared := asked(t, out, "fit", journalName), asked(t, out, journalName)
	for id := range fitted {
		if compared[id] {
			t.Errorf("%s was fitted and compared", id)
		}
	}
	if len(fitted)+len(compared) != 60 || len(fitted) != splitOf(t, text) || len(fitted) < 10 {
		t.Errorf("%d fitted, %d compared, of 60", len(fitted), len(compared))
	}
	curve, err := core.LoadCurve(filepath.Join(out, "fit", "curve.json"))
	if err != nil || curve.Documents != 4 || curve.Questions != len(fitted) || curve.Shape != core.ShapeRecency {
		t.Fatalf("%+v, %v", curve, err)
	}
	r := result(t, out)
	if !slices.Equal(armNames(r), []string{"ranked", "head-tail", "measured"}) || r.SameQuestions || len(r.Notes) != 0 {
		t.Errorf("arms %v, same questions %v, notes %q", armNames(r), r.SameQuestions, r.Notes)
	}
	// Only the last slot is read: the curve puts the best document there.
	if got := r.Arms[2].Full.Correct; got == 0 || r.Strata[0].Arms[2].Correct != r.Strata[0].Questions {
		t.Errorf("measured is right %d times: %+v", got, r.Strata)
	}
	private(t, out)
	private(t, filepath.Join(out, "fit"))
	// The same command asks nothing again; the curve is the same.
	before := requests.Load()
	mustRun(t, args...)
	if requests.Load() != before {
		t.Errorf("%d requests by the same command again", requests.Load()-before)
	}
	settled, err := settings.Load(filepath.Join(out, "settings.json"), nil)
	if err != nil {
		t.Error(err)
	}
	if m, ok := settled.Order.Placement.Placement.(core.Measured); r.Winner == "measured" && (!ok || m.Curve.Shape != core.ShapeRecency) {
		t.Errorf("settings of %s: %+v", r.Winner, settled)
	}
}

// A question that fails for good does not stand in the way of the comparison. Once
// that has begun, its curve stands.
func TestFitWithFailures(t *testing.T) {
	t.Parallel()
	var healed atomic.Bool
	url, requests := server(t, func(prompt string) (int, string) {
		for _, number := range []string{"number 2?", "number 6?", "number 7?"} { // each in the split to fit
			if strings.Contains(prompt, number) && !healed.Load() {
				return http.StatusBadRequest, ""
			}
		}
		return readsTheEnd(prompt)
	})
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--data", retrieved(t, 60), "--model", "m", "--base-url", url, "--out", out, "--fit", "0.5", "--placements", "ranked,head-tail", "--shuffles", "0", "--repeats", "0", "--max-failures", "0"}
	text := mustRun(t, args...)
	const remark = "In the sweep behind the measured placement 21 calls failed: its curve rests on 28 of 31 questions."
	r := result(t, out)
	if !slices.Contains(armNames(r), "measured") || r.Questions.Counted != 29 || !slices.Contains(r.Notes, remark) || !tells(text, remark) {
		t.Errorf("arms %v, questions %+v, notes %q", armNames(r), r.Questions, r.Notes)
	}
	healed.Store(true)
	curve, before := read(t, out, "fit", "curve.json"), requests.Load()
	if mustRun(t, args...); requests.Load() != before || read(t, out, "fit", "curve.json") != curve {
		t.Errorf("the curve is measured again: %d requests", requests.Load()-before)
	}
	if o := command(t, append(args, "--fit-limit", "5")...); o.code != exitUsage || !strings.Contains(o.err, "a comparison that has begun") {
		t.Errorf("another sweep to fit: code %d, %s", o.code, o.err)
	}
}

func TestFitFileAndCaps(t *testing.T) {
	t.Parallel()
	url, requests := server(t, readsTheEnd)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.jsonl"), filepath.Join(dir, "second.jsonl")
	lines := strings.SplitAfter(read(t, retrieved(t, 30)), "\n")
	write(t, first, strings.Join(lines[:12], ""))
	write(t, second, strings.Join(lines[12:], ""))
	args := func(out string) []string {
		placements := "ranked,reversed"
		if out == "both" {
			placements = "ranked, measured , measured=gpt-3.5-turbo"
		}
		return []string{"compare", "--data", second, "--fit", first, "--model", "m", "--base-url", url, "--placements", placements, "--shuffles", "0", "--repeats", "0", "--out", filepath.Join(dir, out)}
	}
	// 12 questions × 7 calls to fit, so 16 are left; each question that is compared
	// takes 2 or more.
	o := command(t, append(args("capped"), "--max-calls", "100")...)
	if o.code != exitIncomplete || !strings.Contains(o.err, "cap of 16 on calls") || requests.Load() != 100 {
		t.Errorf("code %d after %d requests:\n%s", o.code, requests.Load(), o.err)
	}
	o = command(t, append(args("used up"), "--max-calls", "84")...)
	if o.code != exitIncomplete || !strings.Contains(o.err, "--max-calls is used up by the sweep of --fit") || requests.Load() != 184 {
		t.Errorf("code %d after %d requests:\n%s", o.code, requests.Load(), o.err)
	}
	mustRun(t, append(args("capped"), "--fit-limit", "12")...)
	if r := result(t, filepath.Join(dir, "capped")); r.Questions.Counted != 18 || !slices.Equal(armNames(r), []string{"ranked", "reversed", "measured"}) {
		t.Errorf("%s, arms %v", r.Finding, armNames(r))
	}
	// Both at once: the fitted curve and another.
	mustRun(t, args("both")...)
	if r := result(t, filepath.Join(dir, "both")); !slices.Equal(armNames(r), []string{"ranked", "measured", "measured=gpt-3.5-turbo"}) {
		t.Errorf("arms %v", armNames(r))
	}
	// The same file to fit and to compare.
	o = command(t, append(args("same"), "--data", first)...)
	if o.code != exitUsage || !strings.Contains(o.err, "12 questions of this comparison stand behind the measured curve") || !strings.Contains(o.err, "--same-questions") {
		t.Errorf("fitted on the questions that are compared: code %d, %s", o.code, o.err)
	}
}

// A curve that was fitted on the questions of the comparison needs leave, and then
// every output says so.
func TestSameQuestions(t *testing.T) {
	t.Parallel()
	url, _ := server(t, readsTheEnd)
	dir := t.TempDir()
	data, swept, out := retrieved(t, 24), filepath.Join(dir, "sweep"), filepath.Join(dir, "out")
	mustRun(t, "compare", "--data", data, "--fit", "0.5", "--model", "m", "--base-url", url, "--out", swept)
	args := []string{"compare", "--data", data, "--placements", "ranked,measured=" + filepath.Join(swept, "fit", "curve.json"), "--model", "m", "--base-url", url, "--out", out}
	if o := command(t, args...); o.code != exitUsage || !strings.Contains(o.err, "stand behind the measured curve") {
		t.Errorf("code %d, %s", o.code, o.err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a refused comparison made its folder")
	}
	text := mustRun(t, append(args, "--same-questions")...)
	r := result(t, out)
	for name, text := range map[string]string{"what is printed": text, "summary.csv": read(t, out, "summary.csv"), "report.html": read(t, out, "report.html"), "forest.svg": read(t, out, "forest.svg")} {
		if !strings.Contains(strings.ToLower(strings.ReplaceAll(text, "_", " ")), "same questions") {
			t.Errorf("%s does not say that the curve knew the questions", name)
		}
	}
	if !r.SameQuestions || !strings.Contains(r.Finding, "fitted on these questions") {
		t.Errorf("same questions %v: %s", r.SameQuestions, r.Finding)
	}
}

// Placements, layouts and numbers of documents are crossed.
func TestCompareCrosses(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	settings := write(t, filepath.Join(t.TempDir(), "own.json"), `{"order":{"drop_same_text":true},"prompt":{"instruction":"Be short.","cue":"Answer:"}}`)
	text := mustRun(t, "compare", "--simulate", "u", "--limit", "3", "--placements", "ranked,edges-first=2,edges-first=3", "--layouts", "question-last,query-aware", "--top-k", "4,8",
		"--settings", settings, "--format", "numbered", "--label-by", "slot", "--shuffles", "0", "--repeats", "0", "--out", out)
	want := []string{
		"ranked question-last top 4", "ranked question-last top 8", "ranked query-aware top 4", "ranked query-aware top 8",
		"edges-first=2 question-last top 4", "edges-first=2 question-last top 8", "edges-first=2 query-aware top 4", "edges-first=2 query-aware top 8",
		"edges-first=3 question-last top 4", "edges-first=3 question-last top 8", "edges-first=3 query-aware top 4", "edges-first=3 query-aware top 8",
	}
	if got := armNames(result(t, out)); !slices.Equal(got, want) {
		t.Errorf("arms (-want +got)\n-%q\n+%q\n%s", want, got, text)
	}
	d, err := compare.DescriptionOf(filepath.Join(out, journalName))
	if err != nil {
		t.Fatal(err)
	}
	arm := d.Arms[7]
	if o := arm.Order; !o.DropSameText || o.TopK != 8 || o.Placement.Placement != (core.EdgesFirst{Edge: 2}) {
		t.Errorf("order of %s: %+v", arm.Name, o)
	}
	if p := arm.Prompt; p.Instruction != "Be short." || p.Format != "numbered" || p.Labels != "slot" || p.Layout != "query-aware" {
		t.Errorf("prompt of %s: %+v", arm.Name, p)
	}
}

func TestBadComparisons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := retrieved(t, 4)
	large := write(t, filepath.Join(dir, "large.json"), `{"prompt":{"instruction":"`+strings.Repeat("x", 4<<20)+`"}}`)
	curve := write(t, filepath.Join(dir, "curve.json"), `{"format":"bookend-curve/1"}`)
	bad := write(t, filepath.Join(dir, "bad.json"), `{"order":{"topk":1}}`)
	kv := write(t, filepath.Join(dir, "kv.jsonl"), `{"ordered_kv_records":[["a","b"],["c","d"]],"key":"a","value":"b"}`)
	sim := []string{"compare", "--simulate", "u", "--limit", "2", "--out", filepath.Join(dir, "x")}
	file := []string{"compare", "--data", data, "--model", "m", "--base-url", "http://127.0.0.1:1", "--out", filepath.Join(dir, "x")}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"compare"}, "nothing says what to ask: give --data FILE"},
		{[]string{"compare", "--data", data}, "--model is missing"},
		{[]string{"compare", "--data", data, "--model", "m"}, "--base-url is missing"},
		{[]string{"compare", "--data", data, "--model", "m", "--base-url", "http://127.0.0.1:1"}, "--out is missing"},
		{append(sim, "--simulate", "nobody"), "gpt-3.5-turbo/10|20"},
		{append(sim, "--model", "m"), "leave out --model"},
		{append(sim, "--labels", "f"), "--labels are the answers of --data"},
		{append(sim, "--fit", "0.5"), "--fit measures on questions of a file"},
		{append(sim, "--decay", "0"), "decay"},
		{append(sim, "--worthwhile", "0"), "--worthwhile is 0"},
		{append(sim, "--worthwhile", "NaN"), "--worthwhile is NaN"},
		{append(sim, "--worthwhile", "100"), "--worthwhile is 100"},
		{append(sim, "--alpha", "1"), "--alpha is 1"},
		{append(sim, "--alpha", "NaN"), "--alpha is NaN"},
		{append(sim, "--top-k", "0"), "--top-k is 0"},
		{append(sim, "--limit=-1"), "--limit is -1"},
		{append(sim, "--fit-limit=-1"), "--fit-limit is -1"},
		{append(sim, "--shuffles=-1"), "--shuffles is -1"},
		{append(sim, "--repeats=-1"), "--repeats is -1"},
		{append(sim, "--shuffles", "101"), "--shuffles is 101"},
		{append(sim, "--unanswered", "ignore"), "--unanswered"},
		{append(sim, "--placements", "ranked"), "a baseline and a challenger"},
		{append(sim, "--placements", "ranked,poem"), `"poem"`},
		{append(sim, "--placements", "ranked,ranked"), "ranked"},
		{append(sim, "--placements", "ranked,measured"), "curve"},
		{append(sim, "--placements", "ranked,measured="+curve), "curve.json"},
		{append(sim, "--placements", "ranked,measured="+dir+"/none"), "there is no file"},
		{append(sim, "--layouts", "poem"), "poem"},
		{append(sim, "--format", "poem"), "poem"},
		{append(sim, "--label-by", "poem"), "poem"},
		{append(sim, "--settings", dir+"/none"), "/none: cannot be read"},
		{append(sim, "--settings", dir), "is not a regular file"},
		{append(sim, "--settings", bad), "topk"},
		{append(sim, "--settings", large), "larger than 1 MiB"},
		{append(sim, "--instruction", dir+"/none"), "--instruction cannot be read"},
		{append(sim, "--score", "vibes"), "best-subspan"},
		{append(sim, "--params", "[1]"), "--params is not a JSON object"},
		{append(slices.Clone(file[:5]), "--until-decided", "--batch-out", filepath.Join(dir, "round")), "--until-decided goes by batches in rounds"},
		{append(file, "--fit", "0.5", "--batch-out", "f"), "--fit asks before it compares"},
		{append(file, "--fit", "0.5", "--batch-in", "f"), "--fit asks before it compares"},
		{append(file, "--fit", "1"), "a share must be above 0 and below 1"},
		{append(file, "--fit", "-0.5"), "--fit"},
		{append(file, "--fit", "nan"), "a share must be above 0 and below 1"},
		{append(file, "--fit", dir+"/none"), "no such file"},
		{append(file, "--fit", "0.5", "--fit-slots", "0,99"), "slots"},
		{append(file, "--labels", dir+"/none"), "no such file"},
		{append(file, "--data", dir+"/none"), "no such file"},
		{append(file, "--data", kv), "no retriever returned"},
	} {
		o := command(t, c.args...)
		if o.code != exitUsage || !strings.Contains(o.err, c.want) {
			t.Errorf("bookend %q: code %d, want %d and %q in:\n%s", c.args, o.code, exitUsage, c.want, o.err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a refused command made its folder")
	}
}

func TestCompareKeyIsNowhere(t *testing.T) {
	t.Parallel()
	url, _ := server(t, func(prompt string) (int, string) {
		if strings.Contains(prompt, "number 1?") {
			return http.StatusUnauthorized, ""
		}
		return http.StatusOK, "your key is " + testKey
	})
	out := filepath.Join(t.TempDir(), "out")
	o := command(t, "compare", "--data", retrieved(t, 30), "--fit", "0.5", "--model", "m", "--base-url", url+"?token=very-secret", "--out", out, "--max-failures", "0")
	if o.code != exitIncomplete {
		t.Fatalf("code %d\n%s%s", o.code, o.out, o.err)
	}
	texts := map[string]string{"stdout": o.out, "stderr": o.err}
	for _, dir := range []string{out, filepath.Join(out, "fit")} {
		for _, name := range private(t, dir) {
			if name != "fit" {
				texts[filepath.Join(dir, name)] = read(t, dir, name)
			}
		}
	}
	for name, text := range texts {
		for _, bad := range []string{testKey, "very-secret"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds the secret %q", name, bad)
			}
		}
	}
	if len(texts) < 15 {
		t.Errorf("only %d outputs", len(texts))
	}
}

func TestCompareHelp(t *testing.T) {
	t.Parallel()
	out := mustRun(t, "compare", "--help")
	if !slices.Contains(strings.Split(out, "\n"), "    "+dataset.ListFormat) {
		t.Errorf("the keys of a list are not on one line:\n%s", out)
	}
	for _, want := range []string{"--until-decided", "--same-questions", "--fit", "--worthwhile", "--labels", "OPENAI_API_KEY"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the help", want)
		}
	}
}
