package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/cmd/internal/page"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/prefixcache"
	"github.com/bookend-rag/bookend/measure/replay"
)

// reuseCommand holds the flags of `bookend reuse`.
type reuseCommand struct {
	Data  string  `group:"What is replayed" placeholder:"FILE" help:"Requests in the order in which they came: a file that core/record wrote, with texts or without, or a retriever's lists as above."`
	Curve string  `group:"What is replayed" placeholder:"FILE|NAME" help:"How well each slot is read: a curve file, or a published curve such as gpt-3.5-turbo. Without it no accuracy is worked out."`
	Decay float64 `group:"What is replayed" default:"0.5" help:"Where the requests do not tell: each rank holds the answer so many times as often as the one before. Reuse goes by it, too."`

	Placement string `group:"How you send it" placeholder:"NAME" help:"${placements}, or measured=FILE. Unless given: the recorded order, else that of --settings, else head-tail."`
	Settings  string `group:"How you send it" placeholder:"FILE" help:"Your own settings, YAML or JSON: order and prompt."`
	Rules     string `group:"How you send it" placeholder:"FILE" help:"A file with your standing rules, which begin the prompt."`
	Layout    string `group:"How you send it" placeholder:"NAME" help:"question-last (unless given), documents-first, bookend, query-aware, instruction-first, or a list of parts."`
	LabelBy   string `group:"How you send it" name:"label-by" placeholder:"rank|slot|id" help:"What the documents' numbers mean: rank (unless given), slot, or id, which stays the same in every prompt."`

	Worth     []float64 `group:"What is tried" default:"1,2,5" placeholder:"POINTS" help:"How many points of accuracy reuse may give up for documents that all come from the cache, and fewer for less; needs --curve."`
	Documents int       `group:"What is tried" default:"10000" placeholder:"N" help:"How many documents the memory of reuse holds."`

	Cache    string        `group:"The server's cache" enum:"tree,prompts" default:"tree" help:"tree: beginnings are shared (vLLM, SGLang, the providers). prompts: whole earlier prompts (llama.cpp with one slot)."`
	Block    int           `group:"The server's cache" default:"0" placeholder:"TOKENS" help:"Tokens that a tree keeps together. 16 unless given, as vLLM has it."`
	Minimum  int           `group:"The server's cache" default:"0" placeholder:"TOKENS" help:"The shortest beginning that is cached, such as a provider's 1024."`
	Capacity int           `group:"The server's cache" default:"0" placeholder:"TOKENS" help:"How many tokens are kept. 0: no limit."`
	Lifetime time.Duration `group:"The server's cache" default:"5m" help:"How long something is kept that is not used. 0: no limit."`

	Tokenizer   string  `group:"What it costs" placeholder:"NAME" help:"What counts tokens: ${tokenizers}. Unless given, four bytes count as one, which is fast."`
	PricePrompt float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens of prompts."`
	PriceCached float64 `group:"What it costs" placeholder:"MONEY" help:"Price of a million tokens that the server had cached."`

	Out   string `group:"Where it goes" placeholder:"DIR" help:"Folder for reuse.json and report.html; none is written unless given."`
	Force bool   `group:"Where it goes" help:"Overwrite them."`
}

// Help is the long text of `bookend reuse --help`.
func (*reuseCommand) Help() string {
	return `Servers keep the beginnings of earlier prompts: what begins alike is read faster, and costs less. How much begins alike is decided by the order of the documents, and core/reuse can change that order at a known price. This counts on your own traffic what that would save, before anything is built.

    bookend reuse --data traffic.jsonl
    bookend reuse --data traffic.jsonl --curve DIR/curve.json --rules rules.txt --price-prompt 2.50 --price-cached 0.25 --out DIR

A line of lists is such as

    {"time":"2026-12-01T15:04:05Z","conversation":"c1","question":"…","ctxs":[{"id":"faq#3","text":"…"},{"text":"…"}]}

where time, conversation and id may be left out. docs/reuse.md says what the providers' caches are like.`
}

