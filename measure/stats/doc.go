// Package stats has the statistics for a number of questions that was fixed before the
// first was asked. Package evidence has those that hold however often one looks. The same
// arguments give the same figures under every version of Go.
//
// Outcomes holds which question was answered right in which slot, for Wilson's interval
// of each slot, Cochran's Q, the spread between best and worst slot, and the noise floor
// of a repeat. Counts holds a paired comparison of two arms, for McNemar's test, Holm's
// correction and the bootstrap. SampleSize and MinimumDetectable plan either.
package stats
