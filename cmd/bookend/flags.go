package main

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/sweep"
)

// sweepCommand holds the flags of `bookend sweep`.
type sweepCommand struct {
	Data     string `group:"What is asked" placeholder:"FILE" help:"Questions with their documents: JSON lines, plain or gzipped (see above), or key-value lines."`
	KV       int    `group:"What is asked" name:"kv" placeholder:"N" help:"In place of --data: N key-value cases, made from the seed. No file is needed."`
	Keys     int    `group:"What is asked" placeholder:"K" help:"Keys of each case of --kv (${keys} unless given)."`
	Simulate string `group:"What is asked" placeholder:"NAME" help:"Ask no model but a simulated reader, offline and free: flat, u, inverted, primacy, recency, or a published curve such as gpt-3.5-turbo; an unknown name lists all."`

	Model      string `group:"The model" placeholder:"NAME" help:"The name of the model on its server."`
	BaseURL    string `group:"The model" name:"base-url" placeholder:"URL" help:"An OpenAI-compatible server, such as http://127.0.0.1:8080/v1. The key comes from OPENAI_API_KEY."`
	Completion bool   `group:"The model" help:"Ask by plain completion, as base models need, not by chat."`
	MaxTokens  int    `group:"The model" default:"100" help:"The most tokens of an answer."`
	Params     string `group:"The model" placeholder:"JSON" help:"Further parameters of the request, such as '{\"seed\":1}'. They stand in the journal: no secrets."`
	PlainKey   bool   `group:"The model" name:"allow-plain-key" help:"Let the key travel over plain http to another machine, readable on the way."`

	Documents   int    `group:"The prompt" placeholder:"N" help:"Documents in each prompt. As many as the smallest case has unless given."`
	Slots       string `group:"The prompt" default:"all" help:"Slots to measure: all, a number (dense at both ends), or a list such as 0,4,9."`
	Layout      string `group:"The prompt" placeholder:"NAME" help:"instruction-first (that of Liu et al., unless given), question-last, query-aware, bookend, or a list of parts."`
	Format      string `group:"The prompt" placeholder:"NAME" help:"Form of a document: titled (unless given), numbered, xml or markdown."`
	Instruction string `group:"The prompt" placeholder:"FILE" help:"A file with the instruction, in place of our own."`

	Limit        int    `group:"How much" placeholder:"N" help:"Ask N questions only. All unless given; 300 with --simulate."`
	Seed         uint64 `group:"How much" default:"1" help:"Order of the questions, and the cases of --kv."`
	Repeats      int    `group:"How much" default:"1" help:"How often the middle slot is asked again, for the noise floor."`
	NoClosedBook bool   `group:"How much" help:"Leave out the questions without documents."`
	NoOracle     bool   `group:"How much" help:"Leave out the questions with the gold document alone."`
	NoRepeat     bool   `group:"How much" help:"Leave out the repeats."`

	DryRun bool `group:"What it costs" help:"Say what would be asked and spent, and ask nothing."`
	caps
	prices

	Concurrency int           `group:"How fast" default:"4" help:"Requests that are open at once."`
	RPM         int           `group:"How fast" name:"rpm" placeholder:"N" help:"Requests a minute at most."`
	TPM         int           `group:"How fast" name:"tpm" placeholder:"N" help:"Tokens a minute at most."`
	Timeout     time.Duration `group:"How fast" default:"5m" help:"The longest that one request may take."`
	Retries     int           `group:"How fast" default:"5" help:"How often a failed request is repeated."`
	MaxFailures int           `group:"How fast" default:"10" help:"Stop after so many failed calls in a row; 0: never."`

	judging
	Out      string   `group:"Where it goes" placeholder:"DIR" help:"Folder for the journal and the report. A sweep that was stopped continues there."`
	BatchOut string   `group:"Where it goes" placeholder:"FILE" help:"Ask nothing, but write what is to be asked as a batch file in OpenAI's form, for a provider's batch service or vLLM's run-batch."`
	BatchIn  []string `group:"Where it goes" placeholder:"FILE" sep:"none" help:"Ask nothing, but read the results of such a batch into the journal; may be given again for a file of errors."`
	Force    bool     `group:"Where it goes" help:"Overwrite the files of an earlier report."`
}

