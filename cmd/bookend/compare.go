package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/bookend-rag/bookend/core/sweep/compare"
	"github.com/bookend-rag/bookend/core/sweep/paired"
)

// lists are the flags that say which lists of a retriever are taken.
type lists struct {
	Data   string `group:"What is asked" placeholder:"FILE" help:"What the retriever returned: JSON lines with question, answers and ctxs, best first (see above), plain or gzipped."`
	Labels string `group:"What is asked" placeholder:"FILE" help:"Answers for recorded lines that have none: JSON lines with question and answers, and perhaps gold, the IDs of the documents that hold them."`
}

// compareCommand holds the flags of `bookend compare`.
type compareCommand struct {
	lists
	Simulate string  `group:"What is asked" placeholder:"NAME" help:"Ask no model but a simulated reader, offline and free; without --data over simulated lists of its number of documents."`
	Decay    float64 `group:"What is asked" default:"0.5" help:"In simulated lists each rank has the answer so many times as often as the one before."`

	Placements    []string `group:"What is compared" default:"ranked,head-tail,reversed" help:"The first is the baseline. measured=CURVE takes a curve file or a published curve."`
	Layouts       []string `group:"What is compared" placeholder:"NAME" help:"Layouts, too: instruction-first (unless given), question-last, query-aware, bookend. Every placement is asked in each."`
	TopK          []int    `group:"What is compared" name:"top-k" placeholder:"K" help:"Numbers of documents, too, the best first. Every placement is asked with each."`
	Settings      string   `group:"What is compared" placeholder:"FILE" help:"Your own settings as JSON, order and prompt, which every arm shares but for what it varies."`
	Format        string   `group:"What is compared" placeholder:"NAME" help:"Form of a document: titled (unless given), numbered, xml or markdown."`
	LabelBy       string   `group:"What is compared" name:"label-by" placeholder:"rank|slot" help:"What the documents' numbers mean: rank (unless given) or slot."`
	Instruction   string   `group:"What is compared" placeholder:"FILE" help:"A file with the instruction, in place of our own."`
	Fit           string   `group:"What is compared" placeholder:"FILE|SHARE" help:"First sweep these questions, a file or a share of --data such as 0.4, and compare the placement measured by that curve on the others."`
	FitLimit      int      `group:"What is compared" placeholder:"N" help:"Sweep N questions only."`
	FitSlots      string   `group:"What is compared" default:"all" help:"Slots of that sweep: all, a number, or a list."`
	SameQuestions bool     `group:"What is compared" help:"Allow a curve that was fitted on the questions compared here. Every output then says so."`

	UntilDecided bool    `group:"When it ends" help:"Look after every question and stop once the answer is known. Without it, all questions are asked."`
	Worthwhile   float64 `group:"When it ends" default:"3" placeholder:"POINTS" help:"The smallest gain that matters, in points. \"keep\" means that a gain that large is excluded."`
	Alpha        float64 `group:"When it ends" default:"0.05" help:"The probability of a wrong \"reorder\", and of a wrong \"keep\"."`

	Limit      int    `group:"How much" placeholder:"N" help:"Ask N questions at most. All unless given; 1000 in a simulation."`
	Seed       uint64 `group:"How much" default:"1" help:"Order of the questions, and the shuffles."`
	Shuffles   int    `group:"How much" default:"3" help:"Arms with shuffled documents, as a control."`
	Repeats    int    `group:"How much" default:"1" help:"How often the baseline is asked again, for the noise floor."`
	Unanswered string `group:"How much" enum:"drop,wrong" default:"drop" help:"A failed or refused call removes its question from every arm (drop), or is wrong in its arm (wrong). It is counted either way."`

	experiment
}

