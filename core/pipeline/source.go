package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nilvalue"
)

// Source is where documents are found: a retriever.
type Source[E any] struct {
	// Name is what the arrangement and errors call it. Empty: "list 1" and so on.
	Name string
	// Weight multiplies what its list counts in a fusion; 0 means 1.
	Weight float64
	// Timeout bounds its answer; 0 leaves that to the caller's context.
	Timeout time.Duration
	// Find returns documents, best first; it is required. k is how many are wanted,
	// 0 leaves it to the source. It should return soon after ctx ends: a single
	// source is waited for, one of several is not. It must be safe for concurrent
	// use.
	Find func(ctx context.Context, query string, k int) ([]E, error)
	// Inner is what Find asks, if it can be named: New refuses a nil in it, and a
	// part of Bookend, which has an Arranger, since a second placement on top of the
	// first puts rank 2 in the middle.
	Inner any
}

// check returns every fault of the i-th of n sources, joined.
func (s *Source[E]) check(i, n int) error {
	var faults []error
	field := func(name string) string {
		if n == 1 {
			return name
		}
		return fmt.Sprintf("Sources[%d].%s", i, name)
	}
	fault := func(name string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field(name), Value: value, Rule: rule})
	}
	isNil := s.Inner != nil && nilvalue.Is(s.Inner)
	_, places := s.Inner.(interface{ Arranger() *core.Arranger })
	switch {
	case isNil:
		fault("Inner", nil, "pass the retriever whose documents are to be placed")
	case places:
		fault("Inner", fmt.Sprintf("%T", s.Inner), "place once, outermost: pass the retriever that it wraps")
	}
	if s.Find == nil && !isNil {
		fault("Find", nil, "set what finds documents")
	}
	if s.Timeout < 0 {
		fault("Timeout", s.Timeout, "must be 0 (none) or more")
	}
	return errors.Join(faults...)
}

// find asks the source within its time.
func (s *Source[E]) find(ctx context.Context, query string, k int) ([]E, error) {
	if s.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, s.Timeout)
		defer cancel()
		ctx = limited
	}
	return s.Find(ctx, query, k)
}

// SourceError says which of several sources failed. One that took longer than its
// Timeout failed with context.DeadlineExceeded.
type SourceError struct {
	Source string
	Err    error
}

// Error names the source and gives its error.
func (e *SourceError) Error() string {
	return fmt.Sprintf("bookend: retriever %q failed: %v", e.Source, e.Err)
}

// Unwrap returns the source's own error.
func (e *SourceError) Unwrap() error { return e.Err }
