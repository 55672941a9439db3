package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/random"
)

// Simulation is traffic with a planted curve, to see whether it is found. Every
// request gets its documents in a random order of its own; an answer cites the
// document of a rank in a slot with the probability Relevance[rank]·Curve[slot],
// more often in some requests than in others, each document by itself.
type Simulation struct {
	// Curve is how much each slot is used, one value above 0 for each of 2 or more
	// documents; only the proportions count. Equal values are a flat reader.
	Curve []float64
	// Relevance is how probable it is that a document of the rank is cited in an
	// average slot, from 0 to 1, parallel to Curve.
	Relevance []float64
	// Quiet is the share of answers that cite nothing whatever they are given.
	Quiet float64
	// Spread is how much requests differ in how much they cite: by a factor from
	// 1-Spread to 1+Spread. From 0 to 1.
	Spread float64
	Seed   uint64
}

// FallingRelevance returns a relevance that begins with first and falls by the
// factor decay from rank to rank.
func FallingRelevance(n int, first, decay float64) []float64 {
	relevance := make([]float64, n)
	for rank := range relevance {
		relevance[rank] = first * math.Pow(decay, float64(rank))
	}
	return relevance
}

// True returns the curve that an estimate should find: Curve with a mean of 1.
func (s Simulation) True() []float64 {
	sum := 0.0
	for _, v := range s.Curve {
		sum += v
	}
	out := make([]float64, len(s.Curve))
	for slot, v := range s.Curve {
		out[slot] = v / sum * float64(len(s.Curve))
	}
	return out
}

// Check returns a *core.ConfigError for the first rule that s breaks, or nil.
func (s Simulation) Check() error {
	fault := func(field string, value any, rule string) error {
		return &core.ConfigError{Field: field, Value: value, Rule: rule}
	}
	positive := func(v float64) bool { return v > 0 && v < 1e6 }
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	switch {
	case len(s.Curve) < 2 || len(s.Curve) > MaxDocuments:
		return fault("Curve", len(s.Curve), fmt.Sprintf("must have 2 to %d slots", MaxDocuments))
	case slices.ContainsFunc(s.Curve, func(v float64) bool { return !positive(v) }):
		return fault("Curve", s.Curve, "must hold values above 0")
	case len(s.Relevance) != len(s.Curve):
		return fault("Relevance", len(s.Relevance), "must have one value for each slot of Curve")
	case slices.ContainsFunc(s.Relevance, func(v float64) bool { return !share(v) }):
		return fault("Relevance", s.Relevance, "must hold shares from 0 to 1")
	case !share(s.Quiet) || !share(s.Spread):
		return fault("Quiet and Spread", []float64{s.Quiet, s.Spread}, "must be shares from 0 to 1")
	case slices.Max(s.Relevance)*slices.Max(s.True())*(1+s.Spread) > 1:
		return fault("Relevance", slices.Max(s.Relevance), "is too high for the best slot: a document cannot be cited more often than always")
	}
	return nil
}

// source simulates request after request.
type source struct {
	Simulation
	slots []float64 // True
	draw  *rand.PCG
	order []int
	cited []int
}

func (s Simulation) source(run uint64) *source {
	return &source{
		Simulation: s, slots: s.True(), draw: rand.NewPCG(s.Seed, run),
		order: make([]int, len(s.Curve)), cited: make([]int, 0, len(s.Curve)),
	}
}

func (s *source) uniform() float64 { return random.Share(s.draw.Uint64()) }

// next shuffles the documents of one request by core.Shuffled, and lets the reader
// cite; both slices are valid until the next call.
func (s *source) next(seed uint64) (order, cited []int) {
	for i := range s.order {
		s.order[i] = i
	}
	_ = core.Shuffled{Seed: seed}.Place(s.order, nil) // returns no error
	return s.order, s.cite(s.order)
}

// cite returns the slots that the reader cites of documents in that order.
func (s *source) cite(order []int) []int {
	s.cited = s.cited[:0]
	if s.uniform() < s.Quiet {
		return s.cited
	}
	factor := 1 + s.Spread*(2*s.uniform()-1)
	for slot, rank := range order {
		if s.uniform() < s.Relevance[rank]*s.slots[slot]*factor {
			s.cited = append(s.cited, slot)
		}
	}
	return s.cited
}

// Reader cites as the answers of a Simulation do, for programs without a model. It
// is not safe for concurrent use.
type Reader struct{ source *source }

// NewReader returns a Reader, or the error of Check.
func NewReader(s Simulation) (*Reader, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return &Reader{s.source(0)}, nil
}

// Cite returns the slots of the documents that an answer cites, when order holds the
// rank in each slot. The slice is valid until the next call. Another number of
// documents than that of the curve is not cited at all.
func (r *Reader) Cite(order []int) []int {
	if len(order) != len(r.source.slots) {
		return nil
	}
	return r.source.cite(order)
}

// Entries calls each with so many simulated entries of the shuffled arm, a second
// apart from start. Each is fresh. The error is that of Check or of each.
func (s Simulation) Entries(requests int, start time.Time, each func(record.Entry) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	from := s.source(0)
	for i := range requests {
		id := "sim-" + strconv.Itoa(i)
		seed := core.SeedFor(s.Seed, id)
		order, cited := from.next(seed)
		if err := each(s.entry(id, seed, order, cited, start.Add(time.Duration(i)*time.Second))); err != nil {
			return err
		}
	}
	return nil
}

func (s Simulation) entry(id string, seed uint64, order, cited []int, at time.Time) record.Entry {
	n := len(order)
	e := record.Entry{
		Time: at, RequestID: id, Arm: record.Shuffled, Model: "simulated", PromptTokens: 200 * n,
		Documents:   make([]record.Document, n),
		Arrangement: core.Arrangement{N: n, Placement: core.Shuffled{Seed: seed}.String(), Slots: make([]core.Placed, n)},
		Answer:      &record.Answer{Ranks: []int{}, Labels: []int{}, Length: 300, Seconds: 1},
	}
	for rank := range n {
		score := core.Score(1 / float64(rank+1))
		e.Documents[rank] = record.Document{ID: fmt.Sprintf("doc-%d", rank), Score: score, Hash: fmt.Sprintf("%032x", core.SeedFor(1, strconv.Itoa(rank))), Length: 2000}
	}
	for slot, rank := range order {
		e.Arrangement.Slots[slot] = core.Placed{Index: rank, Rank: rank, Label: rank + 1, Score: e.Documents[rank].Score}
	}
	for _, slot := range cited {
		e.Answer.Ranks = append(e.Answer.Ranks, order[slot])
		e.Answer.Labels = append(e.Answer.Labels, order[slot]+1)
	}
	return e
}
