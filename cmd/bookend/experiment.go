package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/internal/strictjson"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// experiment holds the flags that every experiment with a model has.
type experiment struct {
	Model      string   `group:"The model" placeholder:"NAME" help:"The name of the model on its server."`
	BaseURL    string   `group:"The model" name:"base-url" placeholder:"URL" help:"An OpenAI-compatible server, such as http://127.0.0.1:8080/v1; one that ends in /chat/completions or /completions is used as it is, with its query. The key comes from OPENAI_API_KEY."`
	Header     []string `group:"The model" placeholder:"NAME=VALUE" sep:"none" help:"A further header of each request, such as api-key=env:AZURE_KEY (the value of a variable) or api-key=@FILE (that of a file). Any other value is taken as it is, and can be read in the list of processes. May be given again; is never printed or stored."`
	Completion bool     `group:"The model" help:"Ask by plain completion instead of chat, as base models need it."`
	MaxTokens  int      `group:"The model" default:"100" help:"Longest answer, in tokens."`
	Params     string   `group:"The model" placeholder:"JSON" help:"Further parameters of the request, such as '{\"seed\":1}'; null takes one out that is sent otherwise, as in '{\"max_tokens\":null,\"max_completion_tokens\":100}' or '{\"stream\":null}'. They stand in the journal: no secrets."`
	PlainKey   bool     `group:"The model" name:"allow-plain-key" help:"Let the key travel over plain http to another machine, readable on the way."`

	DryRun   bool    `group:"What it costs" help:"Say what would be asked and spent, and ask nothing."`
	MaxCalls int     `group:"What it costs" placeholder:"N" help:"Send N requests at most, those of earlier runs into the same folder included."`
	MaxTotal int     `group:"What it costs" name:"max-total-tokens" placeholder:"N" help:"Use N tokens at most."`
	MaxCost  float64 `group:"What it costs" placeholder:"MONEY" help:"Spend that much at most; needs the prices."`
	prices

	Concurrency int           `group:"How fast" default:"4" help:"Requests that are sent at the same time."`
	RPM         int           `group:"How fast" name:"rpm" placeholder:"N" help:"Requests a minute at most."`
	TPM         int           `group:"How fast" name:"tpm" placeholder:"N" help:"Tokens a minute at most."`
	Timeout     time.Duration `group:"How fast" default:"5m" help:"The longest that one request may take."`
	Retries     int           `group:"How fast" default:"5" help:"How often a failed request is repeated."`
	MaxFailures int           `group:"How fast" default:"10" help:"Stop after so many failed calls in a row; 0: never."`

	judging
	graders
	Out      string   `group:"Where it goes" placeholder:"DIR" help:"Folder for the journal and the report. What was stopped continues there."`
	BatchOut string   `group:"Where it goes" placeholder:"FILE" help:"Ask nothing, but write what is to be asked as a batch file in OpenAI's form, for a provider's batch service or vLLM's run-batch."`
	BatchIn  []string `group:"Where it goes" placeholder:"FILE" sep:"none" help:"Ask nothing, but read the results of such a batch into the journal; may be given again for a file of errors."`
	Force    bool     `group:"Where it goes" help:"Overwrite files that differ and are not those of an earlier report of the same answers."`

	questioned

	server string `kong:"-"` // its address without secrets; empty where a simulated reader is asked
}

type prices struct {
	PricePrompt float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens of prompts."`
	PriceAnswer float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens of answers."`
	PriceCached float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens that the server had cached."`
}

func (p prices) prices() model.Prices {
	return model.Prices{Prompt: p.PricePrompt, Completion: p.PriceAnswer, Cached: p.PriceCached}
}

type judging struct {
	Score     string `group:"What counts as right" placeholder:"NAME" help:"best-subspan (unless given), exact (for key-value cases), regexp, numeric[=TOLERANCE] or token-f1."`
	FirstLine bool   `group:"What counts as right" help:"Judge the first line of each answer, for a model that does not stop after its answer. The full answer and the first line are both shown in any case."`

	ForceVerdict bool `group:"What counts as right" help:"Show the figures even of a run that is unfit, stamped as such."`
}

// folder is where the report goes.
func (e *experiment) folder(dir, judged string) folder {
	return folder{dir: dir, force: e.Force, unfitToo: e.ForceVerdict, about: about(dir, []string{dir}, judged)}
}

// scorer returns the one of the flag; nil for that of the task.
func (j judging) scorer() (judge.Scorer, error) {
	if j.Score == "" {
		return nil, nil
	}
	return judge.ParseScorer(j.Score)
}

// maxCount bounds what a flag may count where nothing else does, so that nobody has
// to hold, or add up, what no computer could.
const maxCount = 1_000_000

// countFlag is a flag with a smallest and a largest value; 0 for most: none.
type countFlag struct {
	flag               string
	value, least, most int
}

func (f countFlag) check() error {
	if f.value < f.least {
		return usage("--%s is %d: it must be %d or more", f.flag, f.value, f.least)
	}
	if f.most > 0 && f.value > f.most {
		return usage("--%s is %d: it must be %d at most", f.flag, f.value, f.most)
	}
	return nil
}

