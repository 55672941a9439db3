package model

import "context"

// Model asks one prompt once: a client of a server, a simulated reader, a fake.
// run.Run counts, limits and retries, so that Ask should do none of that.
//
// Ask must be safe for concurrent use and return soon after ctx ends. An error
// that is an *Error tells run.Run whether and when to try again; see Retryable.
// CallFrom(ctx) tells which call of the plan it is.
type Model interface {
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// Func makes a Model of a func.
type Func func(ctx context.Context, p Prompt) (Answer, error)

// Ask calls the func.
func (f Func) Ask(ctx context.Context, p Prompt) (Answer, error) { return f(ctx, p) }

// SimulatedPrefix begins the name of a simulated reader as a model, so that its
// plans, journals, curves and reports all say what they are.
const SimulatedPrefix = "simulated "
