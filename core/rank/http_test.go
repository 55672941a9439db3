package rank_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

// asked is the body of a request, in either form.
type asked struct {
	Model     string   `json:"model"`
	Query     any      `json:"query"`
	Documents []string `json:"documents"`
	Texts     []string `json:"texts"`
	TopN      int      `json:"top_n"`
	Truncate  any      `json:"truncate"`
	Limit     int      `json:"max_tokens_per_doc"`

	body string
}

// server answers by a func, and records what it is asked.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []asked
	headers  []http.Header
	paths    []string
}

func newServer(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, a asked)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a asked
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &a); err != nil {
			t.Errorf("request: %v", err)
		}
		a.body = strings.TrimSpace(string(body))
		s.mu.Lock()
		s.requests, s.headers, s.paths = append(s.requests, a), append(s.headers, r.Header), append(s.paths, r.URL.String())
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, r, a)
	}))
	t.Cleanup(s.Close)
	return s
}

// seen returns what was asked up to now.
func (s *server) seen() (requests []asked, headers []http.Header, paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests), slices.Clone(s.headers), slices.Clone(s.paths)
}

// count returns the number of requests up to now.
func (s *server) count() int {
	requests, _, _ := s.seen()
	return len(requests)
}

// last returns the last request.
func (s *server) last() asked {
	requests, _, _ := s.seen()
	return requests[len(requests)-1]
}

// says answers every request with the same status and body.
func says(t testing.TB, status int, body string) *server {
	return newServer(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func newHTTP(t testing.TB, c rank.HTTPConfig) *rank.HTTP {
	t.Helper()
	h, err := rank.NewHTTP(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.CloseIdleConnections)
	return h
}

// cohere and tei answer in the two shapes, worst first, with the number in each text
// as its score.
func cohere(w http.ResponseWriter, _ *http.Request, a asked) {
	var entries []string
	for i, text := range slices.Backward(a.Documents) {
		entries = append(entries, fmt.Sprintf(`{"index":%d,"document":{"text":%q},"relevance_score":%v}`, i, text, number(text)))
	}
	fmt.Fprintf(w, `{"id":"x","results":[%s],"meta":{"tokens":1}}`, strings.Join(entries, ","))
}

func tei(w http.ResponseWriter, _ *http.Request, a asked) {
	var entries []string
	for i, text := range slices.Backward(a.Texts) {
		entries = append(entries, fmt.Sprintf(`{"index":%d,"score":%v}`, i, number(text)))
	}
	fmt.Fprintf(w, `[%s]`, strings.Join(entries, ","))
}

func number(text string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimPrefix(text, "text "), 64)
	return n
}

// Every document keeps its own score, in both shapes and over several batches.
func TestScoresBelongToTheirTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		form   rank.Form
		answer func(http.ResponseWriter, *http.Request, asked)
	}{
		{"results", rank.Documents, cohere},
		{"a bare list", rank.Texts, tei},
	} {
		for _, batch := range []int{0, 1, 3, 8, 100} {
			t.Run(fmt.Sprintf("%s/batch=%d", c.name, batch), func(t *testing.T) {
				t.Parallel()
				s := newServer(t, c.answer)
				h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Form: c.form, Model: "m", Batch: batch})
				texts, want := []string{}, []float64{}
				for _, n := range []float64{5, -2.5, 0, 17, 1e-3, 5, 3, 8} {
					texts, want = append(texts, fmt.Sprintf("text %v", n)), append(want, n)
				}
				got, err := h.Score(t.Context(), "which?", texts)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "scores", want, got)
				var sent []string
				requests, _, paths := s.seen()
				for _, r := range requests {
					sent = append(append(sent, r.Documents...), r.Texts...)
					same(t, "query, model", "which? m", fmt.Sprint(r.Query, " ", r.Model))
					same(t, "top_n", len(r.Documents), r.TopN)
					same(t, "truncate", c.form == rank.Texts, r.Truncate == true)
				}
				same(t, "sent", texts, sent)
				same(t, "path", "/rerank", paths[0])
				if batch > 0 {
					same(t, "requests", (8+batch-1)/batch, len(requests))
				}
			})
		}
	}
}

func TestNothingToScore(t *testing.T) {
	t.Parallel()
	s := newServer(t, cohere)
	got, err := newHTTP(t, rank.HTTPConfig{URL: s.URL}).Score(t.Context(), "?", nil)
	if err != nil || len(got) != 0 || s.count() != 0 {
		t.Errorf("%v, %v after %d requests", got, err, s.count())
	}
}

