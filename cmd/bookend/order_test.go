package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestOrderOfANumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"5"}, "1 3 5 4 2\n"},
		{[]string{"--placement", "head-tail", "5"}, "1 3 5 4 2\n"},
		{[]string{"--placement", "Similarity_ASC", "3"}, "3 2 1\n"},
		{[]string{"7", "--placement", "edges-first=1"}, "1 3 4 5 6 7 2\n"},
		{[]string{"0"}, "\n"},
	} {
		if got := mustRun(t, append([]string{"order"}, c.args...)...); got != c.want {
			t.Errorf("order %q: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestOrderOfDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := write(t, filepath.Join(dir, "docs.jsonl"), `{"id": "refund", "text": "A refund goes to the card that paid.", "score": 0.9}

{"id": 7, "text": "Gift cards are not refunded.", "score": 0.7, "metadata": {"source": "cards"}}
{"text": "Sale items can be exchanged.\nTwice.", "score": 0.4}
{"id": "late", "text": "Store credit.", "score": 0.8}
{"id": "bare", "text": "Opening hours."}
`)
	settings := write(t, filepath.Join(dir, "rag.yaml"), "order:\n  rank: score\n  direction: higher-is-better\n  pins: [bare]\n")
	got := mustRun(t, "order", "--docs", docs, "--settings", settings, "--threshold", "0.5", "--budget", "20")
	want := `head-tail: 5 in, 3 placed, 2 left out, 15 tokens
slot  rank  score  tokens    document
1       r1    0.9       9    refund: A refund goes to the card that paid.
2       r5      -       3    bare: Opening hours. (pinned)
3       r2    0.8       3    late: Store credit.
out     r3    0.7       6    beyond the budget: 7: Gift cards are not refu…
out     r4    0.4       9    worse than the threshold: Sale items can be e…
`
	if got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
	if got := mustRun(t, "order", "--docs", docs); !strings.HasPrefix(got, "head-tail: 5 in, 5 placed, 0 left out, 30 tokens\n") {
		t.Errorf("without flags:\n%s", got)
	}
}

// Documents as frameworks write them, and IDs that no float holds.
func TestOrderReadsDocumentsOfFrameworks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := write(t, filepath.Join(dir, "docs.jsonl"), `{"page_content":"The capital is Oslo.","metadata":{"source":"a.md"},"type":"Document"}
{"PageContent":"The capital is Rome.","Metadata":{"source":"b.md"},"Score":0.9}
{"content":"The capital is Lima."}
{"contents":"The capital is Cairo."}
`)
	got := mustRun(t, "order", "--docs", docs)
	for _, want := range []string{"4 in, 4 placed", "Oslo", "Rome", "Lima", "Cairo", "0.9"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	ids := write(t, filepath.Join(dir, "ids.jsonl"), `{"id":449152000000000001,"text":"first"}
{"id":449152000000000002,"text":"second"}
{"id":449152000000000003,"text":"third"}
`)
	settings := write(t, filepath.Join(dir, "s.yaml"), "order:\n  drop_same_id: true\n")
	got = mustRun(t, "order", "--docs", ids, "--settings", settings)
	for _, want := range []string{"3 in, 3 placed, 0 left out", "449152000000000001: first", "449152000000000003: third"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestBadOrders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := write(t, filepath.Join(dir, "docs.jsonl"), "{\"text\": \"a\"}\n{\"id\": 1.5, \"text\": \"b\"}\n")
	torn := write(t, filepath.Join(dir, "torn.jsonl"), "{\"text\": \"a\"}\n{\"text\": \n")
	bad := write(t, filepath.Join(dir, "bad.yaml"), "order: {top_kk: 1}\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "give a number of documents, or --docs FILE"},
		{[]string{"-1"}, "is -1: it must be from 0"},
		{[]string{"100001"}, "from 0 to 100000"},
		{[]string{"5", "--docs", docs}, "choose one"},
		{[]string{"5", "--placement", "nope"}, "valid names: ranked"},
		{[]string{"5", "--tokenizer", "bpe"}, "cl100k_base"},
		{[]string{"5", "--by-score"}, "--direction"},
		{[]string{"5", "--settings", bad}, "did you mean top_k?"},
		{[]string{"--docs", docs}, "line 2 of"},
		{[]string{"--docs", write(t, filepath.Join(dir, "keys.jsonl"), `{"id":"a","body":"x"}`)}, `has the keys "body", "id", and no text: it stands under one of text, content, page_content, PageContent, contents`},
		{[]string{"--docs", write(t, filepath.Join(dir, "type.jsonl"), `{"id":"a","text":["x"]}`)}, `"text" holds a list that starts with a text and must hold a text`},
		{[]string{"--docs", write(t, filepath.Join(dir, "list.jsonl"), `["a"]`)}, `is a list that starts with a text, and an object is needed`},
		{[]string{"--docs", torn}, "line 2 of"},
		{[]string{"--docs", filepath.Join(dir, "none")}, "no such file"},
	} {
		if o := command(t, append([]string{"order"}, c.args...)...); o.code != exitUsage || !strings.Contains(o.err, c.want) {
			t.Errorf("order %q: code %d, want %q in %s", c.args, o.code, c.want, o.err)
		}
	}
}

// The documents of a pipe are read as those of a file are.
func TestOrderOfStandardInput(t *testing.T) {
	t.Parallel()
	const lines = `{"id":"a","text":"one"}` + "\n" + `{"id":"b","text":"two"}` + "\n" + `{"id":"c","text":"three"}`
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(lines), out: &out, err: &errs, getenv: func(string) string { return "" }}
	if code := execute(t.Context(), []string{"order", "--docs", "-"}, s); code != exitDone {
		t.Fatalf("code %d: %s", code, errs.String())
	}
	if want := mustRun(t, "order", "--docs", write(t, filepath.Join(t.TempDir(), "docs"), lines)); out.String() != want || !strings.Contains(want, "3       r2") {
		t.Errorf("(-want +got)\n-%s\n+%s", want, out.String())
	}
	s.in = strings.NewReader("{]")
	if code := execute(t.Context(), []string{"order", "--docs", "-"}, s); code != exitUsage || !strings.Contains(errs.String(), "line 1 of standard input") {
		t.Errorf("code %d: %s", code, errs.String())
	}
}
