package compare

import (
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Arm is one way to arrange the documents of a question and to lay out the prompt
// around them.
type Arm struct {
	Name   string
	Order  core.Config
	Prompt prompt.Config
	// Reuse is the memory that its placement may give way to. nil: none.
	Reuse *Reuse
	// Tokenizer names what counts the budgets that have a Count: for the Settled alone.
	Tokenizer string
}

// Kind says what an arm is for; it is not a kind of questions (QuestionKind).
type Kind string

// The kinds.
const (
	Baseline   Kind = "baseline"   // what the others are held against
	Challenger Kind = "challenger" // what may win
	Earlier    Kind = "earlier"    // a challenger of an earlier run into the journal: it may win, but is not asked
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
	reuse    *Reuse
	memory   *remembering // nil without reuse
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
			faults = append(faults, &core.ConfigError{Field: "Arms", Value: arm.Name, Rule: "it names two arms, or none: each needs a name of its own"})
		}
		seen[arm.Name] = true
		// Observing and selecting belong to running chains.
		arm.Order.Observe, arm.Order.Select, arm.Order.Reuse = nil, nil, nil
		arranger, err := core.New(arm.Order)
		faults = append(faults, err)
		renderer, err := prompt.New(arm.Prompt)
		faults = append(faults, err)
		plan := armPlan{name: arm.Name, kind: kind, arranger: arranger, renderer: renderer}
		if arm.Reuse != nil {
			reuse := *arm.Reuse
			plan.memory, err = reuse.remember(arm.Order, arm.Prompt)
			plan.reuse = &reuse
			faults = append(faults, err)
		}
		plans = append(plans, plan)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	control := func(kind Kind, number int) {
		plan := plans[0]
		plan.name, plan.kind, plan.number = fmt.Sprintf("%s %d", kind, number), kind, number
		if kind == Shuffle {
			plan.reuse, plan.memory = nil, nil
		}
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