func TestReadScores(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name, answer string
		want         []float64
		rule         string // of the error
	}{
		{"out of order", `{"results":[{"index":2,"relevance_score":0.3},{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.2}]}`, []float64{.1, .2, .3}, ""},
		{"a list out of order", `[{"index":2,"score":0.3},{"index":0,"score":0.1},{"index":1,"score":0.2}]`, []float64{.1, .2, .3}, ""},
		{"one is missing", `[{"index":2,"score":0.3},{"index":0,"score":0.1}]`, []float64{.1, nan, .3}, ""},
		{"one is null", `{"results":[{"index":0,"relevance_score":null},{"index":1,"relevance_score":-7},{"index":2,"relevance_score":1e300}]}`, []float64{nan, -7, 1e300}, ""},
		{"both names", `[{"index":0,"score":9,"relevance_score":1}]`, []float64{1, nan, nan}, ""},
		{"an index twice", `[{"index":1,"score":0.3},{"index":1,"score":0.3}]`, nil, "index 1 is there twice"},
		{"twice with another score", `[{"index":1,"score":0.3},{"index":1,"score":0.9}]`, nil, "index 1 is there twice"},
		{"an index beyond the texts", `[{"index":3,"score":0.3}]`, nil, "index 3, but 3 texts"},
		{"an index below 0", `[{"index":-1,"score":0.3}]`, nil, "index -1"},
		{"no index", `[{"score":0.3}]`, nil, "result 0 has no index"},
		{"an index of null", `[{"index":null,"score":0.3}]`, nil, "no index"},
		{"an index that is no whole number", `[{"index":0.5,"score":0.3}]`, nil, "0.5"},
		{"an index as text", `[{"index":"0","score":0.3}]`, nil, "string"},
		{"a score as text", `[{"index":0,"score":"0.3"}]`, nil, "string"},
		{"a score of NaN", `[{"index":0,"score":NaN}]`, nil, "invalid character 'N'"},
		{"a score beyond all numbers", `[{"index":0,"score":1e999}]`, nil, "1e999"},
		{"no score at all", `[{"index":0},{"index":1},{"index":2}]`, nil, "no score for any of 3"},
		{"no result", `{"results":[]}`, nil, "no score for any of 3"},
		{"data", `{"object":"list","data":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}`, []float64{.1, .9, nan}, ""},
		{"data with scores", `{"data":[{"index":1,"score":0.9,"object":"score"},{"index":0,"score":0.1}],"usage":{}}`, []float64{.1, .9, nan}, ""},
		{"rankings", `{"rankings":[{"index":1,"logit":0.9},{"index":0,"logit":-3}]}`, []float64{-3, .9, nan}, ""},
		{"results within an output", `{"output":{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]},"request_id":"x"}`, []float64{.1, .9, nan}, ""},
		{"scores within data", `{"code":0,"data":{"scores":[0.1,0.9,-2]}}`, []float64{.1, .9, -2}, ""},
		{"a result that holds data", `{"result":{"data":[{"index":2,"score":4}]}}`, []float64{nan, nan, 4}, ""},
		{"results of another spelling", `{"results":[{"index":1,"relevanceScore":0.9},{"index":0,"relevanceScore":0.1}]}`, []float64{.1, .9, nan}, ""},
		{"another name of the index", `[{"corpus_id":2,"score":-1.5,"text":"x"},{"corpus_id":0,"score":7}]`, []float64{7, nan, -1.5}, ""},
		{"scores by position", `{"scores":[0.1,0.9,-2]}`, []float64{.1, .9, -2}, ""},
		{"a list of numbers", `[0.1,0.2,0.3]`, []float64{.1, .2, .3}, ""},
		{"a list of numbers, one is null", `[null,0.2,0.3]`, []float64{nan, .2, .3}, ""},
		{"an empty list of another name", `{"results":null,"data":[{"index":1,"score":1}]}`, []float64{nan, 1, nan}, ""},
		{"too few numbers", `[0.1,0.2]`, nil, "2 numbers, but 3 texts"},
		{"too many numbers", `[0.1,0.2,0.3,0.4]`, nil, "more results than the 3 texts"},
		{"too many results", `[{"index":0},{"index":1},{"index":2},{"index":1}]`, nil, "more results than the 3 texts"},
		{"numbers and results", `[0.1,{"index":1,"score":1},0.3]`, nil, "object"},
		{"results and numbers", `[{"index":1,"score":1},0.3]`, nil, "number"},
		{"lists within the list", `[[0.1],[0.2],[0.3]]`, nil, "array"},
		{"words within the list", `["a","b","c"]`, nil, "string"},
		{"a list too deep within", `{"output":{"output":{"results":[{"index":0,"score":1}]}}}`, nil, `no "results"`},
		{"no list", `{"results":{"index":0,"score":1}}`, nil, `no "results"`},
		{"another object", `{"choices":[{"index":0,"relevance_score":1}]}`, nil, `no "results"`},
		{"a number", `0.5`, nil, `no "results"`},
		{"null", `null`, nil, `no "results"`},
		{"half an answer", `[{"index":0,"score":0.1},`, nil, "unexpected end"},
		{"two answers", `[{"index":0,"score":0.1}][]`, nil, "after top-level value"},
		{"nothing", ` `, nil, "unexpected end"},
		{"a page", `<html>`, nil, "invalid character '<'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := rank.ReadScores([]byte(c.answer), 3)
			if c.rule != "" {
				mustMention(t, err, c.rule)
				return
			}
			if err != nil || !slices.EqualFunc(c.want, got, near) {
				t.Errorf("%v (-want +got)\n-%v\n+%v", err, c.want, got)
			}
		})
	}
}

