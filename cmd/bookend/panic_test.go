package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// faultyWriter panics when something is written, as a fault in any command would.
type faultyWriter struct{}

func (faultyWriter) Write([]byte) (int, error) { panic("a planted fault\x1b[2J") }

// A panic in a command is told, and never looks like success.
func TestPanicInEachCommand(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", out)
	traffic := recorded(t, 20, monday, nil)
	settings := write(t, filepath.Join(t.TempDir(), "rag.yaml"), faulty)
	for _, args := range [][]string{
		{"sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--dry-run"},
		{"compare", "--simulate", "u", "--limit", "5", "--dry-run"},
		{"estimate", "--data", retrieved(t, 8), "--curve", "gpt-3.5-turbo"},
		{"curve", "--traffic", traffic},
		{"report", out},
		{"vet", settings},
		{"order", "5"},
		{"--help"},
	} {
		for variable, stack := range map[string]bool{"": false, "1": true} {
			var errs bytes.Buffer
			code := execute(t.Context(), args, streams{out: faultyWriter{}, err: &errs, getenv: func(name string) string {
				return map[string]string{stackVariable: variable}[name]
			}})
			told := errs.String()
			if code != exitUsage || !strings.Contains(told, "bookend: panic: a planted fault") || strings.Contains(told, "\x1b") {
				t.Errorf("%q: code %d, want %d and the panic in:\n%s", args, code, exitUsage, told)
			}
			if strings.Contains(told, "faultyWriter") != stack {
				t.Errorf("%q with %s=%q: a stack is wanted: %v\n%s", args, stackVariable, variable, stack, told)
			}
		}
	}
}

// What no computer can hold is refused before anything is allocated for it.
func TestHugeCounts(t *testing.T) {
	t.Parallel()
	docs := write(t, filepath.Join(t.TempDir(), "docs.jsonl"), `{"text":"a"}`)
	lists := retrieved(t, 2)
	for _, n := range []string{"3000000000", "9000000000000000000"} {
		for _, args := range [][]string{
			{"order", n},
			{"order", "5", "--top-k", n},
			{"order", "--docs", docs, "--top-k", n},
			{"sweep", "--simulate", "u", "--dry-run", "--documents", n},
			{"sweep", "--simulate", "u", "--dry-run", "--limit", n},
			{"sweep", "--simulate", "u", "--dry-run", "--repeats", n},
			{"sweep", "--simulate", "u", "--dry-run", "--slots", n},
			{"sweep", "--simulate", "u", "--dry-run", "--max-tokens", n},
			{"sweep", "--kv", n, "--model", "m", "--dry-run"},
			{"sweep", "--kv", "3", "--keys", n, "--model", "m", "--dry-run"},
			{"compare", "--simulate", "u", "--dry-run", "--limit", n},
			{"compare", "--simulate", "u", "--dry-run", "--top-k", n},
			{"compare", "--simulate", "u", "--dry-run", "--shuffles", n},
			{"compare", "--simulate", "u", "--dry-run", "--repeats", n},
			{"compare", "--simulate", "u", "--dry-run", "--max-tokens", n},
			{"estimate", "--data", lists, "--curve", "gpt-3.5-turbo", "--top-k", n},
			{"curve", "--traffic", docs, "--window", n},
		} {
			if o := command(t, args...); o.code != exitUsage || !strings.Contains(o.err, n) || strings.Contains(o.err, "panic") {
				t.Errorf("bookend %q: code %d, want %d and %s in:\n%s", args, o.code, exitUsage, n, o.err)
			}
		}
	}
}
