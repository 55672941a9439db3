package simulate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
)

func TestEveryNameSimulates(t *testing.T) {
	t.Parallel()
	names := simulate.Names()
	if want := 5 + len(published.All()); len(names) != want {
		t.Errorf("got %d names, want %d", len(names), want)
	}
	for _, name := range names {
		own, err := simulate.Accuracy(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, documents, found := strings.Cut(name, "/"); found && fmt.Sprint(len(own)) != documents || !found && len(own) != 20 {
			t.Errorf("%s has %d documents of its own", name, len(own))
		}
		for _, documents := range []int{1, 2, 7, 64} {
			accuracy, err := simulate.Accuracy(strings.ToUpper(name), documents)
			if err != nil || len(accuracy) != documents {
				t.Errorf("%s over %d documents: got %d (%v)", name, documents, len(accuracy), err)
				continue
			}
			if !near(accuracy[0], own[0]) || documents > 1 && !near(accuracy[documents-1], own[len(own)-1]) {
				t.Errorf("%s over %d documents: the ends are %g and %g, want %g and %g",
					name, documents, accuracy[0], accuracy[documents-1], own[0], own[len(own)-1])
			}
		}
	}
	_, err := simulate.Accuracy("nobody", 20)
	if err == nil || !strings.Contains(err.Error(), "flat, u, inverted, primacy, recency, claude-1.3/10|20|30") {
		t.Errorf("got %v, want the names", err)
	}
}

func TestPlainShapesHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]float64{
		"flat":     {0.65, 0.65, 0.65, 0.65, 0.65},
		"u":        {0.75, 0.60, 0.55, 0.60, 0.75},
		"inverted": {0.55, 0.70, 0.75, 0.70, 0.55},
		"primacy":  {0.75, 0.70, 0.65, 0.60, 0.55},
		"recency":  {0.55, 0.60, 0.65, 0.70, 0.75},
	} {
		got, err := simulate.Accuracy(name, 5)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !near(got[i], want[i]) {
				t.Errorf("%s (-want +got)\n-%v\n+%v", name, want, got)
				break
			}
		}
	}
}

func TestPublishedCurvesAsFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]core.Shape{
		"gpt-3.5-turbo": core.ShapeU, "llama-2-70b-chat-repo": core.ShapeRecency, "gpt-3.5-turbo/10": core.ShapePrimacy,
		"gpt-4.1/10": core.ShapeUndecided, // 100 questions are too few for its 6 points
	} {
		published, err := published.Lookup(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := simulate.CurveOf(published)
		if err != nil || curve.Shape != want || !slices.Equal(curve.Accuracy, published.Accuracy) || curve.Documents != published.Documents {
			t.Errorf("%s: %+v, %v", name, curve, err)
		}
	}
}

// The shape of a published curve says nothing that its own figures contradict, and with
// the 2,655 questions of Liu et al. it says something.
func TestPublishedCurvesHaveTheirWords(t *testing.T) {
	t.Parallel()
	for _, c := range published.All() {
		curve, err := simulate.CurveOf(c)
		if err != nil {
			t.Fatal(err)
		}
		contrasts := shape.ZonesOf(c.Documents, c.Slots).Of(c.Accuracy)
		start, end, slope := contrasts[0], contrasts[1], contrasts[2]
		fits, known := map[core.Shape]bool{
			core.ShapeU:         start > 0 && end > 0,
			core.ShapeInverted:  start < 0 && end < 0,
			core.ShapePrimacy:   slope > 0 && (start > 0 || end < 0),
			core.ShapeRecency:   slope < 0 && (end > 0 || start < 0),
			core.ShapeFlat:      max(start, -start, end, -end, slope, -slope) < .05,
			core.ShapeUndecided: c.Questions < 2655,
		}[curve.Shape]
		if !known || !fits {
			t.Errorf("%s with %d documents, %d questions: %s; start %+.3f, end %+.3f against the middle, %+.3f against each other",
				c.Model, c.Documents, c.Questions, curve.Shape, start, end, slope)
		}
	}
}
