package core

import (
	"context"
	"log/slog"
)

// Event tells an observer what one call did. It is valid during the call to
// Observe: a document that is read later may have been changed by its owner.
type Event struct {
	// Arrangement is what was decided. When Err is set it holds no more than the
	// number of documents and the placement.
	Arrangement Arrangement
	// Query is the question, where the caller knows it: a retriever wrapper does,
	// a transformer does not.
	Query string
	// RequestID is what WithRequestID put into the context.
	RequestID string
	// Labels holds the rank that each label cites: Labels[0] is the rank of "[1]".
	Labels []int
	// Err is the error that the call returns, or nil.
	Err error

	n      int
	reader reader
}

// Text returns the text of the document of the given rank, "" when there is none
// or it cannot be read.
func (e Event) Text(rank int) string {
	if rank < 0 || rank >= e.n {
		return ""
	}
	return e.reader.text(rank)
}

// ID returns the ID of the document of the given rank, "" when it has none.
func (e Event) ID(rank int) string {
	if rank < 0 || rank >= e.n {
		return ""
	}
	return e.reader.id(rank)
}

// Score returns the score of the document of the given rank, and false when it
// has none.
func (e Event) Score(rank int) (float64, bool) {
	if rank < 0 || rank >= e.n {
		return 0, false
	}
	s := Score(e.reader.score(rank))
	return float64(s), s.Known()
}

// Field returns the text that the metadata of the document of the given rank holds
// under key, such as "title"; "" when there is none or it is no text.
func (e Event) Field(rank int, key string) string {
	if rank < 0 || rank >= e.n {
		return ""
	}
	text, _ := e.reader.meta(rank)[key].(string)
	return text
}

// Origin says which source the document of the given rank was cut from, and where in
// it, by the SourceKey and PositionKey of the Config. The zero Origin: not known.
func (e Event) Origin(rank int) Origin {
	if rank < 0 || rank >= e.n {
		return Origin{}
	}
	return e.reader.origin(rank)
}

// Answer is what a model said to a request: what a chain's Answered hook and a
// recorder's caller pass on.
type Answer struct {
	Text string
	// Model and PromptTokens say who answered and to how long a prompt, where that
	// is known; else "" and 0.
	Model        string
	PromptTokens int
}

// LogValue makes a group of the request ID, the error and the arrangement. The
// query and the documents are left out, since logs outlive them.
func (e Event) LogValue() slog.Value {
	attrs := make([]slog.Attr, 0, 3)
	if e.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", e.RequestID))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	return slog.GroupValue(append(attrs, slog.Any("arrangement", e.Arrangement))...)
}

type requestIDKey struct{}

// WithRequestID returns a context that carries the caller's ID of a request, for
// Event.RequestID and for a Select that goes by it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the ID that WithRequestID put into ctx, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// CallOption says something about one call of Transform or Arrange.
type CallOption func(*call)

type call struct {
	query   string
	topK    int
	observe func(context.Context, Event)
	refine  func(*Arranger, Arrangement) (Arrangement, []int, error)
	ranking ranking
	through []Stage
	notes   []string
}

// ForQuery tells the call the question, which an Event then carries.
func ForQuery(query string) CallOption { return func(c *call) { c.query = query } }

// AtMost sets TopK for this call in place of the configured one; 0 leaves that
// as it is, and a negative number is a *ConfigError. It has no effect on Off.
func AtMost(k int) CallOption { return func(c *call) { c.topK = k } }

// Notify calls observe for this call, after the Observe of the Config. It is for
// adapters that report to a framework.
func Notify(observe func(context.Context, Event)) CallOption {
	return func(c *call) { c.observe = observe }
}

// Refine lets a package that decides more, such as core/prompt by the size of a
// whole prompt, change the arrangement of this call before anybody is told of it.
// refine gets the Arranger that Select chose and the arrangement, and returns the
// final one, the rank that each label cites (nil: by rank), and an error that
// fails the call. It acts on Arrange; Transform does not ask it.
func Refine(refine func(chosen *Arranger, a Arrangement) (Arrangement, []int, error)) CallOption {
	return func(c *call) { c.refine = refine }
}
