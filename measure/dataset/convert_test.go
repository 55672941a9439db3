package dataset

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func known(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "known", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func beir(t *testing.T) BEIR {
	t.Helper()
	return BEIR{Corpus: known(t, "corpus.jsonl"), Queries: known(t, "queries.jsonl"), Qrels: known(t, "qrels.tsv"), Run: known(t, "run.trec")}
}

// Each collection becomes lists of a question, answers, documents and gold ones.
func TestConvert(t *testing.T) {
	t.Parallel()
	type list struct {
		question string
		answers  []string
		texts    []string
		golds    []int
	}
	hotpot := []list{
		{"In which country does the river rise that the town of Velden lies on?", []string{"Norland"}, []string{"Velden is a town on the Brook Aar. It has a mill.", "Tomar is a castle.", "The Brook Aar is 30 km long. It rises in Norland."}, []int{0, 2}},
		{"Is Tomar older than the mill of Velden?", []string{"yes"}, []string{"Tomar was built in 1160.", "The mill is of 1402."}, []int{0}},
	}
	marco := []list{{"how long does bread rise", []string{"About one hour."}, []string{"Bread is made of flour.", "Let the bread rise about one hour."}, []int{1}}}
	for name, test := range map[string]struct {
		convert func(io.Writer) (Converted, error)
		counts  Converted
		want    []list
	}{
		"hotpotqa":          {func(w io.Writer) (Converted, error) { return FromHotpotQA(w, known(t, "hotpotqa.json")) }, Converted{Written: 2}, hotpot},
		"hotpotqa, columns": {func(w io.Writer) (Converted, error) { return FromHotpotQA(w, known(t, "hotpotqa-columns.jsonl")) }, Converted{Written: 2}, hotpot},
		"msmarco":           {func(w io.Writer) (Converted, error) { return FromMSMARCO(w, known(t, "msmarco.jsonl")) }, Converted{Written: 2, WithoutAnswers: 1, WithoutGold: 1}, marco},
		"msmarco, columns":  {func(w io.Writer) (Converted, error) { return FromMSMARCO(w, known(t, "msmarco-columns.jsonl")) }, Converted{Written: 2, WithoutAnswers: 1, WithoutGold: 1}, marco},
		"ragas": {
			func(w io.Writer) (Converted, error) { return FromRAGAS(w, known(t, "ragas.jsonl")) },
			Converted{Written: 2, WithoutGold: 1},
			[]list{
				{"When does the shop open?", []string{"The shop opens at nine."}, []string{"The shop sells shoes.", "The shop opens at nine."}, []int{1}},
				{"Where is it?", []string{"Near the mill."}, []string{"It is in Velden."}, nil},
			},
		},
		"ragas, older": {
			func(w io.Writer) (Converted, error) { return FromRAGAS(w, known(t, "ragas-older.json")) },
			Converted{Written: 2, WithoutGold: 2},
			[]list{
				{"When does the shop open?", []string{"The shop opens at nine."}, []string{"The shop sells shoes.", "The shop opens at nine."}, []int{1}}, // found by its words
				{"Where is it?", []string{"Near the mill."}, []string{"It is in Velden."}, nil},
			},
		},
		"beir": {
			func(w io.Writer) (Converted, error) { return FromBEIR(w, beir(t)) },
			Converted{Written: 2, WithoutAnswers: 1},
			[]list{{"How long does bread rise?", []string{"an hour"}, []string{"Yeast makes dough rise.", "Bread rises for an hour."}, []int{1}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines bytes.Buffer
			counts, err := test.convert(&lines)
			if err != nil || counts != test.counts {
				t.Fatalf("(-want +got)\n-%+v\n+%+v, %v", test.counts, counts, err)
			}
			d := open(t, Rules{Lists: true}, write(t, lines.String()))
			if d.Len() != len(test.want) {
				t.Fatalf("%v", d.Report())
			}
			for i, want := range test.want {
				c, err := d.Case(i)
				got := list{c.Question, c.Answers, nil, c.Golds}
				for _, document := range c.Documents {
					got.texts = append(got.texts, document.Text)
				}
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("(-want +got)\n-%+v\n+%+v, %v", want, got, err)
				}
			}
		})
	}
}

func TestBEIROrdersByScore(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	from := beir(t)
	from.Top = 1
	if _, err := FromBEIR(&lines, from); err != nil {
		t.Fatal(err)
	}
	want := `{"question":"How long does bread rise?","answers":["an hour"],"ctxs":[{"id":"7912","text":"Yeast makes dough rise.","isgold":false}]}
{"question":"What grinds grain?","ctxs":[{"id":"5836","title":"Mills","text":"A mill grinds grain.","isgold":true}]}
`
	if lines.String() != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, lines.String())
	}
}

