package vet_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

var update = flag.Bool("update", false, "write docs/vet and the index of docs/vet.md anew")

func check(t *testing.T, file *doctree.File, curve string) []vet.Finding {
	t.Helper()
	o := vet.Options{Decay: 0.5}
	if curve != "" {
		c, err := vet.LoadCurve(curve)
		if err != nil {
			t.Fatal(err)
		}
		o.Curve = c
	}
	findings, err := vet.Check(file, o)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

func parse(t *testing.T, name, text string) *doctree.File {
	t.Helper()
	file, err := doctree.Parse(name, []byte(text))
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
	"autorag-question-first.yaml":      "19:19 BE103 warning",
	"autorag-reranker-all.yaml":        "12:18 BE105 warning",
	"autorag-too-many.yaml":            "7:14 BE104 warning",
	"bookend-distance.yaml":            "5:14 BE004 error",
	"bookend-layout.json":              "3:24 BE103 warning",
	"bookend-misspelled.yaml":          "1:30 BE006 error, 2:33 BE005 error",
	"bookend-ranked.yaml":              "4:14 BE101 warning",
	"dify-few.yml":                     "51:17 BE103 note",
	"dify-question-first.yml":          "51:17 BE103 warning",
	"dify-too-many.yml":                "31:18 BE104 warning",
	"haystack-litm-before-joiner.yaml": "6:3 BE002 error",
	"haystack-litm-before-ranker.yaml": "6:3 BE002 error",
	"haystack-question-first.yaml":     "9:9 BE103 warning",
	"haystack-too-many.yaml":           "4:14 BE104 warning",
	"haystack-twice.yaml":              "9:3 BE003 error",
	"home-anchors.yaml":                "5:18 BE101 warning",
	"home-ascending.json":              "4:20 BE102 warning",
	"home-few.yaml":                    "4:16 BE101 note",
	"home-flat.yaml":                   "5:14 BE101 warning",
	"home-helm-values.yaml":            "14:22 BE101 warning",
	"home-messages.yaml":               "7:16 BE103 warning",
	"home-order-in-retriever.yaml":     "3:16 BE002 error",
	"home-pipeline-rerank.yaml":        "4:11 BE002 error",
	"home-pipeline-trim.yaml":          "6:11 BE001 error",
	"home-pipeline-twice.yaml":         "6:17 BE003 error",
	"home-production.yaml":             "10:16 BE101 warning",
	"home-profiles.yaml":               "4:33 BE101 note, 8:33 BE101 warning",
	"home-question-first.yaml":         "8:5 BE103 warning",
	"home-reranker-all.yaml":           "4:1 BE105 warning",
	"home-threshold-range.yaml":        "5:16 BE004 error",
	"home-threshold.yaml":              "5:14 BE004 error",
	"home-too-many.yaml":               "4:12 BE104 warning",
	"home-two-documents.yaml":          "12:16 BE101 warning",
	"home-unknown-order.yaml":          "4:16 BE006 error",
	"home-window.yaml":                 "5:23 BE005 error",
}

// Every file has exactly the findings that are expected of it, and a clean one has
// none.
func TestFiles(t *testing.T) {
	t.Parallel()
	files, err := vet.Files([]string{filepath.Join("testdata", "files")})
	if err != nil {
		t.Fatal(err)
	}
	clean := 0
	for _, path := range files {
		file, err := doctree.Read(path)
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
		if got := short(check(t, file, "")); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
		}
	}
	if len(files) < 40 || clean < 20 || len(files) != clean+len(expected) {
		t.Errorf("%d files, %d clean, %d with findings", len(files), clean, len(expected))
	}
}

const production = "testdata/files/home-production.yaml"

