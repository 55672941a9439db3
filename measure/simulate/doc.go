// Package simulate has readers whose true curve is known, to try an experiment offline
// and to check its verdicts. Same seed, same question and slot: same answer. What they
// give is never a measurement of a model.
//
// A Reader answers like a curve of Names, a plain shape or a published one. Calibrate
// counts how often the verdicts of a sweep are right; CALIBRATION.md has the figures.
package simulate
