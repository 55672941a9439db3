package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
)

// faults are what a server may do once to a prompt; the next request for it is
// answered.
var faults = []struct {
	name  string
	serve func(w http.ResponseWriter, r *http.Request)
	// fails for ever, or counts as an answer
	status int
	final  bool
}{
	{name: "fine", serve: func(w http.ResponseWriter, _ *http.Request) { writeAnswer(w, "fine") }, final: true},
	{name: "429 with Retry-After", serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0.01")
		w.WriteHeader(http.StatusTooManyRequests)
	}, status: 429},
	{name: "429", serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, status: 429},
	{name: "500", serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, status: 500},
	{name: "reset", serve: func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.(*net.TCPConn).SetLinger(0)
			connection.Close()
		}
	}},
	{name: "hang", serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	{name: "slow body", serve: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, status: 200},
	{name: "truncated JSON", serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"message":{"content":"`)
	}, status: 200},
	{name: "empty", serve: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "application/json") }, status: 200},
	{name: "wrong content type", serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>")
	}, status: 200},
	{name: "401", serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, status: 401, final: true},
}

// Whatever a server does, every call ends as a counted answer or a counted failure.
func TestFaults(t *testing.T) {
	t.Parallel()
	list := make(fake.Calls, len(faults))
	for i, f := range faults {
		list[i] = model.Call{Key: f.name, Prompt: model.User(fmt.Sprint(i)), Tokens: 1}
	}
	for name, c := range map[string]struct {
		retries int
		heals   bool
	}{"without retries": {-1, false}, "with retries, in vain": {1, false}, "with retries": {2, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			seen := map[string]int{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text := promptOf(r)
				var i int
				if _, err := fmt.Sscan(text, &i); err != nil {
					t.Errorf("the prompt is %q", text)
				}
				mu.Lock()
				seen[text]++
				heal := c.heals && seen[text] > 1 && !faults[i].final
				mu.Unlock()
				if heal {
					writeAnswer(w, "fine")
					return
				}
				faults[i].serve(w, r)
			}))
			defer server.Close()
			path := fake.Path(t)
			model := httpModel{url: server.URL, client: server.Client(), limit: 64 << 20}
			got, err := Run(t.Context(), list, model, fake.Journal(t, path), Limits{
				Concurrency: len(faults), Retries: c.retries, Backoff: time.Millisecond, Timeout: time.Second,
			})
			if err != nil || got.Left() != 0 || got.Answered+got.Failed != len(faults) {
				t.Fatalf("%+v, %v", got, err)
			}
			records, _ := fake.Read(t, path)
			if len(records) != len(faults) {
				t.Fatalf("%d records of %d calls", len(records), len(faults))
			}
			for _, r := range records {
				for _, f := range faults {
					if f.name != r.Key {
						continue
					}
					wantAnswer := f.name == "fine" || c.heals && !f.final
					attempts := 1
					if !f.final {
						attempts = max(c.retries, 0) + 1
						if c.heals {
							attempts = 2
						}
					}
					if (r.Answer != nil) != wantAnswer || r.Attempts != attempts {
						t.Errorf("%s: answered %v after %d attempts; want %v after %d (%+v)", f.name, r.Answer != nil, r.Attempts, wantAnswer, attempts, r.Failure)
					}
					if r.Failure != nil && (r.Failure.Status != f.status || r.Failure.Message == "") {
						t.Errorf("%s: failure %+v; want status %d", f.name, r.Failure, f.status)
					}
				}
			}
		})
	}
}

// An answer of 10 MB is kept; where each byte becomes six in the journal it is too
// long for a line, and a failure.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 10 << 20
		text := promptOf(r)
		if text != "x" {
			size = 3 << 20
		}
		writeAnswer(w, strings.Repeat(text, size))
	}))
	defer server.Close()
	path := fake.Path(t)
	list := fake.Calls{{Key: "letters", Prompt: model.User("x")}, {Key: "control characters", Prompt: model.User("\x01")}}
	got, err := Run(t.Context(), list, httpModel{server.URL, server.Client(), 64 << 20}, fake.Journal(t, path), Limits{Concurrency: 1})
	if err != nil || got.Answered != 1 || got.Failed != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	records, _ := fake.Read(t, path)
	if len(records) != 2 || records[0].Answer == nil || len(records[0].Answer.Text) != 10<<20 {
		t.Fatal("the answer of 10 MB is not in the journal")
	}
	if f := records[1].Failure; f == nil || !strings.Contains(f.Message, "too long") || records[1].Lost != 11 || got.Spent.Requests != 2 {
		t.Errorf("failure %+v, lost %d, %+v", f, records[1].Lost, got)
	}
}

func TestOneRetryAfterHoldsBackAll(t *testing.T) {
	t.Parallel()
	slow := newFakeTime()
	clock := slow.clock()
	start := clock.now()
	model := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		c, _ := model.CallFrom(ctx)
		if at := clock.now().Sub(start); c.Key == "a" && at == 0 {
			return model.Answer{}, &model.Error{Status: 429, RetryAfter: time.Minute, Permanent: true}
		} else if at < time.Minute {
			t.Errorf("%s is asked after %v, before the server allowed it", c.Key, at)
		}
		return model.Answer{}, nil
	})
	list := fake.Calls{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	if got, err := run(t.Context(), list, model, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1}, clock, noLuck); err != nil || got.Left() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A quota of the day ends the run with what the server said: what is open is kept, and
// nothing waits.
func TestLongRetryAfterEndsTheRun(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	open := make(chan struct{})
	m := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		switch c, _ := model.CallFrom(ctx); c.Key {
		case "answered":
			<-open
			return model.Answer{Text: "yes"}, ctx.Err()
		case "retried":
			return model.Answer{}, &model.Error{Status: 500}
		}
		close(open)
		return model.Answer{}, &model.Error{Status: 429, RetryAfter: 12 * time.Hour, Err: errors.New("tokens per day reached")}
	})
	list := fake.Calls{{Key: "answered"}, {Key: "retried"}, {Key: "refused"}, {Key: "d"}, {Key: "e"}, {Key: "f"}, {Key: "g"}}
	begun := time.Now()
	got, err := Run(t.Context(), list, m, fake.Journal(t, path), Limits{Concurrency: 3, Backoff: time.Minute})
	e := (*LaterError)(nil)
	if !errors.As(err, &e) || e.Wait != 12*time.Hour || !strings.Contains(err.Error(), "come back in 12h0m0s, at 2") || !strings.HasSuffix(err.Error(), "tokens per day reached") {
		t.Errorf("error %v", err)
	}
	if time.Since(begun) > 20*time.Second || got.Answered != 1 || got.Failed != 1 || got.Open != 0 || got.Left() < 4 {
		t.Errorf("after %v: %+v", time.Since(begun), got)
	}
}
