package rank

import (
	"cmp"
	"math"
	"slices"
)

// Relevant holds the documents that answer a question, and how well: 1 for a plain
// yes, more for better ones. What is not in it, or 0 or less, is not relevant.
//
// Its methods judge a ranked list of document IDs, best first. They need ranks:
// undo a placement by core.RestoreRank before, or they measure the placement. An ID
// that comes again is not counted again, but still fills a place. Where nothing is
// relevant there is nothing to find, and they return NaN, which Mean leaves out.
type Relevant[ID comparable] map[ID]float64

// hits calls f for each relevant document of the list, once, with its place from 1.
func (r Relevant[ID]) hits(ranked []ID, f func(place int, gain float64)) {
	seen := make(map[ID]bool, len(r))
	for i, id := range ranked {
		if gain := r[id]; gain > 0 && !seen[id] {
			seen[id] = true
			f(i+1, gain)
		}
	}
}

// gains returns those of the relevant documents, the best first.
func (r Relevant[ID]) gains() []float64 {
	gains := make([]float64, 0, len(r))
	for _, gain := range r {
		if gain > 0 {
			gains = append(gains, gain)
		}
	}
	slices.SortFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	return gains
}

// Recall returns the share of the relevant documents that are among the first k.
func (r Relevant[ID]) Recall(ranked []ID, k int) float64 {
	found := 0.0
	r.hits(ranked[:min(max(k, 0), len(ranked))], func(int, float64) { found++ })
	return found / float64(len(r.gains())) // 0/0 is NaN
}

// ReciprocalRank returns 1 divided by the place of the first relevant document, from
// 1, and 0 where none was found. The mean over questions is the MRR.
func (r Relevant[ID]) ReciprocalRank(ranked []ID) float64 {
	if len(r.gains()) == 0 {
		return math.NaN()
	}
	best := 0.0
	r.hits(ranked, func(place int, _ float64) { best = max(best, 1/float64(place)) })
	return best
}

// NDCG returns the normalized discounted cumulative gain of the first k: each gain
// divided by log2(place + 1), their sum divided by that of the best order there is
// (Järvelin and Kekäläinen, TOIS 2002). Gains count as they are; for the exponential
// form put 2^grade - 1 into the map.
func (r Relevant[ID]) NDCG(ranked []ID, k int) float64 {
	k = max(k, 0)
	got, best := 0.0, 0.0
	r.hits(ranked[:min(k, len(ranked))], func(place int, gain float64) { got += gain / math.Log2(float64(place+1)) })
	for i, gain := range r.gains() {
		if i < k {
			best += gain / math.Log2(float64(i+2))
		}
	}
	return got / best
}

// AveragePrecision returns the mean, over the relevant documents, of the share of
// relevant ones up to the place of each; 0 for one that was not found. The mean over
// questions is the MAP.
func (r Relevant[ID]) AveragePrecision(ranked []ID) float64 {
	found, sum := 0.0, 0.0
	r.hits(ranked, func(place int, _ float64) {
		found++
		sum += found / float64(place)
	})
	return sum / float64(len(r.gains()))
}

// Mean returns the mean of a metric over questions. NaN, for a question to which
// nothing is relevant, is left out; without any other it returns NaN.
func Mean(values []float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	return sum / n
}
