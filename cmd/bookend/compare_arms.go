package main

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// arms crosses placements, layouts and numbers of documents. The first of each make
// the baseline; where it is asked what is no worse, the largest number of documents
// does. documents is the size of the lists, for which a published curve is
// chosen.
func (c *compareCommand) arms(f *fitted, documents int) ([]compare.Arm, []*core.Curve, error) {
	own, err := c.base()
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(repeated("placements", c.Placements), repeated("layouts", c.Layouts), repeated("top-k", c.TopK)); err != nil {
		return nil, nil, err
	}
	var names []string
	kinds := map[string]int{} // how many placements differ in their argument alone
	for _, name := range c.Placements {
		names = append(names, strings.TrimSpace(name))
	}
	if f != nil && !slices.ContainsFunc(names, isBareMeasured) {
		names = append(names, "measured")
	}
	for _, name := range names {
		kind, _, _ := strings.Cut(name, "=")
		kinds[kind]++
	}
	var curves []*core.Curve
	var arms []compare.Arm
	for _, name := range names {
		p, err := parsePlacement(name, f, documents)
		if err != nil {
			return nil, nil, err
		}
		if m, ok := p.(core.Measured); ok {
			curves = append(curves, m.Curve)
		}
		for _, l := range orDefault(c.Layouts, "") {
			for _, k := range orDefault(c.counts(), 0) {
				arm := compare.Arm{Order: own.order, Prompt: own.prompt, Tokenizer: own.file.Tokenizer}
				if arm.Name, _, _ = strings.Cut(name, "="); kinds[arm.Name] > 1 {
					arm.Name = name
				}
				arm.Order.Placement = core.Choice{Placement: p}
				if l != "" {
					arm.Prompt.Layout = prompt.Layout(l)
				}
				if len(c.Layouts) > 1 {
					arm.Name += " " + l
				}
				if k > 0 {
					arm.Order.TopK = k
				}
				if len(c.TopK) > 1 {
					arm.Name += " top " + strconv.Itoa(k)
				}
				arms = append(arms, arm)
			}
		}
	}
	reusing, err := c.reusing(arms[0], documents)
	return append(arms, reusing...), curves, err
}

// repeated refuses a flag that has a value twice.
func repeated[T comparable](flag string, values []T) error {
	for i, value := range values {
		if slices.Contains(values[:i], value) {
			return usage("--%s has %v twice: give it once", flag, value)
		}
	}
	return nil
}

// counts are the numbers of documents, that of the baseline first.
func (c *compareCommand) counts() []int {
	counts := slices.Clone(c.TopK)
	if c.NoWorse != nil {
		slices.SortFunc(counts, func(a, b int) int { return b - a })
	}
	return counts
}

// orDefault makes one pass of a loop over nothing.
func orDefault[T any](values []T, fallback T) []T {
	if len(values) == 0 {
		return []T{fallback}
	}
	return values
}

// base is what all arms share.
func (c *compareCommand) base() (*own, error) {
	o, err := readSettings(c.Settings, compare.DefaultPrompt())
	if err != nil {
		return nil, err
	}
	if err := o.forComparison(c); err != nil {
		return nil, err
	}
	if c.Format != "" {
		o.prompt.Format = prompt.Format(c.Format)
	}
	if c.LabelBy != "" {
		o.prompt.Labels = prompt.LabelBy(c.LabelBy)
	}
	if c.Instruction != "" {
		o.prompt.Instruction, err = readText("instruction", c.Instruction)
	}
	return o, err
}

// isBareMeasured says that a placement is the one by the curve at hand.
func isBareMeasured(name string) bool { return strings.EqualFold(name, "measured") }

// parsePlacement reads one placement of --placements.
func parsePlacement(name string, f *fitted, documents int) (core.Placement, error) {
	name = strings.TrimSpace(name)
	if isBareMeasured(name) && f != nil {
		if f.curve == nil { // an order unlike all others, which costs the most calls
			return core.Shuffled{Seed: f.seed}, nil
		}
		return core.Measured{Curve: f.curve}, nil
	}
	p, err := core.ParsePlacement(name)
	kind, value, _ := strings.Cut(name, "=")
	if err == nil || !errors.Is(err, fs.ErrNotExist) || kind == "" {
		return p, err
	}
	known, unknown := published.Lookup(value, documents)
	if unknown != nil {
		return nil, noCurve("--placements", value)
	}
	curve, err := simulate.CurveOf(known)
	return core.Measured{Curve: curve}, err
}
