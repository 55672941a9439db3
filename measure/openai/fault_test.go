package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

const js = "application/json"

func TestFaultsOfAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		status     int
		kind, body string
		want       error
		wantStatus int
		retryable  bool
		text       string // part of the error
	}{
		{"empty", 200, js, "", openai.ErrFormat, 200, true, "empty"},
		{"blank", 200, js, " \n", openai.ErrFormat, 200, true, "empty"},
		{"truncated", 200, js, chat("abc")[:40], openai.ErrFormat, 200, true, "unexpected end"},
		{"two values", 200, js, chat("abc") + "{}", openai.ErrFormat, 200, true, "after top-level value"},
		{"a list", 200, js, "[" + chat("abc") + "]", openai.ErrFormat, 200, true, ""},
		{"null", 200, js, "null", openai.ErrFormat, 200, true, "it has 0"},
		{"foreign", 200, js, `{"status":"ok"}`, openai.ErrFormat, 200, true, "it has 0"},
		{"two choices", 200, js, strings.Replace(chat("a"), "[", `[{"message":{"content":"b"}},`, 1), openai.ErrFormat, 200, true, "it has 2"},
		{"completion in place of a chat", 200, js, `{"choices":[{"text":"a"}]}`, openai.ErrFormat, 200, true, "no message"},
		{"hollow message", 200, js, `{"choices":[{"message":{}}]}`, openai.ErrFormat, 200, true, "no message"},
		{"content of another type", 200, js, `{"choices":[{"message":{"content":7}}]}`, openai.ErrFormat, 200, true, ""},
		{"page", 200, "text/html", "<html>", openai.ErrContentType, 200, true, "text/html"},
		{"words without a content type", 200, "", "abc", openai.ErrContentType, 200, true, "none"},
		{"words of a broken content type", 200, ";;", "abc", openai.ErrContentType, 200, true, ""},
		{"stream", 200, "text/event-stream", "data: {}", openai.ErrContentType, 200, false, "stream"},
		{"stream that is not said to be one", 200, js, "data: {}\n\n", openai.ErrContentType, 200, false, "stream"},
		{"error as success", 200, js, `{"error":{"message":"too busy","code":503}}`, openai.ErrServer, 503, true, "too busy"},
		{"error as success, no status", 200, js, `{"error":"odd"}`, openai.ErrServer, 200, true, "odd"},

		{"OpenAI", 401, js, `{"error":{"message":"no such key","type":"invalid","code":"invalid_api_key"}}`, openai.ErrServer, 401, false, "says: no such key"},
		{"out of credit", 429, js, `{"error":{"message":"pay","code":"insufficient_quota"}}`, openai.ErrServer, 429, false, "says: pay"},
		{"out of credit by type", 429, js, `{"error":{"message":"pay","type":"insufficient_quota"}}`, openai.ErrServer, 429, false, "says: pay"},
		{"too fast", 429, js, `{"error":{"message":"slow down","code":"rate_limit"}}`, openai.ErrServer, 429, true, "says: slow down"},
		{"llama.cpp", 503, js, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, openai.ErrServer, 503, true, "says: Loading model"},
		{"Ollama", 404, js, `{"error":"model not found"}`, openai.ErrServer, 404, false, "says: model not found"},
		{"older vLLM", 400, js, `{"object":"error","message":"too long"}`, openai.ErrServer, 400, false, "says: too long"},
		{"FastAPI", 422, js, `{"detail":"Not Found"}`, openai.ErrServer, 422, false, "says: Not Found"},
		{"FastAPI, a list of numbers", 422, js, `{"detail":[1]}`, openai.ErrServer, 422, false, `says: {"detail":[1]}`},
		{"text", 500, "text/plain", "it\tbroke\r\n\x1b[31mhere\u202e", openai.ErrServer, 500, true, "says: it broke [31mhere"},
		{"nothing", 502, "", "", openai.ErrServer, 502, true, "says: Bad Gateway"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := client(t, says(t, test.status, test.kind, test.body).URL, nil)
			e := fault(t, c, test.want, test.wantStatus)
			if got := model.Retryable(e); got != test.retryable {
				t.Errorf("%v: to be tried again: %v, want %v", e, got, test.retryable)
			}
			if !strings.Contains(e.Error(), test.text) {
				t.Errorf("error %q, want it to hold %q", e, test.text)
			}
		})
	}
}

