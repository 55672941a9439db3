package evidence

import "github.com/bookend-rag/bookend/measure/stats"

// Standing is what a comparison knows about one challenger. All of it holds however
// often one looked.
type Standing struct {
	// Units is how many independent values stand behind it: questions, or clusters of
	// questions that hang together.
	Units int `json:"units"`
	// Difference is the estimated gain, as a share, and Discordance the mean of its
	// squares: for right and wrong, the share of questions that are answered
	// differently. Both leave out what is not known.
	Difference  float64 `json:"difference"`
	Discordance float64 `json:"discordance"`
	// LogE is the natural logarithm of e*: the evidence that the gain is above 0,
	// with the other challengers accounted for. It reaches log(1/alpha) for Reorder.
	LogE float64 `json:"log_e"`
	// P is min(1, 1/e*) at the look where e* was largest: an anytime-valid p-value
	// of "the gain is 0 or less". It may be less than 1/e* now. Below 1e-308 it is 0.
	P float64 `json:"p"`
	// LogDown is the natural logarithm of the e-value against a gain of
	// Rule.Worthwhile or more, with the other kinds of NewTrials accounted for.
	LogDown float64 `json:"log_down"`
	// Sequence is the confidence sequence at 1 - alpha, of this challenger alone. It
	// looks both ways, so that at the first Reorder it often still holds 0.
	Sequence stats.Interval `json:"sequence"`
	// Excluded says that a gain of Rule.Worthwhile is excluded: LogDown has reached
	// log(1/alpha).
	Excluded bool `json:"excluded"`
	// LogNoWorse is the natural logarithm of the e-value against a loss of Rule.NoWorse or
	// more, with the other challengers accounted for; nil without that rule. NoWorse says
	// that it has reached log(1/alpha); Worse that the opposite has, a loss of that much.
	LogNoWorse *float64 `json:"log_no_worse,omitempty"`
	NoWorse    bool     `json:"no_worse,omitempty"`
	Worse      bool     `json:"worse,omitempty"`
}