func FuzzReadScores(f *testing.F) {
	for _, seed := range []string{
		`{"rankings":[{"index":1,"logit":0.9}]}`, `{"output":{"results":[{"corpus_id":0,"relevanceScore":1}]}}`, `{"data":{"scores":[1,null,2]}}`, `[1,2,3]`,
		`{"results":[{"index":1,"relevance_score":0.3},{"index":0,"relevance_score":-1}]}`,
		`[{"index":0,"score":0.1},{"index":2,"score":1e5}]`, `[{"index":0}]`, `[`, `{"results":null}`, `[{"index":1,"score":1},{"index":1,"score":2}]`,
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, answer string, n int) {
		n = min(max(n, 0), 100)
		scores, err := rank.ReadScores([]byte(answer), n)
		if err != nil {
			return
		}
		if len(scores) != n {
			t.Fatalf("%d scores for %d texts", len(scores), n)
		}
		for i, s := range scores {
			if math.IsInf(s, 0) {
				t.Errorf("score %d is %v, which no JSON holds", i, s)
			}
		}
	})
}

// instantly records the waits and does not wait.
func instantly(h *rank.HTTP) *[]time.Duration {
	waits := new([]time.Duration)
	h.Sleep(func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	})
	return waits
}

func TestRetries(t *testing.T) {
	t.Parallel()
	const date = "Mon, 02 Nov 2026 10:00:00 GMT"
	type reply struct {
		status int
		after  string
	}
	for _, c := range []struct {
		name    string
		replies []reply // the last one stays
		retries int
		waits   []time.Duration
		status  int // of the error; 0: it succeeds
	}{
		{"at once", []reply{{200, ""}}, 0, nil, 0},
		{"the server's time", []reply{{503, "2"}, {200, ""}}, 0, []time.Duration{2 * time.Second}, 0},
		{"the server's date, by its own clock", []reply{{429, "Mon, 02 Nov 2026 10:00:07 GMT"}, {200, ""}}, 0, []time.Duration{7 * time.Second}, 0},
		{"no time", []reply{{500, ""}, {502, "rubbish"}, {200, ""}}, 0, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}, 0},
		{"all in vain", []reply{{503, ""}}, 3, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}, 503},
		{"none", []reply{{503, ""}}, -1, nil, 503},
		{"too long a wait", []reply{{429, "31"}}, 0, nil, 429},
		{"longer than the time that is left", []reply{{429, "25"}}, 0, nil, 429},
		{"the request's fault", []reply{{400, ""}}, 0, nil, 400},
		{"too large", []reply{{413, "1"}}, 0, nil, 413},
		{"not implemented", []reply{{501, "1"}}, 0, nil, 501},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, a asked) {
				now := c.replies[min(int(calls.Add(1)), len(c.replies))-1]
				w.Header().Set("Date", date)
				if now.after != "" {
					w.Header().Set("Retry-After", now.after)
				}
				w.WriteHeader(now.status)
				if now.status == 200 {
					cohere(w, r, a)
				}
			})
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Retries: c.retries, Timeout: 20 * time.Second})
			waits := instantly(h)
			got, err := h.Score(t.Context(), "?", []string{"text 4"})
			same(t, "waits", c.waits, *waits)
			if c.status == 0 {
				if err != nil || !slices.Equal(got, []float64{4}) {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			e := mustBe[*rank.Error](t, err)
			same(t, "status", c.status, e.Status)
			same(t, "kind", true, errors.Is(err, rank.ErrServer))
		})
	}
}

