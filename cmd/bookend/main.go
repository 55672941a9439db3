// The bookend command measures how a model reads a prompt, and whether an order of the
// documents pays. It also counts what a prompt cache saves, and finds faults in
// configurations.
//
//	bookend sweep --data questions.jsonl --model NAME --base-url URL --out DIR
//	bookend sweep --simulate gpt-3.5-turbo --out DIR
//	bookend compare --data lists.jsonl --model NAME --base-url URL --until-decided --out DIR
//	bookend estimate --data lists.jsonl --curve FILE
//	bookend reuse --data traffic.jsonl --curve FILE
//	bookend report DIR
//	bookend vet rag.yaml
//	bookend order --placement head-tail 5
//	bookend curve --traffic FILE --out DIR
//	bookend data hotpotqa FILE --out lists.jsonl
//	bookend completion bash
//	bookend help sweep
//
// It exits with 0 when all is done, 1 after an error or findings of vet, 2 for a
// command or an input that it cannot use, 3 when it was interrupted, or when an
// experiment is incomplete and the same command would continue it, and 4 when an
// experiment is unfit: its answers can tell nothing. Should bookend
// itself fail, it says so and exits with 2; BOOKEND_STACK=1 in the environment then
// shows where.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/judge"
)

// The exit codes.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitIncomplete = 3
	exitUnfit      = 4
)

type cli struct {
	Sweep    sweepCommand    `cmd:"" help:"Move the answer through every slot of the prompt, and draw how well each slot is read."`
	Compare  compareCommand  `cmd:"" help:"Ask on your retriever's own lists whether another order of the documents gets more answers right."`
	Estimate estimateCommand `cmd:"" help:"Work out what each order would be worth on your lists, without asking a model."`
	Reuse    reuseCommand    `cmd:"" help:"Count what a server's prompt cache saves on your own traffic, and what reuse would save, without asking a model."`
	Curve    curveCommand    `cmd:"" help:"Find out from recorded traffic how much each slot is used. A share of it must have come in random order. No model is asked."`
	Report   reportCommand   `cmd:"" help:"Make the report of a sweep or a comparison again, or that of several sweeps in one, without asking a model."`
	Vet      vetCommand      `cmd:"" help:"Find faults of layout in settings of Bookend and configurations of other RAG programs."`
	Order    orderCommand    `cmd:"" help:"Print the order that a placement gives, or place documents of a file."`
	Data     dataCommand     `cmd:"" help:"Turn BEIR, HotpotQA, MS MARCO or RAGAS into the lines that experiments read."`

	Completion completionCommand `cmd:"" help:"Print a script that completes the commands and flags of bookend in bash, zsh or fish."`

	Version kong.VersionFlag `help:"Print the version of this program."`
}

const description = `Measure where in the prompt your model reads best, and get a placement that fits it.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	// Somebody who reads no further, as head does, ends no experiment: its files are
	// written all the same. Not Ignore, which programs that are started here would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := execute(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: isTerminal(os.Stderr), getenv: os.Getenv})
	stop()
	os.Exit(code)
}

// streams is the world outside, which tests replace.
type streams struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // err is one
	getenv   func(string) string
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// usageError is a fault of the command line or of an input.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf("bookend: "+format, args...)}
}

// incompleteError says that the same command would continue.
type incompleteError struct {
	reason string
	report bool // what there is makes a report
}

func (e *incompleteError) Error() string {
	return "bookend: " + e.reason + "; the same command continues where it stopped and repeats no answered call"
}

// unfitError says that an experiment can tell nothing; its report is printed already.
type unfitError struct{ *fitness.Unfit }

// exited ends the parser where it would end the process, after --help.
type exited int

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, s streams) (code int) {
	defer func() {
		switch fault := recover().(type) { // only the first call has it
		case nil:
		case exited:
			code = int(fault)
		default:
			code = panicked(fault, s)
		}
	}()
	var c cli
	parser, err := kong.New(&c, kong.Name("bookend"), kong.Vars{
		"keys": strconv.Itoa(defaultKeys), "placements": strings.Join(core.PlacementNames(), ", "), "tokenizers": strings.Join(settings.Tokenizers(), ", "),
		"version": "bookend " + version(), "shells": strings.Join(shells, ","),
	}, kong.Description(description),
		kong.Writers(s.out, s.err), kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(s.err, show.Line(err.Error()))
		return exitFailed
	}
	parser.Model.HelpFlag.Help = "Show this help."
	args = negativeArguments(parser.Model, helpArguments(args))
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(s.err, unparsed(err, parser.Model, args))
		return exitUsage
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	err = parsed.Run(s)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && !errors.As(err, new(*incompleteError)) {
		err = errInterrupted
	}
	return report(err, parsed.Selected().Flags, s.err)
}

// errInterrupted is the end of a command that had not begun to ask, or asks nothing.
var errInterrupted = errors.New("bookend: interrupted before it was done; the same command begins again")

// stackVariable is the environment variable that asks for the stack of a panic.
const stackVariable = "BOOKEND_STACK"

// panicked says that bookend itself is at fault, and where if that is asked for.
func panicked(fault any, s streams) int {
	fmt.Fprintf(s.err, "bookend: %s; this is a fault of bookend, not of its input\n", show.Line(fmt.Sprint("panic: ", fault)))
	if s.getenv(stackVariable) == "" {
		fmt.Fprintf(s.err, "bookend: with %s=1 in the environment the same command says where it happened\n", stackVariable)
		return exitUsage
	}
	fmt.Fprintln(s.err, show.Lines(string(debug.Stack())))
	return exitUsage
}

// report prints an error, each of its faults on a line of its own.
func report(err error, flags []*kong.Flag, to io.Writer) int {
	if err == nil {
		return exitDone
	}
	if errors.As(err, new(foundError)) {
		return exitFailed // the findings are printed already
	}
	if errors.As(err, new(unfitError)) {
		return exitUnfit
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitFailed // whoever read the output has gone, as head does
	}
	for _, line := range faultLines(err, flags) {
		fmt.Fprintln(to, line)
	}
	var (
		bad        *usageError
		incomplete *incompleteError
		config     *core.ConfigError
		name       *core.ConfigError
		curve      *core.CurveError
		dataset    *dataset.Error
		scorer     *judge.ScorerError
	)
	switch {
	case errors.As(err, &incomplete), errors.Is(err, errInterrupted):
		return exitIncomplete
	case errors.As(err, &bad), errors.As(err, &config), errors.As(err, &name), errors.As(err, &curve), errors.As(err, &dataset), errors.As(err, &scorer):
		return exitUsage
	}
	return exitFailed
}
