package vet_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

var update = flag.Bool("update", false, "write docs/vet and the index of docs/vet.md anew")

func check(t *testing.T, file *doctree.File, curve string) []vet.Finding {
	t.Helper()
	o := vet.Options{Decay: 0.5}
	if curve != "" {
		c, err := judge.Load(curve)
		if err != nil {
			t.Fatal(err)
		}
		o.Curve = c
	}
	report, err := vet.Check(context.Background(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

func parse(t *testing.T, name, text string) *doctree.File {
	t.Helper()
	file, err := doctree.Parse(context.Background(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// short writes findings as place, rule and level.
func short(findings []vet.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Rule, f.Level))
	}
	return strings.Join(all, ", ")
}

// expected has the findings of every file in testdata/files that is not clean.
var expected = map[string]string{
	"autorag-cut-after.yaml":             "5:59 BE001 error",
	"autorag-question-first.yaml":        "19:19 BE103 warning",
	"autorag-reorder-before-rerank.yaml": "8:26 BE002 error",
	"autorag-too-many.yaml":              "7:14 BE104 warning",
	"bookend-layout.json":                "3:24 BE103 warning",
	"bookend-misspelled.yaml":            "1:30 BE007 error",
	"bookend-ranked.yaml":                "4:14 BE101 warning",
	"dify-completion.yml":                "13:19 BE103 warning",
	"dify-few.yml":                       "51:17 BE103 note",
	"dify-question-first.yml":            "51:17 BE103 warning",
	"dify-too-many.yml":                  "31:18 BE104 warning",
	"haystack-chat-question-first.yaml":  "11:21 BE103 warning",
	"haystack-cut-after.yaml":            "3:3 BE001 error",
	"haystack-litm-before-joiner.yaml":   "6:3 BE002 error",
	"haystack-litm-before-ranker.yaml":   "6:3 BE002 error",
	"haystack-question-first.yaml":       "9:9 BE103 warning",
	"haystack-too-many.yaml":             "4:14 BE104 warning",
	"haystack-twice.yaml":                "9:3 BE003 error",
	"home-anchors.yaml":                  "5:18 BE101 warning",
	"home-ascending.json":                "4:20 BE102 warning",
	"home-few.yaml":                      "4:16 BE101 note",
	"home-flat.yaml":                     "5:14 BE101 warning",
	"home-forty.yaml":                    "5:16 BE101 warning, 8:5 BE103 warning",
	"home-forty-camel.json":              "4:19 BE101 warning, 5:25 BE103 warning",
	"home-helm-values.yaml":              "14:22 BE101 warning",
	"home-kebab.yaml":                    "2:15 BE104 warning, 3:16 BE102 warning, 4:19 BE103 warning",
	"home-production.yaml":               "10:16 BE101 warning",
	"home-profiles.yaml":                 "4:33 BE101 warning, 8:33 BE101 warning",
	"home-two-documents.yaml":            "12:16 BE101 warning",
	"home-unknown-order.yaml":            "4:16 BE006 note",
}

// Every file has exactly the findings that are expected of it, and a clean one has
// none. Their names begin with their kinds.
func TestFiles(t *testing.T) {
	t.Parallel()
	clean, foreign, kinds := 0, 0, map[string]bool{}
	for _, path := range testFiles(t) {
		file, err := doctree.Read(context.Background(), path)
		if err != nil {
			t.Error(err)
			continue
		}
		name := filepath.Base(path)
		want := expected[name]
		if strings.HasPrefix(name, "clean") {
			clean++
		} else if want == "" {
			t.Errorf("%s: no finding is expected of it", name)
		}
		if !strings.Contains(name, "bookend") {
			foreign++
			kinds[strings.FieldsFunc(strings.TrimPrefix(name, "clean-"), func(r rune) bool { return r == '-' || r == '.' })[0]] = true
		}
		if got := short(check(t, file, "")); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
		}
	}
	if foreign < 40 || len(kinds) < 10 || clean < 30 {
		t.Errorf("%d foreign files of %d kinds, %d clean", foreign, len(kinds), clean)
	}
}

// testFiles are the files below testdata/files.
func testFiles(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "files", "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	return names
}

const production = "testdata/files/home-production.yaml"

// One finding, decided by the curve of the model, and gone after the fix.
func TestProductionConfiguration(t *testing.T) {
	t.Parallel()
	file, err := doctree.Read(context.Background(), production)
	if err != nil {
		t.Fatal(err)
	}
	findings := check(t, file, "")
	if got, want := short(findings), "10:16 BE101 warning"; got != want {
		t.Fatalf("(-want +got)\n-%s\n+%s", want, got)
	}
	f := findings[0]
	if !strings.Contains(f.Message, "lost in the middle") || f.Fix.Known || f.Fix.Line != "  chunk_order: head_tail_alternating   # as the reranker gives them" {
		t.Errorf("message %q, fix %+v", f.Message, f.Fix)
	}
	if fixed, count := vet.Apply(file, findings); count != 0 || !bytes.Equal(fixed, file.Source) {
		t.Errorf("%d fixes without a curve", count)
	}
	for curve, want := range map[string]string{
		"Llama-2-70B-chat": "10:16 BE101 error", "llama-2-70b-chat-repo/20": "10:16 BE101 error",
		"GPT-3.5-Turbo": "", "gpt-3.5-turbo/10": "", "gpt-3.5-turbo/20": "",
	} {
		findings := check(t, file, curve)
		if got := short(findings); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", curve, want, got)
		}
		fixed, count := vet.Apply(file, findings)
		if want == "" {
			continue
		}
		if left := short(check(t, parse(t, "fixed.yaml", string(fixed)), curve)); count != 1 || left != "" {
			t.Errorf("%s: %d fixes leave %q", curve, count, left)
		}
		old, now := bytes.Split(file.Source, []byte("\n")), bytes.Split(fixed, []byte("\n"))
		for i := range old {
			if (i == 9) == bytes.Equal(old[i], now[i]) {
				t.Errorf("line %d was %q and is %q", i+1, old[i], now[i])
			}
		}
	}
}

// curveFile writes a curve of ten documents.
func curveFile(t *testing.T, shape string, questions int, accuracy string, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "curve.json")
	text := fmt.Sprintf(`{"format": "bookend-curve/1", "documents": 10, "questions": %d, "shape": %q, "slots": [0, 5, 9], "accuracy": [%s]%s}`, questions, shape, accuracy, more)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A curve decides only what its questions can tell, and nothing that its shape finds
// right.
func TestCurvesDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, curve, want string
	}{
		{"recency, many questions", curveFile(t, "recency", 2000, "0.6, 0.62, 0.7", ""), "2:14 BE101 error"},
		{"recency, few", curveFile(t, "recency", 20, "0.6, 0.62, 0.7", ""), ""},
		{"recency, nobody knows how many", curveFile(t, "recency", 0, "0.6, 0.62, 0.7", ""), "2:14 BE101 warning"},
		{"recency, of use", curveFile(t, "recency", 2000, "0.6, 0.62, 0.7", `, "kind": "use"`), "2:14 BE101 warning"},
		{"flat", curveFile(t, "flat", 90_000, "0.6, 0.6, 0.62", ""), ""},
		{"flat, nobody knows how many", curveFile(t, "flat", 0, "0.6, 0.6, 0.6", ""), ""},
		{"primacy", curveFile(t, "primacy", 0, "0.8, 0.7, 0.6", ""), ""},
	} {
		for _, order := range []string{"chunk_order: similarity_desc", "chunkOrder:  similarityDesc", "chunk-order: similarity-desc"} {
			file := parse(t, "a.yaml", "retriever: {top_k: 40}\n"+order+"\n")
			if got := short(check(t, file, c.curve)); got != c.want {
				t.Errorf("%s, %s (-want +got)\n-%s\n+%s", c.name, order, c.want, got)
			}
		}
		// A mapping with a parameter would not survive another name.
		own := parse(t, "b.yaml", "order: {top_k: 10, placement: {name: edges-first, edge: 3}}\n")
		for _, f := range check(t, own, c.curve) {
			if f.Fix != nil && f.Fix.Known {
				t.Errorf("%+v", f.Fix)
			}
		}
	}
}

