// Package judge scores the texts of models against accepted answers. It needs no model,
// so that records can be judged anew at any time.
//
// A Grader is a scorer that has to be asked, and may fail: package grade has two, and
// run.Run asks them. Their scores stand in the journal, from where Asked takes them.
//
// ParseScorer knows the scorers by name; Score judges the whole answer and its first
// line; Classify finds the empty, the truncated and the refused answers.
package judge
