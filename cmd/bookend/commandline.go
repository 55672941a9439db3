package main

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// version is the version that the module was built as; "(devel)" in a clone.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" { // not built as a module
		return "(devel)"
	}
	return info.Main.Version
}

// helpArguments turns what people type for help into what the parser knows: nothing at
// all, or `bookend help COMMAND`.
func helpArguments(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	}
	return args
}

var negativeNumber = regexp.MustCompile(`^-[0-9.]`)

// negativeArguments lets negative numbers be values, so that the command can say what
// is wrong with them: the parser takes "-3" for a flag.
func negativeArguments(app *kong.Application, args []string) []string {
	takesValue := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, flag := range command.Flags {
			takesValue["--"+flag.Name] = !flag.IsBool()
		}
	}
	var kept, numbers []string
	for i, arg := range args {
		switch {
		case arg == "--":
			kept = append(kept, args[i:]...)
			return append(kept, numbers...)
		case !negativeNumber.MatchString(arg):
			kept = append(kept, arg)
		case i > 0 && takesValue[args[i-1]]:
			kept[len(kept)-1] += "=" + arg
		default:
			numbers = append(numbers, arg)
		}
	}
	if numbers == nil {
		return kept
	}
	return append(append(kept, "--"), numbers...)
}

// plain has what the parser says, and the same in our words.
var plain = []struct {
	parser *regexp.Regexp
	words  string
}{
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "EOL" \(<EOL>\)$`), "$1 needs a value"},
	{regexp.MustCompile(`^\[?(\S+?)\]?: expected a valid \d+ bit u?int but got (".*")$`), "$1 is $2: it must be a whole number of at most 18 digits"},
	{regexp.MustCompile(`^(\S+): expected a float but got (".*") \(string\)$`), "$1 is $2: it must be a number"},
	{regexp.MustCompile(`^(\S+): expected duration but got (".*?")(: .*)?$`), "$1 is $2: it must be a time, such as 30s or 5m"},
	{regexp.MustCompile(`^(\S+): bool value must be .* but got (".*")$`), "$1 is $2: it must be true or false"},
	{regexp.MustCompile(`^(\S+) must be one of (\S+) but got (".*")$`), "$1 is $3: it must be one of $2"},
	{regexp.MustCompile(`^expected "(<.*)"$`), "$1 is missing"},
	{regexp.MustCompile(`^missing flags: (.*)$`), "missing: $1"},
}

// unparsed says what is wrong with a command line, and where to read what is right.
func unparsed(err error, app *kong.Application, args []string) string {
	text, where := err.Error(), "bookend help lists the commands"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		where = "see bookend help " + parse.Context.Selected().Name
		for _, p := range plain {
			text = p.parser.ReplaceAllString(text, p.words)
		}
	} else if !strings.HasPrefix(args[0], "-") {
		var names []string
		for _, command := range app.Leaves(true) {
			names = append(names, command.Name)
		}
		text = fmt.Sprintf("%q is not a command%s", args[0], nearest.Hint(args[0], names))
	}
	return "bookend: " + show.Line(text) + " (" + where + ")"
}

// faultLines are the lines of an error. They name a setting by the flag that sets it,
// where the command has one, and bookend once.
func faultLines(err error, flags []*kong.Flag) []string {
	names := map[string]string{} // by the setting in small letters; one of several has the name of them all
	for _, flag := range flags {
		name := strings.ReplaceAll(flag.Name, "-", "")
		names[name], names[strings.TrimSuffix(name, "s")] = "--"+flag.Name, "--"+flag.Name
	}
	flagOf := func(setting string) string {
		if name, ok := names[strings.ToLower(setting)]; ok {
			return name
		}
		return setting
	}
	text := err.Error()
	for _, fault := range configFaults(err) {
		named := &core.ConfigError{Field: flagOf(fault.Field), Value: fault.Value, Rule: fault.Explain(flagOf)}
		text = strings.Replace(text, fault.Error(), named.Error(), 1)
	}
	lines := strings.Split(text, "\n")
	var told []string
	for _, line := range lines {
		line, own := strings.CutPrefix(line, "bookend: ")
		line = strings.ReplaceAll(line, ": bookend: ", ": ")
		if own {
			line = "bookend: " + line
		}
		if line = show.Line(line); !slices.Contains(told, line) { // several arms have one fault
			told = append(told, line)
		}
	}
	return told
}

// forFlag names the flag in the fault of what it was given.
func forFlag(flag string, err error) error {
	if fault := (*core.ConfigError)(nil); errors.As(err, &fault) {
		return &core.ConfigError{Field: flag, Value: fault.Value, Rule: fault.Rule}
	}
	return usage("%s: %w", flag, err)
}

// configFaults finds the faults of settings in an error and in all that it wraps.
func configFaults(err error) []*core.ConfigError {
	if fault, ok := err.(*core.ConfigError); ok {
		return []*core.ConfigError{fault}
	}
	var faults []*core.ConfigError
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			faults = configFaults(inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			faults = append(faults, configFaults(inner)...)
		}
	}
	return faults
}
