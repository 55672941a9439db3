package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

// SharedWith returns how many questions of the plan stand behind a curve: one that
// is compared on questions which it was fitted on is flattered. A curve that does
// not say which they were shares none. It reads every case of the plan.
func (p *Plan) SharedWith(c *core.Curve) (int, error) {
	if c == nil || c.Asked == "" {
		return 0, nil
	}
	asked := map[string]bool{}
	for _, id := range strings.Fields(c.Asked) {
		asked[id] = true
	}
	shared := 0
	for _, i := range p.order {
		item, err := p.dataset.Case(i)
		if err != nil {
			return 0, err
		}
		if asked[item.ID] {
			shared++
		}
	}
	return shared, nil
}

// Misfits says in which ways a curve was made for something else than what the plan
// asks: another model, another layout, another number of documents; and whether it
// does not name its questions.
func (p *Plan) Misfits(c *core.Curve) []string {
	var misfits []string
	layout := func(c prompt.Config) string { return string(c.Layout) + "/" + string(c.Format) }
	if c.Asked == "" {
		misfits = append(misfits, "The curve does not say which questions stand behind it: if they are compared here, they flatter it.")
	}
	// A simulated reader is named after the curve that it follows.
	if c.Model != p.settings.Model && !strings.HasPrefix(p.settings.Model, model.SimulatedPrefix) {
		misfits = append(misfits, fmt.Sprintf("The curve was measured with the model %q, and this comparison asks %q.", c.Model, p.settings.Model))
	}
	if mine := layout(p.arms[0].renderer.Config()); c.Layout != "" && c.Layout != mine {
		misfits = append(misfits, fmt.Sprintf("The curve was measured in the layout %q, and the baseline has %q.", c.Layout, mine))
	}
	if r := p.dataset.Report(); c.Documents < r.MinDocuments || c.Documents > r.MaxDocuments {
		misfits = append(misfits, fmt.Sprintf("The curve is of %d documents, and the lists have %s.", c.Documents, sizes(r.MinDocuments, r.MaxDocuments)))
	}
	return misfits
}

// sizes says how many documents the lists have.
func sizes(least, most int) string {
	if least == most {
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
