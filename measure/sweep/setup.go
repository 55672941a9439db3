package sweep

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/run"
)

// setup lists the exact configuration.
func (w *watcher) setup() []run.Setting {
	d := w.described
	var setup []run.Setting
	add := func(name, value string) {
		if value != "" {
			setup = append(setup, run.Setting{Name: name, Value: value})
		}
	}
	add("model", d.Model)
	add("server", d.Server)
	add("parameters", text.JSON(d.Params))
	add("task", string(d.Task))
	add("dataset", cmp.Or(d.Dataset.Path, "generated from a seed"))
	add("lines of the dataset", d.Dataset.String())
	add("documents in a prompt", strconv.Itoa(d.Documents))
	add("measured slots", slotList(d.Slots))
	add("questions", strconv.Itoa(d.Questions))
	add("seed", strconv.FormatUint(d.Seed, 10))
	add("arms", strings.Join(d.Arms, ", "))
	if slices.Contains(d.Arms, ArmRepeat) {
		add("repeats", strconv.Itoa(d.Repeats))
	}
	add("layout", d.Layout)
	add("instruction", d.Instruction)
	if d.Prompt != nil {
		add("prompt", text.JSON(d.Prompt))
	}
	add("scorer", w.judging.Scorer.String()+", on the "+w.judging.JudgedBy())
	return setup
}
