package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// scoreCommand writes a program that judges: .75 for an answer with "Paris", else 0. It
// writes down every line that it reads.
func scoreCommand(t *testing.T) (program string, lines func() []string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	dir := t.TempDir()
	script, log := filepath.Join(dir, "score.sh"), filepath.Join(dir, "log")
	write(t, log, "")
	write(t, script, `while IFS= read -r line; do
printf '%s\n' "$line" >>'`+log+`'
case $line in *'"answer":"'*Paris*'","references"'*) echo '{"score":0.75}';; *) echo '{"score":0}';; esac
done`)
	return "sh '" + script + "'", func() []string {
		text := strings.TrimSpace(read(t, log))
		if text == "" {
			return nil
		}
		return strings.Split(text, "\n")
	}
}

// judgeKey is that of the judge's server.
const judgeKey = "sk-judge-0123456789-secret"

// withJudge runs a command whose environment has both keys.
func withJudge(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(t.Context(), args, streams{out: &out, err: &errs, getenv: func(name string) string {
		return map[string]string{"OPENAI_API_KEY": testKey, "JUDGE_API_KEY": judgeKey}[name]
	}})
	for _, secret := range []string{testKey, judgeKey} {
		if strings.Contains(out.String()+errs.String(), secret) {
			t.Error("a key is printed")
		}
	}
	return outcome{code, out.String(), errs.String()}
}

// judgedSweep is the part of a sweep.Result that tells of judging.
type judgedSweep struct {
	Scorer    string
	JudgedBy  string `json:"judged_by"`
	Judge     *judge.Description
	Questions sweep.QuestionCounts
	Slots     []sweep.ArmResult
	Counts    judge.Counts
	Curve     json.RawMessage
}

func summaryOf(t *testing.T, dir string) (r judgedSweep) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, dir, "summary.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A program judges a sweep. Its report needs it no more, and the same sweep again asks it
// nothing.
func TestScoreCommand(t *testing.T) {
	t.Parallel()
	program, lines := scoreCommand(t)
	url, requests := server(t, func(prompt string) (int, string) {
		if strings.Contains(prompt, "number 1?") {
			return http.StatusOK, "Rome"
		}
		return http.StatusOK, "Paris\nand \"more\""
	})
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"sweep", "--data", questions(t, 2), "--model", "m", "--base-url", url, "--score-command", program, "--out", out}
	text := mustRun(t, args...)
	if !tells(text, "Judged by the command \"sh ") || !tells(text, ": at most 12 calls") || !tells(text, "The full answer is scored by the command \"sh ") {
		t.Errorf("nobody says who judged:\n%s", text)
	}
	if !strings.Contains(read(t, out, "report.html"), "scored by the command &#34;sh ") {
		t.Error("the page does not say who judged")
	}
	r := summaryOf(t, out)
	if r.Judge == nil || r.Judge.Command != program || r.Slots[0].Full.Correct != 1 || r.Slots[0].MeanScore != 0.375 || !strings.Contains(read(t, out, "summary.csv"), ",1,0.5000,0.0945,0.9055,,,,,0.3750,") {
		t.Errorf("%+v\n%s", r.Slots[0], read(t, out, "summary.csv"))
	}
	if !regexp.MustCompile(`(?m)^slot 1 +2 +37\.5 % .* 1$`).MatchString(text) || strings.Contains(read(t, out, "summary.json"), `"first_line"`) {
		t.Error("the first line was not judged, and is told of")
	}
	asked := lines()
	var q struct {
		Question, Answer string
		Documents        []struct{ Title, Text string }
		References       []string
	}
	whole := slices.IndexFunc(asked, func(line string) bool {
		return strings.Contains(line, "Other") && strings.Contains(line, "It is Paris.")
	})
	if err := json.Unmarshal([]byte(asked[max(whole, 0)]), &q); err != nil || len(q.Documents) != 3 || q.Documents[0].Text == "" || q.References[0] != "Paris" || q.Question == "" || q.Answer == "" {
		t.Errorf("%v: %+v", err, q)
	}
	// One judgement an answer, but for the repeat, which shows what the middle slot shows.
	if len(asked) != 10 || requests.Load() != 12 {
		t.Errorf("%d judgements, %d requests", len(asked), requests.Load())
	}
	want := read(t, out, "summary.json")
	if mustRun(t, append(args, "--force")...); len(lines()) != 10 || requests.Load() != 12 || read(t, out, "summary.json") != want {
		t.Errorf("again: %d judgements, %d requests", len(lines()), requests.Load())
	}
	again := t.TempDir()
	write(t, filepath.Join(again, journalName), read(t, out, journalName))
	if mustRun(t, "report", again); read(t, again, "summary.json") != want {
		t.Error("a report without the judge says something else")
	}
	other := filepath.Join(t.TempDir(), "other")
	mustRun(t, "report", out, "--score", "exact", "--out", other)
	if r := summaryOf(t, other); r.Scorer != "exact" || r.Judge != nil || r.Slots[0].MeanScore != 0.5 {
		t.Errorf("by another scorer: %+v", r.Slots[0])
	}
	if o := command(t, "report", out, "--first-line", "--out", other); o.code != exitUsage || !strings.Contains(o.err, "has judged the full answer alone") {
		t.Errorf("%+v", o)
	}
	// The first lines are another matter.
	mustRun(t, append(args, "--first-line", "--force")...)
	if r := summaryOf(t, out); len(lines()) != 20 || r.JudgedBy != "first line" || r.Slots[0].FirstLine.Correct != 1 || requests.Load() != 12 {
		t.Errorf("first lines: %d judgements, %+v", len(lines()), r.Slots[0])
	}
	if last := lines()[len(lines())-1]; strings.Contains(last, "more") {
		t.Error("more than the first line was judged:", last)
	}
}