// One finding, decided by the curve of the model, and gone after the fix.
func TestProductionConfiguration(t *testing.T) {
	t.Parallel()
	file, err := doctree.Read(production)
	if err != nil {
		t.Fatal(err)
	}
	findings := check(t, file, "")
	if got, want := short(findings), "10:16 BE101 warning"; got != want {
		t.Fatalf("(-want +got)\n-%s\n+%s", want, got)
	}
	f := findings[0]
	if !strings.Contains(f.Message, "lost in the middle") || f.Fix.Line != "  chunk_order: head_tail_alternating   # as the reranker gives them" {
		t.Errorf("message %q, fix %+v", f.Message, f.Fix)
	}
	for curve, want := range map[string]string{
		"Llama-2-70B-chat": "10:16 BE101 error", "llama-2-70b-chat-repo/20": "10:16 BE101 error",
		"GPT-3.5-Turbo": "", "gpt-3.5-turbo/10": "", "gpt-3.5-turbo/20": "",
	} {
		findings := check(t, file, curve)
		if got := short(findings); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", curve, want, got)
		}
		if want != "" && findings[0].Fix.New != "measured" {
			t.Errorf("%s: the fix is %+v", curve, findings[0].Fix)
		}
	}
	fixed, count := vet.Apply(file, findings)
	if count != 1 || short(check(t, parse(t, "fixed.yaml", string(fixed)), "")) != "" {
		t.Errorf("%d fixes leave %s", count, short(check(t, parse(t, "fixed.yaml", string(fixed)), "")))
	}
	old, now := bytes.Split(file.Source, []byte("\n")), bytes.Split(fixed, []byte("\n"))
	for i := range old {
		if (i == 9) == bytes.Equal(old[i], now[i]) {
			t.Errorf("line %d was %q and is %q", i+1, old[i], now[i])
		}
	}
}

// A curve decides only what its questions can tell.
func TestCurveOfFewQuestions(t *testing.T) {
	t.Parallel()
	file := parse(t, "a.yaml", "retriever: {top_k: 10}\nchunk_order: similarity_desc\n")
	for questions, want := range map[int]string{2000: "2:14 BE101 error", 20: "", 0: "2:14 BE101 warning"} {
		path := filepath.Join(t.TempDir(), "curve.json")
		curve := fmt.Sprintf(`{"format": "bookend-curve/1", "documents": 10, "questions": %d, "shape": "recency", "slots": [0, 5, 9], "accuracy": [0.6, 0.62, 0.7]}`, questions)
		if err := os.WriteFile(path, []byte(curve), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := short(check(t, file, path)); got != want {
			t.Errorf("%d questions (-want +got)\n-%s\n+%s", questions, want, got)
		}
		// A mapping with a parameter would not survive another name.
		own := parse(t, "b.yaml", "order: {top_k: 10, placement: {name: edges-first, edge: 3}}\n")
		for _, f := range check(t, own, path) {
			if f.Fix != nil && f.Fix.Known {
				t.Errorf("%+v", f.Fix)
			}
		}
	}
}

// Every fix that is written changes its value and no other byte, and mends what it
// is for.
func TestFixesChangeOneValue(t *testing.T) {
	t.Parallel()
	fixes := 0
	for name := range expected {
		file, err := doctree.Read(filepath.Join("testdata", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range check(t, file, "") {
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
			for _, left := range check(t, parse(t, name, string(fixed)), "") {
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
		curve := ""
		if rule.ID == "BE106" {
			curve = "gpt-3.5-turbo"
		}
		found := false
		for _, f := range check(t, parse(t, "before.yaml", rule.Before), curve) {
			found = found || f.Rule == rule.ID
			if f.Message == "" || f.Fine == "" || len(f.Picture) == 0 || f.Fix == nil && f.Advice == "" {
				t.Errorf("%s lacks message, picture, fix or when it is fine: %+v", rule.ID, f)
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
	same(index, text+marker+"\n\n"+vet.Index())
}

const marker = "<!-- What follows is generated from the rules. -->"

// FuzzCheck looks through any file that can be read, and applies what it may.
func FuzzCheck(f *testing.F) {
	paths, err := vet.Files([]string{filepath.Join("testdata", "files")})
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Base(path), data)
	}
	curve, err := vet.LoadCurve("gpt-3.5-turbo")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file, err := doctree.Parse(name, data)
		if err != nil {
			return
		}
		for _, o := range []vet.Options{{Decay: 0.5}, {Decay: 0.5, Curve: curve}} {
			findings, err := vet.Check(file, o)
			if err != nil {
				t.Fatal(err)
			}
			vet.Text(&bytes.Buffer{}, findings)
			if _, err := vet.SARIF(findings, o); err != nil {
				t.Fatal(err)
			}
			fixed, count := vet.Apply(file, findings)
			if count == 0 && !bytes.Equal(fixed, data) {
				t.Fatal("a file without fixes has changed")
			}
		}
	})
}
