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
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// reply is what a server says to a prompt.
type reply struct {
	message string // the JSON of a message
	finish  string
	read    int // tokens of the prompt that it counts; -1: no usage
}

// says answers with a text and honest usage.
func says(prompt, text string) reply {
	content, _ := json.Marshal(text)
	return reply{`{"role":"assistant","content":` + string(content) + `}`, "stop", len(prompt)/4 + 10}
}

// misbehaves is a server that replies by the prompt.
func misbehaves(t *testing.T, to func(prompt string) reply) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var body struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer := to(body.Messages[len(body.Messages)-1].Content)
		usage := ""
		if answer.read >= 0 {
			usage = fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":%d}`, answer.read, min(answer.read, 5))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":`+answer.message+`,"finish_reason":"`+answer.finish+`"}]`+usage+`}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", requests
}

// asksTheCapital writes n questions with five documents, of which the first has the
// answer; no two are of one length.
func asksTheCapital(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		filler := strings.Repeat("So it is told by the people of that land. ", 3+i%7)
		fmt.Fprintf(&b, `{"question":"What is the capital of land number %d?","answers":["Paris"],"ctxs":[`, i)
		for d := range 5 {
			if d > 0 {
				b.WriteString(",")
			}
			text := fmt.Sprintf("Land %d-%d lies by the sea. %s", i, d, filler)
			if d == 0 {
				text += "Its capital is Paris."
			}
			fmt.Fprintf(&b, `{"title":"document %d","text":%q,"isgold":%v}`, d, text, d == 0)
		}
		b.WriteString("]}\n")
	}
	return write(t, filepath.Join(t.TempDir(), "questions.jsonl"), b.String())
}

// reads answers right where the prompt that it saw holds the answer.
func reads(prompt, seen string) reply {
	text := "I do not know."
	if strings.Contains(seen, "capital is Paris") {
		text = "Paris"
	}
	answer := says(prompt, text)
	answer.read = len(seen)/4 + 10
	return answer
}

func last(text string, n int) string { return text[max(0, len(text)-n):] }

// A server that misbehaves gets "unfit" or the right word, and never a word by accident.
func TestUnfit(t *testing.T) {
	t.Parallel()
	none := fitness.Rule("")
	for _, test := range []struct {
		name      string
		to        func(prompt string) reply
		questions int
		code      int
		rule      fitness.Rule // of both experiments
		shape     core.Shape
		word      evidence.Word
		asked     int64 // requests at most, of either
	}{
		{"empty at the limit", func(p string) reply { return reply{`{"content":""}`, "length", len(p) / 4} }, 60, exitUnfit, fitness.NoAnswers, "", evidence.Unfit, 360},
		{"refused", func(p string) reply { return reply{`{"content":null}`, "content_filter", len(p) / 4} }, 60, exitUnfit, fitness.NoAnswers, "", evidence.Unfit, 360},
		{"sensitive", func(p string) reply { return reply{`{"content":""}`, "sensitive", len(p) / 4} }, 60, exitUnfit, fitness.NoAnswers, "", evidence.Unfit, 360},
		{"unclosed thinking", func(p string) reply {
			return reply{`{"content":"<think>Paris, I should say Paris"}`, "length", len(p) / 4}
		}, 60, exitUnfit, fitness.NoAnswers, "", evidence.Unfit, 360},
		{"thinking then wrong", func(p string) reply { return says(p, "<think>It is Paris.</think>Rome") }, 60, exitDone, none, core.ShapeUndecided, evidence.Inconclusive, 1000},
		{"thinking then wrong for long", func(p string) reply { return says(p, "<think>It is Paris.</think>Rome") }, 500, exitUnfit, "wrong", "", evidence.Unfit, 3000},
		{"uses no document", func(p string) reply { return says(p, "Lima") }, 500, exitUnfit, "wrong", "", evidence.Unfit, 3000},
		{"cut from the front", func(p string) reply { return reads(p, last(p, 400)) }, 60, exitUnfit, fitness.PromptsCut, "", evidence.Unfit, 400},
		{"always right", func(p string) reply { return says(p, "Paris") }, 200, exitDone, none, core.ShapeFlat, evidence.Keep, 2000},
		{"reads all", func(p string) reply { return reads(p, p) }, 200, exitDone, none, core.ShapeFlat, evidence.Keep, 2000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := asksTheCapital(t, test.questions)
			rule := test.rule
			t.Run("sweep", func(t *testing.T) {
				url, requests := misbehaves(t, test.to)
				out := filepath.Join(t.TempDir(), "out")
				o := command(t, "sweep", "--data", data, "--model", "m", "--base-url", url, "--out", out)
				var r sweep.Result
				if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &r); err != nil {
					t.Fatal(err)
				}
				if rule == "wrong" {
					rule = fitness.DocumentsUnused
				}
				if o.code != test.code || requests.Load() > test.asked {
					t.Errorf("code %d after %d requests, want %d after at most %d:\n%s%s", o.code, requests.Load(), test.code, test.asked, o.out, o.err)
				}
				if test.code != exitUnfit {
					if r.Unfit != nil || r.Verdict == nil || r.Verdict.Shape != test.shape {
						t.Errorf("unfit %+v, verdict %+v, want %s", r.Unfit, r.Verdict, test.shape)
					}
					return
				}
				if r.Unfit == nil || r.Unfit.Rule != rule || r.Verdict != nil || r.Anyway != nil || r.Unfit.Reason == "" || r.Unfit.Remedy == "" {
					t.Errorf("unfit %+v, verdict %+v, anyway %+v, want %s", r.Unfit, r.Verdict, r.Anyway, rule)
				}
				for _, name := range []string{"report.html", "summary.csv"} {
					if text := read(t, out, name); !strings.Contains(strings.ToLower(text), "unfit") {
						t.Errorf("%s does not say that the run is unfit", name)
					}
				}
				if !strings.Contains(o.out, "Unfit, nothing can be said") {
					t.Errorf("printed:\n%s", o.out)
				}
				refusesCurve(t, data, filepath.Join(out, "curve.json"))
			})
			for _, until := range []bool{false, true} {
				t.Run(fmt.Sprintf("compare, until decided %v", until), func(t *testing.T) {
					url, requests := misbehaves(t, test.to)
					out := filepath.Join(t.TempDir(), "out")
					args := []string{"compare", "--data", data, "--model", "m", "--base-url", url, "--out", out, "--placements", "ranked,reversed", "--worthwhile", "5", "--shuffles", "0", "--repeats", "0"}
					if until {
						args = append(args, "--until-decided")
					}
					o := command(t, args...)
					var r compare.Result
					if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &r); err != nil {
						t.Fatal(err)
					}
					rule := test.rule
					if rule == "wrong" {
						rule = fitness.NothingRight
					}
					if o.code != test.code || r.Word != test.word || requests.Load() > test.asked {
						t.Errorf("code %d, %s after %d requests, want %d, %s after at most %d:\n%s%s", o.code, r.Word, requests.Load(), test.code, test.word, test.asked, o.out, o.err)
					}
					if test.code != exitUnfit {
						return
					}
					if r.Unfit == nil || r.Unfit.Rule != rule {
						t.Errorf("unfit %+v, want %s", r.Unfit, rule)
					}
					if _, err := os.Lstat(filepath.Join(out, "settings.json")); err == nil {
						t.Error("there are settings of an unfit run")
					}
				})
			}
		})
	}
}

