package judge

import "strings"

// named is a scorer without settings. The text is prepared once for all answers.
type named struct {
	name    string
	prepare func(text string) string
	score   func(prepared, answer string) float64
}

func (n named) String() string { return n.name }

// Score is that of the best answer.
func (n named) Score(text string, answers []string) float64 {
	prepared, best := n.prepare(text), 0.0
	for _, answer := range answers {
		best = max(best, n.score(prepared, answer))
	}
	return best
}

// The scorers without settings.
var (
	// BestSubspan is 1 when one of the answers, normalised by Normalize, is a
	// substring of the normalised text. It is the metric of Liu et al., but for an
	// answer that normalises to nothing, such as "The": theirs matches everything, ours
	// nothing. It is lenient: a text that lists every document scores 1.
	BestSubspan Scorer = named{"best-subspan", Normalize, bestSubspan}

	// Exact is 1 when one of the answers stands in the text as it is, but for the
	// case of its letters. It is made for key-value cases, whose values need no
	// normalising; white space around an answer does not count.
	Exact Scorer = named{"exact", strings.ToLower, exact}

	// Regexp takes the answers as regular expressions in the syntax of Go, and is 1
	// when one of them matches somewhere in the text. (?i) ignores case, \A and \z
	// are the ends of the text. An answer that is not a valid expression matches
	// nothing, and neither does a blank one. Open a dataset with
	// dataset.Rules{Scorer: Regexp}.
	//
	// The time is bounded, whatever text and expressions are: what stands behind the
	// first 64 KiB of a text is not read, an expression of more than 1,000 bytes
	// matches nothing, and neither does one that is too long, once its repetitions are
	// written out, to be tried on the text in a fraction of a second.
	Regexp Scorer = expressions{}

	// TokenF1 is the harmonic mean of precision and recall over the words of the
	// normalised text and the normalised answer, each word as often as it occurs, for
	// the answer that gives most. It is the F1 of SQuAD. Text around the answer
	// lowers it.
	TokenF1 Scorer = tokenF1{}
)

func bestSubspan(normalized, answer string) float64 {
	answer = Normalize(answer)
	return oneIf(answer != "" && strings.Contains(normalized, answer))
}

func exact(lowered, answer string) float64 {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return oneIf(answer != "" && strings.Contains(lowered, answer))
}

func oneIf(right bool) float64 {
	if right {
		return 1
	}
	return 0
}