// Help is the long text of `bookend compare --help`.
func (*compareCommand) Help() string {
	return `The same questions and the same documents, in the order of each placement, side by side. The answer is one of three words: reorder, keep, inconclusive.

A line of --data is what your retriever returned for one question, best first. Where no document is marked with "isgold", those that hold an answer are found by their text:

    ` + sweep.ListFormat + `

core/record writes such lines in a running chain; --labels adds the answers. A first look, offline and free:

    bookend compare --simulate llama-2-70b-chat-repo --until-decided --out /tmp/compare

Then your own model, stopping as soon as the answer is known:

    bookend compare --data lists.jsonl --model NAME --base-url http://127.0.0.1:8080/v1 --until-decided --max-calls 3000 --out DIR

DIR/settings.json holds the settings that won, as both adapters take them.`
}

// simulatedLists is how many questions a simulated comparison asks at most.
const simulatedLists = 1000

func (c *compareCommand) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, usage(format, args...)) }
	if c.Data == "" && c.Simulate == "" {
		fault("nothing says what to ask: give --data FILE, or --simulate NAME to try it offline")
	}
	if c.Labels != "" && c.Data == "" {
		fault("--labels are the answers of --data: give both")
	}
	if c.Fit != "" && c.Data == "" {
		fault("--fit measures on questions of a file: give --data, too")
	}
	if c.UntilDecided && c.BatchOut != "" {
		fault("--until-decided looks after every question, and a batch asks them all: leave out one of the two")
	}
	if c.Fit != "" && (c.BatchOut != "" || c.BatchIn != nil) {
		fault("--fit asks before it compares, which a batch cannot: run `bookend sweep` first, and give its curve as measured=FILE")
	}
	if !(c.Worthwhile > 0 && c.Worthwhile < 100) {
		fault("--worthwhile is %v: it must be above 0 and below 100 points", c.Worthwhile)
	}
	if !(c.Alpha > 0 && c.Alpha < 1) {
		fault("--alpha is %v: it must be above 0 and below 1", c.Alpha)
	}
	for _, k := range c.TopK {
		faults = append(faults, leastFlag{"top-k", k, 1}.check())
	}
	for _, n := range []leastFlag{{"limit", c.Limit, 0}, {"fit-limit", c.FitLimit, 0}, {"shuffles", c.Shuffles, 0}, {"repeats", c.Repeats, 0}} {
		faults = append(faults, n.check())
	}
	return errors.Join(append(faults, c.experiment.check(c.Simulate != ""))...)
}

// Run runs `bookend compare`.
func (c *compareCommand) Run(ctx context.Context, s streams) error {
	if err := c.check(); err != nil {
		return err
	}
	model, server, err := c.model(s)
	if err != nil {
		return err
	}
	if c.Simulate != "" {
		fmt.Fprintf(s.out, "SIMULATED: no model is asked; nothing below is a measurement.\n\n")
	}
	fitted, err := c.fit(ctx, s, model, server)
	if err != nil {
		return err
	}
	lists, err := c.open(fitted)
	if err != nil {
		return err
	}
	defer lists.Close()
	plan, described, err := c.plan(lists, fitted)
	if err != nil {
		return err
	}
	described.Server = server
	estimate, err := plan.Estimate(ctx, c.prices.prices())
	if err != nil {
		return err
	}
	if c.Data != "" {
		fmt.Fprintf(s.out, "%s: %s\n", show.Line(c.Data), show.Line(lists.Report().String()))
	}
	fmt.Fprintf(s.out, "%s\n%s\n", show.Lines(plan.String()), show.Line(estimate.String()))
	if c.DryRun {
		if fitted != nil {
			estimate = sum(estimate, fitted.estimate)
		}
		c.foreseeCaps(s, estimate)
		fmt.Fprintln(s.out, "\nDry run: nothing was asked, spent or written.")
		return nil
	}
	return c.carryOut(ctx, s, plan, described, model)
}

