// Package evidence says when a comparison has asked enough. One may look after every
// question: over all looks, each mistake has a probability of at most Rule.Alpha.
//
// Every question is answered under a baseline, such as the retriever's own order,
// and under one or more challengers. A challenger wins a question that it has right
// and the baseline wrong, and loses one the other way round. Its gain is the share
// it wins minus the share it loses, and for scores that give parts of a point the mean
// difference.
//
// A Trial takes question after question until it has a word: Reorder or Keep. Until then
// the word is Inconclusive. It rests on e-values (Vovk and Wang 2021; Ramdas and others
// 2023). When nothing is to be found they stay below 20 with a probability of at least
// 95 %, however often one looks. Mean is their common part, on which the shapes of package
// shape rest, too. McNemar, Holm and Bootstrap, in package stats, need a number of questions
// that was fixed before the first was asked. Stopped early, they find what is not there.
//
// The caller leaves out a challenger that sends the very same prompts as the baseline: it
// can neither win nor lose, and would only make the others harder to tell. Of two
// challengers that are the same, the caller leaves out one.
//
// No function returns NaN.
//
// How often a Trial is wrong, and how many questions it takes, is measured:
// Calibrate does it for any setting, and CALIBRATION.md has the figures.
package evidence
