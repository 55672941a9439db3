package traffic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"github.com/bookend-rag/bookend/measure/fitness"
)

const (
	// maxOutOfOrder is the share of requests that may have come in another order than that
	// of their seed. A few of them pass for shuffled by chance, so they must be few.
	maxOutOfOrder = 0.1
	// maxImbalance is the share of a difference between slots that ranks may hide.
	maxImbalance = 0.05
	// minFree is the share of the citations that must be free to go otherwise.
	minFree = 0.1
)

// The rules by which a curve is unfit.
const (
	outOfOrder  fitness.Rule = "out-of-order"
	followsRank fitness.Rule = "citations-follow-rank"
	imbalanced  fitness.Rule = "rank-and-slot-hang-together"
)

// unfitOrders says why requests of which some came in another order than that of their
// seed make no curve, nil where they may; and whether that is sure at any look: whether
// the mixture of all likelihoods of the share is 20 times that of what is allowed.
func unfitOrders(other, all int) (why *fitness.Unfit, sure bool) {
	k, n := float64(other), float64(all)
	share := k / n
	if share <= maxOutOfOrder {
		return nil, false
	}
	e := math.Exp(mathext.Lbeta(k+1, n-k+1) - k*math.Log(maxOutOfOrder) - (n-k)*math.Log(1-maxOutOfOrder))
	return &fitness.Unfit{
		Rule: outOfOrder,
		Reason: fmt.Sprintf("%d of %d shuffled requests (%.0f %%, where %.0f %% are allowed) do not stand in the random order of their seed: documents of one source were kept together, or the order was left as ranked, or changed afterwards",
			other, all, 100*share, 100*maxOutOfOrder),
		Remedy: "Leave the order of the shuffled share as core.Share makes it: no groups, no minimum number of documents, nothing that sorts.",
	}, e >= nameAt
}

// unfit says why requests make no curve, nil where they may; and whether that is sure.
func (s *sums) unfit() (why *fitness.Unfit, sure bool) {
	if free := s.free(); free < minFree {
		// At three standard errors of a share of that size.
		sure = free+3*math.Sqrt(minFree*(1-minFree)/float64(s.units)) < minFree
		return &fitness.Unfit{
			Rule: followsRank,
			Reason: fmt.Sprintf("only %.1f %% of the citations could have gone otherwise (%.0f %% are needed): the answers cite the same ranks wherever they stand, such as the first label or all of them, so that citations tell no slot from another",
				100*free, 100*minFree),
			Remedy: "Ask for the documents that an answer rests on, and no others.",
		}, sure
	}
	if hidden, chance := s.imbalance(); hidden > maxImbalance+chance {
		return &fitness.Unfit{
			Rule: imbalanced,
			Reason: fmt.Sprintf("rank and slot hang together in the shuffled requests, which hides up to %.0f %% of a difference between slots (%.0f %% are allowed)",
				100*hidden, 100*maxImbalance),
			Remedy: "See that each request is shuffled with a seed of its own, as by core.Share, and that nothing groups or sorts the documents afterwards.",
		}, true
	}
	return nil, false
}

// free is the share of the citations that do not follow from the rank: 0 where each rank
// is cited always or never, nearly 1 where each is cited seldom.
func (s *sums) free() float64 {
	all, free := 0.0, 0.0
	for rank, cited := range s.ofRank {
		all += cited
		free += cited * (1 - s.rate[rank])
	}
	if all == 0 {
		return 0
	}
	return free / all
}

// imbalance is the share of a difference between slots that is hidden because ranks are
// told apart: how much of the variance of a function of the slot the rank explains, where
// each rank counts as often as it is cited, and of all functions the one that is hidden
// most (the largest squared canonical correlation of rank and slot). 0 where they are
// independent, 1 where some slots can be told from the rank. chance is what comes about in
// independent units: twice the edge of Marchenko and Pastur, and nine more for luck at one
// of many looks.
func (s *sums) imbalance() (hidden, chance float64) {
	n, all, most := s.n, sum(s.ofRank), slices.Max(s.ofRank)
	if all == 0 {
		return 0, 0
	}
	// leans is by rank how often it stands in each slot, and usual the same of all ranks.
	leans, usual := make([][]float64, n), make([]float64, n)
	for rank, cited := range s.ofRank {
		leans[rank] = slices.Clone(s.shown[rank*n : rank*n+n])
		shown := max(sum(leans[rank]), math.SmallestNonzeroFloat64)
		for slot := range n {
			leans[rank][slot] /= shown
			usual[slot] += cited / all * leans[rank][slot]
		}
	}
	between, unusual := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for rank, cited := range s.ofRank {
		for slot, u := range usual {
			v := 0.0
			if u > 0 {
				v = (leans[rank][slot] - u) / math.Sqrt(u)
			}
			unusual.SetVec(slot, v)
		}
		between.SymRankOne(between, cited/all, unusual)
	}
	var eigen mat.EigenSym
	eigen.Factorize(between, false)
	edge := square(1 + math.Sqrt(float64(n)*most/all))
	return slices.Max(eigen.Values(nil)), (2*edge + 9) / float64(s.units)
}
