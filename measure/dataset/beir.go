package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	corpusForm  = `a corpus of BEIR has {"_id":"…","title":"…","text":"…"}`
	queriesForm = `queries of BEIR are {"_id":"…","text":"…"}`
	qrelsForm   = "qrels are query, document and grade, in columns parted by tabs or spaces, or query, 0, document and grade as TREC has them"
	runForm     = "a run of TREC is query, Q0, document, rank, score and name, parted by spaces"
)

// BEIR are the files of a collection in the form of BEIR, and what a retriever found in
// it. Each of them may be gzipped.
type BEIR struct {
	Corpus, Queries io.Reader
	Qrels           io.Reader // which documents answer which query; nil: not known
	Run             io.Reader // what was retrieved, as TREC writes it
	Top             int       // documents of a query, the best first; 0: 100
}

// maxRetrieved bounds the pairs of query and document in a run, which are held in
// memory.
const maxRetrieved = 20_000_000

// FromBEIR writes the queries of a run as lines for Rules.Lists, in the order of the
// queries: documents by score, best first, equal scores by rank; those with a grade
// above 0 are gold. BEIR has no answers but where a query holds "answers" or "answer",
// also in its metadata; the others need Rules.Labels. It reads the corpus as a stream,
// and holds the queries, the run and the texts of the documents in it.
//
// A fault is an *Error whose Path is "corpus", "queries", "qrels" or "run".
func FromBEIR(to io.Writer, from BEIR) (Converted, error) {
	run, err := readRun(from.Run, cmp.Or(from.Top, 100))
	if err != nil {
		return Converted{}, inFile("run", err)
	}
	grades, err := readQrels(from.Qrels)
	if err != nil {
		return Converted{}, inFile("qrels", err)
	}
	documents := map[string]*convertedDocument{}
	for _, list := range run {
		for _, hit := range list {
			documents[hit.document] = nil
		}
	}
	err = eachObject(from.Corpus, func(f fields) error {
		var d convertedDocument
		r := reading{fields: f, form: corpusForm}
		id, ok := idOf(f)
		if !ok {
			r.fail(fmt.Sprintf("has %s, and no \"_id\": %s", f.names(), corpusForm))
			return r.fault
		}
		if _, wanted := documents[id]; !wanted {
			return nil
		}
		r.may("a text", &d.Title, "title")
		r.need("a text", &d.Text, TextKeys()...)
		if r.fault != nil {
			return r.fault
		}
		d.ID = id
		documents[id] = &d
		return nil
	})
	if err != nil {
		return Converted{}, inFile("corpus", err)
	}
	for _, id := range slices.Sorted(maps.Keys(run)) {
		for _, hit := range run[id] {
			if documents[hit.document] == nil {
				return Converted{}, &Error{Path: "run", Rule: fmt.Sprintf("query %q retrieved document %q, which the corpus does not have: give the corpus of this run", id, hit.document), Err: ErrOtherFormat}
			}
		}
	}
	c := conversion{to: bufio.NewWriter(to)}
	err = eachObject(from.Queries, func(f fields) error {
		var line converted
		r := reading{fields: f, form: queriesForm}
		id, ok := idOf(f)
		if !ok {
			r.fail(fmt.Sprintf("has %s, and no \"_id\": %s", f.names(), queriesForm))
			return r.fault
		}
		list, retrieved := run[id]
		if !retrieved {
			return nil // of another split, mostly
		}
		r.need("a text", &line.Question, "text", "query")
		line.Answers = r.answers()
		for _, hit := range list {
			d := *documents[hit.document]
			if from.Qrels != nil {
				gold := grades[id][d.ID] > 0
				d.IsGold = &gold
			}
			line.Contexts = append(line.Contexts, d)
		}
		if r.fault != nil {
			return r.fault
		}
		delete(run, id)
		return c.write(line)
	})
	if err == nil && len(run) > 0 {
		missing := slices.Min(slices.Collect(maps.Keys(run)))
		err = &Error{Rule: fmt.Sprintf("has no query %q, nor %d others of the run: give the queries of this run", missing, len(run)-1), Err: ErrOtherFormat}
	}
	if err != nil {
		return c.counts, inFile("queries", err)
	}
	return c.counts, c.to.Flush()
}

