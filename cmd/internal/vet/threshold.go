package vet

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// thresholdKeys are the keys of cuts by score, and what they keep: what is above
// the number or below it. "" says that only a direction tells.
var thresholdKeys = map[string]string{
	"score_threshold": "", "threshold": "", "score_cutoff": "", "cutoff": "", "cutoff_score": "",
	"similarity_threshold": "above", "min_score": "above", "minimum_score": "above", "min_similarity": "above", "similarity_cutoff": "above",
	"relevance_threshold": "above", "min_relevance": "above", "min_relevance_score": "above", "score_min": "above", "min_similarity_score": "above",
	"distance_threshold": "below", "max_distance": "below", "distance_cutoff": "below", "max_distance_threshold": "below", "max_score": "below", "score_max": "below",
}

// threshold reads a cut by score, with the direction that stands beside it in the
// same section.
func (g *gatherer) threshold(section *doctree.Node, key string, value *doctree.Node, inside Kind) bool {
	word := plainWord(key)
	keeps, known := thresholdKeys[word]
	if !known {
		keeps, known = thresholdKeys[rest(key)]
	}
	if !known || value.Kind != doctree.Int && value.Kind != doctree.Float || inside == generate {
		return false
	}
	t := &Threshold{Number: &Number{Key: key, At: value}, Fraction: value.Text, Keeps: keeps}
	t.Better, t.Direction = directionIn(section)
	g.chain.Thresholds = append(g.chain.Thresholds, t)
	if inside == noKind {
		inside = Retrieve
	}
	g.step(inside, value, key).Cuts = true
	return true
}

// directionIn returns which scores are better, as a section declares it.
func directionIn(section *doctree.Node) (better string, at *Number) {
	for _, e := range section.Entries {
		key, value := plainWord(e.Key.Text), plainWord(e.Value.Text)
		found := ""
		switch {
		case key == "higher_is_better" && e.Value.Kind == doctree.Bool, key == "lower_is_better" && e.Value.Kind == doctree.Bool:
			if found = "lower"; isTrue(e.Value) == (key == "higher_is_better") {
				found = "higher"
			}
		case e.Value.Kind != doctree.Text:
		case slices.Contains([]string{"direction", "score_direction", "better", "score_better"}, key):
			switch {
			case strings.HasPrefix(value, "lower"), strings.HasPrefix(value, "smaller"), value == "minimize":
				found = "lower"
			case strings.HasPrefix(value, "higher"), strings.HasPrefix(value, "larger"), strings.HasPrefix(value, "greater"), value == "maximize":
				found = "higher"
			}
		case slices.Contains([]string{"score_type", "score_kind", "score_is", "score_means"}, key):
			switch value {
			case "distance":
				found = "lower"
			case "similarity", "relevance":
				found = "higher"
			}
		}
		if found != "" {
			return found, &Number{Key: e.Key.Text, At: e.Value}
		}
	}
	return "", nil
}

// value returns the number of a threshold.
func (t *Threshold) value() float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(t.Fraction, "_", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
