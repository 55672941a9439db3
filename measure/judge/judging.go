package judge

// RightFrom is the score from which an answer counts as right. Only scorers that
// give parts of a point, such as TokenF1, have scores between 0 and 1.
const RightFrom = 0.5

// What a JudgedBy says.
const (
	JudgedByFull      = "full answer"
	JudgedByFirstLine = "first line"
)

// Judging says how the answers of an experiment are judged.
type Judging struct {
	// Scorer judges an answer. nil: the one that the experiment describes, or else
	// Exact for key-value cases and BestSubspan for questions.
	Scorer Scorer
	// FirstLine makes accuracy, statistics and curve follow the first line of each
	// answer, as models that run on need it. Both scores are shown in any case.
	FirstLine bool
}

// JudgedBy names the text that the judging follows.
func (j Judging) JudgedBy() string {
	if j.FirstLine {
		return JudgedByFirstLine
	}
	return JudgedByFull
}

// Score returns the one of the two scores that the judging follows.
func (j Judging) Score(s Scores) float64 {
	if j.FirstLine {
		return s.FirstLine
	}
	return s.Full
}
