package core

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/internal/nearest"
)

// placementSpellings lists every accepted name, the canonical one of each
// placement first. Underscores may be written for hyphens.
var placementSpellings = []struct {
	names []string
	make  func(argument string, given bool) (Placement, error)
}{
	{[]string{"ranked", "similarity-desc", "forward"}, plainName(RankOrder)},
	{[]string{"reversed", "similarity-asc", "reverse"}, plainName(Reversed)},
	{[]string{"head-tail", "head-tail-alternating", "edge-order", "sandwich", "sides"}, plainName(HeadTail)},
	{[]string{"tail-head", "fold", "fold-by-relevance"}, plainName(TailHead)},
	{[]string{"long-context", "long-context-reorder"}, plainName(LongContext)},
	{[]string{"edges-first"}, parseEdges},
	{[]string{"document-order", "source-order"}, plainName(DocumentOrder)},
	{[]string{"measured", "curve"}, parseMeasured},
	{[]string{"shuffled"}, parseShuffled},
}

// PlacementNames returns the canonical names that ParsePlacement reads, in the
// order of the documentation. The caller may change the slice.
func PlacementNames() []string {
	names := make([]string, len(placementSpellings))
	for i, p := range placementSpellings {
		names[i] = p.names[0]
	}
	return names
}

// placementWords are all accepted spellings.
func placementWords() []string {
	var words []string
	for _, p := range placementSpellings {
		words = append(words, p.names...)
	}
	return words
}

// ParsePlacement reads the name of a placement: a canonical name or one of its
// accepted spellings, in any case, with hyphens or underscores. An argument
// follows an equals sign: "edges-first=3", "shuffled=42", "measured=FILE", the
// last of which reads a curve file. "measured" alone is an error that asks for
// its curve, "shuffled" alone means seed 0, and the empty name is an error.
//
// An unknown name or a bad argument is a *ConfigError that lists the valid names;
// a curve file that cannot be used is a *CurveError. Decoding a Choice or a Config
// reads the same names, but for files.
//
//	ranked           similarity_desc, forward
//	reversed         similarity_asc, reverse
//	head-tail        head_tail_alternating, edge_order, sandwich, sides
//	tail-head        fold, fold_by_relevance
//	long-context     long_context_reorder
//	edges-first[=N]  edges_first
//	document-order   source_order
//	measured=FILE    curve
//	shuffled[=SEED]
func ParsePlacement(name string) (Placement, error) {
	return parsePlacement(name, true)
}

// parsePlacement is ParsePlacement; where files is not set, it opens none.
func parsePlacement(name string, files bool) (Placement, error) {
	word, argument, given := strings.Cut(name, "=")
	canonical := canonicalName(word)
	for _, p := range placementSpellings {
		if p.names[0] == canonical {
			argument = strings.TrimSpace(argument)
			if canonical == "measured" && argument != "" && !files {
				return nil, placementFault(name, "needs the curve itself: decoding opens no file, which ParsePlacement does")
			}
			placement, err := p.make(argument, given)
			if e, ok := err.(*ConfigError); ok {
				return nil, placementFault(name, e.Rule)
			}
			return placement, err
		}
	}
	return nil, placementFault(name, "no placement has that name"+nearest.Hint(word, placementWords()))
}

// canonicalName returns the canonical name for an accepted spelling, and "" for
// any other word.
func canonicalName(word string) string {
	word = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), "_", "-")
	for _, p := range placementSpellings {
		if slices.Contains(p.names, word) {
			return p.names[0]
		}
	}
	return ""
}

func plainName(p StandardPlacement) func(string, bool) (Placement, error) {
	return func(_ string, given bool) (Placement, error) {
		if given {
			return nil, &ConfigError{Field: "Placement", Rule: "takes no argument: write " + strconv.Quote(p.String())}
		}
		return p, nil
	}
}

func parseEdges(argument string, given bool) (Placement, error) {
	if !given {
		return EdgesFirst{Edge: defaultEdge}, nil
	}
	edge, err := strconv.Atoi(argument)
	if err != nil || edge < 1 {
		return nil, &ConfigError{Field: "Placement", Rule: "needs the number of documents at each edge, 1 or more, as in \"edges-first=2\""}
	}
	return EdgesFirst{Edge: edge}, nil
}

func parseShuffled(argument string, given bool) (Placement, error) {
	if !given {
		return Shuffled{}, nil
	}
	seed, err := strconv.ParseUint(argument, 10, 64)
	if err != nil {
		return nil, &ConfigError{Field: "Placement", Rule: "needs a seed from 0 to 18446744073709551615, as in \"shuffled=42\""}
	}
	return Shuffled{Seed: seed}, nil
}

func parseMeasured(argument string, _ bool) (Placement, error) {
	if argument == "" {
		return nil, &ConfigError{Field: "Placement", Rule: "it needs the curve that was measured: write \"measured=FILE\""}
	}
	curve, err := LoadCurve(argument)
	if err != nil {
		return nil, err
	}
	return Measured{Curve: curve}, nil
}

// placementFault is the ConfigError of a placement's name or its argument; it lists
// the valid names.
func placementFault(name, rule string) *ConfigError {
	valid := "; valid names: "
	if strings.HasSuffix(rule, "?") {
		valid = " Valid names: "
	}
	return &ConfigError{Field: "Placement", Value: name, Rule: rule + valid + strings.Join(PlacementNames(), ", ")}
}
