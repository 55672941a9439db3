// Package shape names the shape of a curve by a rule that is wrong about a flat reader
// in less than 5 % of sweeps, and fits the values that core's measured placement reads.
//
// ContrastsOf compares start, middle and end of the prompt; Judge follows them to a
// Verdict; Fit makes the curve of a file.
package shape
