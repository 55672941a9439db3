package traffic

import (
	"math"

	"github.com/bookend-rag/bookend/core/record"
)

// Arm counts the entries of one arm.
type Arm struct {
	Requests     int `json:"requests"`
	Answered     int `json:"answered"`      // of these
	CitedNothing int `json:"cited_nothing"` // of the answered
	CitedUnknown int `json:"cited_unknown"` // of the answered: cite labels, none of which exists
	Citations    int `json:"citations"`     // of documents
	Shown        int `json:"shown"`         // documents in the prompts of the answered
}

// NeededFor returns about how many shuffled requests give each slot so many
// citations, if they cite as those of a do; 0 where that cannot be told. A slot's
// value is then known to ±1/√citations: 200 give ±7 %.
func (a Arm) NeededFor(citations int) int {
	if a.Citations == 0 {
		return 0
	}
	return int(math.Ceil(float64(citations) * float64(a.Shown) / float64(a.Citations)))
}

func (a *Arm) add(e record.Entry) {
	a.Requests++
	if e.Answer == nil {
		return
	}
	a.Answered++
	a.Citations += len(e.Answer.Ranks)
	a.Shown += len(e.Arrangement.Slots)
	switch {
	case len(e.Answer.Ranks) == 0 && e.Answer.Unknown > 0:
		a.CitedUnknown++
	case len(e.Answer.Ranks) == 0:
		a.CitedNothing++
	}
}
