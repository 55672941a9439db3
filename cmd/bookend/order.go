package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// orderCommand holds the flags of `bookend order`.
type orderCommand struct {
	N         *int     `arg:"" optional:"" name:"n" help:"How many documents: the rank that stands in each slot is printed, from the first slot to the last."`
	Placement string   `placeholder:"NAME" help:"${placements}, or measured=FILE. head-tail unless given."`
	Docs      string   `placeholder:"FILE" help:"In place of a number: documents as JSON lines, best first, with text and what else they have: id, score, metadata; - reads standard input."`
	Settings  string   `placeholder:"FILE" help:"Settings, YAML or JSON; the flags win over them."`
	ByScore   bool     `help:"Rank by score instead of by the given order; needs --direction."`
	Direction string   `placeholder:"NAME" help:"higher-is-better or lower-is-better."`
	Threshold *float64 `placeholder:"SCORE" help:"Leave out documents with a worse score; needs --direction."`
	TopK      *int     `name:"top-k" placeholder:"N" help:"Admit N documents at most."`
	Budget    *int     `placeholder:"N" help:"Admit N tokens at most."`
	Tokenizer string   `placeholder:"NAME" help:"What counts tokens: ${tokenizers}. cl100k_base unless given."`
}

// Help is the long text of `bookend order --help`.
func (*orderCommand) Help() string {
	return `To see a placement, and to try one on documents of your own:

    bookend order --placement head-tail 5
    bookend order --docs hits.jsonl --budget 2000 --placement edges-first=3

A line of the file is one document, such as {"id": "a", "text": "…", "score": 0.83, "metadata": {"source": "faq.md", "position": 2}}. The text may also stand under ` + strings.Join(dataset.TextKeys()[1:], ", ") + `, as frameworks write it.`
}

const (
	defaultTokenizer = "cl100k_base"
	maxDocuments     = 100_000  // in one list or prompt
	maxDocLine       = 16 << 20 // bytes of a line
	maxDocBytes      = 64 << 20 // bytes of the file
)

// orderDoc is one document of --docs.
type orderDoc struct {
	ID, Text string
	Score    *float64
	Metadata map[string]any
}

// Run runs `bookend order`.
func (c *orderCommand) Run(ctx context.Context, s streams) error {
	config, count, err := c.config()
	if err != nil {
		return err
	}
	switch {
	case c.N != nil && c.Docs != "":
		return usage("a number and --docs are both given: choose one")
	case c.N == nil && c.Docs == "":
		return usage("nothing says what to order: give a number of documents, or --docs FILE")
	case c.N != nil:
		if *c.N < 0 || *c.N > maxDocuments {
			return usage("the number of documents is %d: it must be from 0 to %d", *c.N, maxDocuments)
		}
		ranks, err := core.Order(config.Placement, *c.N)
		if err != nil {
			return err
		}
		words := make([]string, len(ranks))
		for slot, rank := range ranks {
			words[slot] = strconv.Itoa(rank + 1)
		}
		fmt.Fprintln(s.out, strings.Join(words, " "))
		return nil
	}
	docs, err := readDocs(c.Docs, s.in)
	if err != nil {
		return err
	}
	arranger, err := core.New(config)
	if err != nil {
		return err
	}
	a, err := core.Arrange(ctx, arranger, docs, docView, core.Call{})
	if err != nil {
		return &usageError{err}
	}
	drawArrangement(s.out, a, docs, count)
	return nil
}

var docView = &core.View[orderDoc]{
	Text: func(d orderDoc) string { return d.Text },
	ID:   func(d orderDoc) string { return d.ID },
	Score: func(d orderDoc) (float64, bool) {
		if d.Score == nil {
			return 0, false
		}
		return *d.Score, true
	},
	Meta: func(d orderDoc) map[string]any { return d.Metadata },
}

// config puts the flags on top of the settings, and returns the counter of tokens.
func (c *orderCommand) config() (core.Config, func(string) int, error) {
	read := settings.Settings{}
	if c.Settings != "" {
		var err error
		if read, err = settings.Load(c.Settings, nil); err != nil {
			return core.Config{}, nil, &usageError{err}
		}
	}
	order := &read.Order
	var faults []error
	if c.Placement != "" {
		if err := order.Placement.Set(c.Placement); err != nil {
			faults = append(faults, err)
		}
	}
	if c.ByScore {
		order.Rank = core.ByScore
	}
	order.Direction = core.Direction(cmp.Or(c.Direction, string(order.Direction)))
	if c.Threshold != nil {
		order.Threshold = c.Threshold
	}
	if c.TopK != nil {
		if *c.TopK > maxDocuments { // core refuses one that is negative
			faults = append(faults, usage("--top-k is %d: it must be %d at most", *c.TopK, maxDocuments))
		}
		order.TopK = *c.TopK
	}
	if c.Budget != nil {
		order.Budget, order.Unit = *c.Budget, ""
	}
	count, err := settings.Counter(cmp.Or(c.Tokenizer, read.Tokenizer, defaultTokenizer))
	if err != nil {
		faults = append(faults, err)
	}
	if order.Budget > 0 && order.Unit == "" {
		order.Count = count
	}
	if _, err := core.New(*order); err != nil {
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return core.Config{}, nil, &usageError{err}
	}
	return *order, count, nil
}

