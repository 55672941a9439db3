package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What data writes, the experiments read.
func TestDataIsRead(t *testing.T) {
	t.Parallel()
	for from, files := range map[string][]string{
		"hotpotqa": {known("hotpotqa.json")},
		"MSMARCO":  {known("msmarco.jsonl")},
		"ragas":    {known("ragas-older.json")},
		"beir":     {known("corpus.jsonl"), known("queries.jsonl"), known("qrels.tsv"), known("run.trec")},
	} {
		out := filepath.Join(t.TempDir(), "lists.jsonl")
		args := append([]string{"data", from}, files...)
		o := command(t, append(args, "--out", out)...)
		if o.code != exitDone || o.out != "" || !strings.Contains(o.err, "2 questions written") {
			t.Errorf("%s: code %d\n%s%s", from, o.code, o.out, o.err)
			continue
		}
		if printed := mustRun(t, args...); printed != read(t, out) {
			t.Errorf("%s: the file and the output differ", from)
		}
		if o := command(t, "compare", "--data", out, "--model", "m", "--dry-run"); o.code != exitDone || !strings.Contains(o.out, "kept") {
			t.Errorf("%s: code %d\n%s%s", from, o.code, o.out, o.err)
		}
	}
}

// known is the path of a file in the form of a collection.
func known(name string) string {
	return filepath.Join("..", "..", "measure", "dataset", "testdata", "known", name)
}

func TestBadData(t *testing.T) {
	t.Parallel()
	other := write(t, filepath.Join(t.TempDir(), "other.jsonl"), `{"prompt":"x"}`)
	empty := write(t, filepath.Join(t.TempDir(), "empty.jsonl"), "")
	blank := write(t, filepath.Join(t.TempDir(), "blank.jsonl"), `{"user_input":"","retrieved_contexts":[],"reference":"x"}`)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"squad", other}, `"squad" is not a known collection: give beir, hotpotqa, msmarco or ragas`},
		{[]string{"ragas", other, other}, "ragas is one file"},
		{[]string{"beir", other}, "beir needs four files, and here there are 1: the corpus, the queries, the qrels and the run, in this order"},
		{[]string{"beir", other, other, other, other}, "\"" + other + `", line 1: has 1 columns, and 6 are needed`},
		{[]string{"beir", known("corpus.jsonl"), known("queries.jsonl"), other, known("run.trec")}, "\"" + other + `", line 1: `},
		{[]string{"ragas", filepath.Join(t.TempDir(), "none")}, "no such file"},
		{[]string{"ragas", other, "--out", out}, "other.jsonl\", line 1: has the key \"prompt\", and \"user_input\" is missing"},
		{[]string{"ragas", empty}, "empty.jsonl\": is empty"},
		{[]string{"ragas", blank}, "no question could be used"},
		{[]string{"ragas", other, "--top", "0"}, "--top is 0"},
	} {
		if o := command(t, append([]string{"data"}, c.args...)...); o.code != exitUsage || !strings.Contains(o.err, c.want) {
			t.Errorf("data %q: code %d, want %q in %s", c.args, o.code, c.want, o.err)
		}
	}
	if o := command(t, "sweep", "--data", other, "--model", "m", "--dry-run"); o.code != exitUsage || !strings.Contains(o.err, "isgold") {
		t.Errorf("sweep: code %d, %s", o.code, o.err)
	}
	if o := command(t, "compare", "--data", other, "--model", "m", "--dry-run"); o.code != exitUsage || strings.Contains(o.err, "isgold") || !strings.Contains(o.err, "ctxs") {
		t.Errorf("compare: code %d, %s", o.code, o.err)
	}
}