// carryOut asks, by batch or at once, and reports.
func (c *compareCommand) carryOut(ctx context.Context, s streams, plan *compare.Plan, described compare.Described, model sweep.Model) error {
	same := func(path string) error { return sameComparison(path, described) }
	settings := plan.Settings()
	var err error
	switch {
	case c.BatchOut != "":
		return c.writeBatch(s, plan, settings.Model, settings.Params, same)
	case c.BatchIn != nil:
		described.Server = "by batch"
		err = c.readBatches(s, same, func(journal *sweep.Journal) (sweep.Source, error) { return compare.Noted(plan, described, journal) })
	default:
		err = c.ask(ctx, s, c.Out, same, plan.Len(), func(journal *sweep.Journal, limits sweep.Limits) (sweep.Progress, error) {
			return compare.Run(ctx, plan, described, model, journal, limits)
		})
	}
	failed := (*incompleteError)(nil)
	if err != nil && !(errors.As(err, &failed) && failed.report) {
		return err
	}
	result, err := compare.SummarizeJournal(filepath.Join(c.Out, journalName), nil)
	if err == nil {
		err = publishComparison(s.out, c.Out, c.Force, result)
	}
	if err == nil && failed != nil {
		return failed
	}
	return err
}

func (c *compareCommand) model(s streams) (model sweep.Model, server string, err error) {
	switch {
	case c.Simulate != "":
		model, err := newSimulated(c.Simulate, c.Seed)
		return model, "", err
	case c.DryRun || c.BatchOut != "" || c.BatchIn != nil:
		return nil, "", nil
	}
	return c.client(s)
}

// rules opens the lists of the flags.
func (l lists) rules(scorer sweep.Scorer) (sweep.Rules, error) {
	r := sweep.Rules{Lists: true, Scorer: scorer}
	if l.Labels == "" {
		return r, nil
	}
	var err error
	r.Labels, err = sweep.ReadLabels(l.Labels)
	return r, err
}

func (c *compareCommand) open(f *fitted) (*sweep.Dataset, error) {
	scorer, err := c.scorer()
	if err != nil {
		return nil, err
	}
	if c.Data == "" {
		accuracy, err := sweep.SimulatedAccuracy(c.Simulate, 0)
		if err != nil {
			return nil, usage("--simulate: %w", err)
		}
		questions := c.Limit
		if questions == 0 {
			questions = simulatedLists
		}
		return sweep.SimulatedLists(c.Seed, questions, len(accuracy), c.Decay)
	}
	rules, err := c.rules(scorer)
	if err != nil {
		return nil, err
	}
	if f != nil && f.share > 0 {
		rules.Choose = func(id string) bool { return !f.chosen(id) }
	}
	return c.openLists(rules, c.Data)
}

// openLists opens a file, and names the flag that recorded lists need.
func (l lists) openLists(rules sweep.Rules, path string) (*sweep.Dataset, error) {
	data, err := rules.Open(path)
	if errors.Is(err, sweep.ErrNoCase) && l.Labels == "" && strings.Contains(err.Error(), string(sweep.NoAnswer)) {
		return nil, fmt.Errorf("%w; recorded lines have none: give them by --labels", err)
	}
	return data, err
}

// plan makes the arms and lays out what is asked.
func (c *compareCommand) plan(lists *sweep.Dataset, f *fitted) (*compare.Plan, compare.Described, error) {
	arms, curves, err := c.arms(f)
	if err != nil {
		return nil, compare.Described{}, err
	}
	params, err := c.params()
	if err != nil {
		return nil, compare.Described{}, err
	}
	settings := compare.Settings{
		Model: c.modelName(c.Simulate), Params: params, Arms: arms, Questions: c.Limit, Seed: c.Seed,
		Shuffles: c.Shuffles, Repeats: c.Repeats,
	}
	if settings.Shuffles == 0 {
		settings.Shuffles = -1 // 0 means the default there
	}
	if settings.Repeats == 0 {
		settings.Repeats = -1
	}
	plan, err := compare.NewPlan(lists, settings)
	if err != nil {
		return nil, compare.Described{}, err
	}
	d := compare.Described{
		Manifest: plan.Describe(), Rule: paired.Rule{Alpha: c.Alpha, Worthwhile: c.Worthwhile / 100},
		UntilDecided: c.UntilDecided, Unanswered: compare.Unanswered(c.Unanswered),
		Scorer: c.Score, FirstLine: c.FirstLine, Prices: c.prices.prices(),
	}
	for _, curve := range curves {
		shared, err := plan.SharedWith(curve)
		if err != nil {
			return nil, compare.Described{}, err
		}
		if shared > 0 && !c.SameQuestions {
			return nil, compare.Described{}, usage("%s of this comparison stand behind the measured curve, which would flatter it: compare other questions, fit by --fit, or allow it by --same-questions",
				show.Count(shared, "question"))
		}
		d.SameQuestions = d.SameQuestions || shared > 0
		d.Remarks = append(d.Remarks, plan.Misfits(curve)...)
	}
	if f != nil {
		d.Remarks = append(d.Remarks, f.remarks...)
	}
	return plan, d, nil
}