func (c *reuseCommand) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usage(format, args...)) }
	if c.Data == "" {
		fault("--data is missing: give what core/record wrote, or what your retriever returned, JSON lines such as %s", dataset.ListFormat)
	}
	for _, w := range c.Worth {
		if !(w > 0 && w <= 100) {
			fault("--worth is %v: it must be above 0 and at most 100 points", w)
		}
	}
	if !(c.Decay > 0 && c.Decay <= 1) {
		fault("--decay is %v: it must be above 0 and at most 1", c.Decay)
	}
	for _, p := range []struct {
		flag  string
		value float64
	}{{"price-prompt", c.PricePrompt}, {"price-cached", c.PriceCached}} {
		if !(p.value >= 0 && p.value < 1e9) {
			fault("--%s is %v: it must be 0 or more", p.flag, p.value)
		}
	}
	if c.Cache == string(prefixcache.Prompts) && c.Block > 1 {
		fault("--block is %d, but whole prompts have no blocks: leave it out", c.Block)
	}
	if c.Lifetime < 0 {
		fault("--lifetime is %v: it must be 0, for no limit, or more", c.Lifetime)
	}
	for _, n := range []countFlag{
		{"documents", c.Documents, 1, maxCount}, {"block", c.Block, 0, maxCount}, {"minimum", c.Minimum, 0, maxCount}, {"capacity", c.Capacity, 0, maxTokens},
	} {
		faults = append(faults, n.check())
	}
	return errors.Join(faults...)
}

// Run runs `bookend reuse`.
func (c *reuseCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	traffic, err := replay.Read(ctx, c.Data)
	if err != nil {
		return unreadable(err)
	}
	if c.Curve != "" {
		documents, _ := traffic.Documents()
		if err := config.read(c.Curve, documents); err != nil {
			return err
		}
	}
	if config.Settings, err = c.settings(traffic, &config); err != nil {
		return err
	}
	r, err := replay.Run(ctx, traffic, config.Config)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, config.notes...)
	printReuse(s, r)
	if c.Out == "" {
		return nil
	}
	text, err := asJSON(r)
	if err != nil {
		return err
	}
	html, err := page.Reuse(r)
	if err != nil {
		return err
	}
	return writeFiles(s.out, folder{dir: c.Out, force: c.Force}, []safefile.File{{Name: "reuse.json", Data: text}, {Name: "report.html", Data: html}})
}

// maxTokens bounds a cache's capacity.
const maxTokens = 1 << 30

// defaultBlock is vLLM's.
const defaultBlock = 16

// unreadable makes a file that cannot be used a fault of the command line.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, record.ErrNotRecord) {
		return &usageError{err}
	}
	return err
}

// reuseConfig is what is replayed, without the settings.
type reuseConfig struct {
	replay.Config
	curve  *core.Curve // what reuse prices by; nil: none
	fitted *core.Curve // what measured places by
	notes  []string
}

func (c *reuseCommand) config() (reuseConfig, error) {
	config := reuseConfig{Config: replay.Config{
		Cache: prefixcache.Config{Kind: prefixcache.Kind(c.Cache), Block: c.Block, Minimum: c.Minimum, Capacity: c.Capacity, Lifetime: c.Lifetime},
		Decay: c.Decay, Prices: model.Prices{Prompt: c.PricePrompt, Cached: c.PriceCached},
	}}
	if config.Cache.Kind == prefixcache.Tree && c.Block == 0 {
		config.Cache.Block = defaultBlock
	}
	tokenize, err := settings.Tokenizer(c.Tokenizer)
	if err != nil {
		return config, err
	}
	config.Tokenize = tokenize
	return config, nil
}

// read takes a curve file, or a published curve for prompts of so many documents.
func (c *reuseConfig) read(name string, documents int) error {
	reading, fitted, err := readCurve(name, documents)
	if err != nil {
		return err
	}
	if note := simulatedCurve(fitted); note != "" {
		c.notes = append(c.notes, note)
	}
	c.fitted, c.CurveName, c.CurveDocuments, c.Curve = fitted, reading.Name, reading.Documents, reading.At
	switch {
	case fitted.Kind == core.CurveOfUse:
		c.notes = append(c.notes, "The curve is one of use: what answers cite, beside the best slot. The figures are shares of that, not right answers, and reuse takes no price from it.")
		return nil
	case fitted.Shape == core.ShapeFlat:
		c.notes = append(c.notes, "The curve is flat: every slot counts as much as the others.")
		c.Curve = level(fitted.Accuracy)
	}
	c.curve = pricing(fitted, name)
	if c.curve.Shape == core.ShapeUndecided {
		c.curve = nil
		c.notes = append(c.notes, "The curve is undecided: what a slot is worth is not known, and reuse takes no price from it.")
	}
	return nil
}

// pricing returns a curve as reuse prices by it: a file as it is, and a published curve
// by its figures, whatever its shape may be.
func pricing(c *core.Curve, name string) *core.Curve {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return c
	}
	priced := *c
	priced.Shape, priced.Fitted = core.ShapeU, priced.Accuracy
	return &priced
}

