package rank

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// Defaults of HTTPConfig.
const (
	DefaultBatch     = 32 // what Hugging Face TEI takes at most, unless told otherwise
	DefaultTimeout   = 30 * time.Second
	DefaultRetries   = 2
	DefaultMaxAnswer = 8 << 20
)

// HTTPConfig says which server scores, and how it is asked. It prints without its
// secrets. Only where it stands in an unexported field of a struct, and that struct is
// printed, does its URL show.
type HTTPConfig struct {
	// URL is the address of the endpoint, http or https, such as
	// http://127.0.0.1:8080/v1/rerank. Without a path, /rerank is added. User info is
	// sent as basic authentication, a query with each request.
	URL string
	// Key returns what is sent as a bearer token, printable ASCII without spaces, or
	// "" for none. NewHTTP calls it, once. It is a func so that no printing of the
	// configuration shows the key.
	Key func() string
	// AllowPlainKey lets a key, user info or a query travel over plain http to
	// another machine, where everyone on the way can read it.
	AllowPlainKey bool
	// Model is the model's name on the server. Servers with one model need none.
	Model string
	// Form is how the server wants to be asked: Documents (the default), Texts,
	// Passages or Input.
	Form Form
	// Extra is a JSON object of further parameters, such as {"max_tokens_per_doc":
	// 512} for Cohere, which lets the server truncate by its own tokens. What is null
	// in it is left out of the request, as in {"top_n": null}.
	Extra json.RawMessage
	// Batch bounds the texts of one request; 0 means DefaultBatch. Batches go one
	// after the other.
	Batch int
	// MaxBytes and MaxRunes cut what is sent of each text to the server's limit,
	// between two characters. 0 means core.DefaultMaxBytes, and no limit of runes.
	// Only what the server sees is cut. Servers refuse what is too long for their
	// model, or cut it themselves.
	MaxBytes, MaxRunes int
	// Timeout bounds one call to Score with all its batches, retries and waits; 0
	// means DefaultTimeout.
	Timeout time.Duration
	// Retries is how often a request is repeated that failed in a way that may pass;
	// 0 means DefaultRetries, and -1 none.
	Retries int
	// MaxAnswer bounds the bytes of an answer, unpacked; 0 means DefaultMaxAnswer.
	MaxAnswer int64
}

// String names the model and the address without user info and query.
func (c HTTPConfig) String() string {
	a, err := c.address()
	if err != nil {
		return "reranker at an address that cannot be read"
	}
	key := ""
	if c.Key != nil {
		key = c.Key()
	}
	secrets := a.Secrets(key)
	name := "reranker"
	if c.Model != "" {
		name = fmt.Sprintf("reranker %q", secrets.Detail(c.Model))
	}
	return name + " at " + secrets.Detail(a.Base.String())
}

// Format writes what String returns, whatever the verb.
func (c HTTPConfig) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(c.String())) }

// MarshalText returns what String returns.
func (c HTTPConfig) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// LogValue returns what String returns.
func (c HTTPConfig) LogValue() slog.Value { return slog.StringValue(c.String()) }

func (c HTTPConfig) address() (httpsafe.Address, error) {
	a, err := httpsafe.ParseAddress("URL", c.URL, "http://127.0.0.1:8080/rerank")
	if err == nil && (a.Base.Path == "" || a.Base.Path == "/") {
		a.Base.Path = "/rerank"
	}
	return a, err
}

// validate returns every fault that stands beside the address, joined.
func (c HTTPConfig) validate() error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	switch c.Form {
	case "", Documents, Texts, Passages, Input:
	default:
		fault("Form", string(c.Form), `must be "documents" or "texts" ("passages" for NIM, "input" for DashScope)`)
	}
	for _, n := range []struct {
		field string
		value int64
	}{
		{"Batch", int64(c.Batch)},
		{"MaxBytes", int64(c.MaxBytes)},
		{"MaxRunes", int64(c.MaxRunes)},
		{"Timeout", int64(c.Timeout)},
		{"MaxAnswer", c.MaxAnswer},
	} {
		if n.value < 0 {
			fault(n.field, n.value, "must not be negative; 0 is the default")
		}
	}
	if c.Retries < -1 {
		fault("Retries", c.Retries, "must be -1 (none), 0 (the default) or more")
	}
	return errors.Join(faults...)
}