// arms crosses placements, layouts and numbers of documents. The first of each make
// the baseline.
func (c *compareCommand) arms(f *fitted) ([]compare.Arm, []*core.Curve, error) {
	order, layout, err := c.base()
	if err != nil {
		return nil, nil, err
	}
	var names []string
	kinds := map[string]int{} // how many placements differ in their argument alone
	for _, name := range c.Placements {
		names = append(names, strings.TrimSpace(name))
	}
	if f != nil && !slices.ContainsFunc(names, isBareMeasured) {
		names = append(names, "measured")
	}
	for _, name := range names {
		kind, _, _ := strings.Cut(name, "=")
		kinds[kind]++
	}
	var curves []*core.Curve
	var arms []compare.Arm
	for _, name := range names {
		p, err := parsePlacement(name, f)
		if err != nil {
			return nil, nil, err
		}
		if m, ok := p.(core.Measured); ok {
			curves = append(curves, m.Curve)
		}
		for _, l := range orDefault(c.Layouts, "") {
			for _, k := range orDefault(c.TopK, 0) {
				arm := compare.Arm{Order: order, Prompt: layout}
				if arm.Name, _, _ = strings.Cut(name, "="); kinds[arm.Name] > 1 {
					arm.Name = name
				}
				arm.Order.Placement = core.Choice{Placement: p}
				if l != "" {
					arm.Prompt.Layout = prompt.Layout(l)
				}
				if len(c.Layouts) > 1 {
					arm.Name += ", " + l
				}
				if k > 0 {
					arm.Order.TopK = k
				}
				if len(c.TopK) > 1 {
					arm.Name += ", top " + strconv.Itoa(k)
				}
				arms = append(arms, arm)
			}
		}
	}
	return arms, curves, nil
}

// orDefault makes one pass of a loop over nothing.
func orDefault[T any](values []T, fallback T) []T {
	if len(values) == 0 {
		return []T{fallback}
	}
	return values
}

// base is what all arms share.
func (c *compareCommand) base() (core.Config, prompt.Config, error) {
	order, layout := core.Config{}, compare.DefaultPrompt()
	if c.Settings != "" {
		own, err := readSettings(c.Settings)
		if err != nil {
			return order, layout, err
		}
		order, layout = own.Order, own.Prompt
	}
	if c.Format != "" {
		layout.Format = prompt.Format(c.Format)
	}
	if c.LabelBy != "" {
		layout.Labels = prompt.LabelBy(c.LabelBy)
	}
	if c.Instruction != "" {
		var err error
		if layout.Instruction, err = readInstruction(c.Instruction); err != nil {
			return order, layout, err
		}
	}
	return order, layout, nil
}

// maxSettings is room for a curve with the questions behind it.
const maxSettings = 4 << 20

func readSettings(path string) (compare.Settled, error) {
	text, err := readFlagFile("settings", path, maxSettings)
	if err != nil {
		return compare.Settled{}, err
	}
	settled, err := compare.ParseSettled(text)
	if err != nil {
		return settled, usage("--settings %s: %w", path, err)
	}
	return settled, nil
}

// isBareMeasured says that a placement is the one by the curve at hand.
func isBareMeasured(name string) bool { return strings.EqualFold(name, "measured") }

