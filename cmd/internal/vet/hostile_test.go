package vet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// generators make files of about n bytes that cost a careless checker its time.
var generators = map[string]func(n int) string{
	"empty lists below a key.yaml": func(n int) string { return "<k: [" + strings.Repeat("[],", n/3) + "]\n" },
	"lists in lists.yaml": func(n int) string {
		return strings.Repeat("<k: [[],[[]],[[],[[]]]]\n", n/24)
	},
	"deep.yaml": func(n int) string {
		one := strings.Repeat("{a: ", 45) + "1" + strings.Repeat("}", 45)
		return strings.Repeat("- "+one+"\n", n/len(one))
	},
	"orders.yaml":     lines("- {top_k: 9, chunk_order: similarity_desc}\n"),
	"orders.json":     func(n int) string { return "[" + strings.Repeat(`{"chunk_order":"best_first"},`, n/29) + "1]" },
	"misspelled.yaml": lines("- {chunk_order: head_tial_alternating}\n"),
	"thresholds.yaml": func(n int) string {
		return "chunk_order: ranked\nretriever:\n" + strings.Repeat("  min_score: 0.9\n  max_score: 0.1\n", n/34)
	},
	"keys of settings.yaml": numbered("order:\n  placement: ranked\n", "  top_k%d: 1\n"),
	"pins.yaml":             func(n int) string { return "order: {pins: [" + strings.Repeat("1,", n/2) + "]}" },
	"placement.json": func(n int) string {
		inner := strings.Repeat("[", 90) + strings.Repeat("0,", n/2-200) + "0" + strings.Repeat("]", 90)
		return `{"order":{"placement":{"name":"measured","curve":` + inner + `}}}`
	},
	"haystack ends.yaml": numbered(haystackStart, "  k%d: {type: haystack.X.XRanker}\n"),
	"long names.yaml": func(n int) string {
		many, wires := haystackStart+"  &n "+strings.Repeat("n", n/2)+": {type: haystack.X.XRanker}\n", "connections:\n"
		for i := range n / 250 {
			many += fmt.Sprintf("  k%d: {type: haystack.X.LostInTheMiddleRanker}\n", i)
			wires += fmt.Sprintf("- {sender: k%d, receiver: *n}\n", i)
		}
		return many + wires
	},
	"long values.yaml": func(n int) string {
		text := "order:\n  rank: &v " + strings.Repeat("v", n-2000) + "\n"
		for _, key := range []string{"direction", "top_k", "budget", "unit", "overflow", "placement", "threshold_by", "max_bytes", "min_documents", "groups", "keep_best"} {
			text += "  " + key + ": *v\n"
		}
		return text
	},
	"haystack fan.yaml": func(n int) string {
		many := haystackStart
		for i := range n / 200 {
			many += fmt.Sprintf("  k%d: {type: haystack.X.XRanker}\n", i)
		}
		many += "connections:\n"
		for i := range n / 200 {
			many += fmt.Sprintf("- {sender: r.documents, receiver: k%d.documents}\n- {sender: k%d.documents, receiver: k%d.documents}\n", i, i, i/2)
		}
		return many
	},
	"haystack ladder.yaml": func(n int) string { // each rung feeds an end of its own
		many, wires := haystackStart, ""
		for i := range n / 220 {
			many += fmt.Sprintf("  k%d: {type: haystack.X.LostInTheMiddleRanker}\n  e%d: {type: haystack.X.XRanker}\n", i, i)
			wires += fmt.Sprintf("- {sender: k%d.d, receiver: k%d.d}\n- {sender: k%d.d, receiver: e%d.d}\n", i, i+1, i, i)
		}
		return many + "connections:\n" + wires
	},
	"one template, many aliases.yaml": func(n int) string {
		return "chunk_order: ranked\nt: &t |\n  " + strings.Repeat("{{{{{ question", n/28) + "\nall:\n" + strings.Repeat("- {template: *t}\n", n/34)
	},
	"one message, many aliases.yaml": func(n int) string {
		return "chunk_order: ranked\nt: &t {content: \"" + strings.Repeat("{docs ", n/12) + "\"}\nmessages:\n" + strings.Repeat("- *t\n", n/10)
	},
	"dify.yaml": func(n int) string {
		return "kind: app\napp: {}\nworkflow: {graph: {nodes: [&k {id: k, data: {type: knowledge-retrieval, multiple_retrieval_config: {top_k: 50}}}, &l {data: {type: llm, context: {variable_selector: [k]}, prompt_template: {text: \"" +
			strings.Repeat("{query} ", n/16) + "{context}\"}}}" + strings.Repeat(", *l", n/8) + "]}}\n"
	},
	"autorag.yaml": func(n int) string {
		return "node_lines: [{nodes: [" + strings.Repeat("{node_type: prompt_maker, top_k: 7, modules: [{module_type: long_context_reorder}]}, ", n/85) + "]}]"
	},
	"merges.yaml": func(n int) string {
		return "a: &a {chunk_order: ranked, top_k: 9}\n" + strings.Repeat("- ", 0) + strings.Repeat("? {<<: *a}\n: {<<: [*a, *a]}\n", n/30)
	},
	"keys without end.yaml": lines("é:\n"),
	"comments.yaml":         lines("a: b # c\n# d\n\n"),
	"tags.yaml":             numbered("", "%%TAG !a%d! tag:x\n"),
	"words.json":            func(n int) string { return `{"` + strings.Repeat("Ab", n/2) + `":"` + "x" + `"}` },
	"one line.yaml":         func(n int) string { return "{" + strings.Repeat("chunk_order: ranked, ", n/21) + "}" },
	"multibyte.yaml":        lines("- {é: ü, chunk_order: \"ranked\"} # \u202e\n"),
	"root keys.yaml":        numbered("order: {top_k: 3, min_documents: 4}\n", "k%d: 1\n"),
	"quotes.yaml":           func(n int) string { return `"` + strings.Repeat(`\x41`, n/4) + `"` },
	"documents.yaml":        lines("---\nchunk_order: ranked\n"),
	"unreadable.yaml":       lines("a: [\n"),
}

