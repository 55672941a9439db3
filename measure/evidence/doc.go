// Package evidence says when a comparison has asked enough, and its word may be looked
// at after every question: over all looks, each mistake has a probability of at most
// Rule.Alpha.
//
// Every question is answered under a baseline, such as the retriever's own order,
// and under one or more challengers. A challenger wins a question that it has right
// and the baseline wrong, and loses one the other way round. Its gain is the share
// it wins minus the share it loses, and for scores that give parts of a point the mean
// difference. Nothing here knows what an arm is.
//
// A Trial is asked until its word is known: Reorder, Keep, or Inconclusive as long as it
// is not. It rests on e-values (Vovk and Wang 2021; Ramdas and others 2023), which stay
// below 20 with a probability of at least 95 % when nothing is to be found, however
// often one looks. Mean is their common part, which the shapes of package shape rest on,
// too. What is for a number of questions that was fixed before the first was asked, McNemar, Holm
// and Bootstrap, is in package stats: stopped early, it finds what is not there.
//
// A challenger that lays out the very same prompt as the baseline is left out of a
// comparison by the caller: it can neither win nor lose, its result is known without
// a call, and inside a Trial it would only make the others harder to tell. Of two
// challengers that are the same, one is left out.
//
// No function returns NaN.
//
// How often a Trial is wrong, and how many questions it takes, is measured:
// Calibrate does it for any setting, and CALIBRATION.md has the figures.
package evidence
