package compare

import (
	"cmp"
	"strconv"

	"github.com/bookend-rag/bookend/measure/internal/setup"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/run"
)

// setup lists the exact configuration.
func (l *ledger) setup() []run.Setting {
	d := l.described
	list := setup.Of(d.Model, d.Server, d.Params)
	add := list.Add
	add("lists", cmp.Or(d.Dataset.Path, "generated from a seed"))
	add("lines of the file", d.Dataset.String())
	add("questions", strconv.Itoa(d.Questions))
	add("seed", strconv.FormatUint(d.Seed, 10))
	add("alpha", strconv.FormatFloat(cmp.Or(d.Alpha, 0.05), 'g', -1, 64))
	add("worthwhile gain", points(d.Worthwhile))
	if d.NoWorse > 0 {
		add("no worse", "a loss of less than "+points(d.NoWorse))
	}
	add("a verdict for each", d.by())
	add("questions end", map[bool]string{true: "once decided", false: "at the planned number"}[d.UntilDecided])
	add("failed and refused calls", map[Unanswered]string{Drop: "remove the question from every arm", Wrong: "are wrong in their arm"}[d.unanswered()])
	list.Judging(l.judging, l.judge())
	for _, arm := range d.Arms {
		if arm.Kind == Baseline || arm.Kind == Challenger {
			add(string(arm.Kind)+" "+arm.Name, text.JSON(Settled{Order: arm.Order, Prompt: arm.Prompt, Tokenizer: arm.Tokenizer}))
			if arm.Reuse != nil {
				add("reuse of "+arm.Name, text.JSON(arm.Reuse))
			}
		}
	}
	return list
}