// level reads every slot alike.
func level(accuracy []float64) func(int) ([]float64, error) {
	mean := 0.0
	for _, a := range accuracy {
		mean += a / float64(len(accuracy))
	}
	return func(n int) ([]float64, error) { return slices.Repeat([]float64{mean}, n), nil }
}

// settings returns what is tried, the user's own first.
func (c *reuseCommand) settings(t replay.Traffic, config *reuseConfig) ([]replay.Setting, error) {
	own, err := c.own(t, config)
	if err != nil {
		return nil, err
	}
	all := []replay.Setting{own}
	base := own
	base.Prompt.Labels = prompt.ByID
	add := func(name string, change func(*replay.Setting)) {
		s := base
		s.Name = name
		change(&s)
		all = append(all, s)
	}
	placed := func(p core.Placement) func(*replay.Setting) {
		return func(s *replay.Setting) { s.AsSent, s.Order.Placement = false, core.Choice{Placement: p} }
	}
	placements := []core.Placement{core.RankOrder, core.HeadTail}
	if config.fitted != nil {
		placements = append(placements, core.Measured{Curve: config.fitted})
	}
	for _, p := range placements {
		if name := nameOf(p); own.Name != "yours: "+name || own.Prompt.Labels != prompt.ByID { // else it is there
			add(name, placed(p))
		}
	}
	if own.Order.Groups || own.Order.Placement.Placement == core.DocumentOrder {
		config.notes = append(config.notes, "Reuse moves no documents that stand in groups or in document order: it is not tried.")
		return all, nil
	}
	remember := reuse.Config{Decay: c.Decay, MaxDocuments: c.Documents}
	add("reuse, best rank held", func(s *replay.Setting) {
		held := remember
		held.Hold = 1
		s.Reuse = &held
	})
	for _, points := range c.Worth {
		if config.curve == nil {
			continue
		}
		add("reuse, worth "+strconv.FormatFloat(points, 'g', -1, 64), func(s *replay.Setting) {
			priced := remember
			priced.Worth, priced.Curve = points, config.curve
			s.Reuse = &priced
		})
	}
	return all, nil
}

// own is how the user sends it.
func (c *reuseCommand) own(t replay.Traffic, config *reuseConfig) (replay.Setting, error) {
	s := replay.Setting{Name: "yours"}
	if c.Settings != "" {
		settled, err := readSettings(c.Settings, prompt.Config{})
		if err != nil {
			return s, err
		}
		s.Order, s.Prompt = settled.order, settled.prompt
	}
	if c.Rules != "" {
		rules, err := readFlagFile("rules", c.Rules, maxInstruction)
		if err != nil {
			return s, err
		}
		s.Prompt.Rules = strings.TrimSpace(string(rules))
	}
	if c.Layout != "" {
		s.Prompt.Layout = prompt.Layout(c.Layout)
	}
	if c.LabelBy != "" {
		s.Prompt.Labels = prompt.LabelBy(c.LabelBy)
	}
	if c.Placement != "" {
		p, err := parsePlacement(c.Placement, &fitted{curve: config.fitted}, 0)
		if err != nil {
			return s, err
		}
		s.Order.Placement = core.Choice{Placement: p}
	}
	if s.AsSent = t.Recorded && c.Placement == ""; s.AsSent {
		s.Name = "yours: as recorded"
		// What was recorded is admitted already.
		s.Order = core.Config{}
		return s, nil
	}
	s.Name = "yours: " + nameOf(s.Order.Placement.Placement)
	return s, nil
}

// nameOf is short: of measured without its curve.
func nameOf(p core.Placement) string {
	if named, ok := p.(fmt.Stringer); ok {
		name, _, _ := strings.Cut(named.String(), " (")
		return name
	}
	return core.HeadTail.String()
}

// printReuse says the finding first.
func printReuse(s streams, r replay.Result) {
	paragraph := func(text string) {
		for _, line := range show.Wrap(show.Line(text), terminalWidth) {
			fmt.Fprintln(s.out, line)
		}
	}
	paragraph(r.Finding)
	fmt.Fprintln(s.out)
	paragraph(r.Behind())
	fmt.Fprintf(s.out, "\n%s\n", table.Text(table.Reuse(r)))
	paragraph(table.ReuseNote(r))
	for _, note := range r.Notes {
		fmt.Fprintln(s.out)
		paragraph(note)
	}
}

const terminalWidth = 80
