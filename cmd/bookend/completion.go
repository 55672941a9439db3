package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// shells are those for which there is a script.
var shells = []string{"bash", "zsh", "fish"}

type completionCommand struct {
	Shell string `arg:"" enum:"${shells}" help:"The shell: bash, zsh or fish."`
}

func (*completionCommand) Help() string {
	return `Put one of these lines into the file that your shell reads at its start:

    source <(bookend completion bash)     in ~/.bashrc
    source <(bookend completion zsh)      in ~/.zshrc, after compinit
    bookend completion fish | source      in ~/.config/fish/config.fish`
}

// Run runs `bookend completion`.
func (c *completionCommand) Run(k *kong.Kong, s streams) error {
	script := map[string]func(*kong.Application) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell]
	_, err := fmt.Fprint(s.out, script(k.Model))
	return err
}

// flagWords are what a flag may be followed by; none where it is a file or anything.
func flagWords(flag *kong.Value) []string {
	known := map[string][]string{
		"placement": core.PlacementNames(),
		"layout":    {"question-last", "bookend", "query-aware", "instruction-first", "documents-first"},
		"simulate":  simulate.Names(),
		"curve":     published.Names(),
		"tokenizer": settings.Tokenizers(),
		"direction": {string(core.HigherIsBetter), string(core.LowerIsBetter)},
	}
	if words := known[strings.TrimSuffix(flag.Name, "s")]; words != nil {
		return words
	}
	return strings.FieldsFunc(flag.Enum, func(r rune) bool { return r == ',' })
}

// argumentWords are what the first argument of a command may be; none where it is a file.
func argumentWords(command *kong.Node) []string {
	for _, argument := range command.Positional {
		return flagWords(argument)
	}
	return nil
}

func bashScript(app *kong.Application) string {
	commands := "help"
	var values, flags strings.Builder
	for _, command := range app.Leaves(true) {
		commands += " " + command.Name
		names := "--help"
		for _, flag := range command.Flags {
			names += " --" + flag.Name
			if words := flagWords(flag.Value); words != nil {
				fmt.Fprintf(&values, "    %s:--%s) words=%q ;;\n", command.Name, flag.Name, strings.Join(words, " "))
			}
		}
		fmt.Fprintf(&flags, "    %s:-*) words=%q ;;\n    %[1]s:*) words=%[3]q ;;\n", command.Name, names, strings.Join(argumentWords(command), " "))
	}
	return fmt.Sprintf(`_bookend() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
  case ${COMP_WORDS[1]}:$prev in
%[2]s  esac
  [[ $words ]] || case ${COMP_WORDS[1]}:$cur in
%[3]s    help:*) words=%[1]q ;;
  esac
  ((COMP_CWORD == 1)) && words="%[1]s --help --version"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ ${COMPREPLY[*]} ]] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _bookend bookend
`, commands, values.String(), flags.String())
}

// zshQuoted escapes a text within single quotes and a description of _arguments.
var zshQuoted = strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`, "\n", " ")

func zshScript(app *kong.Application) string {
	values := func(words []string) string {
		if words == nil {
			return "_files"
		}
		return "(" + strings.Join(words, " ") + ")"
	}
	var commands, cases strings.Builder
	for _, command := range app.Leaves(true) {
		fmt.Fprintf(&commands, "    '%s:%s'\n", command.Name, zshQuoted.Replace(command.Help))
		fmt.Fprintf(&cases, "    %s) _arguments", command.Name)
		for _, flag := range command.Flags {
			before, after := "", ""
			if !flag.IsBool() {
				before, after = "=", ":value:"+values(flagWords(flag.Value))
			}
			fmt.Fprintf(&cases, " '--%s%s[%s]%s'", flag.Name, before, zshQuoted.Replace(flag.Help), after)
		}
		fmt.Fprintf(&cases, " '*:argument:%s' ;;\n", values(argumentWords(command)))
	}
	return fmt.Sprintf(`#compdef bookend
_bookend() {
  local -a commands=(
%s    'help:Explain a command.'
  )
  ((CURRENT == 2)) || [[ $words[2] == help ]] && _describe command commands && return
  shift words
  ((CURRENT--))
  case $words[1] in
%s  esac
}
compdef _bookend bookend
`, commands.String(), cases.String())
}

func fishScript(app *kong.Application) string {
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", " ").Replace(text) + "'"
	}
	var b strings.Builder
	for _, command := range app.Leaves(true) {
		within := "complete -c bookend -n '__fish_seen_subcommand_from " + command.Name + "'"
		fmt.Fprintf(&b, "complete -c bookend -n __fish_use_subcommand -xa %s -d %s\n", command.Name, quote(command.Help))
		for _, flag := range command.Flags {
			fmt.Fprintf(&b, "%s -l %s -d %s", within, flag.Name, quote(flag.Help))
			if !flag.IsBool() {
				fmt.Fprintf(&b, " -ra %s", quote(strings.Join(flagWords(flag.Value), " ")))
			}
			b.WriteByte('\n')
		}
		if words := argumentWords(command); words != nil {
			fmt.Fprintf(&b, "%s -xa %s\n", within, quote(strings.Join(words, " ")))
		}
	}
	return b.String()
}
