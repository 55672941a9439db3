package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/layout"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// sweepCommand holds the flags of `bookend sweep`.
type sweepCommand struct {
	Data     string `group:"What is asked" placeholder:"FILE" help:"Questions with their documents: JSON lines, plain or gzipped, or key-value lines."`
	KV       int    `group:"What is asked" name:"kv" placeholder:"N" help:"In place of --data: N key-value cases, made from the seed. No file is needed."`
	Keys     int    `group:"What is asked" placeholder:"K" help:"Keys of each case of --kv (${keys} unless given)."`
	Simulate string `group:"What is asked" placeholder:"NAME" help:"Ask no model but a simulated reader, offline and free: flat, u, inverted, primacy, recency, or a published curve such as gpt-3.5-turbo; an unknown name is answered with all names."`

	Documents   int    `group:"The prompt" placeholder:"N" help:"Documents in each prompt. As many as the smallest case has unless given."`
	Slots       string `group:"The prompt" default:"all" help:"Slots to measure, counted from 1: all; a number of them, closer together at both ends; or a list such as 1,5,10."`
	Layout      string `group:"The prompt" placeholder:"NAME" help:"instruction-first (unless given, and as Liu et al. had it), question-last, query-aware, or a list of parts."`
	Format      string `group:"The prompt" placeholder:"NAME" help:"Form of a document: titled (unless given), numbered, xml or markdown."`
	Instruction string `group:"The prompt" placeholder:"FILE" help:"A file with the instruction, in place of our own."`
	Settings    string `group:"The prompt" placeholder:"FILE" help:"Your own prompt, YAML or JSON (docs/settings.md): rules, task, reminder, layout, format, instruction. A setting that changes no prompt here is refused by name."`

	UntilDecided bool `group:"When it ends" help:"Look after every question, and stop once the shape of the curve is settled. Without it, all questions are asked."`

	Limit        int    `group:"How much" placeholder:"N" help:"Ask N questions only. 0, or not given: all, or 300 with --simulate."`
	Seed         uint64 `group:"How much" default:"1" help:"Order of the questions, and the cases of --kv."`
	Repeats      int    `group:"How much" default:"1" help:"How often the middle slot is asked again, to see how much answers vary by themselves (the noise floor)."`
	NoClosedBook bool   `group:"How much" help:"Do not ask without documents."`
	NoOracle     bool   `group:"How much" help:"Do not ask with the answer's document alone."`
	NoRepeat     bool   `group:"How much" help:"Do not ask the middle slot again."`

	experiment
}

// Help is the long text of `bookend sweep --help`.
func (*sweepCommand) Help() string {
	return `A slot is a place of a document in the prompt: slot 1 is the top. The document with the answer is moved through the slots; the others keep their order. Each question is also asked without documents (closed-book), with the answer's document alone (oracle), and once more in the middle slot (repeat).

Questions of your own need these keys, one line a question, exactly one document with "isgold":

    ` + dataset.LineFormat + `

A first look, offline and free:

    bookend sweep --simulate gpt-3.5-turbo --out /tmp/sweep

Then your own model, first without spending anything:

    bookend sweep --data questions.jsonl --model NAME --base-url http://127.0.0.1:8080/v1 --out DIR --dry-run

Every answer is written to DIR/journal.jsonl at once: a sweep that was stopped continues when the same command runs again. DIR/curve.json is what the placement "measured" reads.`
}

const defaultKeys = 75

// check looks at what flags mean together.
func (c *sweepCommand) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usage(format, args...)) }
	asked := 0
	for _, given := range []bool{c.Data != "", c.KV != 0} {
		if given {
			asked++
		}
	}
	switch {
	case asked == 2:
		fault("--data and --kv are both given: choose one")
	case asked == 0 && c.Simulate == "":
		fault("nothing says what to ask: give --data FILE, --kv N, or --simulate NAME to try it offline")
	}
	if c.Keys != 0 && c.KV == 0 {
		fault("--keys is %d, but only --kv N has keys: give both", c.Keys)
	}
	if c.NoRepeat && c.Repeats != 1 {
		fault("--repeats is %d, and --no-repeat leaves the repeats out: give one of the two", c.Repeats)
	}
	if c.UntilDecided && c.BatchOut != "" {
		fault("--until-decided looks after every question, and a batch asks them all: leave out one of the two")
	}
	faults = append(faults, c.experiment.check(c.Simulate != ""))
	for _, n := range []countFlag{
		{"kv", c.KV, 0, maxCount},
		{"keys", c.Keys, 0, maxCount},
		{"documents", c.Documents, 0, maxDocuments},
		{"limit", c.Limit, 0, maxCount},
		{"repeats", c.Repeats, 1, 0},
	} {
		faults = append(faults, n.check())
	}
	return errors.Join(faults...)
}

