package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// lists are the flags that say which lists of a retriever are taken.
type lists struct {
	Data   string `group:"What is asked" placeholder:"FILE" help:"What the retriever returned: JSON lines with question, answers and ctxs, best first, plain or gzipped."`
	Labels string `group:"What is asked" placeholder:"FILE" help:"Answers for recorded lines that have none: JSON lines with question and answers, and perhaps gold, the IDs of the documents that hold them."`
}

// compareCommand holds the flags of `bookend compare`.
type compareCommand struct {
	lists
	Simulate string  `group:"What is asked" placeholder:"NAME" help:"Ask no model but a simulated reader, offline and free; without --data over made-up lists of as many documents as it is known for."`
	Decay    float64 `group:"What is asked" default:"0.5" help:"In simulated lists each rank holds the answer so many times as often as the one before."`

	Placements    []string `group:"What is compared" default:"ranked,head-tail,reversed" help:"The orders: ${placements}, or measured=CURVE, which takes a curve file or a published curve. The first is the baseline."`
	Layouts       []string `group:"What is compared" placeholder:"NAME" help:"instruction-first (unless given), question-last, query-aware or bookend. With several layouts every placement is asked in each."`
	TopK          []int    `group:"What is compared" name:"top-k" placeholder:"K" help:"Take the K best documents of each list only. With several numbers every placement is asked with each."`
	Reuse         []string `group:"What is compared" placeholder:"hold=N|worth=POINTS" help:"Compare also the baseline with reuse (bookend help reuse): hold=N keeps the best N documents in their slots; worth=POINTS gives up so many points of accuracy for documents that all come from the cache, and fewer for less. May be given again."`
	ReuseAfter    string   `group:"What is compared" placeholder:"FILE" help:"Requests that came before, such as recorded traffic with texts: --reuse remembers them. Without it, it remembers the lists that stand before in --data."`
	ReuseCurve    string   `group:"What is compared" placeholder:"FILE|NAME" help:"The curve that --reuse worth=POINTS prices the slots by."`
	Settings      string   `group:"What is compared" placeholder:"FILE" help:"Your own settings, YAML or JSON (docs/settings.md): what every arm shares. A setting that changes no prompt here is refused by name."`
	Format        string   `group:"What is compared" placeholder:"NAME" help:"Form of a document: titled (unless given), numbered, xml or markdown."`
	LabelBy       string   `group:"What is compared" name:"label-by" placeholder:"rank|slot|id" help:"What the documents' numbers mean: rank (unless given), slot, or id, which --reuse needs."`
	Instruction   string   `group:"What is compared" placeholder:"FILE" help:"A file with the instruction, in place of our own."`
	Fit           string   `group:"What is compared" placeholder:"FILE|SHARE" help:"First sweep some questions, those of a file or a share of --data such as 0.4. Then compare, on the other questions, also the placement that this curve asks for."`
	FitLimit      int      `group:"What is compared" placeholder:"N" help:"Sweep N of them only."`
	FitSlots      string   `group:"What is compared" default:"all" help:"Slots of that sweep, counted from 1: all, how many, or a list."`
	By            string   `group:"What is compared" placeholder:"FIELD" help:"A verdict of its own for each value of this field of a line, such as language or tenant; documents is the length of the list. All verdicts share one error rate. Values with fewer than 50 questions are taken together."`
	SameQuestions bool     `group:"What is compared" help:"Allow a curve that was fitted on the questions compared here. Every output then says so."`

	UntilDecided bool     `group:"When it ends" help:"Look after every question, and stop once the verdict is known. Without it, all questions are asked."`
	Worthwhile   float64  `group:"When it ends" default:"3" placeholder:"POINTS" help:"The smallest gain that matters, in points: 3 unless given. \"keep\" means that a gain that large is excluded."`
	NoWorse      *float64 `group:"When it ends" name:"no-worse" placeholder:"POINTS" help:"Find also the cheapest prompt that loses less than so many points. The baseline then has the most documents of --top-k."`
	Alpha        float64  `group:"When it ends" default:"0.05" help:"How often \"reorder\" may be wrong, and \"keep\", and \"as good\": each in that share of comparisons at most."`

	Limit      int    `group:"How much" placeholder:"N" help:"Ask N questions at most. All unless given; 1000 in a simulation."`
	Seed       uint64 `group:"How much" default:"1" help:"Order of the questions, and the shuffles."`
	Shuffles   int    `group:"How much" default:"3" help:"How often the documents are also asked in random order, as a control."`
	Repeats    int    `group:"How much" default:"1" help:"How often the baseline is asked again, to see how much answers vary by themselves (the noise floor)."`
	Controls   int    `group:"How much" default:"50" placeholder:"N" help:"Ask shuffles and repeats on the first N questions alone, since they enter no verdict; 50 unless given."`
	Round      int    `group:"How much" default:"100" placeholder:"N" help:"Questions of a round, where --until-decided goes by batches; 100 unless given."`
	Unanswered string `group:"How much" enum:"drop,wrong" default:"drop" help:"What a failed or refused call does: drop leaves its question out of every arm, wrong counts it as wrong in its own. It is told either way."`

	experiment
}

