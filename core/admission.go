package core

import "slices"

// Reason says why a document was left out.
type Reason string

// The reasons, in the order in which they are looked at.
const (
	SameID        Reason = "same ID as a better document"
	SameText      Reason = "same text as a better document"
	NoScore       Reason = "no score"
	OverThreshold Reason = "worse than the threshold"
	OverMaxBytes  Reason = "text longer than the byte cap"
	OverTopK      Reason = "beyond top-k"
	OverBudget    Reason = "beyond the budget"
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

// admitter runs the stages of admission over ranks 0 … n-1. A rank that is out
// has a reason.
type admitter struct {
	reader
	c        *Config
	count    func(string) int
	n        int
	topK     int
	maxBytes int
	reason   []Reason
	result   admission
}

// newAdmitter admits by a's Config, but by topK where that is not 0.
func newAdmitter(a *Arranger, topK, n int, documents reader) *admitter {
	ad := &admitter{reader: documents, c: &a.config, count: a.count, n: n, topK: topK, maxBytes: a.config.MaxBytes}
	if topK == 0 {
		ad.topK = a.config.TopK
	}
	if ad.maxBytes == 0 && a.config.Budget > 0 {
		ad.maxBytes = DefaultMaxBytes
	}
	ad.reason = make([]Reason, n)
	ad.result.pinned = make([]bool, n)
	for rank := range n {
		ad.result.pinned[rank] = ad.pinned(rank) || len(ad.c.Pins) > 0 && slices.Contains(ad.c.Pins, ad.id(rank))
	}
	return ad
}

// admit decides which of the ranks may enter the prompt: pins first, then
// duplicates, threshold, byte cap, top-k and budget.
func (a *admitter) admit() (admission, error) {
	a.dropDuplicates()
	a.dropByThreshold()
	for _, stage := range []func() error{a.dropLongTexts, a.dropBeyondTopK, a.dropBeyondBudget} {
		if err := stage(); err != nil {
			return admission{}, err
		}
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

func (a *admitter) isIn(rank int) bool { return a.reason[rank] == "" }

// unpinned calls f for each rank that is still in and not pinned, best first.
func (a *admitter) unpinned(f func(rank int)) {
	for rank := range a.n {
		if a.isIn(rank) && !a.result.pinned[rank] {
			f(rank)
		}
	}
}

// pins returns the pinned ranks that are still in.
func (a *admitter) pins() []int {
	var pins []int
	for rank, pinned := range a.result.pinned {
		if pinned && a.isIn(rank) {
			pins = append(pins, rank)
		}
	}
	return pins
}

// dropDuplicates drops what shares its ID or text with a document that stays:
// the pins claim theirs first, then the others by rank.
func (a *admitter) dropDuplicates() {
	if !a.c.DropSameID && !a.c.DropSameText {
		return
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	claim := func(rank int) {
		id, text := "", ""
		if a.c.DropSameID {
			id = a.id(rank)
		}
		if a.c.DropSameText {
			text = a.text(rank)
		}
		switch {
		case id != "" && ids[id]:
			a.reason[rank] = SameID
		case text != "" && texts[text]:
			a.reason[rank] = SameText
		default:
			ids[id], texts[text] = true, true
		}
	}
	for _, rank := range a.pins() {
		claim(rank)
	}
	a.unpinned(claim)
}

func (a *admitter) dropByThreshold() {
	t, scoreOf, direction := a.c.Threshold, a.score, a.c.Direction
	if a.c.ThresholdBy == RankingScore {
		scoreOf, direction = a.ranking, HigherIsBetter
	}
	if t == nil || scoreOf == nil {
		return
	}
	a.unpinned(func(rank int) {
		score, limit := scoreOf(rank), *t
		if isFloat32(score) {
			limit = float64(float32(limit))
		}
		switch {
		case score != score:
			a.reason[rank] = NoScore
		case direction == HigherIsBetter && score < limit, direction == LowerIsBetter && score > limit:
			a.reason[rank] = OverThreshold
		}
	})
}

// isFloat32 says whether a score fits into a float32, as all of langchaingo's do. A
// float32 of 0.7 is below 0.7: it is compared, and printed, as what it stands for.
func isFloat32(score float64) bool { return float64(float32(score)) == score }

func (a *admitter) dropLongTexts() error {
	if a.maxBytes == 0 {
		return nil
	}
	for _, rank := range a.pins() {
		if got := len(a.text(rank)); got > a.maxBytes {
			return &PinError{Limit: "MaxBytes", Max: a.maxBytes, Got: got, Rank: rank}
		}
	}
	a.unpinned(func(rank int) {
		if len(a.text(rank)) > a.maxBytes {
			a.reason[rank] = OverMaxBytes
		}
	})
	return nil
}

func (a *admitter) dropBeyondTopK() error {
	if a.topK == 0 {
		return nil
	}
	free := a.topK - len(a.pins())
	if free < 0 {
		return &PinError{Limit: "TopK", Max: a.topK, Got: a.topK - free, Rank: -1}
	}
	a.unpinned(func(rank int) {
		if free == 0 {
			a.reason[rank] = OverTopK
			return
		}
		free--
	})
	return nil
}

// dropBeyondBudget counts each pin, and then under Stop each admitted document
// and the first that does not fit; under Skip every document that is left.
func (a *admitter) dropBeyondBudget() error {
	a.result.room = a.c.Budget
	if a.c.Budget == 0 {
		return nil
	}
	a.result.sizes = make([]int, a.n)
	for _, rank := range a.pins() {
		size, err := a.size(rank)
		if err != nil {
			return err
		}
		a.result.used = addSizes(a.result.used, size)
	}
	if a.result.used > a.c.Budget {
		return &PinError{Limit: "Budget", Max: a.c.Budget, Got: a.result.used, Rank: -1}
	}
	var fault error
	full := false
	best := a.best()
	a.unpinned(func(rank int) {
		if full || fault != nil {
			a.reason[rank] = OverBudget
			return
		}
		size, err := a.size(rank)
		if err != nil {
			fault = err
			return
		}
		fits := size <= a.c.Budget-a.result.used || a.c.KeepBest && rank == best
		if !fits {
			a.reason[rank] = OverBudget
			full = a.c.Overflow != Skip
			return
		}
		a.result.used = addSizes(a.result.used, size)
	})
	return fault
}

// best returns the best rank that is still in, or -1.
func (a *admitter) best() int {
	for rank := range a.n {
		if a.isIn(rank) {
			return rank
		}
	}
	return -1
}

func (a *admitter) size(rank int) (int, error) {
	size := a.count(a.text(rank))
	if size < 0 {
		return 0, &CountError{Rank: rank, Count: size}
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
