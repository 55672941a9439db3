package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/run"
)

// session is what somebody sees who types these commands, one after the other, with no
// terminal and a folder DIR.
func session(t *testing.T, dir string, commands ...[]string) string {
	t.Helper()
	var all strings.Builder
	for _, args := range commands {
		o := command(t, args...)
		fmt.Fprintf(&all, "$ bookend %s\n%s%s(ends with %d)\n\n", strings.Join(args, " "), o.err, o.out, o.code)
	}
	if dir == "" {
		return all.String()
	}
	return strings.ReplaceAll(all.String(), dir, "DIR")
}

// golden compares a text with a file of testdata/sessions.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "sessions", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, got)
	}
	if want := read(t, path); got != want {
		t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
	}
}

// What prints help fits a terminal of 80 columns, but for commands to copy.
func TestSessionHelp(t *testing.T) {
	t.Parallel()
	if bare, help := command(t), command(t, "help"); bare != help || bare != command(t, "--help") || bare.code != exitDone {
		t.Errorf("bookend alone, with help and with --help differ, or fail: %+v", bare)
	}
	for _, name := range []string{"sweep", "compare", "estimate", "curve", "reuse", "report", "vet", "order", "data", "completion"} {
		text := mustRun(t, "help", name)
		if text != mustRun(t, name, "--help") {
			t.Errorf("bookend help %s and bookend %[1]s --help differ", name)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(line) > 81 && !strings.HasPrefix(line, "    ") {
				t.Errorf("wider than 80 columns: %s", line)
			}
		}
	}
	golden(t, "help.txt", session(t, "", []string{}, []string{"help", "order"}, []string{"help", "completion"}))
}

func TestSessionTypo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lists := write(t, filepath.Join(dir, "lists.jsonl"), `{"question":"q","answers":["rope"],"ctxs":[{"text":"a rope"},{"text":"a tent"}]}`+"\n")
	out := filepath.Join(dir, "out")
	golden(t, "typo.txt", session(
		t, dir,
		[]string{"sweeep"},
		[]string{"repord", out},
		[]string{"nonsense"},
		[]string{"order", "--placment", "ranked", "5"},
		[]string{"order", "--placement", "head-tial", "5"},
		[]string{"order", "--placement", "sandwhich", "5"},
		[]string{"order", "-3"},
		[]string{"order", "--top-k", "-3", "5"},
		[]string{"sweep", "--simulate", "gpt-35-turbo", "--out", out},
		[]string{"sweep", "--simulate", "gpt-3.5-turbo/40", "--out", out},
		[]string{"sweep", "--simulate", "primcay", "--out", out},
		[]string{"sweep", "--simulate", "u", "--limit", "-1", "--out", out},
		[]string{"sweep", "--simulate", "u", "--slots", "0,5", "--out", out},
		[]string{"sweep", "--simulate", "u", "--layout", "querry-aware", "--out", out},
		[]string{"sweep", "--kv", "5", "--model", "m", "--base-url", "127.0.0.1:8080/v1", "--out", out},
		[]string{"sweep", "--kv", "5", "--model", "m", "--base-url", "sk-0123456789", "--out", out},
		[]string{"compare", "--simulate", "primcay", "--out", out},
		[]string{"compare", "--data", lists, "--model", "m", "--dry-run", "--placements", "ranked,hed-tail"},
		[]string{"compare", "--data", lists, "--model", "m", "--dry-run", "--placements", "ranked,measured=gpt-35-turbo"},
		[]string{"estimate", "--data", lists, "--curve", "gpt-35-turbo"},
		[]string{"estimate", "--data", lists, "--curve", "gpt-4.1", "--placements", "ranked,revresed"},
		[]string{"vet", "--curve", "gpt-35-turbo", lists},
	))
}

var durations = regexp.MustCompile(`\b\d+(\.\d+)?m?s\b`)

// Nothing listens there: the first words come before the first attempt, and why an
// attempt is repeated before the next one.
func TestSessionDeadPort(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	dead := server.URL
	server.Close()
	dir := t.TempDir()
	got := session(t, dir, []string{
		"sweep", "--kv", "3", "--keys", "4", "--model", "m", "--base-url", dead + "/v1", "--out", filepath.Join(dir, "out"),
		"--concurrency", "1", "--retries", "1", "--max-failures", "2",
	})
	got = durations.ReplaceAllString(strings.ReplaceAll(got, strings.TrimPrefix(dead, "http://"), "127.0.0.1:PORT"), "N s")
	golden(t, "dead-port.txt", got)
}

