// Package shape names the shape of a curve, by a rule that may be looked at after every
// question and is wrong about a flat reader in at most 5 % of sweeps, and fits the values
// that core's measured placement reads.
//
// A Trial takes the answers of one question after the other; its Verdict holds the
// contrasts of start, middle and end, and the shape that follows from them. Judge does
// the same for a table of answers, and Fit makes the curve of a file.
package shape
