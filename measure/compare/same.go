package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/text"
)

// samePrompts says why a comparison of arms that send one prompt can tell nothing.
func (w *watcher) samePrompts() *fitness.Unfit {
	l, where := w.ledger, ""
	if asked := len(w.counted) + w.dropped; asked > 0 {
		where = " in " + text.Count(asked, "question")
	}
	var without []string
	for _, arm := range l.judged()[1:] {
		without = append(without, fmt.Sprintf("%s in %s", arm.Name, differences(l.arms[0], arm)))
	}
	return &fitness.Unfit{
		Rule:   fitness.SamePrompts,
		Reason: fmt.Sprintf("every arm sends the very same prompts as %s%s. They differ in settings that have no effect here (%s)", l.arms[0].Name, where, strings.Join(without, "; ")),
		Remedy: "Compare settings that change a prompt, over lists of more documents.",
	}
}

// differences names the settings in which two arms differ.
func differences(a, b ArmInfo) string {
	var names []string
	for _, part := range []struct {
		name string
		a, b any
	}{{"order", a.Order, b.Order}, {"prompt", a.Prompt, b.Prompt}} {
		x, y := fieldsOf(part.a), fieldsOf(part.b)
		keys := map[string]bool{}
		for key := range x {
			keys[key] = true
		}
		for key := range y {
			keys[key] = true
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if string(x[key]) != string(y[key]) {
				names = append(names, part.name+"."+key)
			}
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func fieldsOf(v any) (fields map[string]json.RawMessage) {
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &fields) != nil {
		return nil
	}
	return fields
}
