package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// estimateCommand holds the flags of `bookend estimate`.
type estimateCommand struct {
	lists
	Curve      string   `required:"" placeholder:"FILE|NAME" help:"A curve file of bookend sweep or bookend curve, or a published curve such as gpt-3.5-turbo; an unknown name is answered with all names."`
	Placements []string `default:"ranked,head-tail,tail-head,reversed,measured" help:"The orders: ${placements}. The first is the baseline; measured goes by --curve."`
	TopK       int      `name:"top-k" placeholder:"K" help:"Take the K best documents of each list only."`
	Worthwhile float64  `default:"3" placeholder:"POINTS" help:"The smallest gain that matters, in points: 3 unless given."`
	Share      float64  `placeholder:"SHARE" help:"Say how many right answers it costs to give that share of requests, such as 0.01, a random order, as bookend curve needs."`
	Score      string   `placeholder:"NAME" help:"How the answer is found in documents where none is marked: best-subspan (unless given), exact, regexp, numeric or token-f1."`
	Out        string   `placeholder:"DIR" help:"Folder for estimate.json; none is written unless given."`
	Force      bool     `help:"Overwrite it."`
}

// Help is the long text of `bookend estimate --help`.
func (*estimateCommand) Help() string {
	return `Where your retriever puts the answer, and how well each slot is read, give how many answers should be right in each order. This is arithmetic under assumptions that are told, and says whether a comparison is worth its cost.

    bookend estimate --data lists.jsonl --curve DIR/curve.json
    bookend estimate --data lists.jsonl --curve gpt-3.5-turbo

Of a published curve, the one with a number of documents near to that of your lists is taken; gpt-3.5-turbo/20 takes that of 20.

A line of --data is what your retriever returned for one question, best first:

    ` + dataset.ListFormat
}

// Run runs `bookend estimate`.
func (c *estimateCommand) Run(ctx context.Context, s streams) error {
	if c.Data == "" {
		return usage("--data is missing: give what your retriever returned, JSON lines such as %s", dataset.ListFormat)
	}
	if !(c.Worthwhile > 0 && c.Worthwhile < 100) {
		return usage("--worthwhile is %v: it must be above 0 and below 100 points", c.Worthwhile)
	}
	if !(c.Share >= 0 && c.Share <= 1) {
		return usage("--share is %v: it must be from 0 to 1, such as 0.01", c.Share)
	}
	if err := (countFlag{"top-k", c.TopK, 0, maxDocuments}).check(); err != nil {
		return err
	}
	scorer, err := judging{Score: c.Score}.scorer()
	if err != nil {
		return err
	}
	rules, err := c.rules(scorer)
	if err != nil {
		return err
	}
	var data *dataset.Dataset
	if err := unlessSoon(s, "Reading "+c.Data, func() (err error) {
		data, err = c.openLists(rules, c.Data)
		return err
	}); err != nil {
		return err
	}
	defer data.Close()
	documents := data.Report().MinDocuments
	if c.TopK > 0 {
		documents = min(documents, c.TopK)
	}
	reading, curve, err := readCurve(c.Curve, documents)
	if err != nil {
		return err
	}
	var arms []compare.Arm
	for _, name := range c.Placements {
		p, err := parsePlacement(name, &fitted{curve: curve}, documents)
		if err != nil {
			return err
		}
		arms = append(arms, compare.Arm{Name: strings.TrimSpace(name), Order: core.Config{Placement: core.Choice{Placement: p}, TopK: c.TopK}})
	}
	e, err := compare.Estimate(ctx, data, arms, reading, c.Worthwhile/100)
	if err != nil {
		return err
	}
	c.print(s, data.Report(), curve, e)
	if c.Out == "" {
		return nil
	}
	text, err := asJSON(e)
	if err != nil {
		return err
	}
	return safefile.Write(c.Out, c.Force, safefile.File{Name: "estimate.json", Data: text})
}

// noCurve says of the value of a flag that it is neither a file nor a published curve.
func noCurve(flag, name string) error {
	return usage("%s: there is no file %q, and as the name of a published curve %s", flag, name, published.Unknown(name))
}

