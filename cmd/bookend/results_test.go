package main

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/measure/compare"
)

// fits80 fails for lines that are wider than a terminal of 80 columns, but for commands and errors.
func fits80(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 && !strings.HasPrefix(line, "$ ") && !strings.HasPrefix(line, "bookend: ") {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

func TestSessionResults(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"sweep.txt":   {"sweep", "--simulate", "gpt-3.5-turbo/20", "--limit", "40"},
		"compare.txt": {"compare", "--simulate", "llama-2-70b-chat-repo", "--limit", "200"},
	} {
		dir := t.TempDir()
		got := session(t, dir, append(args, "--out", filepath.Join(dir, "out")))
		got = durations.ReplaceAllString(dates.ReplaceAllString(got, "DATE"), "N s")
		golden(t, name, got)
		fits80(t, got)
	}
}

// A run that was stopped is reported, goes on, and ends with a report of everything.
func TestSessionResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	run := []string{"sweep", "--simulate", "u", "--documents", "5", "--limit", "20", "--out", out}
	got := session(t, dir, append(run, "--max-calls", "100"), []string{"report", out}, run)
	got = durations.ReplaceAllString(dates.ReplaceAllString(got, "DATE"), "N s")
	golden(t, "resume.txt", got)
	fits80(t, got)
	var summary struct {
		Questions struct{ Complete int } `json:"questions"`
	}
	if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &summary); err != nil || summary.Questions.Complete != 20 {
		t.Errorf("the report is not fresh: %+v, error %v", summary, err)
	}
	// What somebody has changed is not replaced.
	write(t, filepath.Join(out, "summary.csv"), "mine")
	o := command(t, append(run, "--limit", "30")...)
	if o.code == exitDone || !strings.Contains(o.err, "--force overwrites it") || read(t, out, "summary.csv") != "mine" {
		t.Errorf("a changed file: code %d, %s", o.code, o.err)
	}
}

// What an earlier report wrote and a later one does not is gone, unless it was changed.
func TestStaleFilesGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := folder{dir: dir, about: "a"}
	var none strings.Builder
	for _, names := range [][]string{{"a", "b", "c"}, {"a"}} {
		if len(names) == 1 {
			write(t, filepath.Join(dir, "c"), "mine")
		}
		if err := writeFiles(&none, f, filesOf(names...)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); err == nil {
		t.Error("the stale file is there")
	}
	if read(t, dir, "c") != "mine" {
		t.Error("the changed file is gone")
	}
}

// The questions whose outcome changed stand in the report with both answers: by their IDs,
// and by their texts where that is asked for.
func TestFlips(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var sent struct{ Messages []struct{ Content string } }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		prompt := sent.Messages[len(sent.Messages)-1].Content
		answer := "London"
		if strings.Index(prompt, "It is Paris") > strings.Index(prompt, "Nothing here") {
			answer = "Paris"
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer},
		}}})
	}))
	defer server.Close()
	var lines strings.Builder
	for _, q := range []string{"Where did Zebulon go?", "Where did Xanthippe go?", "Where did Quistgaard go?"} {
		lines.WriteString(`{"question":"` + q + `","answers":["Paris"],"ctxs":[{"text":"It is Paris."},{"text":"Nothing here."},{"text":"Nor here, ` + q[10:14] + `."}]}` + "\n")
	}
	data := write(t, filepath.Join(t.TempDir(), "lists.jsonl"), lines.String())
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"compare", "--data", data, "--model", "m", "--base-url", server.URL, "--placements", "ranked,reversed", "--shuffles", "0", "--repeats", "0", "--out", out}
	printed := mustRun(t, args...)
	texts := func() string {
		return printed + read(t, out, "flips.csv") + read(t, out, "summary.json") + read(t, out, "report.html")
	}
	if !tells(printed, "The outcome changed in 3 questions: 3 right with reversed alone, 0 with ranked alone.") {
		t.Errorf("nothing of what changed:\n%s", printed)
	}
	if strings.Contains(texts(), "Zebulon") || !strings.Contains(read(t, out, "report.html"), `<h2 id="flips">`) {
		t.Error("a question is written down, or there is no table")
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, out, "flips.csv"))).ReadAll()
	if err != nil || len(rows) != 4 || strings.Join(rows[1][5:], ",") != "Paris,reversed,1,no,London,3,yes,Paris" {
		t.Errorf("flips.csv: %q, error %v", rows, err)
	}
	before := asked.Load()
	printed = mustRun(t, append(args, "--with-questions")...)
	for _, text := range []string{printed, read(t, out, "flips.csv"), read(t, out, "summary.json"), read(t, out, "report.html")} {
		if !strings.Contains(text, "Where did Zebulon") {
			t.Errorf("no question in:\n%s", text)
		}
	}
	printed = mustRun(t, "report", out)
	if strings.Contains(texts(), "Zebulon") {
		t.Error("the report without --data has questions")
	}
	printed = mustRun(t, "report", out, "--data", data)
	if !strings.Contains(read(t, out, "flips.csv"), "Where did Zebulon go?") || asked.Load() != before {
		t.Errorf("report --data has no questions, or %d requests were made", asked.Load()-before)
	}
	var r compare.Result
	if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &r); err != nil {
		t.Fatal(err)
	}
	if c := r.Arms[1].Against; len(r.Flips) != c.Wins+c.Losses {
		t.Errorf("%d flips, %d wins and %d losses", len(r.Flips), c.Wins, c.Losses)
	}
	if strings.Contains(read(t, out, journalName), "Zebulon") {
		t.Error("the journal has a question")
	}
}

func filesOf(names ...string) []safefile.File {
	var files []safefile.File
	for _, name := range names {
		files = append(files, safefile.File{Name: name, Data: []byte(strings.Repeat(name, len(names)))})
	}
	return files
}