// A connection that breaks is tried again.
func TestABrokenConnectionIsRetried(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, a asked) {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		cohere(w, r, a)
	})
	h := newHTTP(t, rank.HTTPConfig{URL: s.URL})
	waits := instantly(h)
	got, err := h.Score(t.Context(), "?", []string{"text 4"})
	if err != nil || got[0] != 4 || len(*waits) != 1 {
		t.Errorf("%v, %v after %v", got, err, *waits)
	}
}

func TestCallsEnd(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 10)
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ asked) {
		begun <- struct{}{}
		<-r.Context().Done()
	})
	t.Run("at the timeout", func(t *testing.T) {
		t.Parallel()
		h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Timeout: 30 * time.Millisecond})
		_, err := h.Score(t.Context(), "?", []string{"a"})
		if !errors.Is(err, rank.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("with the caller", func(t *testing.T) {
		t.Parallel()
		h := newHTTP(t, rank.HTTPConfig{URL: s.URL})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := h.Score(ctx, "?", []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		cancel()
	})
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		s := says(t, 503, "")
		h := newHTTP(t, rank.HTTPConfig{URL: s.URL})
		ctx, cancel := context.WithCancel(t.Context())
		h.Sleep(func(call context.Context, _ time.Duration) error {
			cancel()
			<-call.Done()
			return call.Err()
		})
		if _, err := h.Score(ctx, "?", []string{"a"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestServersFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   error
		parts  []string
	}{
		{"a complaint", 400, `{"error":{"message":"too many documents"}}`, rank.ErrServer, []string{"status 400", "too many documents"}},
		{"one of FastAPI", 422, `{"detail":"no such field"}`, rank.ErrServer, []string{"422", "no such field"}},
		{"one of TEI", 413, `{"error":"batch size 64 > maximum allowed batch size 32","error_type":"Validation"}`, rank.ErrServer, []string{"maximum allowed batch size 32"}},
		{"no words", 404, ``, rank.ErrServer, []string{"Not Found"}},
		{"control characters", 400, "a\x1b[31m\nb", rank.ErrServer, []string{"a[31m b"}},
		{"an answer to something else", 200, `{"choices":[]}`, rank.ErrAnswer, []string{`no "results"`}},
		{"too long", 200, `[` + strings.Repeat(" ", 3000) + `]`, rank.ErrTooLarge, []string{"over 2000 bytes"}},
		{"a complaint that is too long", 400, strings.Repeat("x", 3000), rank.ErrServer, []string{"Bad Request"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := says(t, c.status, c.body)
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, MaxAnswer: 2000})
			_, err := h.Score(t.Context(), "?", []string{"a", "b"})
			if !errors.Is(err, c.kind) {
				t.Errorf("kind of %v (-want +got)\n-%v", err, c.kind)
			}
			mustMention(t, err, c.parts...)
			same(t, "requests", 1, s.count())
		})
	}
	h := newHTTP(t, rank.HTTPConfig{URL: "http://127.0.0.1:1", Retries: -1})
	if _, err := h.Score(t.Context(), "?", []string{"a"}); !errors.Is(err, rank.ErrConnection) {
		t.Errorf("no server: %v", err)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	t.Parallel()
	other := newServer(t, cohere)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
			w.Header().Set("Location", other.URL+"/x?token=qu3ryqu3ry")
			w.WriteHeader(status)
		})
		h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Key: func() string { return "s3cr3t" }})
		_, err := h.Score(t.Context(), "?", []string{"a"})
		if !errors.Is(err, rank.ErrRedirect) || strings.Contains(err.Error(), "qu3ry") {
			t.Errorf("%d: error %v", status, err)
		}
	}
	same(t, "requests that arrived elsewhere", 0, other.count())
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	const key = "sk-very-s3cr3t"
	s := newServer(t, func(w http.ResponseWriter, r *http.Request, _ asked) {
		w.WriteHeader(401)
		fmt.Fprintf(w, `{"error":{"message":"bad %s for %s"}}`, r.Header.Get("Authorization"), r.URL)
	})
	config := rank.HTTPConfig{URL: s.URL + "/v1/rerank?token=qu3ryqu3ry", Model: "m", Key: func() string { return key }}
	h := newHTTP(t, config)
	_, err := h.Score(t.Context(), "?", []string{"a"})
	mustMention(t, err, "status 401", "bad Bearer ***")
	_, headers, paths := s.seen()
	same(t, "the key that arrived", "Bearer "+key, headers[0].Get("Authorization"))
	same(t, "the query that arrived", "/v1/rerank?token=qu3ryqu3ry", paths[0])
	marshaled, _ := json.Marshal(map[string]any{"client": h, "config": config})
	for _, printed := range []string{
		err.Error(), h.String(), fmt.Sprintf("%v %+v %#v %s %q", h, h, h, h, h), string(marshaled),
		fmt.Sprintf("%v %+v %#v %s", config, config, config, &config), fmt.Sprint(h.LogValue(), config.LogValue()),
		fmt.Sprintf("%+v", rank.Reranker{Scorer: h}),
	} {
		for _, secret := range []string{key, "qu3ry"} {
			if strings.Contains(printed, secret) {
				t.Errorf("%q holds the secret %q", printed, secret)
			}
		}
	}
	same(t, "printed", true, strings.Contains(h.String(), `"m" at http://127.0.0.1`) && strings.HasSuffix(h.String(), "/v1/rerank"))
	user := newServer(t, cohere)
	h = newHTTP(t, rank.HTTPConfig{URL: strings.Replace(user.URL, "http://", "http://me:pa55word@", 1)})
	if _, err := h.Score(t.Context(), "?", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	_, headers, _ = user.seen()
	same(t, "basic authentication", "Basic bWU6cGE1NXdvcmQ=", headers[0].Get("Authorization"))
	same(t, "printed without a user", false, strings.Contains(h.String(), "pa55"))
}

