package core

import (
	"context"
	"fmt"
)

// admission is the outcome of the second stage. Ranks are 0-based.
type admission struct {
	kept    []int     // admitted ranks, ascending; nil: all of them
	dropped []Dropped // by rank
	pinned  []bool    // by rank; nil: none
	sizes   []int     // by rank, of the texts that were counted; nil: none
	room    int       // the budget
	used    int       // sum of the admitted sizes
}

// admitter decides which of the ranks 0 … n-1 may enter the prompt: the pins first,
// then the others from the best to the worst. A rank that is out has a reason.
type admitter struct {
	reader
	ctx      context.Context
	c        *Config
	count    func(string) int
	n        int
	topK     int
	maxBytes int
	scores   func(rank int) float64 // what the threshold looks at; nil: no threshold
	worst    func(score, limit float64) bool
	best     int // the best rank that is not refused for itself; -1: none

	entered       int
	full          bool // under Stop, something did not fit
	ids, texts    map[string]bool
	missed, twins map[string]bool // IDs and texts of what did not fit
	reason        []Reason
	result        admission
}

// newAdmitter admits by a's Config, but by topK where that is not 0.
func newAdmitter(ctx context.Context, a *Arranger, topK int, d *decision, documents reader) *admitter {
	ad := &admitter{
		reader: documents, ctx: ctx, c: &a.config, count: a.count, n: d.n, topK: topK, maxBytes: a.config.MaxBytes, best: -1,
		reason: make([]Reason, d.n),
	}
	if topK == 0 {
		ad.topK = a.config.TopK
	}
	if ad.maxBytes == 0 && a.config.Budget > 0 {
		ad.maxBytes = DefaultMaxBytes
	}
	ad.result.room = a.config.Budget
	ad.result.pinned = make([]bool, d.n)
	for rank := range d.n {
		ad.result.pinned[rank] = ad.pinned(rank) || len(a.pins) > 0 && a.pins[ad.id(rank)]
	}
	if ad.c.Budget > 0 {
		ad.result.sizes = make([]int, d.n)
	}
	ad.setThreshold(d)
	return ad
}

// setThreshold says which score the threshold looks at, and which are worse.
func (a *admitter) setThreshold(d *decision) {
	if a.c.Threshold == nil {
		return
	}
	a.scores = a.score
	a.worst = func(score, limit float64) bool { return score < limit }
	switch {
	case a.c.ThresholdBy == RankingScore:
		a.scores = nil
		if scores := d.rankingScores(d.through); scores != nil {
			a.scores = func(rank int) float64 { return float64(scores[d.index(rank)]) }
		}
	case a.c.Direction == LowerIsBetter:
		a.worst = func(score, limit float64) bool { return score > limit }
	}
}

// admit decides every rank, the pinned ones first.
func (a *admitter) admit() (admission, error) {
	if err := a.admitPins(); err != nil {
		return admission{}, err
	}
	for rank := range a.n {
		if a.result.pinned[rank] {
			continue
		}
		reason := a.refusedForItself(rank)
		if reason == "" {
			var err error
			if reason, err = a.refusedForOthers(rank); err != nil {
				return admission{}, err
			}
		}
		a.reason[rank] = reason
	}
	a.result.kept = make([]int, 0, a.n)
	for rank, reason := range a.reason {
		if reason == "" {
			a.result.kept = append(a.result.kept, rank)
		} else {
			a.result.dropped = append(a.result.dropped, Dropped{Rank: rank, Reason: reason})
		}
	}
	return a.result, nil
}

// admitPins enters the pinned ranks, the better one of two that are duplicates.
func (a *admitter) admitPins() error {
	for rank, pinned := range a.result.pinned {
		if !pinned {
			continue
		}
		id, text := a.names(rank)
		if a.reason[rank] = a.duplicate(id, text); a.reason[rank] != "" {
			continue
		}
		if a.best < 0 {
			a.best = rank
		}
		if got := len(a.capped(rank)); a.maxBytes > 0 && got > a.maxBytes {
			return &PinError{Limit: "MaxBytes", Max: a.maxBytes, Got: got, Rank: rank}
		}
		size, err := a.size(rank)
		if err != nil {
			return err
		}
		a.enter(id, text, size)
	}
	if a.topK > 0 && a.entered > a.topK {
		return &PinError{Limit: "TopK", Max: a.topK, Got: a.entered, Rank: -1}
	}
	if a.c.Budget > 0 && a.result.used > a.c.Budget {
		return &PinError{Limit: "Budget", Max: a.c.Budget, Got: a.result.used, Rank: -1}
	}
	return nil
}

