// Package shape names the shape of a curve, and fits the values that core's measured
// placement reads. One may look after every question: a model that reads all slots alike
// is given another shape than flat in at most 5 % of sweeps.
//
// A Trial takes the answers of one question after the other; its Verdict holds the
// contrasts of start, middle and end, and the shape that follows from them. Judge does
// the same for a table of answers, and Fit makes the curve of a file.
package shape
