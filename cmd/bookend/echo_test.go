package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretQuestions are some of which no word stands anywhere but in the data.
var secretQuestions = []string{"Why did Zebulon Quistgaard leave Marrakesh in autumn?", "Is Xanthippe ill?", "¿Qué bebió Ælfgifu?"}

// echoes are bodies of errors that repeat what was sent, %[1]s as a text of JSON and
// %[2]s inside of one.
var echoes = []string{
	`{"error":{"message":%[1]s,"type":%[1]s,"param":%[1]s,"code":%[1]s}}`,
	`{"error":%[1]s}`,
	`{"message":%[1]s}`,
	`{"detail":%[1]s}`,
	`{"detail":[{"loc":["body","messages"],"msg":"too long: %[2]s","input":%[1]s}]}`,
	`{"error":{"message":"cannot read '%[2]s' at line 1"}}`,
	`{"error":{"code":%[1]s}}`,
	`{"anything":[%[1]s]}`,
	`%[2]s`,
}

func echo(body string, prompt string) string {
	text, _ := json.Marshal(prompt)
	return fmt.Sprintf(body, text, text[1:len(text)-1])
}

// What a server or a batch repeats of a question in an error is in no output, no
// journal and no report.
func TestNoQuestionInErrors(t *testing.T) {
	t.Parallel()
	var sweepData, compareData strings.Builder
	for i, question := range secretQuestions {
		fmt.Fprintf(&sweepData, `{"question":%q,"answers":["Paris"],"ctxs":[{"title":"a","text":"It is Paris.","isgold":true},{"title":"b","text":"Other %d."}]}`+"\n", question, i)
		fmt.Fprintf(&compareData, `{"question":%q,"answers":["Paris"],"ctxs":[{"id":"g%d","text":"It is Paris."},{"id":"o%[2]d","text":"Other."}]}`+"\n", question, i)
	}
	data := map[string]string{"sweep": sweepData.String(), "compare": compareData.String()}
	for name, lines := range data {
		for n, body := range echoes {
			for _, status := range []int{http.StatusBadRequest, http.StatusOK} {
				t.Run(fmt.Sprint(name, " ", n, " ", status), func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					file := write(t, filepath.Join(t.TempDir(), "data.jsonl"), lines)
					args := []string{name, "--data", file, "--model", "m", "--retries", "0", "--max-failures", "0"}
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						var sent struct{ Messages []struct{ Content string } }
						if json.NewDecoder(r.Body).Decode(&sent) != nil || len(sent.Messages) == 0 {
							return
						}
						prompt := sent.Messages[len(sent.Messages)-1].Content
						for _, question := range secretQuestions { // whole, and the question alone
							if n%2 == 1 && strings.Contains(prompt, question) {
								prompt = question
							}
						}
						w.Header().Set("Content-Type", "application/json; x="+strings.ReplaceAll(prompt, "\n", " "))
						if n != 2 {
							w.Header().Set("Content-Type", "application/json")
						}
						w.WriteHeader(status)
						fmt.Fprint(w, echo(body, prompt))
					}))
					defer server.Close()
					live := command(t, append(args, "--base-url", server.URL, "--out", filepath.Join(dir, "live"))...)

					requests := filepath.Join(t.TempDir(), "requests.jsonl")
					mustRun(t, append(args, "--batch-out", requests)...)
					var results strings.Builder
					for line := range strings.Lines(read(t, requests)) {
						var r struct {
							ID   string `json:"custom_id"`
							Body struct{ Messages []struct{ Content string } }
						}
						if err := json.Unmarshal([]byte(line), &r); err != nil {
							t.Fatal(err)
						}
						message := echo(body, r.Body.Messages[len(r.Body.Messages)-1].Content)
						if !json.Valid([]byte(message)) {
							quoted, _ := json.Marshal(message)
							message = string(quoted)
						}
						if status == http.StatusOK {
							fmt.Fprintf(&results, `{"custom_id":%q,"response":null,"error":%s}`+"\n", r.ID, message)
						} else {
							fmt.Fprintf(&results, `{"custom_id":%q,"response":{"status_code":%d,"body":%s}}`+"\n", r.ID, status, message)
						}
					}
					batch := command(t, append(args, "--batch-in", write(t, filepath.Join(t.TempDir(), "results.jsonl"), results.String()), "--out", filepath.Join(dir, "batch"))...)

					texts := map[string]string{"what it printed": live.out + live.err, "what it printed of the batch": batch.out + batch.err}
					failures := 0
					err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
						if err != nil || d.IsDir() {
							return err
						}
						text, err := os.ReadFile(path)
						texts[path] = string(text)
						failures += strings.Count(string(text), `"failure":{`)
						return err
					})
					if err != nil || failures < 2*len(secretQuestions) {
						t.Fatalf("%d failures, error %v\n%v", failures, err, texts)
					}
					for name, text := range texts {
						for _, word := range []string{"Zebulon", "Quistgaard", "Marrakesh", "Xanthippe", "Ælfgifu", "bebi"} {
							if strings.Contains(text, word) {
								at := strings.Index(text, word)
								t.Errorf("%s holds %q: %s", name, word, text[max(0, at-100):min(len(text), at+100)])
							}
						}
					}
				})
			}
		}
	}
}
