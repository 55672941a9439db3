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

	// For calibration: questions is how many different questions are asked; 0: each
	// request asks another one. The answers to one question hang together: for half of the
	// questions documents at the start are used more, by Spread, for the others those at
	// the end.
	questions int
	// bot is the share of requests that one program makes, with one ID, and so in one
	// order and with one answer.
	bot float64
	// grouped is how many documents, by rank, come from one source and stay together, in
	// the order of their ranks; 0 or 1: none.
	grouped int
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
	case slices.Max(s.Relevance)*slices.Max(s.True())*s.most() > 1:
		return fault("Relevance", slices.Max(s.Relevance), "is too high for the best slot: a document cannot be cited more often than always")
	}
	return nil
}

// most is the largest factor by which a request or a question raises what is cited.
func (s Simulation) most() float64 {
	if s.questions > 0 {
		return square(1 + s.Spread)
	}
	return 1 + s.Spread
}

// source simulates request after request.
type source struct {
	Simulation
	slots []float64 // True
	draw  *rand.PCG
	asked int
	now   simulated
	same  *simulated // what the bot asks
}

// simulated is one request.
type simulated struct {
	id, question string
	seed         uint64
	order        []int // the rank in each slot
	cited        []int // slots
}

func (s Simulation) source(run uint64) *source {
	return &source{Simulation: s, slots: s.True(), draw: rand.NewPCG(s.Seed, run)}
}

func (s *source) uniform() float64 { return random.Share(s.draw.Uint64()) }

// next shuffles the documents of one request by core.Shuffled, and lets the reader
// cite. What it returns is valid until the next call.
func (s *source) next() *simulated {
	if s.bot > 0 {
		if s.same == nil {
			s.same = &simulated{}
			s.ask(s.same, "bot")
		}
		if s.uniform() < s.bot {
			return s.same
		}
	}
	s.ask(&s.now, "sim-"+strconv.Itoa(s.asked))
	s.asked++
	return &s.now
}

func (s *source) ask(r *simulated, id string) {
	question := s.asked
	if s.questions > 0 {
		question = random.Below(s.draw.Uint64, s.questions)
	}
	r.id, r.question = id, "question "+strconv.Itoa(question)
	r.seed = s.draw.Uint64()
	r.order = s.shuffled(r.order[:0], r.seed)
	r.cited = s.cite(r.cited[:0], r.order, question)
}

// shuffled places the ranks in the order of a seed, sources as wholes.
func (s *source) shuffled(order []int, seed uint64) []int {
	size := max(s.grouped, 1)
	groups := make([]int, (len(s.slots)+size-1)/size)
	for i := range groups {
		groups[i] = i
	}
	_ = core.Shuffled{Seed: seed}.Place(groups, nil) // returns no error
	for _, g := range groups {
		for rank := g * size; rank < min((g+1)*size, len(s.slots)); rank++ {
			order = append(order, rank)
		}
	}
	return order
}

// cite appends the slots that the reader cites of documents in that order.
func (s *source) cite(cited, order []int, question int) []int {
	if s.uniform() < s.Quiet {
		return cited
	}
	factor, tilt := 1+s.Spread*(2*s.uniform()-1), 0.0
	if s.questions > 0 {
		tilt = s.Spread * float64(1-question%2*2)
	}
	last := float64(len(order) - 1)
	for slot, rank := range order {
		lean := 1 + tilt*(1-2*float64(slot)/last)
		if s.uniform() < s.Relevance[rank]*s.slots[slot]*factor*lean {
			cited = append(cited, slot)
		}
	}
	return cited
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
// rank in each slot. The slice is fresh. Another number of documents than that of the
// curve is not cited at all.
func (r *Reader) Cite(order []int) []int {
	if len(order) != len(r.source.slots) {
		return nil
	}
	return r.source.cite(nil, order, 0)
}

// Entries calls each with so many simulated entries of the shuffled arm, a second
// apart from start. Each is fresh. The error is that of Check or of each.
func (s Simulation) Entries(requests int, start time.Time, each func(record.Entry) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	from := s.source(0)
	for i := range requests {
		if err := each(from.next().entry(start.Add(time.Duration(i) * time.Second))); err != nil {
			return err
		}
	}
	return nil
}

func (r *simulated) entry(at time.Time) record.Entry {
	n := len(r.order)
	e := record.Entry{
		Time: at, RequestID: r.id, Arm: record.Shuffled, Model: "simulated", PromptTokens: 200 * n,
		QuestionHash: fmt.Sprintf("%032x", core.SeedFor(2, r.question)), QuestionLength: len(r.question),
		Documents:   make([]record.Document, n),
		Arrangement: core.Arrangement{N: n, Placement: core.Shuffled{Seed: r.seed}.String(), Slots: make([]core.Placed, n)},
		Answer:      &record.Answer{Ranks: []int{}, Labels: []int{}, Length: 300, Seconds: 1},
	}
	for rank := range n {
		score := core.Score(1 / float64(rank+1))
		e.Documents[rank] = record.Document{ID: fmt.Sprintf("doc-%d", rank), Score: score, Hash: fmt.Sprintf("%032x", core.SeedFor(1, strconv.Itoa(rank))), Length: 2000}
	}
	for slot, rank := range r.order {
		e.Arrangement.Slots[slot] = core.Placed{Index: rank, Rank: rank, Label: rank + 1, Score: e.Documents[rank].Score}
	}
	for _, slot := range r.cited {
		e.Answer.Ranks = append(e.Answer.Ranks, r.order[slot])
		e.Answer.Labels = append(e.Answer.Labels, r.order[slot]+1)
	}
	return e
}