const haystackStart = "components:\n  r: {type: haystack.X.XRetriever}\n"

func lines(line string) func(int) string {
	return func(n int) string { return strings.Repeat(line, n/len(line)) }
}

func numbered(start, format string) func(int) string {
	return func(n int) string {
		b := []byte(start)
		for i := 0; len(b) < n-40; i++ {
			b = fmt.Appendf(b, format, i)
		}
		if strings.HasPrefix(start, "components") {
			b = append(b, "connections: []\n"...)
		}
		return string(b)
	}
}

// vetted runs the whole of vet over a text, and returns the findings.
func vetted(name, text string, o vet.Options) []vet.Finding {
	file, err := doctree.Parse(context.Background(), name, []byte(text))
	if err != nil {
		return nil
	}
	report, err := vet.Check(context.Background(), file, o)
	if err != nil {
		return nil
	}
	vet.Apply(file, report.Findings)
	return report.Findings
}

// BOOKEND_COSTS=1 measures what hostile files of 100 kB and of 1 MB cost: at most 3 s
// of CPU and 400 MB, and at most 15 times as much for ten times the size.
func TestCosts(t *testing.T) {
	if os.Getenv("BOOKEND_COSTS") == "" {
		t.Skip("BOOKEND_COSTS=1 measures")
	}
	curve, err := judge.Load("gpt-3.5-turbo")
	if err != nil {
		t.Fatal(err)
	}
	o := vet.Options{Decay: 0.5, Curve: curve}
	measure := func(name, text string) time.Duration {
		var all []time.Duration
		for range 5 {
			runtime.GC() // what the one before left is not on this one's account
			start := cpu()
			vetted(name, text, o)
			all = append(all, cpu()-start)
		}
		slices.Sort(all)
		return all[2]
	}
	for _, name := range slices.Sorted(mapsKeys(generators)) {
		small, large := generators[name](100_000), generators[name](1_000_000)
		a, b := measure(name, small), measure(name, large)
		ratio := b.Seconds() / max(a.Seconds(), 1e-4)
		if verdict := fmt.Sprintf("%-32s %7.1f ms %8.1f ms, %5.1f times", name, a.Seconds()*1e3, b.Seconds()*1e3, ratio); b > 3*time.Second || ratio > 15 && b > 20*time.Millisecond {
			t.Error(verdict)
		} else {
			t.Log(verdict)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if peak := m.Sys >> 20; peak > 400 {
		t.Errorf("%d MB from the system at the most", peak)
	} else {
		t.Logf("%d MB from the system at the most", peak)
	}
}

func mapsKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// What hostile files allocate, small ones, grows with their size and no faster: this
// is what the time follows, and it does not depend on the machine.
func TestCostGrowsWithTheSize(t *testing.T) {
	allocated := func(name, text string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		vetted(name, text, vet.Options{Decay: 0.5})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, generate := range generators {
		small, large := allocated(name, generate(20_000)), allocated(name, generate(100_000))
		if large > 10*small+8<<20 {
			t.Errorf("%s: %d kB for 20 kB, %d kB for 100 kB", name, small>>10, large>>10)
		}
	}
}

// A full report is an error, and what an alias repeats fills none.
func TestFullReports(t *testing.T) {
	t.Parallel()
	many := "a: &a {top_k: 9, chunk_order: similarity_desc}\nall: [" + strings.Repeat("*a, ", 400) + "]\nz:\n" + haystackTwice
	got := check(t, parse(t, "a.yaml", many), "")
	if s := short(got); s != "1:31 BE101 warning, 7:5 BE003 error" {
		t.Errorf("aliases: %s", s)
	}
	// Nor do aliases cost what they would as text.
	wide := "a: &a [" + strings.Repeat("1,", 60) + "]\nall: [" + strings.Repeat("*a,", 3000) + "]\nchunk_order: ranked\n"
	if s := short(check(t, parse(t, "a.yaml", wide), "")); s != "3:14 BE101 warning" {
		t.Errorf("many aliases: %s", s)
	}
	full := check(t, parse(t, "a.yaml", strings.Repeat("- chunk_order: similarity_desc\n", 5000)), "")
	if len(full) != 201 || full[0].Rule != "BE008" || full[0].Level != vet.Error {
		t.Errorf("%d findings, the first %+v", len(full), full[0])
	}
	busy := check(t, parse(t, "a.yaml", generators["one template, many aliases.yaml"](300_000)), "")
	if len(busy) == 0 || busy[0].Rule != "BE008" {
		t.Errorf("%s", short(busy))
	}
	refused := check(t, parse(t, "a.yaml", generators["keys of settings.yaml"](50_000)), "")
	if last := refused[len(refused)-1]; len(refused) != 101 || !strings.Contains(last.Message, "more than 100 faults") {
		t.Errorf("%d faults, the last %q", len(refused), last.Message)
	}
}

const haystackTwice = `  components:
    r: {type: haystack.X.XRetriever}
    a: {type: haystack.X.LostInTheMiddleRanker}
    b: {type: haystack.X.LostInTheMiddleRanker}
  connections:
    - {sender: r.d, receiver: a.d}
    - {sender: a.d, receiver: b.d}
`

// Only a regular file below the folder of the settings is opened for them.
func TestCurvesThatAreNotOpened(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "conf")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	curve, err := json.Marshal(map[string]any{"format": "bookend-curve/1", "documents": 2, "shape": "primacy", "slots": []int{0, 1}, "accuracy": []float64{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "curve.json"), filepath.Join(top, "out.json")} {
		if err := os.WriteFile(path, curve, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(dir, "pipe"), filepath.Join(top, "pipe")} {
		if err := mkfifo(name); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "pipe"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{
		"measured=curve.json": "", "measured=" + filepath.Join(dir, "curve.json"): "", "{name: curve, curve: ./curve.json}": "",
		"measured=none.json": "2:14 BE007 error", "measured=pipe": "2:14 BE007 error", "measured=.": "2:14 BE007 error",
		"measured=../pipe": "1:1 BE008 note", "measured=link.json": "1:1 BE008 note", "measured=/dev/zero": "1:1 BE008 note",
		"{name: measured, curve: ../pipe}": "1:1 BE008 note", "{name: \"Measured = ../pipe\"}": "1:1 BE008 note",
		"{name: measured=../pipe, edge: 3}": "2:14 BE007 error", "{name: ranked, curve: ../pipe}": "2:14 BE007 error",
		"measured=../out.json": "1:1 BE008 note", "{name: \"measured=" + filepath.Join(top, "pipe") + "\", edge: 3}": "2:14 BE007 error",
	} {
		path := filepath.Join(dir, "rag.yaml")
		if err := os.WriteFile(path, []byte("order:\n  placement: "+form+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := doctree.Read(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := short(check(t, file, "")); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", form, want, got)
		}
	}
	// Nor is anything opened for a word that looks like one of Bookend's elsewhere.
	if got := short(check(t, parse(t, filepath.Join(dir, "a.yaml"), "chunk_order: measured=pipe\n"), "")); got != "" {
		t.Errorf("elsewhere: %s", got)
	}
}

// A context that is done ends a check.
func TestContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	file := parse(t, "a.yaml", "chunk_order: ranked\n")
	cancel()
	if _, err := vet.Check(ctx, file, vet.Options{}); err != context.Canceled {
		t.Errorf("check: %v", err)
	}
	if _, err := doctree.Parse(ctx, "a.yaml", []byte("a: 1")); err != context.Canceled {
		t.Errorf("parse: %v", err)
	}
}
