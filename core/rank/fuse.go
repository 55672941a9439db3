package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// DefaultK is the k of reciprocal rank fusion, as in the paper.
const DefaultK = 60

// FusionStage is the name of a fusion's stage in an arrangement.
const FusionStage = "fusion"

// Fusion says how ranked lists become one: by reciprocal rank fusion (Cormack,
// Clarke and Büttcher, SIGIR 2009). A document scores the sum of weight / (K + rank)
// over the lists that hold it, rank counted from 1. Scores of the lists play no part,
// so that lists of any scale can be fused. The zero value is useful.
type Fusion struct {
	// K damps what the first ranks weigh; 0 means DefaultK.
	K float64
	// TopK keeps that many of the fused documents; 0 keeps all.
	TopK int
	// IDKey names the metadata field that holds the ID of a document that has none
	// of its own, as in core.Config. Empty: "id".
	IDKey string
	// KeepGoing lets a pipeline go on without the sources that fail or take too long,
	// as long as one answers. The arrangement tells which are missing. Without it,
	// one that fails fails the call.
	KeepGoing bool
}

// List is what one retriever found, best first.
type List[E any] struct {
	// Name is what the arrangement calls the list. Empty: "list 1" and so on.
	Name string
	// Weight multiplies what the list counts; 0 means 1.
	Weight float64
	Docs   []E
}

// Fused is the outcome of a fusion.
type Fused[E any] struct {
	// Docs holds each document once, best first; nil when there is none.
	Docs []E
	// Stages holds the ranks and own scores in each list, and those of the fusion,
	// for core.Call.Stages of a call with Docs.
	Stages []core.Stage
}

// Check returns every fault of f and of the weights of its lists, joined:
// *core.ConfigError.
func (f Fusion) Check(weights ...float64) error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if !(f.K >= 0) || math.IsInf(f.K, 0) {
		fault("K", f.K, "must be 0 (the default, 60) or more, and finite")
	}
	if f.TopK < 0 {
		fault("TopK", f.TopK, "must be 0 (all) or more")
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			fault(fmt.Sprintf("Weight of list %d", i+1), w, "must be 0 (the default, 1) or more, and finite")
		}
	}
	return errors.Join(faults...)
}

// Fuse makes one list of several, best first, in a fresh slice; the lists are not
// written to.
//
// Documents with the same ID are one, and so are those with the same text where one
// of them has no ID; v reads both. An ID or text that is empty is no match. The copy
// that is ranked best in its list stays, with its metadata; of two at the same rank
// that of the list that comes first. Within one list only the best copy counts.
//
// Equal scores go by the better of the best ranks, then by which came first, the lists
// read one after the other. Scores are equal where the sums are equal exactly, K and
// weights taken as the decimals that they print as: no rounding decides an order.
//
// It costs O(n log n) for n documents in all. The errors are *core.ConfigError,
// joined.
func Fuse[E any](f Fusion, v *core.View[E], lists ...List[E]) (Fused[E], error) {
	weights := make([]float64, len(lists))
	for i, l := range lists {
		weights[i] = l.Weight
	}
	if err := f.Check(weights...); err != nil {
		return Fused[E]{}, err
	}
	for i, w := range weights {
		weights[i] = cmp.Or(w, 1)
	}
	m := merger[E]{view: v, idKey: f.IDKey, lists: len(lists)}
	m.merge(lists)
	m.rank(newSums(cmp.Or(f.K, DefaultK), weights, len(m.merged)))
	if f.TopK > 0 && len(m.merged) > f.TopK {
		m.merged = m.merged[:f.TopK]
	}
	return m.fused(lists), nil
}

// merger finds which documents of several lists are one.
type merger[E any] struct {
	view   *core.View[E]
	idKey  string
	lists  int
	merged []merged
	ranks  []int // of each of merged in each list, row by row; -1: not there

	byID, byText map[string]int // to merged
}

type merged struct {
	score float64
	row   int // of ranks
	best  int // rank in any list
	from  int // the list that has it there
	hasID bool
}

// at returns the ranks of the i-th of merged in each list.
func (m *merger[E]) at(i int) []int {
	row := m.merged[i].row
	return m.ranks[row*m.lists : (row+1)*m.lists]
}

