package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

type outcome struct {
	code     int
	out, err string
}

// command runs one command line with no environment but a key.
func command(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(t.Context(), args, streams{out: &out, err: &errs, getenv: func(name string) string {
		return map[string]string{"OPENAI_API_KEY": testKey}[name]
	}})
	return outcome{code, out.String(), errs.String()}
}

const testKey = "sk-test-0123456789-secret"

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	o := command(t, args...)
	if o.code != exitDone {
		t.Fatalf("bookend %s: exit code %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o.out
}

// tells says whether a text holds some words, wherever its lines end.
func tells(text, words string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(words), " "))
}

// words are those of a text that names a folder, wherever its lines end.
func words(text, dir string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, dir, "DIR")), " ")
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var reportFiles = []string{"summary.csv", "summary.json", "curve.json", "sweep.svg", "sweep.png", "report.html"}

var dates = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

func TestGoldenSimulatedSweep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	out := mustRun(t, "sweep", "--simulate", "u", "--documents", "7", "--limit", "60", "--out", dir)
	got := map[string]string{"sweep.txt": strings.ReplaceAll(out, dir, "DIR")}
	for _, name := range reportFiles[:3] {
		got[name] = read(t, dir, name)
	}
	for name, text := range got {
		text = dates.ReplaceAllString(text, "DATE")
		path := filepath.Join("testdata", "golden", name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, path, text)
		}
		if want := read(t, path); text != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, text)
		}
	}
	plot := out[strings.LastIndex(out, "SIMULATED: "):]
	plot = plot[:strings.Index(plot, "\n\n")]
	if n := strings.Count(plot, "\n") + 1; n > 20 {
		t.Errorf("the plot has %d lines, want 20 at most", n)
	}
	for _, name := range reportFiles {
		if name == "sweep.png" {
			continue
		}
		if !strings.Contains(strings.ToLower(read(t, dir, name)), "simulated") {
			t.Errorf("%s does not say that it is simulated", name)
		}
	}
}

// A report needs nothing but the journal, and says what the sweep said.
func TestReportFromTheJournalAlone(t *testing.T) {
	t.Parallel()
	first, second := filepath.Join(t.TempDir(), "first"), t.TempDir()
	run := mustRun(t, "sweep", "--simulate", "primacy", "--documents", "5", "--limit", "40", "--score", "best-subspan", "--first-line", "--out", first)
	if !tells(run, "The first line is scored by best-subspan.") {
		t.Errorf("not judged as asked:\n%s", run)
	}
	write(t, filepath.Join(second, journalName), read(t, first, journalName))
	report := mustRun(t, "report", second)
	for _, name := range reportFiles {
		if read(t, first, name) != read(t, second, name) {
			t.Errorf("%s: the report differs from that of the run", name)
		}
	}
	if want := words(run, first); !strings.HasSuffix(want, words(report, second)) {
		t.Errorf("the report prints (-want +got)\n-%s\n+%s", want, report)
	}
	if out := mustRun(t, "report", second); out != report {
		t.Errorf("a second report without --force differs:\n%s", out)
	}
}

func TestSeveralSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, both := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "both")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "20", "--out", a)
	mustRun(t, "sweep", "--simulate", "flat", "--documents", "8", "--limit", "20", "--out", b)
	if o := command(t, "report", a, b); o.code != exitUsage || !strings.Contains(o.err, "--out") {
		t.Errorf("without --out: code %d, %s", o.code, o.err)
	}
	out := mustRun(t, "report", a, b, "--out", both)
	for _, want := range []string{"A: SIMULATED: u, 5 documents", "B: SIMULATED: flat, 8 documents", "curve-A.json, curve-B.json"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	html := read(t, both, "report.html")
	if n := strings.Count(html, "<polyline"); n != 4 { // two curves, wide and narrow
		t.Errorf("%d curves in the page, want 4", n)
	}
}

func TestBadCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := write(t, filepath.Join(dir, "empty.txt"), " \n")
	csv := write(t, filepath.Join(dir, "data.csv"), "question,answer\na,b\n")
	sim := []string{"sweep", "--simulate", "u", "--out", filepath.Join(dir, "x")}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"swep"}, "swep"},
		{[]string{"sweep"}, "nothing says what to ask: give --data FILE"},
		{[]string{"sweep", "--kv", "3"}, "--model is missing"},
		{[]string{"sweep", "--kv", "3", "--model", "m"}, "--base-url is missing"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--base-url", "http://127.0.0.1:1"}, "--out is missing"},
		{[]string{"sweep", "--kv", "3", "--data", "f", "--model", "m", "--dry-run"}, "choose one"},
		{[]string{"sweep", "--data", "f", "--keys", "4", "--model", "m", "--dry-run"}, "--keys is 4"},
		{[]string{"sweep", "--kv", "3", "--model", "simulated m", "--dry-run"}, "is kept for simulated readers"},
		{[]string{"sweep", "--kv=-3", "--model", "m", "--dry-run"}, "--kv is -3: it must be 0 or more"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--max-cost", "1"}, "nothing has a price"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--max-cost", "NaN"}, "finite"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--params", "[1]"}, "--params is not a JSON object"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--params", `{"seed":1} {"seed":2}`}, "--params is not a JSON object"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--params", `{"seed":1,"seed":2}`}, "each key once"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--params", `{"Model":"x"}`}, `--params sets "model"`},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--layout", "query-aware"}, "need --instruction FILE"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--instruction", empty}, "is empty"},
		{[]string{"sweep", "--kv", "3", "--model", "m", "--dry-run", "--instruction", dir + "/none"}, "cannot be read"},
		{append(sim, "--instruction", csv, "--layout", "Bookend"), "--layout Bookend has a place for a task or a reminder"},
		{append(sim, "--instruction", csv, "--layout", "documents,question,reminder"), "leave them out, as question-last does"},
		{append(sim, "--instruction", csv, "--layout", "nonsense"), "list parts"},
		{[]string{"sweep", "--data", csv, "--model", "m", "--dry-run"}, "data.csv"},
		{[]string{"sweep", "--data", dir + "/none", "--model", "m", "--dry-run"}, "no such file"},
		{append(sim, "--simulate", "nobody"), "gpt-3.5-turbo/10|20"},
		{append(sim, "--model", "m"), "leave out --model"},
		{append(sim, "--batch-out", "f"), "needs no batch"},
		{append(sim, "--slots", "0,9"), "go from 1 to 20"},
		{append(sim, "--score", "vibes"), "best-subspan"},
		{append(sim, "--concurrency", "0"), "--concurrency is 0"},
		{append(sim, "--timeout", "0s"), "--timeout"},
		{[]string{"report"}, "<dir> ... is missing (see bookend help report)"},
		{[]string{"data"}, "<from> <file> ... is missing"},
		{[]string{"curve"}, "missing: --traffic=FILE"},
		{[]string{"sweep", "--out"}, "--out needs a value (see bookend help sweep)"},
		{[]string{"order", "ten"}, `<n> is "ten": it must be a whole number`},
		{append(sim, "--seed", "1.5"), `--seed is "1.5": it must be a whole number of at most 18 digits`},
		{append(sim, "--timeout", "5"), `--timeout is "5": it must be a time, such as 30s or 5m`},
		{append(sim, "--first-line=maybe"), `--first-line is "maybe": it must be true or false`},
		{[]string{"compare", "--worthwhile", "x"}, `--worthwhile is "x": it must be a number`},
		{[]string{"report", dir}, "has no journal.jsonl"},
		{[]string{"report", dir, "--score", "vibes"}, "best-subspan"},
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

// What a flag is refused for is said in our words, whatever the flag.
func TestTheParsersWordsAreNotShown(t *testing.T) {
	t.Parallel()
	flag := regexp.MustCompile(`(?m)^ +(--[a-z-]+)(=?)`)
	for _, name := range []string{"sweep", "compare", "report", "estimate", "curve", "reuse", "vet", "order", "data"} {
		tried := 0
		for _, f := range flag.FindAllStringSubmatch(mustRun(t, name, "--help"), -1) {
			arguments := []string{f[1] + "=1x"}
			if f[2] == "=" {
				arguments = append(arguments, f[1])
			}
			for _, argument := range arguments {
				tried++
				o := command(t, name, argument)
				if o.code != exitUsage || strings.Contains(o.err, "expected") || strings.Contains(o.err, "but got") || strings.Contains(o.err, "EOL") {
					t.Errorf("bookend %s %s: code %d\n%s", name, argument, o.code, o.err)
				}
			}
		}
		if tried < 2 {
			t.Errorf("%s: %d flags were found", name, tried)
		}
	}
}

// An interrupt that comes while a command still plans ends it like one that comes later.
func TestInterruptedWhilePlanning(t *testing.T) {
	t.Parallel()
	url, requests := server(t, right)
	done := filepath.Join(t.TempDir(), "done")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", done)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"sweep", "--data", questions(t, 3), "--model", "m", "--base-url", url, "--out", out},
		{"sweep", "--data", questions(t, 3), "--model", "m", "--dry-run"},
		{"sweep", "--simulate", "u", "--out", out},
		{"compare", "--data", retrieved(t, 3), "--model", "m", "--base-url", url, "--out", out},
		{"compare", "--data", retrieved(t, 30), "--model", "m", "--base-url", url, "--out", out, "--fit", "0.5"},
		{"compare", "--simulate", "u", "--dry-run"},
		{"estimate", "--data", retrieved(t, 3), "--curve", "gpt-3.5-turbo"},
		{"curve", "--traffic", recorded(t, 20, monday, nil)},
		{"report", done},
		{"order", "--docs", write(t, filepath.Join(t.TempDir(), "docs.jsonl"), `{"text":"a"}`)},
	} {
		var printed, errs bytes.Buffer
		code := execute(ctx, args, streams{out: &printed, err: &errs, getenv: func(string) string { return "" }})
		if code != exitIncomplete || !strings.Contains(errs.String(), "interrupted") || strings.Contains(errs.String(), "context canceled") {
			t.Errorf("bookend %q: code %d, want %d:\n%s", args, code, exitIncomplete, errs.String())
		}
	}
	if requests.Load() != 0 {
		t.Errorf("%d requests", requests.Load())
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out := mustRun(t, "sweep", "--help")
	line := `    {"question":"…","answers":["…"],"ctxs":[{"title":"…","text":"…","isgold":true},{"title":"…","text":"…"}]}`
	if !slices.Contains(strings.Split(out, "\n"), line) {
		t.Errorf("the keys of a question are not on one line:\n%s", out)
	}
	for _, want := range []string{"OPENAI_API_KEY", "--simulate", "--dry-run", "--max-cost"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the help", want)
		}
	}
	mustRun(t, "--help")
	mustRun(t, "report", "--help")
}

// What a release says is seen where one is rehearsed: integration_test/release.
func TestVersionInAClone(t *testing.T) {
	t.Parallel()
	if got := mustRun(t, "--version"); got != "bookend (devel)\n" {
		t.Errorf("%q", got)
	}
}