// A judge that dies, or that talks, gives no score but a failure, and is asked again.
func TestScoreCommandFails(t *testing.T) {
	t.Parallel()
	good, lines := scoreCommand(t)
	url, requests := server(t, right)
	dir := t.TempDir()
	broken := write(t, filepath.Join(dir, "broken"), "")
	bad := write(t, filepath.Join(dir, "bad.sh"), `if test -e '`+broken+`'; then read -r line; echo 'boom: no gold' >&2; exit 3; fi; exec `+good)
	out := filepath.Join(dir, "out")
	args := []string{"sweep", "--data", questions(t, 2), "--model", "m", "--base-url", url, "--score-command", "sh " + bad, "--retries", "0", "--force", "--out", out}
	o := command(t, append(args, "--max-failures", "0")...)
	if o.code != exitIncomplete || !strings.Contains(o.err, "12 calls failed") || !strings.Contains(o.out, "Answers on which the judge failed: 12. Their calls count as failed") || requests.Load() != 12 {
		t.Errorf("%d requests, code %d\n%s%s", requests.Load(), o.code, o.out, o.err)
	}
	if r := summaryOf(t, out); r.Counts.Failed != 12 || r.Counts.Answered != 0 || r.Questions.Complete != 0 || r.Curve != nil {
		t.Errorf("%+v", r.Counts)
	}
	if o = command(t, append(args, "--max-failures", "3")...); o.code != exitFailed || !strings.Contains(o.err, `ended with: exit status 3; its last words: "boom: no gold"; look at --score-command`) {
		t.Errorf("code %d\n%s", o.code, o.err)
	}
	for _, name := range []string{"sweep", "compare"} { // an answer without a judgement is not judged, and the report says so
		unjudged := filepath.Join(dir, name)
		same := append([]string{name, "--data", map[string]string{"sweep": questions(t, 1), "compare": retrieved(t, 2)}[name], "--model", "m", "--base-url", url, "--score-command", "sh " + bad, "--out", unjudged}, "--max-calls", "1")
		if o := command(t, same...); o.code != exitIncomplete {
			t.Errorf("code %d\n%s", o.code, o.err)
		}
		if text := mustRun(t, "report", unjudged); !strings.Contains(text, "Answers that are not judged yet: 1.") {
			t.Errorf("%s", text)
		}
	}
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	mustRun(t, args...)
	if r := summaryOf(t, out); r.Counts.Failed != 0 || r.Slots[0].Full.Correct != 2 || requests.Load() != 14 || len(lines()) == 0 {
		t.Errorf("mended: %+v, %d requests", r.Counts, requests.Load())
	}
}

// judgeServer is a model that judges; words are its answer to what it is told.
func judgeServer(t *testing.T, words func(told string) string) (url string, told func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model     string
			Messages  []struct{ Content string }
			MaxTokens int `json:"max_tokens"`
			Seed      int
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Header.Get("Authorization") != "Bearer "+judgeKey || body.Model != "judge" || body.MaxTokens != 50 || body.Seed != 7 {
			t.Errorf("%+v, %v, %v", body, r.Header, err)
		}
		mu.Lock()
		all = append(all, body.Messages[0].Content)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"content": words(body.Messages[0].Content)}, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 10},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), all...)
	}
}

const judgePrompt = "Q: {{question}}\nWanted: {{references}}\nGot: {{answer}}\nEnd with a score."

