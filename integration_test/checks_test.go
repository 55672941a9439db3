//go:build !race

package integration_test

// checks is the number of draws of each property test: rare combinations of
// settings need more than rapid's 100.
const checks = "1000"