// Help is the long text of `bookend compare --help`.
func (*compareCommand) Help() string {
	return `Each question is asked with the same documents in the order of each placement. The answer is one word: "reorder" where another placement gets more answers right, "keep" where none gains enough to matter, else "inconclusive"; with --no-worse also "as good" for a cheaper prompt that loses too little to matter.

A line of --data is what your retriever returned for one question, best first. Where no document is marked with "isgold", those that hold an answer are found by their text:

    ` + dataset.ListFormat + `

core/record writes such lines in a running chain; --labels adds the answers. A first look, offline and free:

    bookend compare --simulate llama-2-70b-chat-repo --until-decided --out /tmp/compare

Then your own model, stopping as soon as the answer is known:

    bookend compare --data lists.jsonl --model NAME --base-url http://127.0.0.1:8080/v1 --until-decided --max-calls 3000 --out DIR

DIR/settings.json holds the settings to use, as both adapters take them: those that won, or else the baseline's.`
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
	if c.Fit == "" && (c.FitLimit != 0 || c.FitSlots != "all") {
		fault("--fit-limit and --fit-slots are about the sweep of --fit, which is not given: leave them out")
	}
	if c.Data != "" && c.Decay != 0.5 {
		fault("--decay is about simulated lists, and --data has lists: leave it out")
	}
	if c.Fit != "" && c.Data == "" {
		fault("--fit measures on questions of a file: give --data, too")
	}
	if c.UntilDecided && c.BatchOut != "" && c.Out == "" {
		fault("--until-decided goes by batches in rounds: give --out, whose journal says what the rounds before have found")
	}
	if c.Fit != "" && (c.BatchOut != "" || c.BatchIn != nil) {
		fault("--fit asks before it compares, which a batch cannot: run `bookend sweep` first, and give its curve as measured=FILE")
	}
	if !(c.Worthwhile > 0 && c.Worthwhile < 100) {
		fault("--worthwhile is %v: it must be above 0 and below 100 points", c.Worthwhile)
	}
	if c.NoWorse != nil && !(*c.NoWorse > 0 && *c.NoWorse < 100) {
		fault("--no-worse is %v: it must be above 0 and below 100 points", *c.NoWorse)
	}
	if c.By != "" && c.Data == "" {
		fault("--by names a field of --data: give both")
	}
	if !(c.Alpha > 0 && c.Alpha < 1) {
		fault("--alpha is %v: it must be above 0 and below 1", c.Alpha)
	}
	for _, k := range c.TopK {
		faults = append(faults, countFlag{"top-k", k, 1, maxDocuments}.check())
	}
	for _, n := range []countFlag{
		{"limit", c.Limit, 0, maxCount},
		{"fit-limit", c.FitLimit, 0, maxCount},
		{"shuffles", c.Shuffles, 0, 0},
		{"repeats", c.Repeats, 0, 0},
		{"controls", c.Controls, 0, maxCount},
		{"round", c.Round, 1, maxCount},
	} {
		faults = append(faults, n.check())
	}
	return errors.Join(append(faults, c.experiment.check(c.Simulate != ""))...)
}

// Run runs `bookend compare`.
func (c *compareCommand) Run(ctx context.Context, s streams) error {
	if err := errors.Join(knownReader(c.Simulate), c.check()); err != nil {
		return err
	}
	if _, err := c.base(); err != nil { // before anything is asked
		return err
	}
	model, server, err := c.model(s, c.Simulate, c.Seed)
	if err != nil {
		return err
	}
	if c.Simulate != "" {
		fmt.Fprintf(s.out, "SIMULATED: no model is asked; nothing below is a measurement.\n\n")
	}
	judge, err := c.grader(s)
	if err != nil {
		return err
	}
	defer judge.close()
	fitted, err := c.fit(ctx, s, judge, model, server)
	if err != nil {
		return err
	}
	var lists *dataset.Dataset
	if err := unlessSoon(s, "Reading "+c.Data, func() (err error) {
		lists, err = c.open(fitted)
		return err
	}); err != nil {
		return err
	}
	defer lists.Close()
	plan, described, err := c.plan(lists, fitted)
	if err != nil {
		return err
	}
	described.Server, described.Judge, described.JudgePrices = server, judge.describe(), judge.prices
	var estimate run.Estimate
	if err := unlessSoon(s, "Counting what the prompts hold", func() (err error) {
		estimate, err = plan.Estimate(ctx, c.prices.prices())
		return err
	}); err != nil {
		return err
	}
	if c.Data != "" {
		tell(s.out, c.Data+": "+lists.Report().String())
	}
	tellAll(s.out, plan.String(), estimate.String())
	if estimate, err = c.foresee(s, plan, judge, estimate); err != nil {
		return err
	}
	if c.UntilDecided {
		if err := c.foretell(s, plan, described, estimate); err != nil {
			return err
		}
	}
	if c.DryRun {
		if fitted != nil {
			estimate = sum(estimate, fitted.estimate)
		}
		c.foreseeCaps(s, estimate)
		fmt.Fprintln(s.out, "\nDry run: nothing was asked, spent or written.")
		return nil
	}
	return c.carryOut(ctx, s, lists, plan, described, judge, model)
}