// A model judges a comparison, which stops once it is decided; both are priced and capped.
func TestJudgeModel(t *testing.T) {
	t.Parallel()
	url, requests := server(t, func(prompt string) (int, string) {
		documents, _, _ := strings.Cut(prompt, "\n\nQuestion:")
		if last := documents[strings.LastIndex(documents, "Document ["):]; strings.Contains(last, "Paris") || strings.Contains(last, "Text 0 of") {
			return http.StatusOK, "Paris"
		}
		return http.StatusOK, "no idea"
	})
	judgeURL, told := judgeServer(t, func(told string) string {
		if strings.Contains(told, "Got: Paris") {
			return "It is.\nScore: 1"
		}
		return "It is not.\nScore: 0"
	})
	dir := t.TempDir()
	args := []string{
		"compare", "--data", retrieved(t, 100), "--placements", "ranked,reversed", "--model", "m", "--base-url", url, "--until-decided", "--concurrency", "1", "--force",
		"--price-prompt", "1000000", "--out", filepath.Join(dir, "out"),
	}
	judged := append(args, "--judge-price-answer", "1000000", "--judge-model", "judge", "--judge-url", judgeURL, "--judge-max-tokens", "50", "--judge-params", `{"seed":7}`, "--judge-prompt", write(t, filepath.Join(dir, "prompt.txt"), judgePrompt+"\n"))
	o := withJudge(t, append(judged, "--dry-run")...)
	if !tells(o.out, `Judged by the model "judge": at most 381 calls, `) || !tells(o.out, "tokens of prompts, at most 19050 of answers, cost 19050.00") || len(told()) != 0 {
		t.Errorf("dry run:\n%s%s", o.out, o.err)
	}
	if o = withJudge(t, append(judged, "--max-calls", "25")...); o.code != exitIncomplete || requests.Load()+int64(len(told())) > 25 || len(told()) == 0 {
		t.Errorf("%d requests and %d judgements under a cap of 25\n%s", requests.Load(), len(told()), o.err)
	}
	if o = withJudge(t, judged...); o.code != exitDone {
		t.Fatalf("code %d\n%s%s", o.code, o.out, o.err)
	}
	r := result(t, filepath.Join(dir, "out"))
	if by := `the model "judge" by chat at ` + judgeURL + "/v1/chat/completions"; r.Scorer != by || r.Judge == nil || r.Judge.Prompt != judgePrompt || !tells(o.out, "is scored by "+by) || !strings.Contains(read(t, dir, "out", "report.html"), "End with a score.") {
		t.Errorf("judged by %q, %+v\n%s", r.Scorer, r.Judge, o.out)
	}
	if !regexp.MustCompile(`(?m)^ranked \(baseline\) .* %  +–$`).MatchString(o.out) {
		t.Errorf("the first line was not judged, and is told of:\n%s", o.out)
	}
	asked := map[string]bool{}
	for _, text := range told() {
		if asked[text] {
			t.Errorf("judged twice: %s", text)
		}
		asked[text] = true
	}
	if r.Spent.Judge.Completion != 10*len(told()) || r.Spent.Usage.Completion != 5*int(requests.Load()) || r.Cost == nil || *r.Cost != float64(r.Spent.Usage.Prompt)+float64(10*len(told())) || !strings.Contains(o.out, fmt.Sprintf("for the judge %d tokens of prompts", 100*len(told()))) {
		t.Errorf("%+v, cost %v, %d requests, %d judgements", r.Spent, *r.Cost, requests.Load(), len(told()))
	}
	// The words of the judge are kept; its key is not.
	if text := read(t, dir, "out", journalName); !strings.Contains(text, `It is not.\nScore: 0`) || strings.Contains(text, judgeKey) {
		t.Error("the journal lacks a word, or has a key")
	}
	// A judge of the same mind as a scorer comes to the same verdict, at the same question.
	args[len(args)-1] = filepath.Join(dir, "scored")
	mustRun(t, args...)
	if s := result(t, filepath.Join(dir, "scored")); s.Word != evidence.Reorder || s.Word != r.Word || s.Questions != r.Questions || s.Arms[1].Against.Wins != r.Arms[1].Against.Wins {
		t.Errorf("(-scorer +judge)\n-%s %+v\n+%s %+v", s.Word, s.Questions, r.Word, r.Questions)
	}
}