func TestFaultsOfCompletions(t *testing.T) {
	t.Parallel()
	c := client(t, says(t, 200, js, chat("a")).URL, func(c *openai.Config) { c.Completion = true })
	if e := fault(t, c, openai.ErrFormat, 200); !strings.Contains(e.Error(), "no text") {
		t.Errorf("error %v", e)
	}
}

func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	server := says(t, 200, js, chat(strings.Repeat("x", 10<<20)))
	if e := fault(t, client(t, server.URL, nil), openai.ErrTooLarge, 200); model.Retryable(e) {
		t.Errorf("%v is to be tried again", e)
	}
}

func TestAnswerAtTheLimit(t *testing.T) {
	t.Parallel()
	body := chat("just so")
	server := says(t, 200, js, body)
	limit := func(n int) *openai.Client {
		return client(t, server.URL, func(c *openai.Config) { c.MaxAnswer = int64(n) })
	}
	if _, err := limit(len(body)).Ask(t.Context(), question); err != nil {
		t.Error(err)
	}
	fault(t, limit(len(body)-1), openai.ErrTooLarge, 200)
}

func TestLargeComplaintKeepsItsStatus(t *testing.T) {
	t.Parallel()
	// Were it cut at the limit, most of a key would stand before the cut.
	body := strings.Repeat("\x01", 1000) + key
	c := client(t, says(t, 500, "text/plain", body).URL, func(c *openai.Config) { c.MaxAnswer = int64(len(body) - 4) })
	if e := fault(t, c, openai.ErrServer, 500); strings.Contains(e.Error(), key[:8]) {
		t.Errorf("error %q shows a part of the key", e)
	}
}

func TestBrokenComplaintKeepsItsStatus(t *testing.T) {
	t.Parallel()
	url := raw(t, "HTTP/1.1 500 X\r\nContent-Length: 500\r\n\r\n"+key[:15], false)
	if e := fault(t, client(t, url, nil), openai.ErrServer, 500); strings.Contains(e.Error(), key[:8]) {
		t.Errorf("error %q shows a part of the key", e)
	}
}

func TestComplaintIsCut(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		strings.Repeat("é\x00", 200):  strings.Repeat("é", 200),
		strings.Repeat("é\x00", 201):  strings.Repeat("é", 199) + "…",
		strings.Repeat("é\x00", 5000): strings.Repeat("é", 199) + "…",
	} {
		c := client(t, says(t, 500, "text/plain", said).URL, nil)
		_, err := c.Ask(t.Context(), question)
		e := (*openai.Error)(nil)
		if !errors.As(err, &e) {
			t.Fatalf("error %v", err)
		}
		if e.Detail != want {
			t.Errorf("detail of %d characters (-want +got)\n-%s\n+%s", utf8.RuneCountInString(e.Detail), want, e.Detail)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status      int
		after, date string
		want        time.Duration
	}{
		{429, "7", "", 7 * time.Second},
		{503, "0.5", "", 500 * time.Millisecond},
		// By the server's clock, which is years behind.
		{429, "Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 1999 23:59:29 GMT", 30 * time.Second},
		{429, "Fri, 31 Dec 1999 23:59:59 GMT", "", 0},
		{500, "", "", 0},
		{429, "soon", "", 0},
		{429, "-3", "", 0},
	}
	for _, test := range tests {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			if test.date != "" {
				w.Header().Set("Date", test.date)
			}
			w.Header().Set("Retry-After", test.after)
			w.WriteHeader(test.status)
		})
		if e := fault(t, client(t, server.URL, nil), openai.ErrServer, test.status); e.RetryAfter != test.want {
			t.Errorf("%d, %q at %q: wait %v, want %v", test.status, test.after, test.date, e.RetryAfter, test.want)
		}
	}
}

