package sweep

import (
	"slices"
	"strconv"

	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/shape"
)

const (
	// baselinesAt is on how many questions at least the baselines and repeats are asked.
	baselinesAt = 50
	// thinFrom is from how many questions on the middle is thinned: with fewer, questions
	// are what is scarce, not calls.
	thinFrom = 500
)

// choice says how a question is asked, in a sweep that stops when its shape is settled.
type choice struct {
	start, middle, end bool // the zones that more answers are needed of
	bare               bool // without baselines and repeats
}

var everything = choice{start: true, middle: true, end: true}

// choose says how to ask the question that is evidence.RaceLag behind the one that was just
// counted.
func (w *watcher) choose() {
	c := everything
	if w.described.UntilDecided {
		c.start, c.middle, c.end = w.trial.Needs()
		c.bare = len(w.counted) >= baselinesAt && w.check.SweepReads()
	}
	w.choices.Choose(c)
}

// chosen returns the measured slots, by their place among them, that a question is asked
// in, or nil for all: those of the zones that are needed, of the middle only as many as
// of the ends, and one that no contrast needs, for the curve. Which ones decides chance, by the
// question alone, so that each contrast stays what it is on average.
func (w *watcher) chosen(id string, c choice) []int {
	if !w.described.UntilDecided {
		return nil
	}
	zones := shape.ZonesOf(w.described.Documents, w.described.Slots)
	seed, err := strconv.ParseUint(id, 16, 64)
	if err != nil || len(zones.Start) == 0 || len(zones.End) == 0 {
		return nil
	}
	draw := random.From(random.Join(w.described.Seed, seed))
	slots := make([]bool, len(w.described.Slots))
	take := func(zone []int, n int) {
		zone = slices.Clone(zone)
		for i := range min(n, len(zone)) {
			j := i + random.Below(draw.Next, len(zone)-i)
			zone[i], zone[j] = zone[j], zone[i]
			slots[zone[i]] = true
		}
	}
	most := len(slots)
	if w.described.Questions >= thinFrom {
		most = max(len(zones.Start), len(zones.End))
	}
	if c.start {
		take(zones.Start, len(zones.Start))
	}
	if c.middle {
		take(zones.Middle, most)
	}
	if c.end {
		take(zones.End, len(zones.End))
	}
	var others []int // of zones that are not needed, and between the zones
	for i := range slots {
		if !(c.start && slices.Contains(zones.Start, i) || c.middle && slices.Contains(zones.Middle, i) || c.end && slices.Contains(zones.End, i)) {
			others = append(others, i)
		}
	}
	if most == len(slots) && c.start && c.middle && c.end {
		return nil // with few questions every slot is asked
	}
	take(others, 1)
	var asked []int
	for i, yes := range slots {
		if yes {
			asked = append(asked, i)
		}
	}
	if len(asked) == len(slots) {
		return nil
	}
	return asked
}
