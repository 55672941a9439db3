package compare

import (
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/worth"
)

// Reading is a curve to estimate by: how well each slot is read.
type Reading struct {
	Name string
	// At returns the accuracy in each slot of a prompt of n documents, as shares from 0
	// to 1.
	At func(n int) ([]float64, error)
	// Documents is how many each prompt had when it was measured; 0: not known.
	Documents int
	// Questions is how many were asked in each slot; 0: not known.
	Questions int
}

// read checks what At returns.
func (r Reading) read(n int) ([]float64, error) {
	accuracy, err := r.At(n)
	if err != nil {
		return nil, err
	}
	fault := func(rule string) error { return &core.ConfigError{Field: "curve", Value: r.Name, Rule: rule} }
	if len(accuracy) != n {
		return nil, fault(fmt.Sprintf("gives %d values for %d documents", len(accuracy), n))
	}
	for _, p := range accuracy {
		if !(p >= 0 && p <= 1) {
			return nil, fault(fmt.Sprintf("gives %v for a slot: an accuracy must be a share from 0 to 1", p))
		}
	}
	return accuracy, nil
}

// ReadingOf returns a curve file as a Reading.
func ReadingOf(c *core.Curve, name string) (Reading, error) {
	if err := c.Check(); err != nil {
		return Reading{}, err
	}
	return Reading{Name: name, Documents: c.Documents, Questions: c.Questions, At: func(n int) ([]float64, error) { return worth.AccuracyBySlot(c, n) }}, nil
}

// ReadingOfPublished returns a published curve as a Reading.
func ReadingOfPublished(c published.Curve) Reading {
	return Reading{Name: c.Name, Documents: c.Documents, Questions: c.Questions, At: func(n int) ([]float64, error) {
		accuracy := c.At(n)
		if accuracy == nil {
			return nil, errors.New("bookend: no document to read")
		}
		return accuracy, nil
	}}
}
