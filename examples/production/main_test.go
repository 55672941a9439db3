package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// newLog returns a logger without the time, so that its lines can be compared.
func newLog(out io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

const want = `Question: Can I get a refund after 45 days? It is asked four times.

request  tenant     placement    slots, first to last      left out
req-1    public     head-tail    r1 r3 r5 r7 r8 r6 r4 r2
req-2    public     reversed     r8 r7 r6 r5 r4 r3 r2 r1
req-3    public     off          r1 r2 r3 r4 r5 r6 r7 r8
req-4    northshop  edges-first  r1 r2 r5 r6 r3 r4         top-k: 2

all 4 answers  From day 31 through day 60, and so after 45 days, we settle the
               return with store credit instead of money.
by             extractive reader (no model): the sentence most like the question

The ID of a request decides which of three orders it gets; northshop has
settings of its own. The table is what the service has logged, one line of JSON
a request: -log shows the lines.
`

const wantLog = `
{"level":"INFO","msg":"documents placed","tenant":"public","bookend":{"request_id":"req-1","arrangement":{"placement":"head-tail","in":8,"placed":8,"order":"r1 r3 r5 r7 r8 r6 r4 r2"}}}
{"level":"INFO","msg":"documents placed","tenant":"public","bookend":{"request_id":"req-2","arrangement":{"placement":"reversed","in":8,"placed":8,"order":"r8 r7 r6 r5 r4 r3 r2 r1"}}}
{"level":"INFO","msg":"documents placed","tenant":"public","bookend":{"request_id":"req-3","arrangement":{"placement":"off","in":8,"placed":8,"order":"r1 r2 r3 r4 r5 r6 r7 r8"}}}
{"level":"INFO","msg":"documents placed","tenant":"northshop","bookend":{"request_id":"req-4","arrangement":{"placement":"edges-first","in":8,"placed":6,"order":"r1 r2 r5 r6 r3 r4","dropped":"top-k: 2"}}}
`

func TestRun(t *testing.T) {
	t.Parallel()
	terminal.Fits(t, want)
	for arg, want := range map[string]string{"": want, "-log": want + wantLog} {
		var out strings.Builder
		if err := run(t.Context(), strings.Fields(arg), &out, newLog); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			t.Errorf("output (-want +got)\n-%s\n+%s", strings.ReplaceAll(want, "\n", "\n-"), strings.ReplaceAll(got, "\n", "\n+"))
		}
	}
	var out strings.Builder
	for _, arg := range []string{"-answer", "refunds"} {
		if err := run(t.Context(), []string{arg}, &out, newLog); err == nil {
			t.Errorf("%s: want an error", arg)
		}
	}
}

// TestServeFinishesTheAnswersUnderWay ends the context while an answer is on its
// way.
func TestServeFinishesTheAnswersUnderWay(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("no network here:", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shuttingDown := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		<-shuttingDown
		io.WriteString(w, "a late answer")
	})}
	server.RegisterOnShutdown(func() { close(shuttingDown) })
	served := make(chan error, 1)
	go func() { served <- serve(ctx, server, listener) }()
	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); string(body) != "a late answer" {
		t.Errorf("body %q, error %v", body, err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// documents is a retriever; the prompt shows the order that it leaves in.
type documents []schema.Document

func (d documents) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return d, nil
}

var seven = documents{
	{PageContent: "r1"},
	{PageContent: "r2"},
	{PageContent: "r3"},
	{PageContent: "r4"},
	{PageContent: "r5"},
	{PageContent: "r6"},
	{PageContent: "r7"},
}

// echo streams the documents of the prompt, each as a piece, and then fails if
// it has an error.
type echo struct {
	llms.Model
	err error
}

func (e echo) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var settings llms.CallOptions
	for _, o := range options {
		o(&settings)
	}
	for _, line := range strings.Split(messages[0].Parts[0].(llms.TextContent).Text, "\n") {
		if len(line) == 2 && line[0] == 'r' {
			if err := settings.StreamingFunc(ctx, []byte(line)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "unused"}}}, e.err
}

// ask makes one request. log may be nil.
func ask(t *testing.T, llm llms.Model, r schema.Retriever, w http.ResponseWriter, id, tenant string, log io.Writer) {
	t.Helper()
	if log == nil {
		log = io.Discard
	}
	s, err := newService(llm, r, newLog(log))
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?q=why", nil)
	request.Header["X-Request-Id"] = []string{id}
	request.Header.Set("X-Tenant", tenant)
	s.ServeHTTP(w, request)
}

// Every arm changes the prompt as it says, whatever the log claims.
func TestTheModelReadsTheOrderOfTheArm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, tenant, want string }{
		{"req-1", "", "r1r3r5r7r6r4r2"},
		{"req-2", "", "r7r6r5r4r3r2r1"},
		{"req-3", "", "r1r2r3r4r5r6r7"},
		{"req-1", "northshop", "r1r2r5r6r3r4"},
		{"req-2", "northshop", "r1r2r5r6r3r4"},
		{"req-2", "unknown", "r7r6r5r4r3r2r1"},
	} {
		w := httptest.NewRecorder()
		ask(t, echo{}, seven, w, c.id, c.tenant, nil)
		if got := w.Body.String(); w.Code != http.StatusOK || got != c.want {
			t.Errorf("%s of %q: status %d (-want +got)\n-%s\n+%s", c.id, c.tenant, w.Code, c.want, got)
		}
	}
}