// readCurve reads a curve file, or looks up a published curve for prompts of so many
// documents.
func readCurve(name string, documents int) (compare.Reading, *core.Curve, error) {
	curve, err := core.LoadCurve(name)
	if err == nil {
		reading, err := compare.ReadingOf(curve, name)
		return reading, curve, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return compare.Reading{}, nil, err
	}
	published, unknown := published.Lookup(name, documents)
	if unknown != nil {
		return compare.Reading{}, nil, noCurve("--curve", name)
	}
	curve, err = simulate.CurveOf(published)
	return compare.ReadingOfPublished(published), curve, err
}

// simulatedCurve says that a curve is that of a simulated reader; empty for others.
func simulatedCurve(c *core.Curve) string {
	if !strings.HasPrefix(c.Model, model.SimulatedPrefix) {
		return ""
	}
	return "The curve is that of a simulated reader: it says nothing about your model."
}

func (c *estimateCommand) print(s streams, report dataset.Report, curve *core.Curve, e compare.Estimated) {
	fmt.Fprintf(s.out, "%s\n", narrow(show.Line(e.Finding)+"\n"))
	tellAll(s.out, show.Line(c.Data)+": "+report.String(), "curve: "+e.Curve)
	if note := simulatedCurve(curve); note != "" {
		tellAll(s.out, note)
	}
	fmt.Fprintln(s.out)
	fmt.Fprintf(s.out, "Where the answer stood in the lists\n\n%s\n\n", table.Text([]string{"rank", "lists", "share"}, rankRows(e)))
	var rows [][]string
	for i, a := range e.Arms {
		gain, noise := "", ""
		if i > 0 {
			gain = show.Signed(100 * a.Gain)
			if a.Error > 0 {
				noise = fmt.Sprintf("± %.1f", 200*a.Error)
			}
		}
		rows = append(rows, []string{a.Name, show.Percent(a.Accuracy), gain, noise, fmt.Sprintf("%.0f %%", 100*a.Slots)})
	}
	fmt.Fprintln(s.out, table.Text([]string{"placement", "right", "points", "noise", "mean place of the answer"}, rows))
	fmt.Fprintf(s.out, "\n%s", narrow("Points: the difference to "+show.Line(e.Arms[0].Name)+", in right answers of 100. Noise: how far the curve may mislead, as two standard errors. Place: 0 % is the first slot, 100 % the last.\n"))
	if curve.Kind == core.CurveOfUse {
		fmt.Fprintf(s.out, "\n%s", narrow("The curve says what answers cite (bookend curve), not what is right. The figures are shares of the best slot.\n"))
	}
	if c.Share > 0 {
		loss := e.Arms[0].Accuracy - e.Shuffled
		fmt.Fprintf(s.out, "\n%s", narrow(fmt.Sprintf("In random order the estimate is %s: each shuffled request costs %.2f points against %s, and a share of %g %% costs %.3f points over all.\n",
			show.Percent(e.Shuffled), 100*loss, show.Line(e.Arms[0].Name), 100*c.Share, 100*loss*c.Share)))
	}
	if e.Note != "" {
		fmt.Fprintf(s.out, "\n%s", narrow(show.Line(e.Note)+"\n"))
	}
	fmt.Fprintf(s.out, "\nAn estimate by arithmetic; it assumes that\n")
	for _, a := range compare.Assumptions {
		fmt.Fprintf(s.out, "  - %s\n", a)
	}
}

// rankRows says where the retriever put the answer.
func rankRows(e compare.Estimated) [][]string {
	share := func(n int) string { return show.Percent(float64(n) / float64(e.Lists)) }
	var rows [][]string
	rest := 0
	for rank, n := range e.Ranks {
		if rank < 10 {
			rows = append(rows, []string{strconv.Itoa(rank + 1), strconv.Itoa(n), share(n)})
		} else {
			rest += n
		}
	}
	if rest > 0 {
		rows = append(rows, []string{"11 or worse", strconv.Itoa(rest), share(rest)})
	}
	if none := e.Lists - e.WithGold; none > 0 {
		rows = append(rows, []string{"in no document", strconv.Itoa(none), share(none)})
	}
	return rows
}