// Answers of a batch are judged once they are read, and so is the sweep of --fit.
func TestJudgedBatchAndFit(t *testing.T) {
	t.Parallel()
	program, lines := scoreCommand(t)
	dir := t.TempDir()
	batch, results := filepath.Join(dir, "batch.jsonl"), filepath.Join(dir, "results.jsonl")
	args := []string{"sweep", "--data", questions(t, 1), "--model", "m"}
	mustRun(t, append(args, "--batch-out", batch)...)
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(read(t, batch)), "\n") {
		var r struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":"Paris"}}]}}}`+"\n", r.ID)
	}
	write(t, results, b.String())
	args = append(args, "--score-command", program, "--out", filepath.Join(dir, "out"), "--batch-in", results)
	mustRun(t, args...)
	if r := summaryOf(t, filepath.Join(dir, "out")); r.Slots[0].Full.Correct != 1 || r.Counts.Answered != 6 || len(lines()) != 5 {
		t.Errorf("%+v, %d judgements", r.Slots[0], len(lines()))
	}

	url, _ := server(t, readsTheEnd)
	out := filepath.Join(dir, "fit")
	mustRun(t, "compare", "--data", retrieved(t, 24), "--fit", "0.5", "--placements", "ranked,reversed", "--model", "m", "--base-url", url, "--score-command", program, "--out", out)
	if text := read(t, out, "fit", "summary.json"); !strings.Contains(text, `"scorer": "the command \"sh `) || !strings.Contains(text, `"failed": 0`) {
		t.Errorf("the fit was not judged:\n%s", text)
	}
	// What judging took in the sweep counts against the caps of both: 300 would do for either.
	judgeURL, told := judgeServer(t, func(string) string { return "Score: 1" })
	o := withJudge(t, "compare", "--data", retrieved(t, 24), "--fit", "0.5", "--placements", "ranked,reversed", "--model", "m", "--base-url", url, "--out", filepath.Join(dir, "capped"), "--max-cost", "300",
		"--judge-model", "judge", "--judge-url", judgeURL, "--judge-max-tokens", "50", "--judge-params", `{"seed":7}`, "--judge-price-answer", "1000000", "--judge-prompt", write(t, filepath.Join(dir, "prompt.txt"), judgePrompt))
	if o.code != exitIncomplete || len(told()) > 30 || !strings.Contains(o.err, "the cap of ") && !strings.Contains(o.err, "--max-cost is used up") {
		t.Errorf("code %d, %d judgements at 10 each\n%s", o.code, len(told()), o.err)
	}
	reading, err := journal.Read(filepath.Join(out, journalName), func(journal.Record) error { return nil })
	if err != nil || result(t, out).Judge == nil || reading.Spent.Requests <= result(t, out).Counts.Answered {
		t.Errorf("%v, %+v", err, reading.Spent)
	}
}

func TestJudgeFlags(t *testing.T) {
	t.Parallel()
	prompt := write(t, filepath.Join(t.TempDir(), "p"), "{{answer}}")
	for want, args := range map[string][]string{
		"an answer is judged by one: give --score": {"--score", "exact", "--score-command", "x"},
		"judged by one":                                    {"--judge-model", "x", "--score-command", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", prompt},
		"--judge-url is for a model that judges":           {"--judge-url", "http://127.0.0.1:1"},
		"--judge-params is for a model":                    {"--score-command", "x", "--judge-params", "{}"},
		"--judge-url is missing":                           {"--judge-model", "x", "--judge-prompt", prompt},
		"--judge-prompt is missing":                        {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1"},
		"--judge-prompt cannot be read":                    {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", "/no/such"},
		"--judge-params is not a JSON object":              {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", prompt, "--judge-params", "7"},
		"must hold {{answer}}":                             {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", write(t, filepath.Join(t.TempDir(), "p"), "{{question}}")},
		"--judge-price-prompt is -1":                       {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", prompt, "--judge-price-prompt=-1"},
		"--judge-max-tokens is 0":                          {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", prompt, "--judge-max-tokens", "0"},
		"--batch-out asks the model alone: give the judge": {"--score-command", "x", "--batch-out", filepath.Join(t.TempDir(), "b")},
		"--judge-header is NAME=VALUE":                     {"--judge-model", "x", "--judge-url", "http://127.0.0.1:1", "--judge-prompt", prompt, "--judge-header", "x"},
		"is \"http://judge.example\": a key":               {"--judge-model", "x", "--judge-url", "http://judge.example", "--judge-prompt", prompt},
	} {
		out := filepath.Join(t.TempDir(), "out")
		o := withJudge(t, append([]string{"sweep", "--kv", "2", "--keys", "3", "--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--out", out}, args...)...)
		if o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("(-want +got) code %d\n-%s\n+%s", o.code, want, o.err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: something was asked", want)
		}
	}
}