// answers reads those of a query, if it has any.
func (r *reading) answers() []string {
	var answers texts
	r.may("a text, or a list of texts", &answers, "answers", "answer")
	var meta fields
	if len(answers) == 0 {
		r.may("an object", &meta, "metadata")
		if key, value, ok := meta.first("answers", "answer"); ok {
			r.read("a text, or a list of texts", &answers, key, value)
		}
	}
	return answers
}

// idOf reads the ID of a document or a query.
func idOf(f fields) (string, bool) {
	_, raw, ok := f.first("_id", "id")
	if !ok {
		return "", false
	}
	id, ok := asID(raw)
	return id, ok && id != ""
}

func inFile(name string, err error) error {
	e := asError(err, "cannot be read")
	if e.Path == "" {
		e.Path = name
	}
	return e
}

// hit is a document of a run.
type hit struct {
	document string
	rank     int
	score    float64
}

// readRun reads the best documents of each query.
func readRun(from io.Reader, top int) (map[string][]hit, error) {
	run, pairs := map[string][]hit{}, 0
	err := eachRow(from, func(row []string) string {
		if len(row) != 6 {
			return fmt.Sprintf("has %d columns, and 6 are needed: %s", len(row), runForm)
		}
		rank, err := strconv.Atoi(row[3])
		score, err2 := strconv.ParseFloat(row[4], 64)
		if err != nil || err2 != nil || math.IsNaN(score) {
			return fmt.Sprintf("has the rank %.40q and the score %.40q, and both must be numbers: %s", row[3], row[4], runForm)
		}
		if pairs++; pairs > maxRetrieved {
			return fmt.Sprintf("is one pair of query and document too many; %d are allowed", maxRetrieved)
		}
		run[row[0]] = append(run[row[0]], hit{row[2], rank, score})
		return ""
	})
	if err != nil {
		return nil, err
	}
	if len(run) == 0 {
		return nil, &Error{Rule: "is empty", Err: ErrNoCase}
	}
	for id, list := range run {
		slices.SortStableFunc(list, func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank))
		})
		known, best := map[string]bool{}, list[:0]
		for _, h := range list {
			if !known[h.document] && len(best) < top {
				known[h.document] = true
				best = append(best, h)
			}
		}
		run[id] = slices.Clip(best)
	}
	return run, nil
}

// readQrels reads the grade of each document for each query.
func readQrels(from io.Reader) (map[string]map[string]int, error) {
	grades := map[string]map[string]int{}
	if from == nil {
		return grades, nil
	}
	first := true
	err := eachRow(from, func(row []string) string {
		header := first
		first = false
		if len(row) == 4 {
			row = []string{row[0], row[2], row[3]}
		}
		if len(row) != 3 {
			return fmt.Sprintf("has %d columns: %s", len(row), qrelsForm)
		}
		grade, err := strconv.Atoi(row[2])
		if err != nil {
			if header {
				return "" // query-id, corpus-id, score
			}
			return fmt.Sprintf("has the grade %.40q, and it must be a whole number: %s", row[2], qrelsForm)
		}
		if grades[row[0]] == nil {
			grades[row[0]] = map[string]int{}
		}
		grades[row[0]][row[1]] = grade
		return ""
	})
	return grades, err
}

// eachRow calls do for the columns of each line that is not blank. What do returns is
// what is wrong with the line.
func eachRow(from io.Reader, do func(row []string) (fault string)) error {
	plain, _, err := unzipped(from, maxConverted)
	if err != nil {
		return err
	}
	for lines := newLineReader(plain, 64<<10); ; {
		line, _, err := lines.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return asError(err, "cannot be read")
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if fault := do(strings.Fields(string(line))); fault != "" {
			return &Error{Line: lines.Number, Rule: fault, Err: ErrOtherFormat}
		}
	}
}
