//go:build race

package integration_test

// checks is the number of draws of each property test. The race detector makes
// them ten times slower, and looks for something else.
const checks = "100"