// readDocs reads JSON lines from a file; "-" is standard input.
func readDocs(path string, in io.Reader) ([]orderDoc, error) {
	if path == "-" {
		path = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, usage("--docs: %w", err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewScanner(io.LimitReader(in, maxDocBytes+1))
	lines.Buffer(nil, maxDocLine)
	var docs []orderDoc
	size := 0
	for number := 1; lines.Scan(); number++ {
		if size += len(lines.Bytes()) + 1; size > maxDocBytes {
			return nil, usage("--docs: %s is larger than %d MiB", path, maxDocBytes>>20)
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		doc, err := readDoc(line)
		if err != nil {
			return nil, usage("--docs: line %d of %s %w", number, path, err)
		}
		if docs = append(docs, doc); len(docs) > maxDocuments {
			return nil, usage("--docs: %s has more than %d documents", path, maxDocuments)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, usage("--docs: %s: %w (a line may have %d MiB)", path, err, maxDocLine>>20)
	}
	return docs, nil
}

// readDoc reads a document, whose keys may be those of a framework. The error says
// what the line holds and what it must hold.
func readDoc(line []byte) (orderDoc, error) {
	var doc orderDoc
	var found dataset.Document
	fields, err := dataset.ReadDocument(line, &found)
	if err != nil {
		return doc, err
	}
	doc.ID, doc.Text = found.ID, found.Text
	if id, err := strconv.ParseFloat(string(fields["id"]), 64); err == nil && id != math.Trunc(id) {
		return doc, fmt.Errorf("has the id %s: an id is text or a whole number", fields["id"])
	}
	for _, f := range []struct {
		keys []string
		into any
		want string
	}{
		{[]string{"score", "Score"}, &doc.Score, "a number"},
		{[]string{"metadata", "Metadata"}, &doc.Metadata, "an object"},
	} {
		for _, key := range f.keys {
			if raw, ok := fields[key]; ok && json.Unmarshal(raw, f.into) != nil {
				return doc, fmt.Errorf("has a %q that is not %s", key, f.want)
			}
		}
	}
	return doc, nil
}

// drawArrangement draws what stands in each slot, and what was left out and why.
func drawArrangement(to io.Writer, a core.Arrangement, docs []orderDoc, count func(string) int) {
	total := 0
	row := func(slot string, index, rank int, score core.Score, reason, suffix string) []string {
		doc, size := docs[index], "-"
		if len(doc.Text) <= core.DefaultMaxBytes { // a tokenizer takes very long over long texts
			n := count(doc.Text)
			size = strconv.Itoa(n)
			if reason == "" {
				total += n
			}
		}
		what := show.Line(strings.Join(strings.Fields(doc.Text[:min(len(doc.Text), 400)]), " "))
		if id := docView.ID(doc); id != "" {
			what = show.Cut(show.Line(id), 20) + ": " + what
		}
		value := "-"
		if score.Known() {
			value = strconv.FormatFloat(float64(score), 'g', 4, 64)
		}
		if reason != "" {
			what = reason + ": " + what
		}
		what = show.Cut(what, 46-len(suffix)) // so that a line has 80 characters
		return []string{slot, "r" + strconv.Itoa(rank+1), value, size, "  " + what + suffix}
	}
	var rows [][]string
	for slot, p := range a.Slots {
		rows = append(rows, row(strconv.Itoa(slot+1), p.Index, p.Rank, p.Score, "", map[bool]string{true: " (pinned)"}[p.Pinned]))
	}
	for _, d := range a.Dropped {
		rows = append(rows, row("out", d.Index, d.Rank, d.Score, d.Reason.String(), ""))
	}
	fmt.Fprintf(to, "%s: %d in, %d placed, %d left out, %s\n", show.Line(a.Placement), a.N, len(a.Slots), len(a.Dropped), show.Count(total, "token"))
	if len(rows) > 0 {
		last := "  document"
		widest := utf8.RuneCountInString(last)
		for _, r := range rows {
			widest = max(widest, utf8.RuneCountInString(r[4]))
		}
		for _, r := range rows { // the table is flush right, this column is not
			r[4] += strings.Repeat(" ", widest-utf8.RuneCountInString(r[4]))
		}
		last += strings.Repeat(" ", widest-utf8.RuneCountInString(last))
		fmt.Fprintln(to, table.Whole([]string{"slot", "rank", "score", "tokens", last}, rows))
	}
	for _, note := range a.Notes {
		tell(to, "note: "+note)
	}
}