// A document that a run has twice counts once, where it is best.
func TestBEIRWithoutDuplicates(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	if _, err := FromBEIR(&lines, beir(t)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lines.String(), `"id":"5836"`); n != 1 || strings.Contains(lines.String(), "Never retrieved") {
		t.Errorf("%d times in:\n%s", n, lines.String())
	}
}

// What is no such file is an error that names the file, the line and the form.
func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	text := strings.NewReader
	with := func(change func(*BEIR)) func(io.Writer) (Converted, error) {
		return func(w io.Writer) (Converted, error) {
			from := beir(t)
			change(&from)
			return FromBEIR(w, from)
		}
	}
	single := func(convert func(io.Writer, io.Reader) (Converted, error), content string) func(io.Writer) (Converted, error) {
		return func(w io.Writer) (Converted, error) { return convert(w, text(content)) }
	}
	for name, test := range map[string]struct {
		convert func(io.Writer) (Converted, error)
		line    int
		want    string
	}{
		"hotpotqa, of ragas":     {single(FromHotpotQA, `{"user_input":"q"}`), 1, `has the key "user_input", and "question" is missing: HotpotQA has`},
		"hotpotqa, a context":    {single(FromHotpotQA, "\n"+`{"question":"q","answer":"a","context":"x"}`), 2, `"context" holds a text and must hold a list of titles`},
		"hotpotqa, facts":        {single(FromHotpotQA, `{"question":"q","answer":"a","context":[],"supporting_facts":[1]}`), 1, `"supporting_facts" holds a list that starts with a number`},
		"hotpotqa, answers":      {single(FromHotpotQA, `{"question":"q","answer":{},"context":[]}`), 1, `"answer" holds an object and must hold a text`},
		"msmarco, whole columns": {single(FromMSMARCO, `{"query":{"0":"q"},"passages":{"0":[]}}`), 1, "holds a whole file in columns"},
		"msmarco, of a beir":     {single(FromMSMARCO, `{"_id":"1","text":"q"}`), 1, `and "query" is missing: MS MARCO has`},
		"msmarco, passages":      {single(FromMSMARCO, `{"query":"q","passages":["x"]}`), 1, `"passages" holds a list that starts with a text and must hold`},
		"ragas, whole columns":   {single(FromRAGAS, `{"question":["q"],"contexts":[["x"]]}`), 1, "holds a whole file in columns"},
		"ragas, contexts":        {single(FromRAGAS, `{"question":"q","contexts":"x"}`), 1, `"contexts" holds a text and must hold a list of texts`},
		"not JSON":               {single(FromRAGAS, "question,answer\n"), 1, "is not JSON"},
		"empty":                  {single(FromMSMARCO, " \n"), 0, "is empty"},
		"no object":              {single(FromRAGAS, "5"), 1, "is a number, and an object is needed"},
		"torn array":             {single(FromRAGAS, `[{"question":"q","contexts":[]},`), 0, "array that is not closed"},
		"torn gzip":              {single(FromRAGAS, zip(t, `{}`)[:12]), 0, "cannot be unpacked"},
		"beir, corpus":           {with(func(b *BEIR) { b.Corpus = text(`{"text":"x"}`) }), 1, `"corpus", line 1: has the key "text", and no "_id"`},
		"beir, another corpus":   {with(func(b *BEIR) { b.Corpus = text(`{"_id":"4983","text":"x"}`) }), 0, "which the corpus does not have"},
		"beir, queries":          {with(func(b *BEIR) { b.Queries = text(`{"_id":"1","text":"x"}`) }), 0, `"queries": has no query "3"`},
		"beir, qrels":            {with(func(b *BEIR) { b.Qrels = text("a\tb\n") }), 1, `"qrels", line 1: has 2 columns`},
		"beir, grades":           {with(func(b *BEIR) { b.Qrels = text("q\td\tscore\n1\t2\tx\n") }), 2, `the grade "x"`},
		"beir, run":              {with(func(b *BEIR) { b.Run = text("1 Q0 4983 1 x bm25\n") }), 1, `"run", line 1: has the rank "1" and the score "x"`},
		"beir, a run of tabs":    {with(func(b *BEIR) { b.Run = text("1\t4983\t1\n") }), 1, "has 3 columns, and 6 are needed"},
		"beir, no run":           {with(func(b *BEIR) { b.Run = text("") }), 0, `"run": is empty`},
	} {
		_, err := test.convert(io.Discard)
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.Line != test.line || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: (-want +got)\n-line %d: %s\n+%v", name, test.line, test.want, err)
		}
	}
}

