package openai_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

func TestRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		suffix     string // of the base URL
		change     func(*openai.Config)
		path, body string
		auth       string
	}{
		{
			name: "chat",
			path: "/v1/chat/completions",
			body: `{"max_tokens":100,"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"Where is <Oslo>?"}],"model":"m","stream":false,"temperature":0}`,
			auth: "Bearer " + key,
		},
		{
			name:   "completion, no key",
			suffix: "/v1/",
			change: func(c *openai.Config) { c.Completion, c.MaxTokens, c.Key = true, 7, openai.Key{} },
			path:   "/v1/completions",
			body:   `{"max_tokens":7,"model":"m","prompt":"Where is <Oslo>?","stream":false,"temperature":0}`,
		},
		{
			name:   "extra parameters, and one left out",
			suffix: "/openai/v1",
			change: func(c *openai.Config) {
				c.Completion = true
				c.Extra = []byte(`{"max_tokens":null,"max_completion_tokens":9,"temperature":0.5,"cache_prompt":true,"big":12345678901234567890}`)
			},
			path: "/openai/v1/completions",
			body: `{"big":12345678901234567890,"cache_prompt":true,"max_completion_tokens":9,"model":"m","prompt":"Where is <Oslo>?","stream":false,"temperature":0.5}`,
			auth: "Bearer " + key,
		},
		{
			name:   "query and another version",
			suffix: "/v1beta/openai/?a=b%20c",
			change: func(c *openai.Config) { c.Completion = true },
			path:   "/v1beta/openai/completions?a=b%20c",
			body:   `{"max_tokens":100,"model":"m","prompt":"Where is <Oslo>?","stream":false,"temperature":0}`,
			auth:   "Bearer " + key,
		},
		{
			name:   "the full path, a query and a header",
			suffix: "/openai/deployments/d/chat/completions?api-version=2026-01-01",
			change: func(c *openai.Config) {
				c.Key, c.Headers = openai.Key{}, map[string]openai.Key{"authorization": openai.NewKey("Token abc")}
			},
			path: "/openai/deployments/d/chat/completions?api-version=2026-01-01",
			body: `{"max_tokens":100,"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"Where is <Oslo>?"}],"model":"m","stream":false,"temperature":0}`,
			auth: "Token abc",
		},
		{
			name:   "no stream parameter",
			suffix: "/serving-endpoints/completions",
			change: func(c *openai.Config) { c.Completion, c.Extra = true, []byte(`{"stream":null}`) },
			path:   "/serving-endpoints/completions",
			body:   `{"max_tokens":100,"model":"m","prompt":"Where is <Oslo>?","temperature":0}`,
			auth:   "Bearer " + key,
		},
		{
			name:   "user info",
			suffix: "USER",
			change: func(c *openai.Config) { c.Key, c.Completion = openai.Key{}, true },
			path:   "/v1/completions",
			body:   `{"max_tokens":100,"model":"m","prompt":"Where is <Oslo>?","stream":false,"temperature":0}`,
			auth:   "Basic dXNlcjpwYTpzcw==",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got := []string{r.Method, r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)}
				want := []string{"POST", test.path, test.auth, "application/json", test.body}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("request (-want +got)\n-%s\n+%s", want[i], got[i])
					}
				}
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				if strings.HasSuffix(r.URL.Path, "/chat/completions") {
					_, _ = io.WriteString(w, chat("Norway"))
					return
				}
				_, _ = io.WriteString(w, `{"choices":[{"text":"Norway","finish_reason":"stop"}]}`)
			})
			url := server.URL + test.suffix
			if test.suffix == "USER" {
				url = strings.Replace(server.URL, "//", "//user:pa%3Ass@", 1)
			}
			answer, err := client(t, url, test.change).Ask(t.Context(), question)
			if want := (model.Answer{Text: "Norway", FinishReason: "stop"}); err != nil || answer != want {
				t.Errorf("answer (-want +got)\n-%+v\n+%+v, error %v", want, answer, err)
			}
		})
	}
}

func TestChatWithoutMessagesAsksTheText(t *testing.T) {
	t.Parallel()
	body, err := client(t, "http://localhost", nil).Body(model.Prompt{Text: "Hi"})
	want := `{"max_tokens":100,"messages":[{"role":"user","content":"Hi"}],"model":"m","stream":false,"temperature":0}`
	if string(body) != want || err != nil {
		t.Errorf("body (-want +got)\n-%s\n+%s, error %v", want, body, err)
	}
}

func TestNothingToAsk(t *testing.T) {
	t.Parallel()
	for _, completion := range []bool{false, true} {
		p := question
		p.Text = ""
		if !completion {
			p.Messages = nil
		}
		c := client(t, "http://localhost:1", func(c *openai.Config) { c.Completion = completion })
		answer, err := c.Ask(t.Context(), p)
		if e := wantFault(t, answer, err, openai.ErrPrompt, 0); model.Retryable(e) {
			t.Errorf("completion %v: %v is to be tried again", completion, e)
		}
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for completion, want := range map[bool]string{false: "/v1/chat/completions", true: "/v1/completions"} {
		c := client(t, "http://localhost/v1", func(c *openai.Config) { c.Completion = completion })
		if got := c.Path(); got != want {
			t.Errorf("path %q, want %q", got, want)
		}
	}
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	let := make(chan struct{})
	ports := sync.Map{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		ports.Store(r.RemoteAddr, true)
		if arrived.Add(1) == 8 {
			close(let)
		}
		<-let // until eight calls run at once, and so on as many connections
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, chat("yes"))
	})
	c := client(t, server.URL, nil)
	for range 5 {
		var calls sync.WaitGroup
		for range 8 {
			calls.Add(1)
			go func() {
				defer calls.Done()
				if _, err := c.Ask(t.Context(), question); err != nil {
					t.Error(err)
				}
			}()
		}
		calls.Wait()
	}
	n := 0
	ports.Range(func(any, any) bool { n++; return true })
	if n != 8 {
		t.Errorf("40 calls, 8 at a time, took %d connections, want 8", n)
	}
}

func TestPackedAnswerIsLimitedUnpacked(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, chat(strings.Repeat(" ", 100_000)))
		_ = packed.Close()
	})
	fault(t, client(t, server.URL, func(c *openai.Config) { c.MaxAnswer = 50_000 }), openai.ErrTooLarge, 200)
	if _, err := client(t, server.URL, nil).Ask(t.Context(), question); err != nil {
		t.Error(err)
	}
}
