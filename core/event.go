package core

import (
	"context"
	"log/slog"
)

// Event tells an observer what one call did. It is valid during the call to
// Observe: a document that is read later may have been changed by its owner.
type Event struct {
	// Arrangement is what was decided, with the labels that the prompt shows. When
	// Err is set it holds no more than the number of documents and the placement.
	Arrangement Arrangement
	// Query is the question, where the caller knows it: a retriever wrapper does,
	// a transformer does not.
	Query string
	// RequestID is what WithRequestID put into the context.
	RequestID string
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
// it, by Config.Keys. The zero Origin: not known.
func (e Event) Origin(rank int) Origin {
	if rank < 0 || rank >= e.n {
		return Origin{}
	}
	return e.reader.origin(rank)
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
