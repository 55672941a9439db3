package compare

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// identical returns the name of the earlier arm, baseline or challenger, that gives
// the same prompts for every list of low to high documents, or "". It may miss one,
// as where documents themselves decide; then prompts that are equal are still
// asked once.
func identical(plans []armPlan, i, low, high int) string {
	if plans[i].kind == Shuffle || plans[i].kind == Repeat || plans[i].reuse != nil {
		return ""
	}
	for _, other := range plans[:i] {
		if other.reuse == nil && sameArm(plans[i], other, low, high) {
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
	for _, c := range []*core.Config{&x, &y} {
		if c.TopK >= high { // no list is longer
			c.TopK = 0
		}
	}
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
	if x.Count != nil || y.Count != nil || x.FormatFunc != nil || y.FormatFunc != nil || x.Budget != 0 { // a budget may leave documents out of one of them
		return false
	}
	if x.Layout != y.Layout && x.BookendFrom == 0 && y.BookendFrom == 0 && sample(a) == sample(b) {
		// Layouts differ by nothing where the parts that differ are empty.
		x.Layout = y.Layout
	}
	return sameJSON(x, y)
}

// sample lays out one document; the number of documents changes no other part.
func sample(a armPlan) string {
	documents := []dataset.Document{{ID: "id", Title: "title", Text: "text"}}
	p, err := prompt.Build(context.Background(), a.renderer, nil, documents, view(a), prompt.Input{Question: "question"})
	if err != nil {
		return a.name // what cannot be laid out equals nothing
	}
	return p.Text
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
	case core.StandardPlacement:
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