func (m *merger[E]) merge(lists []List[E]) {
	total, allHaveIDs := 0, true
	ids := make([][]string, len(lists))
	for list, l := range lists {
		total += len(l.Docs)
		ids[list] = make([]string, len(l.Docs))
		for rank, doc := range l.Docs {
			id := m.view.Identity(doc, m.idKey)
			ids[list][rank] = id
			allHaveIDs = allHaveIDs && id != ""
		}
	}
	m.merged = make([]merged, 0, total)
	m.ranks = make([]int, 0, total*len(lists))
	m.byID, m.byText = make(map[string]int, total), map[string]int{}
	for list, l := range lists {
		for rank, doc := range l.Docs {
			id, text := ids[list][rank], ""
			if !allHaveIDs && m.view != nil && m.view.Text != nil { // texts are long: only where they decide
				text = m.view.Text(doc)
			}
			i := m.find(id, text)
			if i < 0 {
				i = m.add(merged{best: rank, from: list})
			}
			m.name(i, id, text)
			if at := m.at(i); at[list] < 0 {
				at[list] = rank
				if rank < m.merged[i].best {
					m.merged[i].best, m.merged[i].from = rank, list
				}
			}
		}
	}
}

// find returns which of merged a document is, -1 for none.
func (m *merger[E]) find(id, text string) int {
	if id != "" {
		if i, ok := m.byID[id]; ok {
			return i
		}
	}
	if text != "" {
		if i, ok := m.byText[text]; ok && (id == "" || !m.merged[i].hasID) {
			return i
		}
	}
	return -1
}

func (m *merger[E]) add(d merged) int {
	d.row = len(m.merged)
	m.merged = append(m.merged, d)
	for range m.lists {
		m.ranks = append(m.ranks, -1)
	}
	return d.row
}

// name remembers by which ID and text the i-th of merged is found. A text is that of
// the first document that has it.
func (m *merger[E]) name(i int, id, text string) {
	if id != "" {
		m.byID[id], m.merged[i].hasID = i, true
	}
	if _, taken := m.byText[text]; text != "" && !taken {
		m.byText[text] = i
	}
}

// rank sorts the merged documents by their sums, best first.
func (m *merger[E]) rank(s *sums) {
	for i := range m.merged {
		m.merged[i].score = s.add(i, m.at(i))
	}
	slices.SortFunc(m.merged, func(a, b merged) int {
		switch apart := !s.close(a.score, b.score); {
		case apart && a.score > b.score:
			return -1
		case apart:
			return 1
		}
		return cmp.Or(s.compare(b.row, a.row), cmp.Compare(a.best, b.best), cmp.Compare(a.row, b.row))
	})
	// Scores that are close to each other may be rounded against the order: they get
	// their exact values, rounded once.
	for from, to := 0, 0; from < len(m.merged); from = to {
		differ := false
		for to = from + 1; to < len(m.merged) && s.close(m.merged[to-1].score, m.merged[to].score); to++ {
			differ = differ || m.merged[to-1].score != m.merged[to].score
		}
		for i := from; differ && i < to; i++ {
			m.merged[i].score, _ = s.exact(m.merged[i].row).Float64()
		}
	}
}

// fused writes the merged documents out, in their order.
func (m *merger[E]) fused(lists []List[E]) Fused[E] {
	n := len(m.merged)
	var out Fused[E]
	if n > 0 {
		out.Docs = make([]E, n)
	}
	out.Stages = make([]core.Stage, 0, len(lists)+1)
	for list, l := range lists {
		s := core.Stage{Name: l.Name, Ranks: make([]int, n), Scores: make([]core.Score, n)}
		if s.Name == "" {
			s.Name = fmt.Sprintf("list %d", list+1)
		}
		for i := range m.merged {
			s.Ranks[i], s.Scores[i] = m.at(i)[list], core.Score(math.NaN())
			if rank := s.Ranks[i]; rank >= 0 && m.view != nil && m.view.Score != nil {
				if score, ok := m.view.Score(l.Docs[rank]); ok {
					s.Scores[i] = core.Score(score)
				}
			}
		}
		out.Stages = append(out.Stages, s)
	}
	fusion := core.Stage{Name: FusionStage, Ranks: make([]int, n), Scores: make([]core.Score, n)}
	for i, d := range m.merged {
		out.Docs[i] = lists[d.from].Docs[d.best]
		fusion.Ranks[i], fusion.Scores[i] = i, core.Score(d.score)
	}
	out.Stages = append(out.Stages, fusion)
	return out
}
