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
	Citations    int `json:"citations"`     // of documents; equal texts of one list are one
	Shown        int `json:"shown"`         // documents in the prompts of the answered, counted so
}

// NeededFor returns about how many shuffled requests give each slot so many
// citations, if they cite as those of a do; 0 where that cannot be told. The standard
// error of a slot's value is then 1/√citations at most: 200 give ±7 %.
func (a Arm) NeededFor(citations int) int {
	if a.Citations == 0 {
		return 0
	}
	return int(math.Ceil(float64(citations) * float64(a.Shown) / float64(a.Citations)))
}

// add counts an answered entry, by how many texts it shows and cites.
func (a *Arm) add(e record.Entry, shown, cited int) {
	a.Answered++
	a.Citations += cited
	a.Shown += shown
	switch {
	case len(e.Answer.Ranks) == 0 && e.Answer.Unknown > 0:
		a.CitedUnknown++
	case len(e.Answer.Ranks) == 0:
		a.CitedNothing++
	}
}