// parsePlacement reads one placement of --placements.
func parsePlacement(name string, f *fitted) (core.Placement, error) {
	name = strings.TrimSpace(name)
	if isBareMeasured(name) && f != nil {
		if f.curve == nil { // an order unlike all others, which costs the most calls
			return core.Shuffled{Seed: f.seed}, nil
		}
		return core.Measured{Curve: f.curve}, nil
	}
	p, err := core.ParsePlacement(name)
	kind, value, _ := strings.Cut(name, "=")
	if err == nil || !errors.Is(err, fs.ErrNotExist) || kind == "" {
		return p, err
	}
	published, lookupErr := sweep.LookupPublished(value)
	if lookupErr != nil {
		return nil, err
	}
	curve, err := published.Curve()
	return core.Measured{Curve: curve}, err
}

// sameComparison refuses a folder that holds another journal.
func sameComparison(path string, want compare.Described) error {
	have, err := compare.DescriptionOf(path)
	empty := (*sweep.JournalError)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &empty) && errors.Is(err, compare.ErrNoComparison):
		if reading, readErr := sweep.ReadJournal(path, func(sweep.Record) error { return nil }); readErr == nil && reading.Records == 0 && len(reading.Manifest) == 0 {
			return nil
		}
		return usage("%s holds no comparison: name another folder by --out", path)
	case err != nil:
		return err
	case !have.SameComparison(want):
		return usage("%s holds another comparison (%s, baseline %s, seed %d): name another folder by --out, or give the flags of that one",
			path, have.Model, have.Arms[0].Name, have.Seed)
	}
	return nil
}

// fitted is a curve that was measured on other questions.
type fitted struct {
	curve    *core.Curve    // nil in a dry run
	estimate sweep.Estimate // of the sweep, in a dry run
	share    float64        // of --data that was swept; 0: another file
	seed     uint64
	remarks  []string
}

// chosen says that a question belongs to the split that is swept.
func (f fitted) chosen(id string) bool {
	return float64(core.SeedFor(f.seed, id)>>11)/(1<<53) < f.share
}

// fit sweeps the questions of --fit; nil without them.
func (c *compareCommand) fit(ctx context.Context, s streams, model sweep.Model, server string) (*fitted, error) {
	if c.Fit == "" {
		return nil, nil
	}
	f := &fitted{seed: c.Seed}
	path := c.Fit
	if share, err := strconv.ParseFloat(c.Fit, 64); err == nil {
		if !(share > 0 && share < 1) || math.IsNaN(share) {
			return nil, usage("--fit is %s: a share must be above 0 and below 1", c.Fit)
		}
		f.share, path = share, c.Data
	}
	scorer, err := c.scorer()
	if err != nil {
		return nil, err
	}
	rules, err := c.rules(scorer)
	if err != nil {
		return nil, err
	}
	rules.OneGold, rules.MinDocuments = true, 2
	if f.share > 0 {
		rules.Choose = f.chosen
	}
	dataset, err := c.openLists(rules, path)
	if err != nil {
		return nil, err
	}
	defer dataset.Close()
	source, err := c.fitPlan(dataset, server)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.out, "To fit: %s: %s\n%s\n", show.Line(path), show.Line(dataset.Report().String()), show.Lines(source.Plan.String()))
	if c.DryRun {
		if f.estimate, err = source.Estimate(ctx, c.prices.prices()); err != nil {
			return nil, err
		}
		fmt.Fprintf(s.out, "%s\n\n", show.Line(f.estimate.String()))
		return f, nil
	}
	dir := filepath.Join(c.Out, "fit")
	if err := c.askToFit(ctx, s, dir, source, model); err != nil {
		return nil, err
	}
	result, err := sweep.SummarizeJournal(filepath.Join(dir, journalName), nil)
	if err == nil {
		err = publish(s.out, dir, true, []sweep.Result{result})
	}
	if err != nil {
		return nil, err
	}
	if result.Curve == nil {
		return nil, usage("--fit gives no curve: %s", result.CurveNote)
	}
	fmt.Fprintln(s.out)
	f.curve = result.Curve
	if n := result.Counts.Failed; n > 0 {
		f.remarks = []string{fmt.Sprintf("In the sweep behind the measured placement %s failed: its curve rests on %d of %d questions.",
			show.Count(n, "call"), result.Questions.Complete, result.Questions.Planned)}
	}
	return f, c.spend(filepath.Join(dir, journalName))
}