func TestHTTPConfigErrors(t *testing.T) {
	t.Parallel()
	key := func() string { return "s3cr3t" }
	for _, c := range []struct {
		name   string
		config rank.HTTPConfig
		field  string
		parts  []string
	}{
		{"no address", rank.HTTPConfig{}, "URL", []string{"must be an address"}},
		{"a scheme", rank.HTTPConfig{URL: "ftp://host/rerank"}, "URL", []string{"only http and https"}},
		{"a fragment", rank.HTTPConfig{URL: "http://host/#s3cr3t"}, "URL", []string{"no fragment"}},
		{"a key in the open", rank.HTTPConfig{URL: "http://host.example/rerank", Key: key}, "URL", []string{"unencrypted"}},
		{"a query in the open", rank.HTTPConfig{URL: "http://host.example/rerank?k=s3cr3t"}, "URL", []string{"unencrypted"}},
		{"a key and a user", rank.HTTPConfig{URL: "https://u:s3cr3t@host/rerank", Key: key}, "URL", []string{"not both"}},
		{"a key with a line break", rank.HTTPConfig{URL: "https://host", Key: func() string { return "s3cr3t\n" }}, "Key", []string{"printable ASCII"}},
		{"a form", rank.HTTPConfig{URL: "https://host", Form: "s"}, "Form", []string{`"documents" or "texts"`}},
		{"a batch", rank.HTTPConfig{URL: "https://host", Batch: -1}, "Batch", []string{"-1"}},
		{"bytes", rank.HTTPConfig{URL: "https://host", MaxBytes: -1}, "MaxBytes", []string{"-1"}},
		{"runes", rank.HTTPConfig{URL: "https://host", MaxRunes: -1}, "MaxRunes", []string{"-1"}},
		{"a timeout", rank.HTTPConfig{URL: "https://host", Timeout: -1}, "Timeout", []string{"-1"}},
		{"an answer", rank.HTTPConfig{URL: "https://host", MaxAnswer: -1}, "MaxAnswer", []string{"-1"}},
		{"retries", rank.HTTPConfig{URL: "https://host", Retries: -2}, "Retries", []string{"-2"}},
		{"extra that is none", rank.HTTPConfig{URL: "https://host", Extra: json.RawMessage(`["s3cr3t"]`)}, "Extra", []string{"JSON object"}},
		{"a count in extra", rank.HTTPConfig{URL: "https://host", Extra: json.RawMessage(`{"top_n":3}`)}, "Extra", []string{`"top_n"`, "null"}},
		{"extra of a request", rank.HTTPConfig{URL: "https://host", Extra: json.RawMessage(`{"Query":"s3cr3t"}`)}, "Extra", []string{`"query"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := rank.NewHTTP(c.config)
			same(t, "field", c.field, mustBe[*core.ConfigError](t, err).Field)
			mustMention(t, err, c.parts...)
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error holds a secret: %v", err)
			}
		})
	}
	_, err := rank.NewHTTP(rank.HTTPConfig{Batch: -1, Retries: -5})
	mustMention(t, err, "URL", "Batch", "Retries")
	for _, ok := range []rank.HTTPConfig{
		{URL: "http://host.example/rerank", Key: key, AllowPlainKey: true},
		{URL: "http://localhost/rerank", Key: key},
		{URL: "https://host.example", Key: key},
		{URL: "http://host.example/rerank", Key: func() string { return "" }},
	} {
		if _, err := rank.NewHTTP(ok); err != nil {
			t.Errorf("%v: %v", ok, err)
		}
	}
}

func TestExtra(t *testing.T) {
	t.Parallel()
	s := newServer(t, cohere)
	h := newHTTP(t, rank.HTTPConfig{URL: s.URL + "/v2/rerank", Extra: json.RawMessage(`{"max_tokens_per_doc":512}`)})
	if _, err := h.Score(t.Context(), "?", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	_, _, paths := s.seen()
	same(t, "max_tokens_per_doc", 512, s.last().Limit)
	same(t, "path", "/v2/rerank", paths[0])
	s = newServer(t, tei)
	h = newHTTP(t, rank.HTTPConfig{URL: s.URL, Form: rank.Texts, Extra: json.RawMessage(`{"truncate":null}`)})
	if _, err := h.Score(t.Context(), "?", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	same(t, "truncate", nil, s.last().Truncate)
}

// Each form as a server of its kind takes it.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, extra string
		form        rank.Form
		want        string
	}{
		{"documents", ``, "", `{"documents":["a","b"],"model":"m","query":"?","top_n":2}`},
		{"documents without a count", `{"top_n":null}`, rank.Documents, `{"documents":["a","b"],"model":"m","query":"?"}`},
		{"documents with another count", `{"top_n":null,"top_k":100}`, rank.Documents, `{"documents":["a","b"],"model":"m","query":"?","top_k":100}`},
		{"texts", ``, rank.Texts, `{"model":"m","query":"?","texts":["a","b"],"truncate":true}`},
		{"passages", ``, rank.Passages, `{"model":"m","passages":[{"text":"a"},{"text":"b"}],"query":{"text":"?"},"truncate":"END"}`},
		{"passages that are not cut", `{"truncate":null}`, rank.Passages, `{"model":"m","passages":[{"text":"a"},{"text":"b"}],"query":{"text":"?"}}`},
		{"input", `{"parameters":{"return_documents":false}}`, rank.Input, `{"input":{"documents":["a","b"],"query":"?"},"model":"m","parameters":{"return_documents":false}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := says(t, 200, `[1, 2]`)
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Model: "m", Form: c.form, Extra: json.RawMessage(c.extra)})
			if _, err := h.Score(t.Context(), "?", []string{"a", "b"}); err != nil {
				t.Fatal(err)
			}
			same(t, "body", c.want, s.last().body)
		})
	}
}

