// Package stats has the statistics of a number of questions that was fixed before the
// first was asked; what holds however often one looks is in package evidence. The same
// arguments give the same figures under every version of Go.
//
// Outcomes holds which question was answered right in which slot. Around it: Wilson's
// interval of each slot, Cochran's Q, the spread between best and worst slot, the
// noise floor of a repeat, and the questions that a difference needs.
package stats