// lockedBuffer is written by a command while a server reads it.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestWordsComeBeforeRequests(t *testing.T) {
	t.Parallel()
	var errs lockedBuffer
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		want := []string{"", "Asking ", "Trying again in "}[min(requests, 2)]
		if !strings.Contains(errs.String(), want) {
			t.Errorf("request %d comes before %q is said:\n%s", requests, want, errs.String())
		}
		http.Error(w, "overloaded", http.StatusServiceUnavailable)
	}))
	defer server.Close()
	code := execute(t.Context(), []string{
		"sweep", "--kv", "1", "--keys", "3", "--model", "m", "--base-url", server.URL, "--out", t.TempDir(),
		"--concurrency", "1", "--retries", "1", "--max-failures", "1",
	}, streams{out: &bytes.Buffer{}, err: &errs, getenv: func(string) string { return "" }})
	if code == exitDone || requests != 2 {
		t.Errorf("code %d after %d requests:\n%s", code, requests, errs.String())
	}
}

// The time left is that of what is asked: 1,000 calls known before are no speed.
func TestTheTimeLeftLeavesOutWhatWasKnown(t *testing.T) {
	t.Parallel()
	now := run.Progress{Calls: 1100, Known: 1000, Answered: 9, Failed: 1, Elapsed: 10 * time.Second}
	var errs bytes.Buffer
	p := newProgress(streams{err: &errs}, "", 1100)
	p.finished(now)
	if errs.Len() > 0 {
		t.Errorf("a line at once: %s", errs.String())
	}
	p.lastLine = time.Now().Add(-time.Minute)
	p.finished(now)
	if got := errs.String(); got != "1010 of at most 1100 calls done, 1 failed; at most about 1m30s left\n" {
		t.Errorf("got %q", got)
	}

	bar := newProgress(streams{err: &errs, terminal: true}, `"m" at a server`, 1100)
	if got := errs.String(); !strings.Contains(got, "Asking \"m\" at a server …\n") || !strings.Contains(got, "0/1100") {
		t.Errorf("no bar at the start: %q", got)
	}
	bar.finished(now)
	if state := bar.bar.State(); state.CurrentNum != 10 || state.Max != 100 {
		t.Errorf("the bar stands at %d of %d, want 10 of 100", state.CurrentNum, state.Max)
	}
}

// A failure that stays the same is told once in a while.
func TestAFailureIsToldOnce(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	p := newProgress(streams{err: &errs}, "", 10)
	for range 5 {
		p.repeating(journal.Failure{Message: "bookend: refused\x1b[2J"}, 1234*time.Millisecond)
	}
	p.repeating(journal.Failure{Message: "busy"}, time.Second)
	if got, want := errs.String(), "Trying again in 1.2s: refused\\x1b[2J\nTrying again in 1s: busy\n"; got != want {
		t.Errorf("(-want +got)\n-%q\n+%q", want, got)
	}
}

func TestWhatTakesLongSaysSo(t *testing.T) {
	t.Parallel()
	var errs lockedBuffer
	s := streams{err: &errs}
	if err := unlessSoon(s, "Reading a", func() error { return nil }); err != nil || errs.String() != "" {
		t.Errorf("soon: %v, %q", err, errs.String())
	}
	err := unlessSoon(s, "Reading b", func() error {
		for errs.String() == "" {
			time.Sleep(time.Millisecond)
		}
		return os.ErrClosed
	})
	if err != os.ErrClosed || errs.String() != "Reading b …\n" {
		t.Errorf("later: %v, %q", err, errs.String())
	}
}

// The scripts are read by the shells that are here, and complete what they should.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range shells {
		script := mustRun(t, "completion", shell)
		for _, want := range []string{"sweep", "placements", "head-tail", "gpt-3.5-turbo/20", "lower-is-better", "o200k_base", "sarif", "fish"} {
			if !strings.Contains(script, want) {
				t.Errorf("%s: no %q in the script", shell, want)
			}
		}
		checkCompletion(t, shell, script)
	}
	if o := command(t, "completion", "tcsh"); o.code != exitUsage || !strings.Contains(o.err, "bash") {
		t.Errorf("an unknown shell: %+v", o)
	}
}

// checkCompletion asks a shell for what it would offer; not where it is missing.
func checkCompletion(t *testing.T, shell, script string) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Logf("%s is not installed: its script is not run", shell)
		return
	}
	file := write(t, filepath.Join(t.TempDir(), "script"), script)
	for line, want := range map[string]string{
		"bookend sw": "sweep", "bookend order --pl": "--placement", "bookend order --placement tail": "tail-head", "bookend completion z": "zsh",
	} {
		words := strings.Fields(line)
		args := map[string][]string{
			"bash": {"-c", `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _bookend; echo "${COMPREPLY[@]}"`, "bash", file},
			"fish": {"-c", "source $argv[1]; complete -C \"" + line + "\"", file},
			"zsh":  {"-f", "-n", file}, // the syntax alone: its completion needs a terminal
		}[shell]
		if shell == "bash" {
			args = append(args, words...)
		}
		out, err := exec.CommandContext(t.Context(), shell, args...).CombinedOutput()
		if err != nil || shell != "zsh" && !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %q offers %q (%v), want %q", shell, line, out, err, want)
		}
	}
}