// refusedForItself returns why a rank may not enter whatever the others are: the byte
// cap and the threshold.
func (a *admitter) refusedForItself(rank int) Reason {
	first := a.best < 0 || rank < a.best
	exempt := first && a.c.KeepBest && a.c.MaxBytes == 0
	if a.maxBytes > 0 && !exempt && len(a.text(rank)) > a.maxBytes {
		return OverMaxBytes
	}
	if a.scores != nil {
		score, limit := a.scores(rank), *a.c.Threshold
		if isFloat32(score) {
			limit = float64(float32(limit))
		}
		switch {
		case score != score:
			return NoScore
		case a.worst(score, limit):
			return OverThreshold
		}
	}
	if first {
		a.best = rank
	}
	return ""
}

// refusedForOthers returns why a rank may not enter beside those that did: duplicates,
// top-k and budget. A rank that may enter does.
func (a *admitter) refusedForOthers(rank int) (Reason, error) {
	id, text := a.names(rank)
	if reason := a.duplicate(id, text); reason != "" {
		return reason, nil
	}
	// A copy of what did not fit takes the place that this one had among the top-k.
	standsIn := id != "" && a.missed[id] || text != "" && a.twins[text]
	if a.topK > 0 && a.entered >= a.topK && !standsIn {
		return OverTopK, nil
	}
	if a.full {
		return OverBudget, nil
	}
	size, err := a.size(rank)
	if err != nil {
		return "", err
	}
	if a.c.Budget > 0 && size > a.c.Budget-a.result.used && !(a.c.KeepBest && rank == a.best) {
		a.full = a.c.Overflow != Skip
		if !standsIn {
			a.entered++ // it counts to top-k, which is decided before the budget
		}
		a.miss(id, text)
		return OverBudget, nil
	}
	if standsIn {
		a.entered--
	}
	a.enter(id, text, size)
	return "", nil
}

// names returns the ID and the text by which duplicates are found; "" for none.
func (a *admitter) names(rank int) (id, text string) {
	if a.c.DropSameID {
		id = a.id(rank)
	}
	if a.c.DropSameText {
		text = a.text(rank)
	}
	return id, text
}

func (a *admitter) duplicate(id, text string) Reason {
	switch {
	case id != "" && a.ids[id]:
		return SameID
	case text != "" && a.texts[text]:
		return SameText
	}
	return ""
}

func (a *admitter) enter(id, text string, size int) {
	a.entered++
	a.result.used = addSizes(a.result.used, size)
	mark(&a.ids, id)
	mark(&a.texts, text)
	if id != "" {
		delete(a.missed, id)
	}
	if text != "" {
		delete(a.twins, text)
	}
}

// miss remembers what did not fit, for its copies.
func (a *admitter) miss(id, text string) {
	mark(&a.missed, id)
	mark(&a.twins, text)
}

func mark(set *map[string]bool, key string) {
	if key == "" {
		return
	}
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[key] = true
}

// capped returns the text where there is a byte cap to hold it against.
func (a *admitter) capped(rank int) string {
	if a.maxBytes == 0 {
		return ""
	}
	return a.text(rank)
}

// size counts the text of a rank, 0 without a budget. A context that has ended begins
// no further count.
func (a *admitter) size(rank int) (int, error) {
	if a.c.Budget == 0 {
		return 0, nil
	}
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	size := a.count(a.text(rank))
	if size < 0 {
		return 0, &ConfigError{Field: "Count", Value: size, Rule: fmt.Sprintf("it must return 0 or more, also for the document of rank %d", rank)}
	}
	a.result.sizes[rank] = size
	return size, nil
}

// addSizes adds without wrapping around.
func addSizes(a, b int) int {
	if sum := a + b; sum >= a {
		return sum
	}
	return int(^uint(0) >> 1)
}
