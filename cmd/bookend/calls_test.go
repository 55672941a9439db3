package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// replays answers every POST with the same bytes.
func replays(t *testing.T, status int, kind, body string, headers ...string) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// A sweep of one question, six calls, counts what each call ended as.
func TestWhatCallsEndAs(t *testing.T) {
	t.Parallel()
	message := func(message, finish string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":120,"completion_tokens":9}}`
	}
	all := judge.Counts{Planned: 6, Answered: 6}
	with := func(change func(*judge.Counts)) judge.Counts { c := all; change(&c); return c }
	for _, test := range []struct {
		name, kind, body string
		want             judge.Counts
		right            int // in the first slot
	}{
		{"answered", "application/json", message(`"content":"Paris"`, "stop"), all, 1},
		{"I don't know", "application/json", message(`"content":"I don't know."`, "stop"), all, 0},
		{"thinking to the limit", "application/json", message(`"content":"","reasoning_content":"Paris"`, "length"), with(func(c *judge.Counts) { c.Empty, c.Truncated, c.Unfinished = 6, 6, 6 }), 0},
		{"thinking in tags to the limit", "application/json", message(`"content":"<think>Paris"`, "length"), with(func(c *judge.Counts) { c.Empty, c.Truncated, c.Unfinished = 6, 6, 6 }), 0},
		{"thinking of the right answer", "application/json", message(`"content":"<think>Paris</think>\n\nRome"`, "stop"), all, 0},
		{"cut off", "application/json", message(`"content":"Paris is"`, "model_length"), with(func(c *judge.Counts) { c.Truncated = 6 }), 1},
		{"refused", "application/json", message(`"content":null`, "content_filter"), with(func(c *judge.Counts) { c.Empty, c.Refused = 6, 6 }), 0},
		{"sensitive", "application/json", message(`"content":""`, "sensitive"), with(func(c *judge.Counts) { c.Empty, c.Refused = 6, 6 }), 0},
		{"parts, as plain text", "text/plain; charset=utf-8", message(`"content":[{"type":"thinking","thinking":"Rome"},{"type":"text","text":"Paris"}]`, "stop"), all, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, _ := replays(t, 200, test.kind, test.body)
			out := filepath.Join(t.TempDir(), "out")
			text := mustRun(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", url, "--out", out)
			if told := tells(text, "raise --max-tokens"); told != (test.want.Unfinished > 0) {
				t.Errorf("the remedy is told: %v", told)
			}
			var r struct {
				Counts judge.Counts
				Slots  []sweep.ArmResult
			}
			if err := json.Unmarshal([]byte(read(t, out, "summary.json")), &r); err != nil {
				t.Fatal(err)
			}
			if r.Counts != test.want || r.Slots[0].Full.Correct != test.right {
				t.Errorf("(-want +got)\n-%+v\n+%+v; %d right in the first slot", test.want, r.Counts, r.Slots[0].Full.Correct)
			}
		})
	}
}

// What a server did not serve is retried and then failed, with its own words.
func TestFailuresAreRetriedAndNotScored(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status   int
		body     string
		requests int64 // of one call with one retry
		words    string
	}{
		"of a choice":    {200, `{"choices":[{"message":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream died"}}]}`, 2, "upstream died"},
		"void":           {200, `{"choices":[{"message":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, 2, "counts no token"},
		"inside a 200":   {200, `{"error":{"message":"Provider returned error","code":503,"metadata":{"raw":"acme/model has no capacity"}}}`, 2, "acme/model has no capacity"},
		"not taken":      {400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, 1, `to take it out: --params '{"max_tokens": null, "max_completion_tokens": 100}'`},
		"not authorised": {401, `{"message":"who are you"}`, 1, "look at OPENAI_API_KEY or --header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, requests := replays(t, test.status, "application/json", test.body, "Retry-After", "0.01")
			o := command(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", url, "--out", filepath.Join(t.TempDir(), "out"),
				"--retries", "1", "--max-failures", "1", "--concurrency", "1")
			if o.code != exitFailed || !strings.Contains(o.err, test.words) || requests.Load() < test.requests || requests.Load() > 2*test.requests {
				t.Errorf("code %d after %d requests:\n%s", o.code, requests.Load(), o.err)
			}
		})
	}
}

func TestQuotaOfTheDayEndsTheRun(t *testing.T) {
	t.Parallel()
	url, requests := replays(t, 429, "application/json", `{"error":{"message":"tokens per day reached","code":"rate_limit_exceeded"}}`, "Retry-After", "43200")
	begun := time.Now()
	o := command(t, "sweep", "--data", questions(t, 4), "--model", "m", "--base-url", url, "--out", filepath.Join(t.TempDir(), "out"))
	if o.code != exitIncomplete || requests.Load() > 4 || time.Since(begun) > 20*time.Second {
		t.Errorf("code %d after %d requests and %v", o.code, requests.Load(), time.Since(begun))
	}
	for _, want := range []string{"tokens per day reached", "come back in 12h0m0s, at 20", "the same command"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("no %q in:\n%s", want, o.err)
		}
	}
}

// A header's value reaches the server, and nothing else.
func TestHeaderOfTheUser(t *testing.T) {
	t.Parallel()
	secret := "0123-header-secret"
	var got atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/openai/deployments/d/chat/completions" || r.URL.Query().Get("api-version") != "v1" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		got.Store(r.Header.Get("api-key"))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "no access with "+r.Header.Get("api-key"))
	}))
	t.Cleanup(s.Close)
	file := write(t, filepath.Join(t.TempDir(), "key"), secret+"\n")
	for _, value := range []string{"@" + file, secret} {
		out := filepath.Join(t.TempDir(), "out")
		o := command(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", s.URL+"/openai/deployments/d/chat/completions?api-version=v1",
			"--header", "api-key="+value, "--out", out, "--max-failures", "1")
		if got.Load() != secret || o.code != exitFailed {
			t.Errorf("the server got %q, code %d:\n%s", got.Load(), o.code, o.err)
		}
		for _, text := range []string{o.out, o.err, read(t, out, journalName)} {
			if strings.Contains(text, secret) {
				t.Errorf("the value shows in %s", text)
			}
		}
	}
	o := command(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", s.URL, "--header", "api-key=env:OPENAI_API_KEY", "--out", filepath.Join(t.TempDir(), "out"), "--max-failures", "1")
	if o.code != exitFailed {
		t.Errorf("code %d:\n%s", o.code, o.err)
	}
	for given, want := range map[string]string{"api-key": "NAME=VALUE", "=x": "NAME=VALUE", "a=env:NOT_SET": "NOT_SET is not set", "a=@/no/file": "cannot be read", "host=x": "set by the client"} {
		if o := command(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", s.URL, "--header", given, "--out", filepath.Join(t.TempDir(), "out")); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("--header %s: code %d, %s", given, o.code, o.err)
		}
	}
}

func TestStreamParameter(t *testing.T) {
	t.Parallel()
	url, _ := server(t, right)
	for params, code := range map[string]int{`{"stream":false}`: exitDone, `{"stream":null}`: exitDone, `{"stream":true}`: exitUsage, `{"n":2}`: exitUsage} {
		o := command(t, "sweep", "--data", questions(t, 1), "--model", "m", "--base-url", url, "--params", params, "--out", filepath.Join(t.TempDir(), "out"))
		if o.code != code {
			t.Errorf("%s: code %d, want %d\n%s", params, o.code, code, o.err)
		}
	}
}