// hang answers nothing, or the start of an answer, and then waits for the client.
func hang(t *testing.T, start string) string {
	t.Helper()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection is not seen
		if start != "" {
			w.Header().Set("Content-Type", js)
			_, _ = io.WriteString(w, start)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	})
	return server.URL
}

func TestHang(t *testing.T) {
	t.Parallel()
	for start, status := range map[string]int{"": 0, `{"choices":`: 200} {
		url := hang(t, start)

		c := client(t, url, func(c *openai.Config) { c.Timeout = time.Second })
		e := fault(t, c, openai.ErrTimeout, status)
		if !model.Retryable(e) || errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("the client's own timeout: %v", e)
		}

		answer, err := client(t, url, nil).Ask(short(t), question)
		if e := wantFault(t, answer, err, context.DeadlineExceeded, status); model.Retryable(e) {
			t.Errorf("the caller's deadline is to be tried again: %v", e)
		}

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		answer, err = client(t, url, nil).Ask(ctx, question)
		wantFault(t, answer, err, context.Canceled, 0)
	}
}

func TestSlowBody(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", js)
		for r.Context().Err() == nil { // one byte at a time, and never the last
			if _, err := io.WriteString(w, " "); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	})
	c := client(t, server.URL, func(c *openai.Config) { c.Timeout, c.MaxAnswer = time.Second, 1<<40 })
	fault(t, c, openai.ErrTimeout, 200)
}

// raw answers each connection with bytes and closes it, with a reset if asked.
func raw(t *testing.T, text string, reset bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 64<<10))
			_, _ = io.WriteString(connection, text)
			if reset {
				_ = connection.(*net.TCPConn).SetLinger(0)
			}
			_ = connection.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestBrokenConnection(t *testing.T) {
	t.Parallel()
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
	tests := []struct {
		name, text string
		reset      bool
		status     int
	}{
		{"reset", "", true, 0},
		{"closed", "", false, 0},
		{"closed in the body", head + `{"choices":`, false, 200},
		{"not HTTP", "SSH-2.0 " + key + "\r\n\r\n", false, 0},
		{"endless header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n", false, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := fault(t, client(t, raw(t, test.text, test.reset), nil), openai.ErrConnection, test.status)
			if !model.Retryable(e) {
				t.Errorf("%v is not to be tried again", e)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	url := fmt.Sprintf("http://%s/v1?secret=0123456789", listener.Addr())
	e := fault(t, client(t, url, nil), openai.ErrConnection, 0)
	noSecret(t, e, "0123456789")
	if !strings.Contains(e.Error(), "connection refused") {
		t.Errorf("error %v does not say why", e)
	}
}

// TestNoGoroutineIsLeft does not run beside others, whose goroutines it would count.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		good, bad := says(t, 200, js, chat("a")), says(t, 200, js, "{")
		large, slow := says(t, 200, js, chat(strings.Repeat("x", 1<<20))), hang(t, "{")
		// Every server stays up, so that only the client can end the connections.
		for _, url := range []string{good.URL, bad.URL, large.URL, slow} {
			c := client(t, url, func(c *openai.Config) { c.Timeout, c.MaxAnswer = 100*time.Millisecond, 1<<10 })
			for range 3 {
				_, _ = c.Ask(t.Context(), question)
			}
			c.CloseIdleConnections()
		}
	}()
	// Each of the four servers has one goroutine of its own. The wait is shorter than
	// a connection may be idle.
	for end := time.Now().Add(3 * time.Second); runtime.NumGoroutine() > before+4; runtime.Gosched() {
		if time.Now().After(end) {
			all := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, want %d\n%s", runtime.NumGoroutine(), before+4, all[:runtime.Stack(all, true)])
		}
	}
}
