package integration_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/integration_test/parts"
	"github.com/bookend-rag/bookend/measure/journal"
)

// villageQuestions are four questions with three documents each, in our own words.
const villageQuestions = `{"question":"What colour is the boat of the ferryman?","answers":["green"],"ctxs":[{"text":"The ferryman painted his boat green last spring.","isgold":true},{"text":"The mill stands beside the river."},{"text":"Bread is sold on Fridays."}]}
{"question":"Who keeps the key of the tower?","answers":["the baker","baker"],"ctxs":[{"text":"The key of the tower is kept by the baker.","isgold":true},{"text":"The tower has ninety steps."},{"text":"A storm came in May."}]}
{"question":"On which day is the market?","answers":["Tuesday"],"ctxs":[{"text":"The market is held on Tuesday, behind the church.","isgold":true},{"text":"The church has two bells."},{"text":"Horses drink at the well."}]}
{"question":"How many bridges cross the canal?","answers":["seven"],"ctxs":[{"text":"Seven bridges cross the canal between the two locks.","isgold":true},{"text":"The canal was dug by hand."},{"text":"Barges carry salt."}]}
`

// judgePrompt asks for a score; the judge's server takes a grammar, since a model of this
// size would not keep to a form.
const (
	judgePrompt = "Question: {{question}}\nRight answer: {{references}}\nGiven answer: {{answer}}\nDoes the given answer say what the right answer says? Reply with Score: 1 if it does, Score: 0.5 if in part, and Score: 0 if not."
	grammar     = `{"grammar":"root ::= \"Score: \" (\"0\" | \"0.5\" | \"1\")"}`
)

// documentedProgram is the program of docs/scoring.md.
func documentedProgram(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/scoring.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```python\n")
	program, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/scoring.md has no program")
	}
	return program
}

// TestJudgesOfARealModel asks SmolLM2, and has its answers judged by itself, over a
// sweep, and by a program, over a comparison. Each is killed twice and resumed: nothing
// is asked twice but what was open, and the report needs no judge.
func TestJudgesOfARealModel(t *testing.T) {
	server := parts.Start(t, "model.py", "--model", "smollm2", "--context", "2048")
	dir := t.TempDir()
	command := filepath.Join(dir, "bookend")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", command, "./cmd/bookend")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	// tee writes down what the program is asked.
	log := file("log", "")
	program := fmt.Sprintf("tee -a '%s' | python3 '%s'", log, file("score.py", documentedProgram(t)))
	data := file("questions.jsonl", villageQuestions)
	asked, judged := newModelProxy(t, server), newModelProxy(t, server)
	requests := func(p *modelProxy) int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.bodies)
	}
	lines := func() int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}
	for name, c := range map[string]struct {
		flags     []string
		judgments func() int
		by        string
	}{
		"a model, over a sweep": {
			[]string{"sweep", "--judge-model", "smollm2", "--judge-url", judged.URL + "/v1", "--judge-prompt", file("prompt.txt", judgePrompt), "--judge-max-tokens", "16", "--judge-params", grammar},
			func() int { return requests(judged) },
			`the model "smollm2" by chat at ` + judged.URL + "/v1/chat/completions",
		},
		"a program, over a comparison": {
			[]string{"compare", "--shuffles", "1", "--score-command", program},
			lines,
			fmt.Sprintf("the command %q", program),
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			path := filepath.Join(out, "journal.jsonl")
			args := append(c.flags, "--data", data, "--model", "smollm2", "--base-url", asked.URL+"/v1", "--max-tokens", "16", "--concurrency", "1", "--out", out)
			sent, judgedBefore := requests(asked), c.judgments()
			scores := map[float64]int{}
			// known counts what the journal has: answers, and judgements that were asked for.
			known := func() (answers, judgements int) {
				t.Helper()
				seen := map[string]bool{}
				clear(scores)
				_, err := journal.Read(path, func(r journal.Record) error {
					if id := r.Key + r.Of; seen[id] || r.Failure != nil {
						t.Errorf("twice, or a failure: %+v %+v", r, r.Failure)
					} else {
						seen[id] = true
					}
					switch {
					case r.Of == "":
						answers++
					case r.Answer != nil:
						judgements++
					}
					if r.Score != nil {
						scores[*r.Score]++
					}
					return nil
				})
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				return answers, judgements
			}
			for kill := range 2 {
				before, _ := known()
				run := exec.CommandContext(t.Context(), command, args...)
				if err := run.Start(); err != nil {
					t.Fatal(err)
				}
				for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
					if answers, _ := known(); answers >= before+5 {
						break
					}
					if time.Now().After(deadline) {
						t.Fatal("no five answers in five minutes")
					}
				}
				if err := run.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = run.Wait()
				answers, judgements := known()
				t.Logf("kill %d: %d answers and %d judgements are in the journal", kill+1, answers, judgements)
			}
			text, err := exec.CommandContext(t.Context(), command, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			t.Logf("%s", text)
			answers, judgements := known()
			t.Logf("%d answers, %d judgements, scores %v", answers, judgements, scores)
			if extra := requests(asked) - sent - answers; extra < 0 || extra > 2 {
				t.Errorf("%d requests for %d answers, after two kills", requests(asked)-sent, answers)
			}
			if extra := c.judgments() - judgedBefore - judgements; extra < 0 || extra > 2 || judgements == 0 {
				t.Errorf("%d judgements were asked for, %d are known, after two kills", c.judgments()-judgedBefore, judgements)
			}
			summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			var result struct {
				Scorer string
				Judge  map[string]any
				Counts struct{ Planned, Answered, Failed int }
			}
			if err := json.Unmarshal(summary, &result); err != nil || result.Scorer != c.by || result.Judge == nil || result.Counts.Answered != result.Counts.Planned || result.Counts.Planned == 0 {
				t.Errorf("%v: %+v", err, result)
			}
			page, err := os.ReadFile(filepath.Join(out, "report.html"))
			if err != nil || !strings.Contains(strings.ToLower(string(page)), "scored by the ") {
				t.Errorf("the page does not say by whom was judged: %v", err)
			}

			// The report, and the same command again, ask nobody.
			sent, judgedBefore = requests(asked), c.judgments()
			again := filepath.Join(t.TempDir(), "again")
			for _, args := range [][]string{{"report", out, "--out", again}, append(args, "--force")} {
				if text, err := exec.CommandContext(t.Context(), command, args...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
			}
			if requests(asked) != sent || c.judgments() != judgedBefore {
				t.Error("a report, or a run that was done, asked somebody")
			}
			for _, dir := range []string{again, out} {
				if text, err := os.ReadFile(filepath.Join(dir, "summary.json")); err != nil || string(text) != string(summary) {
					t.Errorf("%s: another summary, %v", dir, err)
				}
			}
		})
	}
}