type caps struct {
	MaxCalls int     `group:"What it costs" placeholder:"N" help:"Send no more requests than that, those of earlier runs into the same folder included."`
	MaxTotal int     `group:"What it costs" name:"max-total-tokens" placeholder:"N" help:"Use no more tokens than that."`
	MaxCost  float64 `group:"What it costs" placeholder:"MONEY" help:"Spend no more than that; needs the prices."`
}

type prices struct {
	PricePrompt float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens of prompts."`
	PriceAnswer float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens of answers."`
	PriceCached float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens that the server had cached."`
}

func (p prices) prices() sweep.Prices {
	return sweep.Prices{Prompt: p.PricePrompt, Completion: p.PriceAnswer, Cached: p.PriceCached}
}

type judging struct {
	Score     string `group:"What counts as right" placeholder:"NAME" help:"best-subspan (unless given), exact (for key-value cases), regexp, numeric[=TOLERANCE] or token-f1."`
	FirstLine bool   `group:"What counts as right" help:"Judge the first line of each answer, as models need that run on. Both are shown in any case."`
}

// Help is the long text of `bookend sweep --help`.
func (*sweepCommand) Help() string {
	return `The answer's document is moved through the slots of the prompt; the others keep their order. Each question is also asked without documents (closed-book), with the answer's document alone (oracle), and once more in the middle slot (repeat).

Questions of your own need these keys, one line a question, exactly one document with "isgold":

    ` + sweep.LineFormat + `

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
	if c.Simulate != "" {
		if c.Model != "" || c.BaseURL != "" {
			fault("--simulate asks no model: leave out --model and --base-url, or leave out --simulate")
		}
	} else {
		if c.Model == "" {
			fault("--model is missing: name the model as its server does")
		}
		if strings.HasPrefix(c.Model, sweep.SimulatedPrefix) {
			fault("--model is %q: a name that starts with %q is kept for simulated readers", c.Model, strings.TrimSpace(sweep.SimulatedPrefix))
		}
		if c.BaseURL == "" && !c.DryRun && c.BatchOut == "" && c.BatchIn == nil {
			fault("--base-url is missing: name the server, such as http://127.0.0.1:8080/v1, or try --dry-run")
		}
	}
	if c.Simulate != "" && (c.BatchOut != "" || c.BatchIn != nil) {
		fault("--simulate needs no batch: leave out --batch-out and --batch-in")
	}
	if c.BatchOut != "" && c.BatchIn != nil {
		fault("--batch-out and --batch-in are both given: write the batch first, and read its results later")
	}
	if c.Out == "" && !c.DryRun && c.BatchOut == "" {
		fault("--out is missing: name a folder for the journal and the report")
	}
	for _, n := range []struct {
		flag  string
		value int
		least int
	}{
		{"kv", c.KV, 0},
		{"keys", c.Keys, 0},
		{"documents", c.Documents, 0},
		{"limit", c.Limit, 0},
		{"max-tokens", c.MaxTokens, 1},
		{"repeats", c.Repeats, 1},
		{"max-calls", c.MaxCalls, 0},
		{"max-total-tokens", c.MaxTotal, 0},
		{"concurrency", c.Concurrency, 1},
		{"rpm", c.RPM, 0},
		{"tpm", c.TPM, 0},
		{"retries", c.Retries, 0},
		{"max-failures", c.MaxFailures, 0},
	} {
		if n.value < n.least {
			fault("--%s is %d: it must be %d or more", n.flag, n.value, n.least)
		}
	}
	for _, n := range []struct {
		flag  string
		value float64
	}{{"max-cost", c.MaxCost}, {"price-prompt", c.PricePrompt}, {"price-answer", c.PriceAnswer}, {"price-cached", c.PriceCached}} {
		if !(n.value >= 0) || math.IsInf(n.value, 0) {
			fault("--%s is %v: it must be 0 or more, and finite", n.flag, n.value)
		}
	}
	if c.MaxCost > 0 && c.prices == (prices{}) {
		fault("--max-cost is %v, but nothing has a price: give --price-prompt and --price-answer", c.MaxCost)
	}
	if c.Timeout <= 0 {
		fault("--timeout is %v: it must be above 0, such as 2m", c.Timeout)
	}
	return errors.Join(faults...)
}

// open opens the dataset; documents is the size of a simulated prompt.
func (c *sweepCommand) open(scorer sweep.Scorer, documents int) (*sweep.Dataset, error) {
	if c.Data != "" {
		return sweep.Rules{MinDocuments: c.Documents, Scorer: scorer}.Open(c.Data)
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
	return sweep.KeyValues(c.Seed, cases, keys)
}

const simulatedQuestions = 300

func (c *sweepCommand) limit() int {
	if c.Limit == 0 && c.Simulate != "" {
		return simulatedQuestions
	}
	return c.Limit
}

// settings makes a plan's settings of the flags.
func (c *sweepCommand) settings(dataset *sweep.Dataset) (sweep.Settings, error) {
	report := dataset.Report()
	s := sweep.Settings{
		Model: c.Model, Documents: c.Documents, Questions: c.limit(), Seed: c.Seed, Repeats: c.Repeats,
		Params: sweep.Params{Completion: c.Completion, MaxTokens: c.MaxTokens},
	}
	if c.Simulate != "" {
		s.Model = sweep.SimulatedPrefix + strings.ToLower(strings.TrimSpace(c.Simulate))
	}
	if s.Documents == 0 {
		s.Documents = report.MinDocuments
	}
	var err error
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
	if c.Params != "" {
		decoder := json.NewDecoder(strings.NewReader(c.Params))
		decoder.UseNumber()
		if err := decoder.Decode(&s.Params.Extra); err != nil || s.Params.Extra == nil {
			return s, usage("--params is no JSON object: write one, such as '{\"seed\":1}'")
		}
		for name := range s.Params.Extra {
			if slices.Contains(reserved, strings.ToLower(name)) {
				return s, usage("--params sets %q, which the sweep sets itself: leave it out", strings.ToLower(name))
			}
		}
	}
	if c.Instruction != "" {
		if s.Instruction, err = readInstruction(c.Instruction); err != nil {
			return s, err
		}
	}
	if c.Layout == "" && c.Format == "" {
		return s, nil
	}
	if report.Task == sweep.KeyValue && s.Instruction == "" {
		return s, usage("--layout and --format change the layout of key-value cases, which our instruction does not fit: give --instruction FILE as well")
	}
	config := sweep.PaperPrompt()
	if c.Layout != "" {
		config.Layout = prompt.Layout(c.Layout)
	}
	if c.Format != "" {
		config.Format = prompt.Format(c.Format)
	}
	s.Prompt = &config
	return s, nil
}

// reserved are the parameters that say what is asked, or how many answers come.
var reserved = []string{"model", "messages", "prompt", "n", "best_of", "echo", "stream", "stream_options"}

const maxInstruction = 1 << 20

func readInstruction(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", usage("--instruction cannot be read: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxInstruction+1))
	if err != nil {
		return "", usage("--instruction cannot be read: %w", err)
	}
	instruction := strings.TrimSpace(string(text))
	switch {
	case len(text) > maxInstruction:
		return "", usage("--instruction %s is larger than 1 MiB", path)
	case !utf8.Valid(text):
		return "", usage("--instruction %s is not text in UTF-8", path)
	case instruction == "":
		return "", usage("--instruction %s is empty: write the instruction into it", path)
	}
	return instruction, nil
}

// limits are those of the run.
func (c *sweepCommand) limits() sweep.Limits {
	l := sweep.Limits{
		Concurrency: c.Concurrency, RequestsPerMinute: c.RPM, TokensPerMinute: c.TPM,
		MaxCalls: c.MaxCalls, MaxTokens: c.MaxTotal, MaxCost: c.MaxCost, Prices: c.prices.prices(),
		Timeout: c.Timeout, Retries: c.Retries, MaxFailures: c.MaxFailures,
	}
	if l.Retries == 0 {
		l.Retries = -1 // 0 means the default there
	}
	return l
}

// scorer returns the one of the flag; nil for that of the task.
func (j judging) scorer() (sweep.Scorer, error) {
	if j.Score == "" {
		return nil, nil
	}
	return sweep.ParseScorer(j.Score)
}
