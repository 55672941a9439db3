package integration_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the package when a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	given := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "rapid.checks") })
	if !given {
		if err := flag.Set("rapid.checks", checks); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}