func TestRequestsAreDealtEvenlyAndStayInTheirArm(t *testing.T) {
	t.Parallel()
	choose, err := newChooser()
	if err != nil {
		t.Fatal(err)
	}
	again, err := newChooser()
	if err != nil {
		t.Fatal(err)
	}
	name := func(a *core.Arranger) string {
		if a.IsOff() {
			return "off"
		}
		return a.Config().Placement.String()
	}
	counts := map[string]int{}
	for i := range 3000 {
		ctx := core.WithRequestID(t.Context(), fmt.Sprintf("%x", i))
		arm := name(choose(ctx))
		if other := name(again(ctx)); other != arm {
			t.Fatalf("request %x: %s, then %s", i, arm, other)
		}
		counts[arm]++
	}
	for _, arm := range []string{"head-tail", "reversed", "off"} {
		if counts[arm] < 850 || counts[arm] > 1150 {
			t.Errorf("%d of 3000 requests in the arm %s", counts[arm], arm)
		}
	}
}

// pieces records what is written, and flushed, one by one.
type pieces struct {
	httptest.ResponseRecorder
	calls []string
}

func (p *pieces) Write(b []byte) (int, error) {
	p.calls = append(p.calls, string(b))
	return len(b), nil
}

func (p *pieces) Flush() { p.calls = append(p.calls, "flush") }

func TestTheAnswerIsStreamed(t *testing.T) {
	t.Parallel()
	w := &pieces{ResponseRecorder: *httptest.NewRecorder()}
	ask(t, extractive{}, documents{{PageContent: "Why? Because we care."}}, w, "req-1", "", nil)
	want := []string{"Why?", "flush"}
	if !slices.Equal(w.calls, want) {
		t.Errorf("one word (-want +got)\n-%q\n+%q", want, w.calls)
	}
	w = &pieces{ResponseRecorder: *httptest.NewRecorder()}
	ask(t, extractive{}, documents{{PageContent: "The why of it."}}, w, "req-1", "", nil)
	want = []string{"The ", "flush", "why ", "flush", "of ", "flush", "it.", "flush"}
	if !slices.Equal(w.calls, want) {
		t.Errorf("several words (-want +got)\n-%q\n+%q", want, w.calls)
	}
}

// failing is a retriever that fails.
type failing struct{ err error }

func (f failing) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return nil, f.err
}

func TestFaults(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret host is down")

	t.Run("before the first piece", func(t *testing.T) {
		t.Parallel()
		var log bytes.Buffer
		w := httptest.NewRecorder()
		ask(t, echo{}, failing{secret}, w, "req-1", "", &log)
		if w.Code != http.StatusInternalServerError || w.Body.String() != "something went wrong\n" {
			t.Errorf("status %d, body %q", w.Code, w.Body)
		}
		if want := `{"level":"ERROR","msg":"no answer","request_id":"req-1","error":"secret host is down"}` + "\n"; log.String() != want {
			t.Errorf("log (-want +got)\n-%s\n+%s", want, log.String())
		}
	})
	t.Run("in the middle", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("the connection is not cut: recovered %v", got)
			}
		}()
		ask(t, echo{err: secret}, seven, httptest.NewRecorder(), "req-1", "", nil)
	})
	t.Run("no question", func(t *testing.T) {
		t.Parallel()
		s, err := newService(echo{}, seven, newLog(io.Discard))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusBadRequest {
			t.Errorf("status %d", w.Code)
		}
	})
	t.Run("no retriever", func(t *testing.T) {
		t.Parallel()
		if _, err := newService(echo{}, nil, newLog(io.Discard)); err == nil {
			t.Error("want an error")
		}
	})
}

func TestEachRequestHasAnID(t *testing.T) {
	t.Parallel()
	first, second := httptest.NewRecorder(), httptest.NewRecorder()
	ask(t, echo{}, seven, first, "", "", nil)
	ask(t, echo{}, seven, second, "", "", nil)
	a, b := first.Header().Get("X-Request-ID"), second.Header().Get("X-Request-ID")
	if a == "" || a == b {
		t.Errorf("made IDs %q and %q", a, b)
	}
	given := httptest.NewRecorder()
	ask(t, echo{}, seven, given, "req-7", "", nil)
	if got := given.Header().Get("X-Request-ID"); got != "req-7" {
		t.Errorf("given ID: got %q back", got)
	}
}

func TestOneLogRecordForEachRequest(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ask(t, echo{}, seven, httptest.NewRecorder(), "a\n{\"level\":\"forged\"}", "", &log)
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 1 {
		t.Errorf("%d lines:\n%s", len(lines), log.String())
	}
	var record struct {
		Bookend struct {
			RequestID string `json:"request_id"`
		}
	}
	if err := json.Unmarshal(log.Bytes(), &record); err != nil || record.Bookend.RequestID != "a\n{\"level\":\"forged\"}" {
		t.Errorf("error %v, record %+v", err, record)
	}
}

func TestRequestsShareOneChain(t *testing.T) {
	t.Parallel()
	s, err := newService(echo{}, seven, newLog(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"req-1": "r1r3r5r7r6r4r2", "req-2": "r7r6r5r4r3r2r1", "req-3": "r1r2r3r4r5r6r7"}
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			id := fmt.Sprintf("req-%d", i%3+1)
			request := httptest.NewRequest(http.MethodGet, "/?q=why", nil)
			request.Header.Set("X-Request-ID", id)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, request)
			if got := w.Body.String(); got != want[id] {
				t.Errorf("%s (-want +got)\n-%s\n+%s", id, want[id], got)
			}
		}()
	}
	wg.Wait()
}