// A server that refuses top_n by name is asked without it, once, and from then on.
func TestACountThatIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		words  string
		known  bool
	}{
		{"as Voyage does", 400, `{"detail":"Argument 'top_n' is not supported by our API"}`, true},
		{"as FastAPI does", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","top_n"],"msg":"Extra inputs are not permitted","input":2}]}`, true},
		{"for something else", 400, `{"detail":"no such model"}`, false},
		{"by another status", 403, `{"detail":"top_n"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(w http.ResponseWriter, r *http.Request, a asked) {
				if a.TopN != 0 || !c.known {
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.words)
					return
				}
				cohere(w, r, a)
			})
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Batch: 2, Retries: -1})
			got, err := h.Score(t.Context(), "?", []string{"text 4", "text 5", "text 6"})
			if !c.known {
				same(t, "requests", 1, s.count())
				same(t, "status", c.status, mustBe[*rank.Error](t, err).Status)
				return
			}
			if err != nil || !slices.Equal(got, []float64{4, 5, 6}) {
				t.Errorf("%v, %v", got, err)
			}
			same(t, "requests", 3, s.count())
		})
	}
	// One that goes on refusing is not asked for ever.
	s := says(t, 400, `{"detail":"top_n"}`)
	_, err := newHTTP(t, rank.HTTPConfig{URL: s.URL}).Score(t.Context(), "?", []string{"a"})
	same(t, "status", 400, mustBe[*rank.Error](t, err).Status)
	same(t, "requests", 2, s.count())
}

// What a server repeats of the question and the texts is in no error, and Summary has
// nothing of the server's at all.
func TestErrorsRepeatNoQuestion(t *testing.T) {
	t.Parallel()
	const question, text = "Is Blue Harbour the code of our vault für Jörg?", "The vault opens at nine, and its code is Green Meadow."
	for _, c := range []struct {
		name    string
		status  int
		body    string
		summary string
		parts   []string
	}{
		{"quoted", 400, `{"error":{"message":"bad query: ` + question + `"}}`, "http 400", []string{"bad query: ***"}},
		{"half of it", 400, `{"message":"bad query: Is Blue Harbour the co…"}`, "http 400", []string{"bad query: ***"}},
		{"FastAPI's input", 422, `{"detail":[{"loc":["body","model"],"msg":"Field required","input":{"query":"` + question + `"}}]}`, "http 422", []string{"body.model: Field required"}},
		{"no words that are known", 500, `{"request":{"query":"` + question + `","documents":["` + text + `"]}}`, "http 500", []string{"***"}},
		{"characters that are escaped", 500, `{"query":"our vault f\u00fcr J\u00f6rg?"}`, "http 500", []string{`{"query":"***"}`}},
		{"a page", 503, `<p>` + question, "http 503", []string{"***"}},
		{"a document", 413, `{"error":"too long: ` + text + `"}`, "http 413", []string{"too long: ***"}},
		{"an error in a success", 200, `{"error":{"message":"cannot rank ` + question + `"}}`, "http 200", []string{"the server says: cannot rank ***"}},
		{"an answer that cannot be read", 200, question, "bad answer", nil},
		{"a redirect", 307, "", "redirect", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ asked) {
				w.Header().Set("Location", "/Is Blue Harbour the code of our vault?x")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Retries: -1})
			_, err := h.Score(t.Context(), question, []string{"short", text})
			mustMention(t, err, c.parts...)
			for _, private := range []string{"Blue Harbour", "Blue%20Harbour", "Green Meadow", "Jörg", "00f6rg"} {
				if strings.Contains(err.Error(), private) {
					t.Errorf("the error holds %q: %v", private, err)
				}
			}
			same(t, "summary", c.summary, mustBe[*rank.Error](t, err).Summary())
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    rank.Error
		want string
	}{
		{rank.Error{Kind: rank.ErrServer, Status: 503, Detail: "private"}, "http 503"},
		{rank.Error{Kind: rank.ErrConnection, Detail: "private"}, "connection"},
		{rank.Error{Kind: rank.ErrTimeout, Status: 200, Detail: "private"}, "timeout"},
		{rank.Error{Kind: rank.ErrRedirect, Status: 302, Detail: "private"}, "redirect"},
		{rank.Error{Kind: rank.ErrTooLarge, Status: 200, Detail: "private"}, "answer too large"},
		{rank.Error{Kind: rank.ErrAnswer, Status: 200, Detail: "private"}, "bad answer"},
		{rank.Error{Kind: context.Canceled, Detail: "private"}, "canceled"},
		{rank.Error{Kind: context.DeadlineExceeded, Detail: "private"}, "timeout"},
		{rank.Error{Kind: errors.New("private"), Detail: "private"}, "unknown"},
		{rank.Error{}, "unknown"},
	} {
		same(t, c.e.Error(), c.want, c.e.Summary())
	}
}

// Once the caller's context has ended no request begins, be it between batches,
// between attempts, or before the first, and its error is returned.
func TestNoRequestAfterTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		end      int // the request during which the context ends; 0: before
		status   int
		texts    int
		requests int
	}{
		{"before the first", 0, 200, 3, 0},
		{"without texts", 0, 200, 0, 0},
		{"between batches", 1, 200, 3, 1},
		{"before the last batch", 2, 200, 3, 2},
		{"between attempts", 1, 503, 1, 1},
		{"after a refusal", 1, 400, 1, 1},
	} {
		for _, deadline := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/deadline=%v", c.name, deadline), func(t *testing.T) {
				t.Parallel()
				ctx := &ending{Context: t.Context(), err: context.Canceled, done: make(chan struct{})}
				if deadline {
					ctx.err = context.DeadlineExceeded
				}
				var calls atomic.Int32
				s := newServer(t, func(w http.ResponseWriter, r *http.Request, a asked) {
					calls.Add(1)
					w.WriteHeader(c.status)
					if c.status == 200 {
						cohere(w, r, a)
					} else {
						_, _ = io.WriteString(w, `{"message":"top_n"}`)
					}
				})
				h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Batch: 1})
				h.Sleep(func(context.Context, time.Duration) error { return nil }) // a timer may win
				ctx.ends = func() bool { return int(calls.Load()) >= c.end }
				texts := make([]string, c.texts)
				_, err := h.Score(ctx, "?", texts)
				if !errors.Is(err, ctx.err) {
					t.Errorf("error %v", err)
				}
				same(t, "requests", c.requests, int(calls.Load()))
			})
		}
	}
}

// ending is a context that ends by a count, and whose end only Err tells: so that no
// transport sees it first.
type ending struct {
	context.Context
	err  error
	done chan struct{}
	ends func() bool
}

func (e *ending) Done() <-chan struct{} { return e.done }

func (e *ending) Err() error {
	if e.ends() {
		return e.err
	}
	return nil
}

// A zero value, or none, is an error and no panic.
func TestHTTPThatNobodyMade(t *testing.T) {
	t.Parallel()
	for _, h := range []*rank.HTTP{nil, {}} {
		h.CloseIdleConnections()
		_, err := h.Score(t.Context(), "?", []string{"a"})
		same(t, "field", "HTTP", mustBe[*core.ConfigError](t, err).Field)
		_, err = rank.Rerank(t.Context(), &rank.Reranker{Scorer: h}, docView, "?", []doc{{id: "a"}})
		mustBe[*core.ConfigError](t, err)
		text, _ := h.MarshalText()
		for _, printed := range []string{h.String(), fmt.Sprintf("%v", h), string(text), h.LogValue().String()} {
			mustMention(t, errors.New(printed), "NewHTTP did not make")
		}
	}
	same(t, "a zero error", "bookend: reranking failed", (&rank.Error{}).Error())
	same(t, "a zero configuration", "reranker at an address that cannot be read", rank.HTTPConfig{}.String())
}

// Only what the server sees is cut, between two characters.
func TestTruncation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		bytes, runes int
		text, want   string
	}{
		{"short enough", 5, 5, "abcde", "abcde"},
		{"bytes", 4, 0, "abcde", "abcd"},
		{"runes", 0, 4, "äöüßx", "äöüß"},
		{"bytes within a character", 5, 0, "äöü", "äö"},
		{"the stricter of the two", 3, 2, "äöü", "ä"},
		{"within the first character", 1, 0, "ä", ""},
		{"what is no character", 5, 0, strings.Repeat("\x80", 9), strings.Repeat("\uFFFD", 2)},
		{"the default", 0, 0, strings.Repeat("x", core.DefaultMaxBytes+1), strings.Repeat("x", core.DefaultMaxBytes)},
		{"markup", 0, 0, "<b>&\u2028", "<b>&\u2028"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, cohere)
			h := newHTTP(t, rank.HTTPConfig{URL: s.URL, MaxBytes: c.bytes, MaxRunes: c.runes})
			texts := []string{c.text}
			if _, err := h.Score(t.Context(), "?", texts); err != nil {
				t.Fatal(err)
			}
			same(t, "sent", c.want, s.last().Documents[0])
			same(t, "the caller's", c.text, texts[0])
		})
	}
}

func TestScoreConcurrently(t *testing.T) {
	t.Parallel()
	s := newServer(t, cohere)
	h := newHTTP(t, rank.HTTPConfig{URL: s.URL, Batch: 2})
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			texts := []string{fmt.Sprint("text ", i), fmt.Sprint("text ", i+1), fmt.Sprint("text ", i+2)}
			got, err := h.Score(t.Context(), "?", texts)
			if want := []float64{float64(i), float64(i + 1), float64(i + 2)}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %v, want %v", got, err, want)
			}
		}()
	}
	all.Wait()
}
