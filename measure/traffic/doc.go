// Package traffic reads a model's position curve out of recorded traffic, without known
// answers and without one extra call. Better documents are cited more often
// in any slot; that alone makes no curve.
//
// A share of requests got its documents in random order (core.Share), and
// core/record wrote down where each stood and which ones the answer cited. How
// often the document in a slot is cited, beside how often documents of its rank are
// cited at all, is how much the model uses that slot:
//
//	used = citations in the slot / citations expected there from the ranks
//
// A slot with 1 is used like the average, one with 2 twice as much. The expectation is
// made for each rank by itself, so that it does not count for a slot if chance gave it
// good documents more often.
//
// Requests of one ID or one question count as one. One may look as often as one likes:
// intervals, shapes and the test for drift hold at every look. Where rank and slot do not
// vary independently, or citations follow from the rank alone, the curve is unfit, and its
// shape is not named.
//
// What it measures is use, not correctness: a model may cite what it did not read,
// and read what it does not cite.
package traffic