// A curve says nothing about a placement that a later step undoes.
func TestACurveJudgesWhatArrives(t *testing.T) {
	t.Parallel()
	curve := curveFile(t, "recency", 2000, "0.3, 0.32, 0.9", "")
	for name, want := range map[string]string{
		"haystack-twice.yaml": "9:3 BE003 error", "haystack-cut-after.yaml": "3:3 BE001 error", "clean-haystack.yaml": " BE106 error",
	} {
		file, err := doctree.Read(context.Background(), filepath.Join("testdata", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := short(check(t, file, curve)); !strings.HasSuffix(got, want) {
			t.Errorf("%s: (-want +got)\n-%s\n+%s", name, want, got)
		}
	}
}

// A fix is written as the word that it replaces.
func TestFixesKeepTheStyle(t *testing.T) {
	t.Parallel()
	curve := curveFile(t, "recency", 2000, "0.6, 0.62, 0.7", "")
	for order, want := range map[string]string{
		"chunk_order: similarity_desc": "chunk_order: similarity_asc", "chunk-order: similarity-desc": "chunk-order: similarity-asc",
		"chunkOrder: similarityDesc # ü": "chunkOrder: similarityAsc # ü", "chunk_order: \"relevance\"": "chunk_order: \"similarity_asc\"",
	} {
		file := parse(t, "a.yaml", "top_k: 10\n"+order+"\n")
		if fixed, count := vet.Apply(file, check(t, file, curve)); count != 1 || string(fixed) != "top_k: 10\n"+want+"\n" {
			t.Errorf("%s: %d fixes, %s", order, count, fixed)
		}
	}
}

// Every fix that is written changes its value and no other byte, and mends what it
// is for.
func TestFixesChangeOneValue(t *testing.T) {
	t.Parallel()
	fixes := 0
	curve := curveFile(t, "recency", 2000, "0.3, 0.32, 0.9", "")
	for name := range expected {
		file, err := doctree.Read(context.Background(), filepath.Join("testdata", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range check(t, file, curve) {
			if f.Fix == nil || !f.Fix.Known {
				continue
			}
			fixes++
			fixed, count := vet.Apply(file, []vet.Finding{f})
			if count != 1 {
				t.Errorf("%s: %d fixes", name, count)
			}
			lines := strings.Split(string(file.Source), "\n")
			want := strings.Replace(lines[f.Line-1], f.Fix.Old, f.Fix.New, 1)
			if f.Fix.Line != strings.TrimRight(want, "\r") {
				t.Errorf("%s: the changed line is %q, want %q", name, f.Fix.Line, want)
			}
			lines[f.Line-1] = want
			if got := string(fixed); got != strings.Join(lines, "\n") {
				t.Errorf("%s: more has changed than one value:\n%s", name, got)
			}
			for _, left := range check(t, parse(t, name, string(fixed)), curve) {
				if left.Line == f.Line && left.Rule == f.Rule {
					t.Errorf("%s: %s is still found", name, f.Rule)
				}
			}
		}
	}
	if fixes < 10 {
		t.Errorf("%d fixes were tried", fixes)
	}
}

// The examples of each rule show it: before has it, and after has nothing.
func TestExamplesOfTheRules(t *testing.T) {
	t.Parallel()
	for _, rule := range vet.Rules() {
		if rule.Before == "" {
			continue
		}
		curve := ""
		if rule.ID == "BE106" {
			curve = "gpt-3.5-turbo"
		}
		found := false
		for _, f := range check(t, parse(t, "before.yaml", rule.Before), curve) {
			found = found || f.Rule == rule.ID
			if f.Message == "" || f.Fine == "" || f.Fix == nil && f.Advice == "" {
				t.Errorf("%s lacks message, fix or when it is fine: %+v", rule.ID, f)
			}
			if f.Level != rule.Level {
				t.Errorf("%s is reported as %s", rule.ID, f.Level)
			}
		}
		if !found {
			t.Errorf("%s is not found in its own example", rule.ID)
		}
		if got := short(check(t, parse(t, "after.yaml", rule.After), curve)); got != "" {
			t.Errorf("%s: after the fix there is %s", rule.ID, got)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"BE101", "be101", " second-best-in-the-middle "} {
		if r, err := vet.Lookup(id); err != nil || r.ID != "BE101" {
			t.Errorf("%q: %v, %v", id, r, err)
		}
	}
	if _, err := vet.Lookup("BE999"); err == nil || !strings.Contains(err.Error(), "BE001") {
		t.Errorf("an unknown rule: %v", err)
	}
}

// The pages are what --explain prints.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	docs := filepath.Join("..", "..", "..", "docs")
	same := func(path, want string) {
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil || string(have) != want {
			t.Errorf("%s is not current (error %v): go test ./cmd/internal/vet -update writes it", path, err)
		}
	}
	pages, err := filepath.Glob(filepath.Join(docs, "vet", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range vet.Rules() {
		same(filepath.Join(docs, "vet", rule.ID+".md"), rule.Page())
	}
	if !*update && len(pages) != len(vet.Rules()) {
		t.Errorf("%d pages for %d rules", len(pages), len(vet.Rules()))
	}
	index := filepath.Join(docs, "vet.md")
	page, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(page), marker)
	if !found {
		t.Fatalf("%s has no line %q", index, marker)
	}
	table := "| rule | level | what it finds |\n|---|---|---|\n"
	for _, r := range vet.Rules() {
		table += fmt.Sprintf("| [%s](vet/%s.md) `%s` | %s | %s |\n", r.ID, r.ID, r.Name, r.Level, r.Title)
	}
	same(index, text+marker+"\n\n"+table)
}

const marker = "<!-- What follows is generated from the rules. -->"

// FuzzCheck looks through any file that can be read, and applies what it may.
func FuzzCheck(f *testing.F) {
	for _, path := range testFiles(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Base(path), data)
	}
	curve, err := judge.Load("gpt-3.5-turbo")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file, err := doctree.Parse(context.Background(), name, data)
		if err != nil {
			return
		}
		for _, o := range []vet.Options{{Decay: 0.5}, {Decay: 0.5, Curve: curve}} {
			report, err := vet.Check(context.Background(), file, o)
			if err != nil {
				t.Fatal(err)
			}
			findings := report.Findings
			fixed, count := vet.Apply(file, findings)
			if count == 0 && !bytes.Equal(fixed, data) {
				t.Fatal("a file without fixes has changed")
			}
		}
	})
}