func (c HTTPConfig) withDefaults() HTTPConfig {
	if c.Batch == 0 {
		c.Batch = DefaultBatch
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = core.DefaultMaxBytes
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Retries == 0 {
		c.Retries = DefaultRetries
	}
	if c.MaxAnswer == 0 {
		c.MaxAnswer = DefaultMaxAnswer
	}
	return c
}

// HTTP is a Scorer behind a server that speaks a /rerank protocol, in any of the
// shapes that servers use. NewHTTP makes it; the zero value returns an error. It is
// safe for concurrent use, and prints without its secrets.
//
//   - A score belongs to the text of its index, in whatever order scores arrive. A
//     text without one gets NaN. An answer in which an index is missing, out of range
//     or there twice is an error.
//   - The key reaches one place, the header of a request to the URL's own host. No
//     error, log or printed value holds it, even when the server repeats it; the
//     same goes for the user info and the query of the URL. No redirect is followed.
//   - A secret travels over plain http to this machine alone, unless
//     HTTPConfig.AllowPlainKey says otherwise.
//   - A call ends: it has a timeout, and reads an answer up to a limit.
type HTTP struct {
	name       string     // what it prints as
	config     HTTPConfig // without URL and Extra, whose secrets address keeps
	address    httpsafe.Address
	parameters map[string]json.RawMessage
	secrets    httpsafe.Secrets

	withoutTopN atomic.Bool // the server refused it

	key       func() string
	transport *http.Transport
	sleep     func(context.Context, time.Duration) error
}

var _ Scorer = (*HTTP)(nil)

// NewHTTP checks the configuration and sends nothing. Its errors are
// *core.ConfigError, joined, without secrets.
func NewHTTP(c HTTPConfig) (*HTTP, error) {
	key := ""
	if c.Key != nil {
		key = c.Key()
	}
	a, err := c.address()
	guarded := false
	if err == nil {
		guarded, err = a.Guard("URL", key, c.AllowPlainKey)
	}
	parameters, extra := c.parameters()
	if err := errors.Join(err, httpsafe.CheckKey(key), c.validate(), extra); err != nil {
		return nil, err
	}
	h := &HTTP{
		name: c.String(), address: a, parameters: parameters, secrets: a.Secrets(key),
		key:       func() string { return key },
		transport: httpsafe.Transport(connections, guarded),
		sleep:     sleep,
	}
	h.config = c.withDefaults()
	h.config.URL, h.config.Extra, h.config.Key = "", nil, nil
	return h, nil
}

const (
	connections = 16               // kept open for further calls
	maxWait     = 30 * time.Second // what a server may ask to wait, at most
	firstWait   = 250 * time.Millisecond
)

// String names the model and the address without user info and query.
func (h *HTTP) String() string {
	if h == nil || h.name == "" {
		return "reranker that NewHTTP did not make"
	}
	return h.name
}

// Format writes what String returns, whatever the verb.
func (h *HTTP) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(h.String())) }

// MarshalText returns what String returns.
func (h *HTTP) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// LogValue returns what String returns.
func (h *HTTP) LogValue() slog.Value { return slog.StringValue(h.String()) }

// CloseIdleConnections ends the connections that no call is using, and their
// goroutines. The client can be used again.
func (h *HTTP) CloseIdleConnections() {
	if h != nil && h.transport != nil {
		h.transport.CloseIdleConnections()
	}
}

// Score asks the server for the score of each text, in as many requests as batches.
// One that failed in a way that may pass (a broken connection, 408, 425, 429, 5xx) is
// repeated, after the time that the server's Retry-After names, or else after a
// quarter of a second, then twice that, and so on. A wait that is longer than half a
// minute, or than what is left of the time, is not begun.
//
// It returns every score or an *Error. When ctx has ended, no further request begins,
// and the *Error is that of ctx, too. The Detail of an *Error is in the server's own
// words, without what they repeat of the query and the texts.
func (h *HTTP) Score(ctx context.Context, query string, texts []string) ([]float64, error) {
	if h == nil || h.transport == nil {
		return nil, &core.ConfigError{Field: "HTTP", Value: "empty", Rule: "make it by NewHTTP"}
	}
	call, cancel := context.WithTimeout(ctx, h.config.Timeout)
	defer cancel()
	if ended := h.ended(ctx, call); ended != nil {
		return nil, ended
	}
	scores := make([]float64, 0, len(texts))
	for batch := range slices.Chunk(texts, h.config.Batch) {
		got, failure := h.insist(ctx, call, query, batch)
		if failure != nil {
			// Servers quote what they are sent, and so do errors of the connection.
			failure.Detail = httpsafe.WithoutEcho(failure.Detail, append([]string{query}, batch...)...)
			return nil, failure
		}
		scores = append(scores, got...)
	}
	return scores, nil
}