// check looks at what the flags mean together.
func (e *experiment) check(simulated bool) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usage(format, args...)) }
	if simulated {
		if e.Model != "" || e.BaseURL != "" {
			fault("--simulate asks no model: leave out --model and --base-url, or leave out --simulate")
		}
	} else {
		if e.Model == "" {
			fault("--model is missing: name the model as its server does")
		}
		if strings.HasPrefix(e.Model, model.SimulatedPrefix) {
			fault("--model is %q: a name that starts with %q is kept for simulated readers", e.Model, strings.TrimSpace(model.SimulatedPrefix))
		}
		if e.BaseURL == "" && !e.DryRun && e.BatchOut == "" && e.BatchIn == nil {
			fault("--base-url is missing: name the server, such as http://127.0.0.1:8080/v1, or try --dry-run")
		}
	}
	if simulated && (e.BatchOut != "" || e.BatchIn != nil) {
		fault("--simulate needs no batch: leave out --batch-out and --batch-in")
	}
	if e.BatchOut != "" && e.BatchIn != nil {
		fault("--batch-out and --batch-in are both given: write the batch first, and read its results later")
	}
	if e.BatchOut != "" && e.asks() {
		fault("--batch-out asks the model alone: give the judge with --batch-in, once there are answers")
	}
	if e.Out == "" && !e.DryRun && e.BatchOut == "" {
		fault("--out is missing: name a folder for the journal and the report")
	}
	for _, n := range []countFlag{
		{"max-tokens", e.MaxTokens, 1, model.MaxTokens},
		{"max-calls", e.MaxCalls, 0, 0},
		{"max-total-tokens", e.MaxTotal, 0, 0},
		{"concurrency", e.Concurrency, 1, 0},
		{"rpm", e.RPM, 0, 0},
		{"tpm", e.TPM, 0, 0},
		{"retries", e.Retries, 0, 0},
		{"max-failures", e.MaxFailures, 0, 0},
	} {
		faults = append(faults, n.check())
	}
	for _, n := range []struct {
		flag  string
		value float64
	}{{"max-cost", e.MaxCost}, {"price-prompt", e.PricePrompt}, {"price-answer", e.PriceAnswer}, {"price-cached", e.PriceCached}} {
		if !(n.value >= 0) || math.IsInf(n.value, 0) {
			fault("--%s is %v: it must be 0 or more, and finite", n.flag, n.value)
		}
	}
	faults = append(faults, e.graders.check(e)...)
	if e.MaxCost > 0 && e.prices == (prices{}) && e.graders.prices() == (model.Prices{}) {
		fault("--max-cost is %v, but nothing has a price: give --price-prompt and --price-answer", e.MaxCost)
	}
	if e.Timeout <= 0 {
		fault("--timeout is %v: it must be above 0, such as 2m", e.Timeout)
	}
	return errors.Join(faults...)
}

// params are those of the model.
func (e *experiment) params() (model.Params, error) {
	extra, err := parseParams("params", e.Params)
	return model.Params{Completion: e.Completion, MaxTokens: e.MaxTokens, Extra: extra}, err
}

// parseParams reads the JSON of a flag.
func parseParams(flag, text string) (extra map[string]any, err error) {
	if text == "" {
		return nil, nil
	}
	var read map[string]json.RawMessage // first: it refuses more than json does
	if err := strictjson.Unmarshal([]byte(text), &read); err != nil || read == nil {
		return nil, usage("--%s is not a JSON object with each key once: write one, such as '{\"seed\":1}'", flag)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&extra); err != nil {
		return nil, usage("--%s is not a JSON object: %w", flag, err)
	}
	for name, value := range extra {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, usage("--%s: %q: %w", flag, name, err)
		}
		if !openai.ReservedParameter(name, encoded) {
			continue
		}
		if strings.EqualFold(name, "stream") {
			return nil, usage("--%s sets %q to something else than false, and answers are read whole: leave it out", flag, strings.ToLower(name))
		}
		return nil, usage("--%s sets %q, which the experiment sets itself: leave it out", flag, strings.ToLower(name))
	}
	return extra, nil
}

// modelName is the model's name in plans and journals.
func (e *experiment) modelName(simulate string) string {
	if simulate != "" {
		return model.SimulatedPrefix + strings.ToLower(strings.TrimSpace(simulate))
	}
	return e.Model
}

// limits are those of the run.
func (e *experiment) limits() run.Limits {
	l := run.Limits{
		Concurrency: e.Concurrency, RequestsPerMinute: e.RPM, TokensPerMinute: e.TPM,
		MaxCalls: e.MaxCalls, MaxTokens: e.MaxTotal, MaxCost: e.MaxCost, Prices: e.prices.prices(),
		Timeout: e.Timeout, Retries: e.Retries, MaxFailures: e.MaxFailures,
	}
	if l.Retries == 0 {
		l.Retries = -1 // 0 means the default there
	}
	return l
}

// foreseeCaps says which caps would stop the experiment.
func (e *experiment) foreseeCaps(s streams, all run.Estimate) {
	for _, limit := range []struct {
		flag      string
		cap, need float64
	}{
		{"max-calls", float64(e.MaxCalls), float64(all.Calls)},
		{"max-total-tokens", float64(e.MaxTotal), float64(all.Usage.Tokens())},
		{"max-cost", e.MaxCost, all.Cost},
	} {
		if limit.cap > 0 && limit.need > limit.cap {
			fmt.Fprintf(s.out, "--%s %g may stop it early: all of it may take %.6g.\n", limit.flag, limit.cap, limit.need)
		}
	}
}
