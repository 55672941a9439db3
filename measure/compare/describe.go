package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
)

// Describe returns the Manifest of the plan.
func (p *Plan) Describe() Manifest {
	m := Manifest{
		Experiment: Experiment, Model: p.settings.Model, Params: p.settings.Params, Dataset: p.dataset.Report(),
		Questions: len(p.order), Seed: p.settings.Seed, Controls: p.settings.Controls, Calls: p.Len(), Kinds: slices.Clone(p.kinds),
	}
	for i, arm := range p.arms {
		info := ArmInfo{Name: arm.name, Kind: arm.kind, Identical: p.same[i], Order: arm.arranger.Config(), Prompt: arm.renderer.Config(), Reuse: arm.reuse}
		if i < len(p.settings.Arms) { // as it was given, without defaults
			info.Prompt, info.Tokenizer = p.settings.Arms[i].Prompt, p.settings.Arms[i].Tokenizer
		}
		m.Arms = append(m.Arms, info)
	}
	return m
}

// Manifest returns what a journal notes of the plan alone: Describe.
func (p *Plan) Manifest() any { return p.Describe() }

// String says in a few lines what would be asked, without reading a case.
func (p *Plan) String() string {
	var names []string
	for i, arm := range p.arms {
		name := arm.name
		switch {
		case arm.kind == Baseline:
			name += " (the baseline)"
		case p.same[i] != "":
			name += " (identical to " + p.same[i] + ")"
		}
		names = append(names, name)
	}
	controls := ""
	switch n := len(p.arms) - len(p.settings.Arms); {
	case n == 0 || p.settings.Controls >= len(p.order):
	case n == 1:
		controls = fmt.Sprintf(" The last is a control: it gets the first %s alone.", text.Count(p.settings.Controls, "question"))
	default:
		controls = fmt.Sprintf(" The last %d are controls: they get the first %s alone.", n, text.Count(p.settings.Controls, "question"))
	}
	return fmt.Sprintf("%s, %s, %s\nArms: %s.%s%s",
		p.settings.Model, text.Count(len(p.order), "question"), text.Count(len(p.arms), "arm"), strings.Join(names, ", "), controls, kindsLine(p.dataset.Report().By, p.kinds))
}
