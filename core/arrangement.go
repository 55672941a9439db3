package core

import (
	"cmp"
	"fmt"
	"slices"
)

// Arrangement says which document stands in which slot, and which were left out
// and why. It holds indices and numbers, no text of a document. Ranks, slots and
// indices are 0-based; labels are what a model sees and cites, from 1.
//
// It prints as a table (String), logs through slog (LogValue), and marshals to
// and from JSON. It is a plain value: treat it as read-only where it is shared.
type Arrangement struct {
	// N is the number of documents that came in.
	N int `json:"n"`
	// Placement names the placement that was used.
	Placement string `json:"placement"`
	// Slots holds the admitted documents in the order of the prompt.
	Slots []Placed `json:"slots"`
	// Dropped holds the others, by rank.
	Dropped []Dropped `json:"dropped,omitempty"`
	// Room is the budget and Used the sum of the admitted sizes, in the unit of
	// the counter; both 0 without a budget. Used exceeds Room only by KeepBest.
	Room int `json:"room,omitempty"`
	Used int `json:"used,omitempty"`
	// Reused says how many documents, from the first slot on, stand as an earlier prompt
	// began, by Config.Reuse. Where they were moved for that, a note gives the price.
	Reused int `json:"reused,omitempty"`
	// Stages tells how the ranks came about where the call was told more than the
	// order of its input, by Call.Stages. The last one that did not fail gave the
	// ranks, and each document has one of its own there.
	Stages []Stage `json:"stages,omitempty"`
	// Notes tells what a reader should know, such as a curve that was measured
	// with another number of documents.
	Notes []string `json:"notes,omitempty"`
}

// Placed is one admitted document.
type Placed struct {
	Index int `json:"index"` // its place in the input
	Rank  int `json:"rank"`  // 0 is the best of all that came in
	// Label is what a model cites, from 1 without gaps: by rank, 1 the best of the
	// admitted, unless a prompt numbers its documents from top to bottom, or by their
	// IDs. 0: the prompt does not show it.
	Label int   `json:"label"`
	Score Score `json:"score"` // its score, if it was readable
	Size  int   `json:"size,omitempty"`
	// Pinned says that it entered because it was pinned.
	Pinned bool `json:"pinned,omitempty"`
}

// Dropped is one document that was left out.
type Dropped struct {
	Index  int    `json:"index"`
	Rank   int    `json:"rank"`
	Score  Score  `json:"score"`
	Size   int    `json:"size,omitempty"` // 0 where it was not counted
	Reason Reason `json:"reason"`
}

// Ranks returns the rank that stands in each slot.
func (a Arrangement) Ranks() []int {
	ranks := make([]int, len(a.Slots))
	for slot, p := range a.Slots {
		ranks[slot] = p.Rank
	}
	return ranks
}

// SlotOf returns the slot of the document of the given rank, and false when it
// was left out or there is no such rank. It costs O(n).
func (a Arrangement) SlotOf(rank int) (int, bool) {
	slot := slices.IndexFunc(a.Slots, func(p Placed) bool { return p.Rank == rank })
	return slot, slot >= 0
}

// IndexOf returns the place in the input of the placed document of the given rank,
// and false when it was left out or there is no such rank. It costs O(n).
func (a Arrangement) IndexOf(rank int) (int, bool) {
	slot, placed := a.SlotOf(rank)
	if !placed {
		return 0, false
	}
	return a.Slots[slot].Index, true
}

// byRank returns the slots, best rank first.
func (a Arrangement) byRank() []int {
	slots := make([]int, len(a.Slots))
	for i := range slots {
		slots[i] = i
	}
	slices.SortFunc(slots, func(x, y int) int { return cmp.Compare(a.Slots[x].Rank, a.Slots[y].Rank) })
	return slots
}

// Labels returns the rank that each label cites: Labels()[1] is the rank of "[1]". It
// has no entry for a label that no slot has.
func (a Arrangement) Labels() map[int]int {
	ranks := make(map[int]int, len(a.Slots))
	for _, p := range a.Slots {
		if p.Label > 0 {
			ranks[p.Label] = p.Rank
		}
	}
	return ranks
}

// Apply returns the admitted documents in the order of their slots. docs is the
// input that the arrangement was made of, and is not changed; the result is a
// fresh slice, nil for nil. Another number of documents, or an arrangement that
// names a document or a rank twice, or one that is not there, is a
// *ConfigError.
func Apply[S ~[]E, E any](a Arrangement, docs S) (S, error) {
	if err := a.Check(len(docs)); err != nil || docs == nil {
		return nil, err
	}
	placed := make(S, len(a.Slots))
	for slot, p := range a.Slots {
		placed[slot] = docs[p.Index]
	}
	return placed, nil
}

// RestoreRank undoes the placing: given the placed documents it returns them
// best first, in a fresh slice, nil for nil. Metrics and lists of sources read
// ranks, so that they need this order. Another number of documents than there
// are slots is a *ConfigError. It costs O(n log n).
func RestoreRank[S ~[]E, E any](a Arrangement, placed S) (S, error) {
	if len(placed) != len(a.Slots) {
		return nil, mismatch(a, "it has %d slots, but %d documents were given: pass what it placed", len(a.Slots), len(placed))
	}
	if placed == nil {
		return nil, nil
	}
	ranked := make(S, 0, len(placed))
	for _, slot := range a.byRank() {
		ranked = append(ranked, placed[slot])
	}
	return ranked, nil
}

// mismatch is the ConfigError of an arrangement and a list of documents that do not
// belong together, or of an arrangement read from outside that is not one.
func mismatch(a Arrangement, format string, args ...any) error {
	return &ConfigError{Field: "Arrangement", Value: fmt.Sprintf("of %d documents, %s", a.N, a.Placement), Rule: fmt.Sprintf(format, args...)}
}
