package sweep

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/setup"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/run"
)

// setup lists the exact configuration.
func (w *watcher) setup() []run.Setting {
	d := w.described
	list := setup.Of(d.Model, d.Server, d.Params)
	add := list.Add
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
	list.Judging(w.judging, w.judge())
	return list
}
