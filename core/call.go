package core

import "context"

// Call says what is particular to one call of Transform, Arrange or a pipeline.
// The zero Call changes nothing. It is a plain value: nothing of it is kept.
type Call struct {
	// Query is the question. An Event tells it; a pipeline asks its sources and
	// its reranker with it.
	Query string
	// TopK admits at most that many documents in place of Config.TopK. 0 leaves
	// that as it is; a negative number is a *ConfigError. It has no effect on Off.
	TopK int
	// Arranger arranges this call in place of the one that the call is made with.
	// Where it has no Observe, that one's is called. Nil: the one of the call.
	Arranger *Arranger
	// Observe is called after the Observe of the Config, with the same Event.
	Observe func(context.Context, Event)
	// Placed says that the documents stand in their slots already: they were
	// placed by a step before, and are neither ranked, trimmed nor placed again. Of
	// the Arranger its Observe alone is used. Their labels go by rank where the
	// context has a Trace that saw them placed, and else from the first slot to the
	// last; a prompt's budget then leaves out the last slots first.
	Placed bool
	// Before is what stands before the documents in the prompt and differs from call to
	// call, such as a history: Config.Reuse looks only for what was sent behind the same
	// text.
	// What is the same in every prompt may be left out. A prompt of core/prompt sets it.
	Before string
	// Stages tells what ranked the documents on their way to this call, in order,
	// such as two retrievers, their fusion and a reranker. The last one that did not
	// fail gives the ranks; documents that it ranks alike, or not at all (-1),
	// keep the order before, the latter last. Config.Rank must be AsGiven where
	// there are several, since a sort by the documents' own scores would undo them.
	Stages []Stage
	// Refine changes the arrangement before anybody is told of it, for a step that
	// decides more, as core/prompt does by the size of a whole prompt: see Without.
	// It gets the Arranger that was used; its error fails the call. It acts on
	// Arrange alone.
	Refine func(used *Arranger, a Arrangement) (Arrangement, error)
}

// resolve returns the Arranger that decides this call, and whom to tell.
func (c *Call) resolve(ctx context.Context, a *Arranger) (used *Arranger, observe func(context.Context, Event)) {
	a = a.orDefault()
	used = a
	if c.Arranger != nil {
		used = c.Arranger
	}
	used = used.For(ctx)
	if used.observe != nil {
		return used, used.observe
	}
	return used, a.observe
}

// justFolds says that the call admits every document, places by HeadTail or sorts
// by score before, and tells nobody.
func (c *Call) justFolds(ctx context.Context, a *Arranger) bool {
	if c.TopK != 0 || c.Observe != nil || c.Placed || len(c.Stages) > 0 {
		return false
	}
	if a.orDefault().observe != nil {
		return false
	}
	if c.Arranger != nil {
		a = c.Arranger
	}
	a = a.orDefault()
	return a.folds && a.admitsAll && a.observe == nil && a.choose == nil && traceOf(ctx) == nil
}
