package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// found checks a text under a name.
func found(t *testing.T, name, text string) []vet.Finding {
	t.Helper()
	file, err := doctree.Parse(context.Background(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	report, err := vet.Check(context.Background(), file, vet.Options{Decay: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

func printed(findings []vet.Finding) string {
	var b strings.Builder
	vetText(&b, findings)
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	want := `rag.yaml:7:16: warning BE101: ranked order gives the end of the prompt to the worst document
  7 |   chunk_order: similarity_desc   # as they come
    |                ^^^^^^^^^^^^^^^
  The documents (10 at most) reach the prompt best first: the second best stands
  in slot 2, and the last slot holds the worst. Many models read the middle
  worst (lost in the middle).
      slot         1    2    3    4    5    6    7    8    9   10
      now         r1   r2   r3   r4   r5   r6   r7   r8   r9  r10
      head-tail   r1   r3   r5   r7   r9  r10   r8   r6   r4   r2
  fix:  chunk_order: head_tail_alternating   # as they come
  Whether the program behind this file takes another word is not known: look at
  its documentation.
  fine: Ranked order is right for a model that reads the start best or every
        slot alike. It is also right where the best document nearly always holds
        the answer. Below five documents it hardly matters.
`
	if got := printed(found(t, "rag.yaml", faulty)); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

// Whatever a file holds is text on a terminal, and no line of it runs on.
func TestHostileText(t *testing.T) {
	t.Parallel()
	got := printed(found(t, "a\x1b[31m.yaml", "top_k: 9\n\"x\\e[31m\": 1\nchunk_order: \"\\e[2Jhead_tial_alternating\\n\\u202e\" # \u202e "+strings.Repeat("long", 100)+"\n---\nchunk_order: score_desc # \u202e\n"))
	if strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "BE006") || !strings.Contains(got, "fix:") {
		t.Errorf("%q", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if len([]rune(line)) > 200 {
			t.Errorf("a line of %d characters: %.80q", len([]rune(line)), line)
		}
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	data, err := vetSARIF(found(t, "conf/rag.yaml", faulty), vet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.ColumnKind != "unicodeCodePoints" || len(run.Results) != 1 || len(run.Tool.Driver.Rules) != len(vet.Rules()) {
		t.Fatalf("%s", data)
	}
	r := run.Results[0]
	if at := r.Locations[0].PhysicalLocation; run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Level != "warning" ||
		at.ArtifactLocation.URI != "conf/rag.yaml" || at.Region.StartLine != 7 || at.Region.StartColumn != 16 {
		t.Errorf("%+v", r)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b/c.YML", "b/d.json", "b/e.txt", ".git/f.yaml", "node_modules/g/h.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a: 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b", "link.yaml")); err != nil {
		t.Skip(err)
	}
	torn := filepath.Join(dir, "shut")
	if err := os.Mkdir(torn, 0); err != nil {
		t.Fatal(err)
	}
	paths, skipped, err := vetFiles(context.Background(), []string{dir, filepath.Join(dir, "b", "e.txt"), filepath.Join(dir, "b") + "/"})
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range paths {
		name, _ := filepath.Rel(dir, f.name)
		files = append(files, fmt.Sprint(filepath.ToSlash(name), " ", f.given))
	}
	if want := []string{"a.yaml false", "b/c.YML false", "b/d.json false", "b/e.txt true"}; !slices.Equal(files, want) {
		t.Errorf("(-want +got)\n-%q\n+%q", want, files)
	}
	if os.Getuid() != 0 && len(skipped) != 1 {
		t.Errorf("skipped %v, want the folder that is shut", skipped)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	if err := os.Symlink(filepath.Join(dir, "b"), linked); err != nil {
		t.Fatal(err)
	}
	if paths, _, err := vetFiles(context.Background(), []string{linked}); err != nil || len(paths) != 2 || paths[0].name != filepath.Join(linked, "c.YML") {
		t.Errorf("a link to a folder: %v, %v", paths, err)
	}
	if _, _, err := vetFiles(context.Background(), []string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing file is no error")
	}
}

// Whatever a message quotes is no link and no mention where SARIF is shown.
func TestSARIFHasNoLinks(t *testing.T) {
	t.Parallel()
	data, err := vetSARIF(found(t, "a.yaml", `order: {top_k: 3, placement: "[click](https://evil.example) <a href=x> www.evil.example @all ![x](http://e)"}`), vet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Runs []struct {
			Results []struct{ Message struct{ Text string } }
		}
	}
	if err := json.Unmarshal(data, &log); err != nil || len(log.Runs[0].Results) != 1 {
		t.Fatalf("%v\n%s", err, data)
	}
	text := log.Runs[0].Results[0].Message.Text
	for _, live := range []string{"](", "://", "www.e", "<a", "@all", "[click"} {
		if strings.Contains(strings.NewReplacer(`\[`, "", `\]`, "").Replace(text), live) {
			t.Errorf("%q is live in %q", live, text)
		}
	}
	if !strings.Contains(text, "click") {
		t.Errorf("the value is not quoted: %q", text)
	}
}

// A second finding of a rule shows its own lines, and says nothing that the first one
// said.
func TestTextSaysNothingTwice(t *testing.T) {
	t.Parallel()
	const profile = ":\n  retriever: {top_k: 20}\n  augmentation: {chunk_order: similarity_desc}\n"
	file := write(t, filepath.Join(t.TempDir(), "rag.yaml"), "one"+profile+"two"+profile)
	out := mustRun(t, "vet", file)
	if n := strings.Count(out, "warning BE101"); n != 2 {
		t.Fatalf("%d findings, want 2:\n%s", n, out)
	}
	for _, text := range []string{"The documents (", "Whether the program", "fine: "} {
		if n := strings.Count(out, text); n != 1 {
			t.Errorf("%q is printed %d times:\n%s", text, n, out)
		}
	}
	if n := strings.Count(out, "head-tail   r1"); n != 2 {
		t.Errorf("%d pictures, want 2:\n%s", n, out)
	}
}

func TestAPageOfARuleFitsTheTerminal(t *testing.T) {
	t.Parallel()
	page := mustRun(t, "vet", "--explain", "BE101")
	for line := range strings.Lines(page) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	whole := read(t, "..", "..", "docs", "vet", "BE101.md")
	if got, want := strings.Fields(page), strings.Fields(whole); !slices.Equal(got, want) {
		t.Errorf("the page has other words than docs/vet (-want +got)\n-%q\n+%q", want, got)
	}
}
