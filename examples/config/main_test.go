package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

const answer = "             From day 31 through day 60, and so after 45 days, we settle the\n             return with store credit instead of money. [4]\n"

func output(t *testing.T, args, environ []string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, environ, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBothChainsFollowTheFile(t *testing.T) {
	got := output(t, nil, nil)
	terminal.Fits(t, got)
	for _, name := range []string{"langchaingo", "eino"} { // the budget leaves out the sixth
		if want := fmt.Sprintf("\n%-13sslots r1 r3 r5 r4 r2\n%s", name, answer); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestTheEnvironmentWins(t *testing.T) {
	got := output(t, nil, []string{"BOOKEND_ORDER_PLACEMENT=ranked", "BOOKEND_ORDER_TOP_K=3"})
	if n := strings.Count(got, "slots r1 r2 r3\n"); n != 2 {
		t.Errorf("%d chains follow the environment:\n%s", n, got)
	}
}

func TestFileOfOnesOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.json")
	if err := os.WriteFile(path, []byte(`{"order": {"top_k": 2, "placement": "reversed"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := output(t, []string{"-file", path}, nil); strings.Count(got, "slots r2 r1\n") != 2 {
		t.Errorf("%s", got)
	}
	if err := os.WriteFile(path, []byte(`{"order": {"top_kk": 2}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-file", path}, nil, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "did you mean top_k?") {
		t.Errorf("a misspelled key: %v", err)
	}
}
