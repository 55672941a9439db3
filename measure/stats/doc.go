// Package stats has the statistics of a number of questions that was fixed before the
// first was asked; what holds however often one looks is in package evidence. The same
// arguments give the same figures under every version of Go.
//
// Outcomes holds which question was answered right in which slot, for Wilson's interval
// of each slot, Cochran's Q, the spread between best and worst slot, and the noise floor
// of a repeat. Counts holds a paired comparison of two arms, for McNemar's test, Holm's
// correction and the bootstrap. SampleSize and MinimumDetectable plan either.
package stats