// askToFit sweeps. Calls that fail leave their questions out of the curve. Once the
// comparison has begun, the curve stands, and what failed is not asked again.
func (c *compareCommand) askToFit(ctx context.Context, s streams, dir string, source sweepSource, model sweep.Model) error {
	path := filepath.Join(dir, journalName)
	if _, err := os.Lstat(filepath.Join(c.Out, journalName)); err == nil {
		switch have, err := sweep.DescriptionOf(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !have.SameSweep(source.described) || have.Questions != source.Questions():
			return usage("%s holds the sweep of a comparison that has begun, with other flags: give those, or name another folder by --out", dir)
		default:
			return nil
		}
	}
	err := c.ask(ctx, s, dir, source.check, source.Len(), func(journal *sweep.Journal, limits sweep.Limits) (sweep.Progress, error) {
		return sweep.Run(ctx, source, model, journal, limits)
	})
	if failed := (*incompleteError)(nil); errors.As(err, &failed) && failed.report {
		return nil
	}
	return err
}

// sum is the estimate of two experiments.
func sum(a, b sweep.Estimate) sweep.Estimate {
	a.Calls += b.Calls
	a.Usage.Prompt += b.Usage.Prompt
	a.Usage.Completion += b.Usage.Completion
	a.Cost += b.Cost
	return a
}

// spend takes what the sweep used off the caps, so that they hold for both.
func (c *compareCommand) spend(path string) error {
	var spent sweep.Spent
	_, err := sweep.ReadJournal(path, func(r sweep.Record) error {
		spent.Add(r.Spent())
		return nil
	})
	if err != nil {
		return err
	}
	cost := c.prices.prices().Cost(spent.Usage)
	for _, limit := range []struct {
		name string
		left float64
		set  bool
	}{
		{"max-calls", float64(c.MaxCalls - spent.Requests), c.MaxCalls > 0},
		{"max-total-tokens", float64(c.MaxTotal - spent.Usage.Prompt - spent.Usage.Completion), c.MaxTotal > 0},
		{"max-cost", c.MaxCost - cost, c.MaxCost > 0},
	} {
		if limit.set && limit.left <= 0 {
			return &incompleteError{reason: "--" + limit.name + " is used up by the sweep of --fit; raise it"}
		}
	}
	if c.MaxCalls > 0 {
		c.MaxCalls -= spent.Requests
	}
	if c.MaxTotal > 0 {
		c.MaxTotal -= spent.Usage.Prompt + spent.Usage.Completion
	}
	if c.MaxCost > 0 {
		c.MaxCost -= cost
	}
	return nil
}

// fitPlan lays out the sweep of --fit in the layout of the baseline.
func (c *compareCommand) fitPlan(dataset *sweep.Dataset, server string) (sweepSource, error) {
	_, layout, err := c.base()
	if err != nil {
		return sweepSource{}, err
	}
	if len(c.Layouts) > 0 {
		layout.Layout = prompt.Layout(c.Layouts[0])
	}
	layout.Budget, layout.Reserve, layout.Unit = 0, 0, ""
	params, err := c.params()
	if err != nil {
		return sweepSource{}, err
	}
	documents := dataset.Report().MinDocuments
	if len(c.TopK) > 0 {
		documents = min(documents, c.TopK[0])
	}
	slots, err := sweep.ParseSlots(c.FitSlots, documents)
	if err != nil {
		return sweepSource{}, err
	}
	plan, err := sweep.NewPlan(dataset, sweep.Settings{
		Model: c.modelName(c.Simulate), Params: params, Documents: documents, Slots: slots, Questions: c.FitLimit, Seed: c.Seed, Prompt: &layout,
	})
	if err != nil {
		return sweepSource{}, err
	}
	return sweepSource{plan, sweep.Described{Manifest: plan.Describe(), Scorer: c.Score, FirstLine: c.FirstLine, Server: server}}, nil
}
