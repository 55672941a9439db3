package core

// Reason says why a document was left out, as a short code that does not change.
// String is the same for people.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	OverMaxBytes  Reason = "max-bytes" // its text is longer than the byte cap
	NoScore       Reason = "no-score"  // there is a threshold, and it has no score
	OverThreshold Reason = "threshold" // its score is worse than the threshold
	SameID        Reason = "same-id"   // a better document with its ID entered
	SameText      Reason = "same-text" // a better document with its text entered
	OverTopK      Reason = "top-k"     // enough better ones entered
	OverBudget    Reason = "budget"    // it did not fit
)

// String returns the reason in words; that of an unknown code is the code.
func (r Reason) String() string {
	switch r {
	case OverMaxBytes:
		return "text longer than the byte cap"
	case NoScore:
		return "no score"
	case OverThreshold:
		return "worse than the threshold"
	case SameID:
		return "same ID as a better document"
	case SameText:
		return "same text as a better document"
	case OverTopK:
		return "beyond top-k"
	case OverBudget:
		return "beyond the budget"
	}
	return string(r)
}
