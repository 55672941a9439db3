// Package recall has the types in which package core and a memory of orders, core/reuse,
// talk to each other, since core cannot import core/reuse.
package recall

// Call is what a memory recalls for the documents of one call. It belongs to that call's
// goroutine. doc gives the ID, which may be empty, and the text of a document.
type Call interface {
	// Place changes slots, which hold the ranks 0 … n-1 as a placement put them, so that
	// the documents begin as an earlier prompt did, where that is worth its price. It
	// gives one result for one input, whatever others send in the meantime.
	Place(slots []int, doc func(rank int) (id, text string)) Outcome
	// Sent tells that a prompt shows n documents in that order.
	Sent(n int, doc func(slot int) (id, text string))
}

// Outcome is what Place did.
type Outcome struct {
	Reused int     // documents, from the first slot on, that stand as an earlier prompt began
	Saved  float64 // the share of the documents' bytes that these have
	Moved  bool    // the order is not the placement's
	Priced bool    // by a curve: Cost is known
	Cost   float64 // in points of expected accuracy; less than 0 for a gain
}
