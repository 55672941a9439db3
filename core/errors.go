package core

import (
	"fmt"
	"strings"
)

// ConfigError says which setting or argument cannot be used, and what would be
// accepted. Several faults of one configuration come together, joined by
// errors.Join.
type ConfigError struct {
	Field string // the setting, such as "TopK"
	Value any    // what was given
	Rule  string // what is accepted, and so the remedy
}

// Error names the field, the value and the rule.
func (e *ConfigError) Error() string {
	if s, ok := e.Value.(string); ok {
		return fmt.Sprintf("bookend: %s is %q: %s", e.Field, s, e.Rule)
	}
	return fmt.Sprintf("bookend: %s is %v: %s", e.Field, e.Value, e.Rule)
}

// NameError says that a placement's name or its argument cannot be read or
// written. Its message lists the valid names.
type NameError struct {
	Name string // what was given
	Rule string
}

// Error quotes the name and lists the valid ones.
func (e *NameError) Error() string {
	return fmt.Sprintf("bookend: placement %q %s; valid names: %s", e.Name, e.Rule, strings.Join(PlacementNames(), ", "))
}

// PlacementError says that a placement itself returned an error, which
// errors.Is and errors.As find.
type PlacementError struct {
	Placement string
	Err       error
}

// Error names the placement and its error.
func (e *PlacementError) Error() string {
	return fmt.Sprintf("bookend: placement %q failed: %v", e.Placement, e.Err)
}

// Unwrap returns the placement's own error.
func (e *PlacementError) Unwrap() error { return e.Err }

// PermutationError says that a placement of the user's own put a rank into no
// slot or into two. No document is lost: nothing is placed.
type PermutationError struct {
	Placement string
	Slot      int // the first slot that is wrong
	Rank      int // what stands there
	N         int // number of documents: ranks 0 … N-1 are allowed
	First     int // the slot where Rank stood before; -1 when Rank is out of range
}

// Error names the slot, the rank and the rule.
func (e *PermutationError) Error() string {
	what := fmt.Sprintf("which already stands in slot %d", e.First)
	if e.First < 0 {
		what = fmt.Sprintf("which does not exist: ranks go from 0 to %d", e.N-1)
	}
	return fmt.Sprintf("bookend: placement %q put rank %d into slot %d, %s; it must put each rank into exactly one slot",
		e.Placement, e.Rank, e.Slot, what)
}

// PinError says that the pinned documents alone go over a limit. A pinned
// document always enters, so that nothing can be left out to mend it.
type PinError struct {
	Limit string // the setting: "TopK", "Budget" or "MaxBytes"
	Max   int    // what it allows
	Got   int    // what the pinned documents need
	Rank  int    // for MaxBytes, the rank of the pinned document; else -1
}

// Error gives both numbers and the remedy.
func (e *PinError) Error() string {
	if e.Rank >= 0 {
		return fmt.Sprintf("bookend: the pinned document of rank %d has %d bytes, %s allows %d: raise %s, or do not pin it",
			e.Rank, e.Got, e.Limit, e.Max, e.Limit)
	}
	return fmt.Sprintf("bookend: the pinned documents alone need %d, %s allows %d: raise %s, or pin fewer",
		e.Got, e.Limit, e.Max, e.Limit)
}

// CountError says that the counter gave a negative size for a text.
type CountError struct{ Rank, Count int }

// Error names the rank and the count.
func (e *CountError) Error() string {
	return fmt.Sprintf("bookend: Count returned %d for the document of rank %d: it must return 0 or more", e.Count, e.Rank)
}

// DocumentError says that a document in the input cannot be used.
type DocumentError struct {
	Index int // its place in the input, from 0
	Rule  string
}

// Error names the index and the rule.
func (e *DocumentError) Error() string {
	return fmt.Sprintf("bookend: document %d of the input %s", e.Index, e.Rule)
}

// CurveError says why a curve cannot be used.
type CurveError struct {
	Path string // the file; empty when the curve did not come from one
	Rule string
	Err  error // the cause, if there is one: a file or JSON error
}

// Error names the file, the rule and the cause.
func (e *CurveError) Error() string {
	where := "curve"
	if e.Path != "" {
		where = fmt.Sprintf("curve file %q", e.Path)
	}
	if e.Err != nil {
		return fmt.Sprintf("bookend: %s %s: %v", where, e.Rule, e.Err)
	}
	return fmt.Sprintf("bookend: %s %s", where, e.Rule)
}

// Unwrap returns the cause.
func (e *CurveError) Unwrap() error { return e.Err }

// ArrangementError says that an arrangement and a list of documents do not
// belong together, or that an arrangement read from outside is not one.
type ArrangementError struct{ Rule string }

// Error states the rule.
func (e *ArrangementError) Error() string { return "bookend: arrangement " + e.Rule }
