package table_test

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/sweep"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// What is advised fits the curve: measured keeps the retriever's order by a curve that is
// flat, undecided or primacy, so that there is nothing to compare.
func TestNextFitsTheShape(t *testing.T) {
	t.Parallel()
	for shapeOf, want := range map[core.Shape]string{
		core.ShapeFlat: "There is nothing to change: ", core.ShapePrimacy: "There is nothing to change: ", core.ShapeUndecided: "There is nothing to change yet: ",
		core.ShapeU: "To see whether ", core.ShapeRecency: "To see whether ", core.ShapeInverted: "To see whether ",
	} {
		curve := &core.Curve{Shape: shapeOf}
		for what, next := range map[string]func() (string, []string){
			"sweep": func() (string, []string) {
				return table.NextSweep(sweep.Result{Curve: curve, Verdict: &shape.Verdict{Shape: shapeOf}}, "d/curve.json")
			},
			"use": func() (string, []string) { return table.NextUse(traffic.Curve{Curve: curve}, "d/curve.json") },
		} {
			sentence, lines := next()
			code := strings.Join(lines, "\n")
			if !strings.HasPrefix(sentence, want) || strings.HasPrefix(want, "To ") != strings.Contains(code, `core.ParsePlacement("measured=d/curve.json")`) {
				t.Errorf("%s, %s: %q\n%s", what, shapeOf, sentence, code)
			}
		}
	}
	if sentence, lines := table.NextUse(traffic.Curve{}, "curve.json"); sentence != "" || lines != nil {
		t.Errorf("without a curve: %q, %q", sentence, lines)
	}
}