// insist asks until it gets an answer, or a failure that another attempt would only
// repeat. It begins no request once ctx or the call has ended.
func (h *HTTP) insist(ctx, call context.Context, query string, texts []string) ([]float64, *Error) {
	for attempt := 0; ; attempt++ {
		if ended := h.ended(ctx, call); ended != nil {
			return nil, ended
		}
		body, counted := h.body(query, texts)
		scores, failure := h.ask(ctx, call, body, len(texts))
		if counted && failure.refuses(topN) {
			h.withoutTopN.Store(true)
			attempt-- // it was no failure that passes
			continue
		}
		if failure == nil || !failure.retryable() || attempt >= h.config.Retries {
			return scores, failure
		}
		wait := failure.RetryAfter
		if wait == 0 {
			wait = firstWait << min(attempt, 10)
		}
		deadline, _ := call.Deadline()
		if wait > maxWait || time.Until(deadline) < wait {
			return nil, failure
		}
		if err := h.sleep(call, wait); err != nil {
			return nil, h.broken(ctx, call, 0, err)
		}
	}
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *HTTP) ask(ctx, call context.Context, body []byte, n int) ([]float64, *Error) {
	request, err := h.address.Post(call, h.address.Base, h.key(), body)
	if err != nil {
		return nil, &Error{Kind: ErrConnection, Detail: "the request cannot be made", permanent: true}
	}
	response, err := h.transport.RoundTrip(request)
	if err != nil {
		return nil, h.broken(ctx, call, 0, err)
	}
	defer response.Body.Close()
	status := response.StatusCode
	fail := func(kind error, detail string) *Error {
		return &Error{Kind: kind, Status: status, RetryAfter: httpsafe.RetryAfter(response.Header), Detail: h.secrets.Detail(detail)}
	}
	if status >= 300 && status <= 399 {
		return nil, fail(ErrRedirect, httpsafe.Target(response)+"; give the right address as the URL")
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, h.config.MaxAnswer+1))
	success, tooLarge := status >= 200 && status <= 299, int64(len(answer)) > h.config.MaxAnswer
	switch {
	case success && tooLarge:
		return nil, fail(ErrTooLarge, fmt.Sprintf("over %d bytes", h.config.MaxAnswer))
	case err != nil && (success || ctx.Err() != nil):
		return nil, h.broken(ctx, call, status, err)
	case tooLarge || err != nil:
		answer = nil // the status says enough, and a cut may go through a secret
	}
	if !success {
		text, _ := httpsafe.Complaint(answer)
		if h.secrets.Detail(text) == "" {
			text = http.StatusText(status)
		}
		return nil, fail(ErrServer, text)
	}
	scores, err := readScores(answer, n)
	if text := complaint(answer, err); text != "" {
		return nil, fail(ErrServer, text)
	}
	if err != nil {
		return nil, fail(ErrAnswer, err.Error())
	}
	return scores, nil
}

// ended returns the failure of a call that is over, or nil.
func (h *HTTP) ended(ctx, call context.Context) *Error {
	if ctx.Err() == nil && call.Err() == nil {
		return nil
	}
	return h.broken(ctx, call, 0, nil)
}

// broken tells the caller's end from the timeout, and both from the network.
func (h *HTTP) broken(ctx, call context.Context, status int, err error) *Error {
	if ended := ctx.Err(); ended != nil {
		return &Error{Kind: ended, Status: status, permanent: true}
	}
	if call.Err() != nil {
		return &Error{Kind: ErrTimeout, Status: status, Detail: fmt.Sprintf("waited %v", h.config.Timeout), permanent: true}
	}
	return &Error{Kind: ErrConnection, Status: status, Detail: h.secrets.Detail(err.Error()), permanent: httpsafe.Untrusted(err)}
}
