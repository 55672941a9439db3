package table

import (
	"fmt"
	"strconv"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/sweep"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// NextSweep says what to do with a sweep: a sentence, and commands or lines of code.
// file is that of its curve.
func NextSweep(r sweep.Result, file string) (sentence string, lines []string) {
	switch {
	case r.Unfit != nil:
		return "", nil
	case r.Simulated:
		return "A simulated reader says nothing about your model. Ask your own:",
			[]string{"bookend sweep --data FILE --model NAME --base-url URL --out DIR"}
	case r.Curve == nil || r.Verdict == nil:
		return "There is no curve to place by yet: ask more questions.", nil
	}
	more := " Ask more questions."
	if right := overall(r); right == 0 || right > 0.98 { // a remark says that they would not help
		more = ""
	}
	return placeBy(r.Curve, file, more)
}

// overall is the mean score of all slots.
func overall(r sweep.Result) float64 {
	sum, n := 0.0, 0
	for _, s := range r.Slots {
		sum += s.MeanScore * float64(s.N)
		n += s.N
	}
	return sum / float64(max(n, 1))
}

// NextUse is NextSweep for a curve of use; nothing where there is no curve.
func NextUse(c traffic.Curve, file string) (sentence string, lines []string) {
	if c.Curve == nil {
		return "", nil
	}
	return placeBy(c.Curve, file, " Record more requests.")
}

// placeBy says what to do with a curve; more is how to learn more.
func placeBy(c *core.Curve, file, more string) (sentence string, lines []string) {
	switch c.Shape {
	case core.ShapeUndecided:
		return "There is nothing to change yet: where the shape is undecided, the retriever's order stays." + more, nil
	case core.ShapeFlat, core.ShapePrimacy:
		return "There is nothing to change: by this curve the retriever's order, best first, stays.", nil
	}
	return "To see whether placing by this curve pays on your own questions, and then to place by it:", []string{
		"bookend compare --data LISTS --model NAME --base-url URL --out DIR \\",
		"    --placements ranked,measured=" + show.Line(file),
		"",
		"p, err := core.ParsePlacement(" + strconv.Quote("measured="+file) + ")",
		"order := core.Config{Placement: core.Choice{Placement: p}}",
		"r, err := langchaingo.NewRetriever(inner, langchaingo.WithConfig(order))",
	}
}

// NextComparison says what to do with a verdict, as NextSweep does. file is that of the
// settings.
func NextComparison(r compare.Result, file string) (sentence string, lines []string) {
	switch {
	case r.Unfit != nil:
		return "", nil
	case r.Simulated:
		return "A simulated reader says nothing about your model. Ask your own:",
			[]string{"bookend compare --data FILE --model NAME --base-url URL \\", "    --until-decided --out DIR"}
	case len(r.Kinds) > 0:
		return "settings.json holds a choice for each value: docs/compare.md says how a chain uses it.", nil
	case r.Word == evidence.Keep:
		return fmt.Sprintf("There is nothing to change: %s stays.", show.Line(r.Winner)), nil
	case r.Word == evidence.Inconclusive:
		return "There is nothing to change yet. With more questions (more lines in --data, or a larger --limit) the same command into the same folder goes on.", nil
	}
	return fmt.Sprintf("To use %s in your chain (langchaingo; eino takes the same Configs):", show.Line(r.Winner)), []string{
		"s, err := settings.Load(" + strconv.Quote(file) + ", nil)",
		"order, layout, err := s.Configs()",
		"r, err := langchaingo.NewRetriever(inner, langchaingo.WithConfig(order))",
	}
}
