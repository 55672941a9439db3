package run

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

// An attempt that its own timeout ended is repeated, whether the run or the client
// notices first.
func TestTimeoutIsRetried(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]time.Duration{"the run's timeout first": time.Minute, "both at once": 2 * time.Second, "the client's first": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch _ = promptOf(r); requests.Add(1) {
				case 1: // no answer at all
					<-r.Context().Done()
				case 2: // half an answer
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusOK)
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				default:
					writeAnswer(w, "at last")
				}
			}))
			defer server.Close()
			model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", Timeout: client})
			if err != nil {
				t.Fatal(err)
			}
			defer model.CloseIdleConnections()
			path := fake.Path(t)
			got, err := Run(t.Context(), fake.Questions(1, 1)[:1], model, fake.Journal(t, path), Limits{Timeout: 2 * time.Second, Retries: 5, Backoff: time.Millisecond})
			records, _ := fake.Read(t, path)
			if err != nil || got.Answered != 1 || len(records) != 1 || records[0].Attempts != 3 {
				t.Fatalf("%+v, error %v, records %+v", got, err, records)
			}
		})
	}
}

// The end of the run is no timeout: nothing is repeated and nothing written down.
func TestEndOfTheRunIsNotRetried(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	asked := 0
	hangs := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		asked++
		end()
		<-ctx.Done()
		return model.Answer{}, &model.Error{Permanent: true, Err: ctx.Err()}
	})
	path := fake.Path(t)
	got, err := Run(ctx, fake.Questions(3, 1), hangs, fake.Journal(t, path), Limits{Concurrency: 1, Timeout: time.Minute, Backoff: time.Millisecond})
	if records, _ := fake.Read(t, path); !errors.Is(err, context.Canceled) || asked != 1 || len(records) != 0 {
		t.Errorf("%+v, error %v, asked %d times, %d records", got, err, asked, len(records))
	}
}

// What fails at the last attempt says that it was the time, and what the server had
// said until then.
func TestTimeoutInVain(t *testing.T) {
	t.Parallel()
	hangs := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		<-ctx.Done()
		return model.Answer{}, &model.Error{Status: 200, Permanent: true, Err: ctx.Err()}
	})
	path := fake.Path(t)
	got, err := Run(t.Context(), fake.Questions(1, 1)[:1], hangs, fake.Journal(t, path), Limits{Timeout: 5 * time.Millisecond, Retries: 2, Backoff: time.Millisecond})
	records, _ := fake.Read(t, path)
	if err != nil || got.Failed != 1 || records[0].Attempts != 3 || records[0].Failure.Status != 200 || !strings.Contains(records[0].Failure.Message, "waited 5ms") {
		t.Errorf("%+v, error %v, %+v", got, err, records[0].Failure)
	}
}
