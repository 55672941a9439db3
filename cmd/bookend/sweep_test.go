package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// server answers each prompt with what reply says; an empty status is 200.
func server(t *testing.T, reply func(prompt string) (status int, text string)) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var body struct {
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		asked := body.Messages[len(body.Messages)-1].Content
		status, text := reply(asked)
		w.Header().Set("Content-Type", "application/json")
		if status != http.StatusOK {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"refused for the test"}}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": len(asked) / 4, "completion_tokens": 5},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", requests
}

func right(string) (int, string) { return http.StatusOK, "Paris" }

// questions writes a file of n questions with 3 documents each.
func questions(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"question":"What is capital number %d?","answers":["Paris"],"ctxs":[{"title":"a","text":"It is Paris.","isgold":true},{"title":"b","text":"Other %d."},{"title":"c","text":"More %d."}]}`+"\n", i, i, i)
	}
	return write(t, filepath.Join(t.TempDir(), "questions.jsonl"), b.String())
}

func TestDryRunSpendsNothing(t *testing.T) {
	t.Parallel()
	url, requests := server(t, right)
	out := filepath.Join(t.TempDir(), "out")
	text := mustRun(t, "sweep", "--data", questions(t, 4), "--model", "m", "--base-url", url, "--out", out, "--dry-run", "--price-prompt", "1000000", "--max-calls", "23")
	for _, want := range []string{"4 lines, 4 kept", "4 questions, each asked in 6 ways", "24 calls", "Dry run: nothing was asked", "--max-calls 23 may stop it early: all of it may take 24"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "cost 0.00") {
		t.Errorf("no cost in:\n%s", text)
	}
	if _, err := os.Lstat(out); requests.Load() != 0 || err == nil {
		t.Errorf("%d requests, folder: %v; want none", requests.Load(), err)
	}
}

func TestCapThenContinue(t *testing.T) {
	t.Parallel()
	url, requests := server(t, right)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"sweep", "--data", questions(t, 4), "--model", "m", "--base-url", url, "--out", out}
	o := command(t, append(args, "--max-calls", "7")...)
	if o.code != exitIncomplete || !strings.Contains(o.err, "cap of 7 on calls") || !strings.Contains(o.err, "continues") {
		t.Fatalf("code %d, want %d:\n%s", o.code, exitIncomplete, o.err)
	}
	if requests.Load() != 7 {
		t.Errorf("%d requests under the cap, want 7", requests.Load())
	}
	partly := mustRun(t, "report", out, "--out", filepath.Join(t.TempDir(), "partly"))
	if !strings.Contains(partly, "The figures are those of 1 question of 4 planned") {
		t.Errorf("a report of the first part:\n%s", partly)
	}
	mustRun(t, args...)
	if requests.Load() != 24 {
		t.Errorf("%d requests in all, want 24", requests.Load())
	}
	mustRun(t, args...)
	if requests.Load() != 24 {
		t.Errorf("a third run asked again: %d requests", requests.Load())
	}
}

func TestFailuresCount(t *testing.T) {
	t.Parallel()
	url, _ := server(t, func(prompt string) (int, string) {
		switch {
		case strings.Contains(prompt, "number 2") && strings.Contains(prompt, "More 2"):
			return http.StatusBadRequest, ""
		case strings.Contains(prompt, "number 1"):
			return http.StatusOK, ""
		}
		return right(prompt)
	})
	out := filepath.Join(t.TempDir(), "out")
	o := command(t, "sweep", "--data", questions(t, 4), "--model", "m", "--base-url", url, "--out", out)
	if o.code != exitIncomplete || !strings.Contains(o.err, "4 calls failed") {
		t.Fatalf("code %d, want %d:\n%s", o.code, exitIncomplete, o.err)
	}
	var r struct {
		Counts    judge.Counts
		Questions sweep.QuestionCounts
		Slots     []sweep.ArmResult
	}
	if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Counts.Failed != 4 || r.Counts.Empty != 6 || r.Questions.Complete != 3 || r.Questions.Incomplete != 1 || r.Slots[0].Full.Correct != 2 {
		t.Errorf("counts %+v, questions %+v, first slot %+v", r.Counts, r.Questions, r.Slots[0])
	}
	if page := read(t, out, "report.html"); !strings.Contains(page, "<td>slot 2</td><td>4</td><td>3</td><td>1</td>") {
		t.Error("the page does not count the failure in slot 2")
	}
}

func TestFailuresInARowStop(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		http.StatusUnauthorized:       "look at OPENAI_API_KEY or --header, and run the same command again",
		http.StatusServiceUnavailable: "wait until the server at --base-url serves again, and run",
		http.StatusOK:                 "look at --base-url and --model, and run", // a page
	} {
		url, requests := server(t, func(string) (int, string) { return status, "" })
		if status == http.StatusOK {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				_, _ = io.WriteString(w, "<html>Sign in</html>")
			}))
			defer s.Close()
			url = s.URL
		}
		o := command(t, "sweep", "--data", questions(t, 9), "--model", "m", "--base-url", url, "--out", filepath.Join(t.TempDir(), "out"),
			"--max-failures", "2", "--concurrency", "1", "--retries", "0")
		if o.code != exitFailed || !strings.Contains(o.err, "2 calls in a row failed") || !strings.Contains(o.err, want) || requests.Load() > 3 {
			t.Errorf("%d: code %d after %d requests:\n%s", status, o.code, requests.Load(), o.err)
		}
	}
}

func TestAnotherSweepIsRefused(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "5", "--out", out)
	before := read(t, out, journalName)
	for _, args := range [][]string{{"--simulate", "flat", "--documents", "5"}, {"--simulate", "u", "--documents", "6"}, {"--simulate", "u", "--documents", "5", "--seed", "2"}} {
		o := command(t, append([]string{"sweep", "--limit", "5", "--out", out}, args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, "holds another sweep") {
			t.Errorf("%q: code %d, %s", args, o.code, o.err)
		}
	}
	if read(t, out, journalName) != before {
		t.Error("a refused sweep changed the journal")
	}
	longer := mustRun(t, "sweep", "--simulate", "u", "--documents", "5", "--limit", "9", "--out", out, "--force")
	if !strings.Contains(longer, "The figures are those of all 9 questions.") {
		t.Errorf("a longer sweep does not continue:\n%s", longer)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	requests, results, out := filepath.Join(dir, "requests.jsonl"), filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "out")
	args := []string{"sweep", "--data", questions(t, 2), "--model", "m"}
	mustRun(t, append(args, "--batch-out", requests)...)
	if o := command(t, append(args, "--batch-out", requests)...); o.code != exitFailed || !strings.Contains(o.err, "--force") {
		t.Errorf("a second batch over the first: code %d, %s", o.code, o.err)
	}
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(read(t, requests)), "\n")
	for _, line := range lines {
		var r struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":"Paris"}}]}}}`+"\n", r.ID)
	}
	write(t, results, b.String())
	text := mustRun(t, append(args, "--batch-in", results, "--out", out)...)
	if !strings.Contains(text, fmt.Sprintf("%d answered", len(lines))) || !strings.Contains(text, "The figures are those of all 2 questions.") {
		t.Errorf("after the results:\n%s", text)
	}
}

// A request that takes too long is repeated.
func TestTimeoutsAreRepeated(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]int{}
	url, requests := server(t, func(prompt string) (int, string) {
		mu.Lock()
		seen[prompt]++
		first := seen[prompt] == 1
		mu.Unlock()
		if first {
			time.Sleep(1500 * time.Millisecond)
		}
		return right(prompt)
	})
	out := filepath.Join(t.TempDir(), "out")
	mustRun(t, "sweep", "--data", questions(t, 1), "--no-repeat", "--model", "m", "--base-url", url, "--timeout", "1s", "--concurrency", "8", "--out", out)
	if requests.Load() < 10 {
		t.Errorf("%d requests for 5 calls, want each twice", requests.Load())
	}
}
