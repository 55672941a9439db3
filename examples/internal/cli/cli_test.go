package cli_test

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/cli"
)

func parse(args ...string) (k int, out string, err error) {
	var printed, twice strings.Builder
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	flags.SetOutput(&twice)
	flags.IntVar(&k, "k", 10, "number of chunks")
	err = cli.Parse(flags, args, &printed)
	return k, printed.String() + twice.String(), err
}

func TestParse(t *testing.T) {
	t.Parallel()
	if k, out, err := parse("-k", "3"); k != 3 || out != "" || err != nil {
		t.Errorf("-k 3: got %d, output %q, error %v", k, out, err)
	}
	for _, c := range []struct {
		args []string
		want string // in the error
	}{
		{[]string{"-k", "many"}, `"many"`},
		{[]string{"-j"}, "-j"},
		{[]string{"-j"}, "-h lists the flags"},
		{[]string{"-k", "3", "refunds"}, `"refunds"`},
	} {
		if _, out, err := parse(c.args...); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("%q: want an error with %s and no output, got %v and %q", c.args, c.want, err, out)
		}
	}
}

func TestHelpGoesToTheOutput(t *testing.T) {
	t.Parallel()
	for _, h := range []string{"-h", "-help", "--help"} {
		_, out, err := parse(h)
		if !errors.Is(err, flag.ErrHelp) || strings.Count(out, "number of chunks") != 1 {
			t.Errorf("%s: got the error %v, and:\n%s", h, err, out)
		}
	}
}