// carryOut asks, by batch or at once, and reports.
func (c *compareCommand) carryOut(ctx context.Context, s streams, lists *dataset.Dataset, plan *compare.Plan, described compare.Described, judge grading, client model.Model) error {
	same := func(path string) error { return sameComparison(path, described) }
	ask := func(m model.Model) func(*journal.Journal, run.Limits) (run.Progress, error) {
		return func(j *journal.Journal, limits run.Limits) (run.Progress, error) {
			return compare.Run(ctx, plan, described, m, j, limits)
		}
	}
	settings := plan.Settings()
	var err error
	switch {
	case c.BatchOut != "":
		source := func(journal *journal.Journal) (run.Source, error) {
			if !c.UntilDecided {
				return plan, nil
			}
			return compare.Noted(plan, described, journal)
		}
		return c.writeBatch(s, source, settings.Model, settings.Params, same)
	case c.BatchIn != nil:
		described.Server = "by batch"
		err = c.readBatches(s, same, func(journal *journal.Journal) (run.Source, error) { return compare.Noted(plan, described, journal) })
		err = c.judgeBatch(ctx, s, judge, err, same, plan.Len(), ask(judge.of(nil)))
	default:
		err = c.ask(ctx, s, c.Out, same, plan.Len(), ask(judge.of(client)))
	}
	failed := (*incompleteError)(nil)
	if err != nil && !(errors.As(err, &failed) && failed.report) {
		return err
	}
	result, err := compare.SummarizeJournal(filepath.Join(c.Out, journalName), nil)
	if err == nil && c.WithQuestions {
		err = fillComparison(&result, lists)
	}
	if err == nil {
		err = publishComparison(s.out, c.folder(c.Out, result.Scorer+", "+result.JudgedBy), result)
	}
	if err == nil && failed != nil {
		return failed
	}
	return err
}

// noWorse is the loss that is allowed, in points; 0 where it is not asked for.
func (c *compareCommand) noWorse() float64 {
	if c.NoWorse == nil {
		return 0
	}
	return *c.NoWorse
}

// lag is the size of a round of batches; 0 for a run.
func (c *compareCommand) lag() int {
	if c.UntilDecided && (c.BatchOut != "" || c.BatchIn != nil) {
		return c.Round
	}
	return 0
}

