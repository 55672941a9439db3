package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/internal/nearest"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// dataCommand holds the flags of `bookend data`.
type dataCommand struct {
	From  string   `arg:"" help:"What the files are: beir, hotpotqa, msmarco or ragas."`
	Files []string `arg:"" name:"file" help:"The file; for beir four: the corpus, the queries, the qrels (relevance judgements) and a run in TREC's form. Plain or gzipped."`
	Top   int      `default:"100" help:"Documents of a question at most, the best of a run first; for beir."`
	Out   string   `placeholder:"FILE" help:"Where the lines go; standard output unless given."`
	Force bool     `help:"Overwrite that file."`
}

// Help is the long text of `bookend data --help`.
func (*dataCommand) Help() string {
	return `The lines are those that compare, estimate and sweep read:

    ` + dataset.ListFormat + `

    bookend data hotpotqa hotpot_dev_distractor_v1.json --out lists.jsonl
    bookend data msmarco dev.jsonl --out lists.jsonl
    bookend data ragas testset.jsonl --out lists.jsonl
    bookend data beir corpus.jsonl queries.jsonl qrels/test.tsv run.trec --out lists.jsonl

Each is read as a stream, one question at a time; of a corpus only the documents of the run are held. Documents that the collection marks are "isgold". Questions without answers, as BEIR has them, need the answers by --labels of compare and estimate.`
}

// Run runs `bookend data`.
func (c *dataCommand) Run(s streams) error {
	from := strings.ToLower(strings.TrimSpace(c.From))
	converters := map[string]func(io.Writer, io.Reader) (dataset.Converted, error){
		"hotpotqa": dataset.FromHotpotQA, "msmarco": dataset.FromMSMARCO, "ragas": dataset.FromRAGAS,
	}
	convert, single := converters[from]
	switch {
	case from != "beir" && !single:
		return usage("%q is not a known collection: give beir, hotpotqa, msmarco or ragas%s", show.Line(c.From), nearest.Hint(from, []string{"beir", "hotpotqa", "msmarco", "ragas"}))
	case single && len(c.Files) != 1:
		return usage("%s is one file, and here there are %d", from, len(c.Files))
	case !single && len(c.Files) != 4:
		return usage("beir needs four files, and here there are %d: the corpus, the queries, the qrels and the run, in this order", len(c.Files))
	case c.Top < 1:
		return usage("--top is %d: it must be 1 or more", c.Top)
	}
	files := make([]io.Reader, len(c.Files))
	for i, name := range c.Files {
		file, err := os.Open(name)
		if err != nil {
			return usage("%w", err)
		}
		defer file.Close()
		files[i] = file
	}
	var done dataset.Converted
	write := func(to io.Writer) (err error) {
		if single {
			done, err = convert(to, files[0])
		} else {
			done, err = dataset.FromBEIR(to, dataset.BEIR{Corpus: files[0], Queries: files[1], Qrels: files[2], Run: files[3], Top: c.Top})
		}
		return c.named(err)
	}
	var err error
	if c.Out == "" {
		err = write(s.out)
	} else {
		err = safefile.Stream(c.Out, c.Force, write)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "%s written", show.Count(done.Written, "question"))
	for _, part := range []struct {
		n    int
		what string
	}{
		{done.LeftOut, "left out, without text or documents"},
		{done.WithoutGold, "with no document marked as the answer's"},
		{done.WithoutAnswers, "without answers: give them by --labels"},
	} {
		if part.n > 0 {
			fmt.Fprintf(s.err, "; %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(s.err)
	if done.Written == 0 {
		return usage("no question could be used")
	}
	return nil
}

// named puts the path of the file into an error that names none, or what it is of BEIR's.
func (c *dataCommand) named(err error) error {
	if e, ok := err.(*dataset.Error); ok {
		e.Path = c.Files[max(slices.Index([]string{"corpus", "queries", "qrels", "run"}, e.Path), 0)]
	}
	return err
}
