// Package cli is what the main functions of the examples share: an interrupt ends
// the context, an error is printed once, and asking for help is no error.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main runs a program. It does not return after an error.
func Main(run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Parse reads flags that are made with flag.ContinueOnError. It refuses arguments
// beside them. For -h it prints the flags to out and returns flag.ErrHelp; any
// other error is for the caller to print.
func Parse(flags *flag.FlagSet, args []string, out io.Writer) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
	case err != nil:
		err = fmt.Errorf("%w (-h lists the flags)", err)
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q: a value goes after its flag, in quotes if it has spaces", flags.Arg(0))
	}
	return err
}
