package core

import (
	"fmt"
	"reflect"
	"regexp"
)

// ConfigError says which setting or argument cannot be used, and what would be
// accepted. Several faults of one configuration come together, joined by
// errors.Join.
type ConfigError struct {
	Field string // the setting, such as "TopK"
	Value any    // what was given, in its own type; nil where nothing was
	// Rule is what is accepted, and so the remedy. It names other settings in
	// braces, such as {Budget}: Explain puts the caller's own names there.
	Rule string
}

// Error names the field, the value and the rule.
func (e *ConfigError) Error() string {
	rule := e.Explain(func(setting string) string { return setting })
	switch v := reflect.ValueOf(e.Value); v.Kind() {
	case reflect.Invalid:
		return fmt.Sprintf("bookend: %s is nil: %s", e.Field, rule)
	case reflect.String:
		return fmt.Sprintf("bookend: %s is %q: %s", e.Field, v.String(), rule)
	}
	return fmt.Sprintf("bookend: %s is %v: %s", e.Field, e.Value, rule)
}

// Explain returns the rule with each setting that it names put through name, such
// as the keys of a settings file for the fields of Go.
func (e *ConfigError) Explain(name func(setting string) string) string {
	return settingInRule.ReplaceAllStringFunc(e.Rule, func(setting string) string {
		return name(setting[1 : len(setting)-1])
	})
}

var settingInRule = regexp.MustCompile(`\{[A-Z][A-Za-z.]*\}`)

// PlacementError says that a placement returned an error of its own, which errors.Is
// and errors.As find, or a result that is no permutation: a rank in no slot or in
// two. No document is lost: nothing is placed.
type PlacementError struct {
	Placement string
	Err       error
}

// Error names the placement and what went wrong.
func (e *PlacementError) Error() string {
	return fmt.Sprintf("bookend: placement %q failed: %v", e.Placement, e.Err)
}

// Unwrap returns the placement's own error.
func (e *PlacementError) Unwrap() error { return e.Err }

// notPermutation says which slot of a placement's result is wrong.
type notPermutation struct {
	slot  int // the first slot that is wrong
	rank  int // what stands there
	n     int // number of documents: ranks 0 … n-1 are allowed
	first int // the slot where rank stood before; -1 when rank is out of range
}

func (e *notPermutation) Error() string {
	what := fmt.Sprintf("which already stands in slot %d", e.first)
	if e.first < 0 {
		what = fmt.Sprintf("which does not exist: ranks go from 0 to %d", e.n-1)
	}
	return fmt.Sprintf("it put rank %d into slot %d, %s; it must put each rank into exactly one slot", e.rank, e.slot, what)
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
