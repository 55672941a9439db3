package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/internal/nilvalue"
	"github.com/bookend-rag/bookend/internal/recall"
)

// Reuse is a memory of the orders in which documents were sent: the Memory of package
// core/reuse. For each call core asks it which earlier prompts began with some of the
// call's documents, and in the end tells it the order that was sent.
type Reuse interface {
	// Recall returns the remembered orders that begin with some of n documents and were
	// sent behind before. doc gives a document by its rank.
	Recall(ctx context.Context, before string, n int, doc func(rank int) (id, text string)) recall.Call
}

// checkReuse returns what is wrong with a memory beside the other settings, or "".
func (c *Config) checkReuse() (value, rule string) {
	switch {
	case c.Reuse == nil:
	case nilvalue.Is(c.Reuse):
		return fmt.Sprintf("%T(nil)", c.Reuse), "pass what reuse.New returned, or leave it out"
	case c.Groups:
		return "set", "takes chunks out of their {Groups}: leave one of the two out"
	case c.Placement.placement() == DocumentOrder:
		return "set", "takes text out of its document-order: leave one of the two out"
	}
	return "", ""
}

// reuses says whether a call by a asks the memory, if it has one: the control arm of an
// experiment goes past it.
func (a *Arranger) reuses() bool {
	if a.config.Reuse == nil {
		return false
	}
	_, shuffled := a.config.Placement.placement().(Shuffled)
	return !shuffled
}

// recalling returns an Arranger that places by what was recalled for one call.
func (a *Arranger) recalling(c recall.Call) *Arranger {
	s := *a.settings
	s.recalled = c
	return &Arranger{&s, a.observe, a.choose}
}

// reuse lets the n placed documents give way to a beginning that was sent before.
func (d *decision) reuse(n int, doc func(i int) (id, text string)) {
	slots := d.slots
	if slots == nil {
		slots = make([]int, n)
		for i := range slots {
			slots[i] = i
		}
	}
	done := d.recalled.Place(slots, doc)
	d.reused = done.Reused
	if !done.Moved {
		return
	}
	if d.slots = slots; d.quiet {
		return
	}
	first := "the first document stands"
	if done.Reused > 1 {
		first = fmt.Sprintf("the first %d documents stand", done.Reused)
	}
	price := ""
	switch {
	case !done.Priced:
	case done.Cost > 0:
		price = fmt.Sprintf(", at an expected cost of %.2g points of accuracy", done.Cost)
	default:
		price = ", at no expected cost"
	}
	d.note(reuseNote+"%s as an earlier prompt began, %.0f %% of the documents' bytes%s", first, 100*done.Saved, price)
}

// reuseNote begins the note that tells why documents were moved.
const reuseNote = "reuse: "

// sent tells the memory which documents stand in the prompt in the end. a is the
// arrangement where one was made.
func sent[S ~[]E, E any](d *decision, a *Arrangement, docs S, v *View[E]) {
	n, index := d.placed(), func(slot int) int {
		_, rank := d.at(slot)
		return d.index(rank)
	}
	if a != nil {
		n, index = len(a.Slots), func(slot int) int { return a.Slots[slot].Index }
	}
	if n > 0 {
		d.recalled.Sent(n, func(slot int) (id, text string) { return v.identity(d.config, docs[index(slot)]) })
	}
}

// keptReuse returns how many of the documents that begin as an earlier prompt did are
// still there, from the first slot on, once some are left out.
func keptReuse(from Arrangement, kept func(rank int) bool) int {
	for slot := range from.Reused {
		if !kept(from.Slots[slot].Rank) {
			return slot
		}
	}
	return from.Reused
}

// placingNote says whether a note tells of the placing. Where documents are placed
// again, such notes are written again.
func placingNote(note string) bool {
	for _, start := range []string{fewDocuments, otherCurve, reuseNote} {
		if strings.HasPrefix(note, start) {
			return true
		}
	}
	return false
}