// open opens the dataset; documents is the size of a simulated prompt.
func (c *sweepCommand) open(scorer judge.Scorer, documents int) (*dataset.Dataset, error) {
	if c.Data != "" {
		return dataset.Rules{MinDocuments: c.Documents, Scorer: scorer}.Open(c.Data)
	}
	cases, keys := c.KV, c.Keys
	if cases == 0 { // a simulation without data
		cases, keys = c.limit(), documents
	}
	if keys == 0 {
		keys = defaultKeys
		if documents > 0 {
			keys = documents
		}
	}
	return dataset.KeyValues(c.Seed, cases, keys)
}

const simulatedQuestions = 300

func (c *sweepCommand) limit() int {
	if c.Limit == 0 && c.Simulate != "" {
		return simulatedQuestions
	}
	return c.Limit
}

// settings makes a plan's settings of the flags.
func (c *sweepCommand) settings(cases *dataset.Dataset) (sweep.Settings, error) {
	report := cases.Report()
	params, err := c.params()
	if err != nil {
		return sweep.Settings{}, err
	}
	s := sweep.Settings{
		Model: c.modelName(c.Simulate), Documents: c.Documents, Questions: c.limit(), Seed: c.Seed, Repeats: c.Repeats, Params: params,
	}
	if s.Documents == 0 {
		s.Documents = report.MinDocuments
	}
	if s.Slots, err = sweep.ParseSlots(c.Slots, s.Documents); err != nil {
		return s, err
	}
	for arm, out := range map[string]bool{
		sweep.ArmClosedBook: c.NoClosedBook, sweep.ArmOracle: c.NoOracle, sweep.ArmRepeat: c.NoRepeat,
	} {
		if out {
			s.Without = append(s.Without, arm)
		}
	}
	slices.Sort(s.Without)
	if c.Instruction != "" {
		if s.Instruction, err = readText("instruction", c.Instruction); err != nil {
			return s, err
		}
	}
	own, err := readSettings(c.Settings, layout.Paper())
	if err != nil {
		return s, err
	}
	if report.Task == dataset.KeyValue && c.Layout == "" && c.Format == "" && c.Settings == "" {
		return s, nil // a layout of its own
	}
	if err := own.forSweep(c); err != nil {
		return s, err
	}
	if _, err := prompt.New(own.prompt); err != nil {
		return s, err
	}
	if p := own.prompt; report.Task == dataset.KeyValue && s.Instruction == "" && (c.Settings == "" || p.Instruction+p.Task+p.Rules == "") {
		return s, usage("--layout, --format and --settings need --instruction FILE where the cases are key-value: our own instruction fits one layout of them alone")
	}
	if c.Layout != "" || c.Format != "" || c.Settings != "" {
		s.Prompt = &own.prompt
	}
	return s, nil
}

const maxInstruction = 1 << 20

// readFlagFile reads the file of a flag, which may have so many bytes.
func readFlagFile(flag, path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("--%s cannot be read: %w", flag, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, usage("--%s cannot be read: %w", flag, err)
	}
	if int64(len(text)) > most {
		return nil, usage("--%s %s is larger than %d MiB", flag, path, most>>20)
	}
	return text, nil
}

// readText reads the words for a model in the file of a flag.
func readText(flag, path string) (string, error) {
	text, err := readFlagFile(flag, path, maxInstruction)
	if err != nil {
		return "", err
	}
	words := strings.TrimSpace(string(text))
	switch {
	case !utf8.Valid(text):
		return "", usage("--%s %s is not text in UTF-8", flag, path)
	case words == "":
		return "", usage("--%s %s is empty: write into it what the model is told", flag, path)
	}
	return words, nil
}
