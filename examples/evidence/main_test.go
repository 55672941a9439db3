package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/run"
)

// output runs the program without a configured model, and without leaving anything
// in the folder for temporary files.
func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"} {
		t.Setenv(name, "")
	}
	return runIn(t, args...)
}

func runIn(t *testing.T, args ...string) (string, error) {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	var out strings.Builder
	err := execute(t.Context(), args, &out)
	if left, readErr := os.ReadDir(temporary); readErr != nil || len(left) > 0 {
		t.Errorf("%v is left behind, error %v", left, readErr)
	}
	return out.String(), err
}

var arms = []string{"ranked", "head-tail", "shuffle 1", "shuffle 2", "shuffle 3", "repeat 1"}

func TestRun(t *testing.T) {
	out, err := output(t)
	if err != nil {
		t.Fatal(err)
	}
	// The finding stands in the first ten lines.
	first := unwrapped(terminal.First(out))
	if !strings.HasPrefix(first, "SIMULATED, no measurement. Is head-tail worth more than the retriever's own order? 160 questions over lists of 10 documents") ||
		!strings.Contains(unwrapped(out), "simulated gpt-3.5-turbo, 160 questions, 6 arms Arms: ranked (the baseline), head-tail, ") {
		t.Errorf("unexpected output:\n%s", out)
	}
	terminal.Fits(t, out)
	if !regexp.MustCompile(`(Reorder|Keep ranked|Inconclusive): with the simulated reader gpt-3\.5-turbo,? .*After 160 questions the 95 % confidence sequence goes from `).MatchString(first) {
		t.Errorf("no verdict in:\n%s", out)
	}
	if !regexp.MustCompile(`(?m)^160 of 160 questions count, 0 left out; 0 of \d+ calls failed\.$`).MatchString(out) {
		t.Errorf("no counts in:\n%s", out)
	}
	for _, arm := range arms {
		if !strings.Contains(out, "\n"+arm+" ") {
			t.Errorf("no row of %s in:\n%s", arm, out)
		}
	}
	// The strata hold all questions.
	questions := 0
	for _, row := range regexp.MustCompile(`(?m)^answer (?:at rank|in no document).*? {2,}(\d+) `).FindAllStringSubmatch(out, -1) {
		n := 0
		if err := json.Unmarshal([]byte(row[1]), &n); err != nil {
			t.Fatal(err)
		}
		questions += n
	}
	if questions != 160 {
		t.Errorf("%d questions in the strata:\n%s", questions, out)
	}
	if again, err := output(t); err != nil || again != out {
		t.Errorf("a second run (-want +got)\n-%s\n+%s\n%v", out, again, err)
	}
}

func TestRunUntilDecided(t *testing.T) {
	out, err := output(t, "-reader", "primacy", "-until-decided", "-k", "5")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^(\d+) of 160 questions count, `).FindStringSubmatch(out)
	if found == nil || !strings.Contains(out, "SIMULATED") {
		t.Fatalf("no counts in:\n%s", out)
	}
	if decided := regexp.MustCompile(`(?m)^(Reorder|Keep ranked): `).MatchString(out); decided == (found[1] == "160") {
		t.Errorf("it does not stop when, and only when, the answer is known:\n%s", out)
	}
}

// What -out keeps is what the command takes.
func TestOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "evidence")
	first, err := output(t, "-out", dir)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if want := []string{"journal.jsonl", "labels.jsonl", "lists.jsonl"}; !slices.Equal(names, want) {
		t.Errorf("files (-want +got)\n-%v\n+%v", want, names)
	}
	path := filepath.Join(dir, "lists.jsonl")
	reading, err := record.Read(path, func(e record.Entry) error {
		if len(e.Documents) != 10 || e.Question == "" || e.Documents[9].Text == "" {
			t.Errorf("recorded: %+v", e)
		}
		return nil
	})
	if err != nil || reading.Entries != 160 || reading.Torn != 0 {
		t.Errorf("%+v, %v", reading, err)
	}
	labels, err := dataset.ReadLabels(filepath.Join(dir, "labels.jsonl"))
	if err != nil || len(labels) != 160 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	lists, err := dataset.Rules{Lists: true, Labels: labels}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lists.Close()
	if r := lists.Report(); r.Kept != 160 || r.Lines != 160 || r.MaxDocuments != 10 || r.WithoutGold > 40 {
		t.Errorf("%+v", r)
	}
	journal := filepath.Join(dir, "journal.jsonl")
	result, err := compare.SummarizeJournal(journal, nil)
	if err != nil || !strings.Contains(unwrapped(first), unwrapped(result.Finding)) || !result.Simulated {
		t.Errorf("%s, %v", result.Finding, err)
	}
	// Once more into the same folder nothing is asked again, and another reader has to
	// go elsewhere.
	before, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := output(t, "-out", dir); err != nil || again != first {
		t.Errorf("a second run (-want +got)\n-%s\n+%s\n%v", first, again, err)
	}
	if _, err := output(t, "-out", dir, "-reader", "u"); err == nil || !strings.Contains(err.Error(), "-out") {
		t.Errorf("another reader into the same folder: %v", err)
	}
	if after, err := os.ReadFile(journal); err != nil || string(after) != string(before) {
		t.Errorf("the journal has changed from %d to %d bytes, %v", len(before), len(after), err)
	}
}

// TestTheEnvironmentNamesTheModel asks a server of our own.
func TestTheEnvironmentNamesTheModel(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, r.URL.Path+string(body))
		mu.Unlock()
		if strings.Contains(string(body), "after 45 days?") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "I do not know."}, "finish_reason": "stop"}},
		})
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_MODEL", "our-model")
	dir := filepath.Join(t.TempDir(), "evidence")
	out, err := runIn(t, "-k", "3", "-out", dir)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^159 of 160 questions count, 1 left out; [2-6] of \d+ calls failed\.$`).MatchString(out) {
		t.Errorf("the failures are not counted:\n%s", out)
	}
	if strings.Contains(out, "SIMULATED") || !strings.Contains(out, "\nour-model, 160 questions") || !strings.Contains(unwrapped(out), "with our-model the best challenger (head-tail)") {
		t.Errorf("unexpected output:\n%s", out)
	}
	if n := len(bodies); n < 300 || n > 960 { // nothing is asked twice that the server refuses
		t.Errorf("%d requests", n)
	}
	for _, want := range []string{"/v1/chat/completions", `"our-model"`, `"temperature":0`, "Document [1]"} {
		if !strings.Contains(bodies[0], want) {
			t.Errorf("no %q in the request %s", want, bodies[0])
		}
	}
	journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil || strings.Contains(string(journal), "sk-secret") || strings.Contains(out, "sk-secret") {
		t.Errorf("the key is written down, or %v", err)
	}
}

// A server that refuses everything is not asked for long.
func TestAWrongKeyEndsTheRun(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-wrong")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	_, err := runIn(t, "-k", "3")
	if failing := (*run.FailuresError)(nil); !errors.As(err, &failing) || failing.Last.Status != http.StatusUnauthorized || requests.Load() > 20 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-reader", "none"}, {"-k", "0"}, {"-k", "-1"}, {"u"}, {"-out", "/dev/null"}} {
		if out, err := output(t, args...); err == nil || out != "" {
			t.Errorf("%q: want an error and no output, got %v and:\n%s", args, err, out)
		}
	}
}

// unwrapped is a text on one line.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }
