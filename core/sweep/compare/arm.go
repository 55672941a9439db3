package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Arm is one way to arrange the documents of a question and to lay out the prompt
// around them.
type Arm struct {
	Name   string
	Order  core.Config
	Prompt prompt.Config
}

// Kind says what an arm is for.
type Kind string

// The kinds.
const (
	Baseline   Kind = "baseline"   // what the others are held against
	Challenger Kind = "challenger" // what may win
	Shuffle    Kind = "shuffle"    // the baseline's documents in random order: a control
	Repeat     Kind = "repeat"     // the baseline asked again: the noise floor
)

// armPlan is an arm, ready to build prompts.
type armPlan struct {
	name     string
	kind     Kind
	number   int // of a shuffle or a repeat, from 1
	arranger *core.Arranger
	renderer *prompt.Renderer
}

// compile validates the arms and adds the controls.
func compile(arms []Arm, shuffles, repeats int) ([]armPlan, error) {
	var plans []armPlan
	var faults []error
	if len(arms) < 2 {
		faults = append(faults, &core.ConfigError{
			Field: "Arms", Value: len(arms), Rule: "a comparison needs a baseline and a challenger or more",
		})
	}
	seen := map[string]bool{}
	for i, arm := range arms {
		kind := Challenger
		if i == 0 {
			kind = Baseline
		}
		if arm.Name == "" || seen[arm.Name] {
			faults = append(faults, &core.ConfigError{Field: "Arms", Value: arm.Name, Rule: "each arm needs a name of its own"})
		}
		seen[arm.Name] = true
		// Observing and selecting belong to running chains.
		arm.Order.Observe, arm.Order.Select = nil, nil
		arranger, err := core.New(arm.Order)
		faults = append(faults, err)
		renderer, err := prompt.New(arm.Prompt)
		faults = append(faults, err)
		plans = append(plans, armPlan{name: arm.Name, kind: kind, arranger: arranger, renderer: renderer})
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	control := func(kind Kind, number int) {
		plan := plans[0]
		plan.name, plan.kind, plan.number = fmt.Sprintf("%s %d", kind, number), kind, number
		if seen[plan.name] {
			faults = append(faults, &core.ConfigError{Field: "Arms", Value: plan.name, Rule: "is the name of a control arm: choose another"})
		}
		plans = append(plans, plan)
	}
	for i := range max(shuffles, 0) {
		control(Shuffle, i+1)
	}
	for i := range max(repeats, 0) {
		control(Repeat, i+1)
	}
	return plans, errors.Join(faults...)
}

// identical returns the name of the earlier arm, baseline or challenger, that gives
// the same prompts for every list of low to high documents, or "". It may miss one,
// as where documents themselves decide; then prompts that are equal are still
// asked once.
func identical(plans []armPlan, i, low, high int) string {
	if plans[i].kind == Shuffle || plans[i].kind == Repeat {
		return ""
	}
	for _, other := range plans[:i] {
		if sameArm(plans[i], other, low, high) {
			return other.name
		}
	}
	return ""
}

func sameArm(a, b armPlan, low, high int) bool {
	x, y := a.arranger.Config(), b.arranger.Config()
	p, q := placementOf(x), placementOf(y)
	if x.Groups || y.Groups || !byNumberAlone(p) || !byNumberAlone(q) || !sameLayout(a, b) {
		return false
	}
	x.Placement, y.Placement = core.Choice{}, core.Choice{}
	if x.Count != nil || y.Count != nil || !sameJSON(x, y) {
		return false
	}
	if !sameJSON(x, core.Config{MinDocuments: x.MinDocuments}) { // something may leave documents out
		low = 0
	}
	for n := low; n <= high; n++ {
		one, err := core.Order(p, n)
		two, err2 := core.Order(q, n)
		if err != nil || err2 != nil || !slices.Equal(one, two) {
			return false
		}
	}
	return true
}

func sameLayout(a, b armPlan) bool {
	x, y := a.renderer.Config(), b.renderer.Config()
	if x.Count != nil || y.Count != nil || x.FormatFunc != nil || y.FormatFunc != nil {
		return false
	}
	return sameJSON(x, y) && x.Budget == 0 // a budget may leave documents out of one of them
}

func placementOf(c core.Config) core.Placement {
	if c.Placement.Placement == nil {
		return core.HeadTail
	}
	return c.Placement.Placement
}

// byNumberAlone says that a placement depends on the number of documents and
// nothing else.
func byNumberAlone(p core.Placement) bool {
	switch p := p.(type) {
	case core.Named:
		return p != core.DocumentOrder
	case core.EdgesFirst, core.Measured, core.Shuffled:
		return true
	}
	return false
}

func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && slices.Equal(x, y)
}