// Files as people have them are read.
func TestKnownFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dpr.json", "langchain.jsonl", "langchaingo.jsonl", "texts.jsonl"} {
		d := open(t, Rules{Lists: true}, filepath.Join("testdata", "known", name))
		c, err := d.Case(0)
		if err != nil || len(c.Documents) != 2 || c.Documents[1].Text != "Tomar was built in 1160." || !reflect.DeepEqual(c.Golds, []int{1}) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// Files of no known kind are refused with what they are and what would do.
func TestUnknownFiles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"squad.json":        `; if they stand under "data", jq -c '.data[]' FILE writes them so`,
		"fine-tuning.jsonl": `line 1: has the keys "completion", "prompt"; a line of lists is such as`,
		"chat.jsonl":        `line 1: has the key "messages"; a line of lists is such as`,
		"table.csv":         `line 1: is not JSON (invalid character 'q' looking for beginning of value); every line must be one JSON object, or the file one array of them`,
		"questions.yaml":    `line 1: is not JSON (invalid character ' ' in numeric literal); every line must be`,
		"triples.jsonl":     `line 1: has the keys "neg", "pos", "query"; a line of lists is such as`,
		"one-context.jsonl": `line 1: has the keys "answer", "context", "question"; a line of lists is such as`,
		"indented.json":     `line 1: is not JSON (unexpected end of JSON input); every line must be one JSON object, or the file one array of them; where an object is spread`,
		"table.parquet":     `table.parquet": is Parquet: write it as JSON lines first`,
		"answer.jsonl":      `(line 1: the answer stands under "answer", and must stand under "answers")`,
		"columns.json":      `line 1: has the keys "contexts", "question"; it looks like a file that "bookend data ragas FILE" converts`,
		"other-names.jsonl": `line 1: has the keys "answers", "documents", "query"; a line of lists is such as`,
	} {
		path := filepath.Join("testdata", "unknown", name)
		_, err := Rules{Lists: true}.Open(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s (-want +got)\n-%s\n+%v", name, want, err)
		}
	}
}

// What a file is that holds no JSON is known by its first bytes, also where it was packed.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"PAR1\x15\x04":                       "is Parquet: write it as JSON lines first",
		"PK\x03\x04\x14":                     "is a zip archive: unpack it first",
		"\x28\xb5\x2f\xfd\x04":               "is packed by zstd",
		"BZh91AY":                            "is packed by bzip2",
		"\xff\xfe{\x00":                      "is UTF-16: write it as UTF-8 first",
		"{\x00\"\x00":                        "is UTF-16: write it as UTF-8 first",
		"version https://git-lfs.github.com": "is a pointer of Git LFS and not the file",
		"<!DOCTYPE html>":                    "is HTML or XML",
	} {
		for _, c := range []string{content, string(zip(t, content))} {
			path := filepath.Join(t.TempDir(), "data.jsonl")
			if err := os.WriteFile(path, []byte(c), 0o600); err != nil {
				t.Fatal(err)
			}
			_, opened := Open(path)
			_, converted := FromRAGAS(io.Discard, strings.NewReader(c))
			for _, err := range []error{opened, converted} {
				if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrNotJSON) {
					t.Errorf("%q: %v, want %s", content, err, want)
				}
			}
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, name := range []string{"hotpotqa.json", "hotpotqa-columns.jsonl", "msmarco.jsonl", "msmarco-columns.jsonl", "ragas.jsonl", "ragas-older.json"} {
		content, err := os.ReadFile(filepath.Join("testdata", "known", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, convert := range []func(io.Writer, io.Reader) (Converted, error){FromHotpotQA, FromMSMARCO, FromRAGAS} {
			var lines bytes.Buffer
			counts, err := convert(&lines, bytes.NewReader(content))
			if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
				t.Fatalf("error %T %v", err, err)
			}
			if n := strings.Count(lines.String(), "\n"); err == nil && n != counts.Written {
				t.Fatalf("%d lines, %+v", n, counts)
			}
		}
		from := BEIR{Corpus: bytes.NewReader(content), Queries: bytes.NewReader(content), Qrels: bytes.NewReader(content), Run: bytes.NewReader(content)}
		if _, err := FromBEIR(io.Discard, from); err == nil && len(content) > 0 {
			t.Fatal("one file is corpus and run")
		}
	})
}