// foretell says what a comparison that stops at its word will probably cost.
func (c *compareCommand) foretell(s streams, plan *compare.Plan, described compare.Described, all run.Estimate) error {
	discordance, known := usualDiscordance, "as models commonly have it"
	if seen, err := compare.SummarizeJournal(filepath.Join(c.Out, journalName), nil); c.Out != "" && err == nil {
		most := 0.0
		for _, a := range seen.Arms {
			if a.Kind == compare.Challenger && a.Against != nil && a.Against.N() >= seenEnough {
				most = max(most, a.Against.Discordance)
			}
		}
		if most > 0 {
			discordance, known = most, "as it is so far"
		}
	}
	cases, err := plan.Likely(described, discordance)
	if err != nil {
		return err
	}
	if len(cases) == 0 {
		if slices.ContainsFunc(described.Arms, func(a compare.ArmInfo) bool { return a.Kind == compare.Challenger && a.Identical == "" }) {
			tell(s.out, "It ends once decided, and may then take far fewer calls. How many is not foretold for so many kinds and arms.")
		}
		return nil
	}
	tell(s.out, fmt.Sprintf("Likely calls, at most, if two arms differ on %s of the questions, %s:", show.Percent(discordance), known))
	gain := "true gain of an arm"
	switch {
	case slices.ContainsFunc(cases, func(l compare.Likely) bool { return l.Gain < 0 }):
		gain = "true gain of the cheapest"
	case c.By != "":
		gain = "true gain in one kind"
	}
	columns := []string{gain, "in half of runs", "in 9 of 10 runs", "no verdict in"}
	calls := func(n int) string {
		text := show.Count(n, "call")
		if all.Priced && all.Calls > 0 {
			text += fmt.Sprintf(" (cost %.2f)", all.Cost/float64(all.Calls)*float64(n))
		}
		return text
	}
	if c.lag() > 0 {
		columns = append(columns, "rounds")
	}
	var rows [][]string
	for _, l := range cases {
		row := []string{"none", calls(l.Calls), calls(l.Ninth), show.Percent(1 - l.Decided)}
		if l.Gain != 0 {
			row[0] = strings.Replace(fmt.Sprintf("%.3g points", 100*l.Gain), "-", "−", 1)
		}
		if c.lag() > 0 {
			row = append(row, fmt.Sprintf("about %d", (l.Questions+c.Round-1)/c.Round))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(s.out, table.Text(columns, rows))
	return nil
}

const (
	usualDiscordance = 0.15
	seenEnough       = 20 // questions, for a discordance of one's own
)

// rules opens the lists of the flags.
func (l lists) rules(scorer judge.Scorer) (dataset.Rules, error) {
	r := dataset.Rules{Lists: true, Scorer: scorer}
	if l.Labels == "" {
		return r, nil
	}
	var err error
	r.Labels, err = dataset.ReadLabels(l.Labels)
	return r, err
}

func (c *compareCommand) open(f *fitted) (*dataset.Dataset, error) {
	scorer, err := c.scorer()
	if err != nil {
		return nil, err
	}
	if c.Data == "" {
		accuracy, err := simulate.Accuracy(c.Simulate, 0)
		if err != nil {
			return nil, forFlag("--simulate", err)
		}
		questions := c.Limit
		if questions == 0 {
			questions = simulatedLists
		}
		return dataset.SimulatedLists(c.Seed, questions, len(accuracy), c.Decay)
	}
	rules, err := c.rules(scorer)
	if err != nil {
		return nil, err
	}
	rules.By = c.By
	if f != nil && f.share > 0 {
		rules.Choose = func(id string) bool { return !f.chosen(id) }
	}
	return c.openLists(rules, c.Data)
}

// noAnswers is in the error for lines that have no answers at all.
var noAnswers = regexp.MustCompile(string(dataset.NoAnswer) + ` \([^:]*\)`)

// openLists opens a file, and names the flag that recorded lists need.
func (l lists) openLists(rules dataset.Rules, path string) (*dataset.Dataset, error) {
	data, err := rules.Open(path)
	if errors.Is(err, dataset.ErrNoCase) && l.Labels == "" && noAnswers.MatchString(err.Error()) {
		return nil, fmt.Errorf("%w; recorded lines have none: give them by --labels", err)
	}
	return data, err
}

// plan makes the arms and lays out what is asked.
func (c *compareCommand) plan(lists *dataset.Dataset, f *fitted) (*compare.Plan, compare.Described, error) {
	arms, curves, err := c.arms(f, lists.Report().MinDocuments)
	if err != nil {
		return nil, compare.Described{}, err
	}
	params, err := c.params()
	if err != nil {
		return nil, compare.Described{}, err
	}
	settings := compare.Settings{
		Model: c.modelName(c.Simulate), Params: params, Arms: arms, Questions: c.Limit, Seed: c.Seed,
		Shuffles: c.Shuffles, Repeats: c.Repeats, Controls: c.Controls,
	}
	if settings.Shuffles == 0 {
		settings.Shuffles = -1 // 0 means the default there
	}
	if settings.Repeats == 0 {
		settings.Repeats = -1
	}
	if settings.Controls == 0 {
		settings.Shuffles, settings.Repeats = -1, -1
	}
	plan, err := compare.NewPlan(lists, settings)
	if err != nil {
		return nil, compare.Described{}, err
	}
	d := compare.Described{
		Manifest: plan.Describe(), Rule: evidence.Rule{Alpha: c.Alpha, Worthwhile: c.Worthwhile / 100, NoWorse: c.noWorse() / 100},
		UntilDecided: c.UntilDecided, Lag: c.lag(), Unanswered: compare.Unanswered(c.Unanswered),
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

// sameComparison refuses a folder that holds another journal.
func sameComparison(path string, want compare.Described) error {
	have, err := compare.DescriptionOf(path)
	empty := (*journal.Error)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &empty) && errors.Is(err, compare.ErrNoComparison):
		if reading, readErr := journal.Read(path, func(journal.Record) error { return nil }); readErr == nil && reading.Records == 0 && len(reading.Manifest) == 0 {
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