// refusesCurve checks that no command takes the curve of an unfit sweep.
func refusesCurve(t *testing.T, data, curve string) {
	t.Helper()
	if _, err := os.Lstat(curve); err != nil {
		return // no question was complete
	}
	settings := write(t, filepath.Join(filepath.Dir(curve), "bookend.yaml"), "order:\n  placement: {name: measured, curve: curve.json}\n")
	for _, args := range [][]string{
		{"vet", settings},
		{"order", "--placement", "measured=" + curve, "5"},
		{"estimate", "--data", data, "--curve", curve},
		{"compare", "--data", data, "--model", "m", "--placements", "ranked,measured=" + curve, "--dry-run"},
	} {
		if o := command(t, args...); o.code == exitDone || !strings.Contains(o.out+o.err, "unfit") {
			t.Errorf("%v takes the curve of an unfit sweep: code %d\n%s%s", args[0], o.code, o.out, o.err)
		}
	}
}

// What is known is shown all the same where it is asked for, and stamped.
func TestForceVerdict(t *testing.T) {
	t.Parallel()
	url, _ := misbehaves(t, func(p string) reply { return reply{`{"content":""}`, "length", len(p) / 4} })
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"sweep", "--data", asksTheCapital(t, 60), "--model", "m", "--base-url", url, "--out", out}
	if o := command(t, args...); strings.Contains(o.out, "Shape:") {
		t.Errorf("an unfit run has a shape:\n%s", o.out)
	}
	o := command(t, "report", out, "--force-verdict", "--force")
	if o.code != exitUnfit || !strings.Contains(o.out, "Shape: unfit (by the figures alone it would be undecided)") || !strings.Contains(o.out, "UNFIT: m, 5 documents") {
		t.Errorf("code %d\n%s%s", o.code, o.out, o.err)
	}
	if text := read(t, out, "summary.json"); !strings.Contains(text, `"anyway"`) || strings.Contains(text, `"verdict"`) {
		t.Error("the figures of an unfit run are no verdict")
	}
}

// What a server never answered is no answer: such a run ends with an error, and once the
// fault is mended the same command asks it again.
func TestFailuresMended(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]reply{
		"error":      {`{"content":""}`, "error", 0},
		"void usage": {`{"content":""}`, "stop", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mended atomic.Bool
			url, requests := misbehaves(t, func(p string) reply {
				if mended.Load() || requestsRight(p) {
					return reads(p, p)
				}
				return broken
			})
			for _, args := range [][]string{
				{"sweep", "--no-repeat"},
				{"compare", "--placements", "ranked,reversed", "--shuffles", "0", "--repeats", "0"},
			} {
				mended.Store(false)
				out := filepath.Join(t.TempDir(), "out")
				args = append(args, "--data", asksTheCapital(t, 40), "--model", "m", "--base-url", url, "--out", out, "--retries", "0", "--max-failures", "0")
				o := command(t, args...)
				if o.code != exitUnfit && o.code != exitIncomplete {
					t.Fatalf("%s: code %d\n%s%s", args[0], o.code, o.out, o.err)
				}
				before := requests.Load()
				mended.Store(true)
				o = command(t, append(args, "--force")...)
				if o.code != exitDone || strings.Contains(o.out, "Unfit") {
					t.Errorf("%s, mended: code %d\n%s%s", args[0], o.code, o.out, o.err)
				}
				all := int64(40 * 7)
				if args[0] == "compare" {
					all = 40 * 2
				}
				if again := requests.Load() - before; again >= all {
					t.Errorf("%s, mended: %d requests, so that good answers were asked again", args[0], again)
				}
			}
		})
	}
}

// requestsRight lets some questions through from the start.
func requestsRight(prompt string) bool { return strings.Contains(prompt, "0?") }
