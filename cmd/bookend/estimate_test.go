package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
)

// recency is a curve file of 4 documents whose last slot is read best.
const recency = `{"format":"bookend-curve/1","model":"m","documents":4,"questions":100,"shape":"recency","ends_differ":true,"slots":[0,3],"accuracy":[0.2,0.8]}`

func TestEstimateWithACurveFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	curve, out := write(t, filepath.Join(dir, "curve.json"), recency), filepath.Join(dir, "out")
	args := []string{"estimate", "--data", retrieved(t, 8), "--curve", curve, "--placements", "ranked, reversed, measured", "--out", out}
	text := mustRun(t, args...)
	for _, want := range []string{
		"8 lines, 8 kept\ncurve: " + curve,
		"Where the answer stood in the lists\n\nrank  lists   share\n1         2  25.0 %\n2         2  25.0 %\n3         2  25.0 %\n4         2  25.0 %\n",
		"ranked     50.0 %",
		"An estimate by arithmetic; it assumes that\n  - " + compare.Assumptions[0],
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	var e compare.Estimated
	if err := json.Unmarshal([]byte(read(t, out, "estimate.json")), &e); err != nil {
		t.Fatal(err)
	}
	if len(e.Arms) != 3 || e.Arms[1].Name != "reversed" || e.Arms[2].Name != "measured" || e.Arms[2].Accuracy != e.Arms[1].Accuracy || e.WithGold != 8 || !strings.HasPrefix(strings.Join(strings.Fields(text), " "), e.Finding) {
		t.Errorf("%+v", e)
	}
	private(t, out)
	if again := mustRun(t, args...); again != text {
		t.Errorf("a second estimate (-want +got)\n-%s\n+%s", text, again)
	}
	if o := command(t, append(args, "--worthwhile", "7")...); o.code != exitFailed || !strings.Contains(o.err, "--force overwrites it") {
		t.Errorf("another estimate over the first: code %d, %s", o.code, o.err)
	}
	mustRun(t, append(args, "--worthwhile", "7", "--force")...)
}

func TestEstimateWithAPublishedCurve(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "lists.jsonl")
	// The best document always has the answer, so that nothing beats the first slot of
	// a curve that is highest there.
	write(t, data, `{"question":"q","answers":["a b c"],"ctxs":[{"text":"a b c"},{"text":"x"},{"text":"y"}]}`+"\n"+`{"question":"r","answers":["a b c"],"ctxs":[{"text":"x"},{"text":"y"},{"text":"z"}]}`)
	text := mustRun(t, "estimate", "--data", data, "--curve", "GPT-3.5-Turbo")
	for _, want := range []string{
		"curve: gpt-3.5-turbo/10\n", "in no document      1  50.0 %", "\nranked ", "\nhead-tail ", "\ntail-head ", "\nreversed ", "\nmeasured ", "no placement is worth more than ranked here", "hardly worth its cost",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if all := mustRun(t, "estimate", "--data", data, "--curve", "gpt-3.5-turbo", "--top-k", "1"); !strings.Contains(all, "with one document in a prompt every order") {
		t.Errorf("of one document:\n%s", all)
	}
}

// What a run measures and what an estimate of its curve says are told apart, and a
// curve of a run opens here.
func TestEstimateWithTheCurveOfASweep(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "sweep")
	mustRun(t, "sweep", "--simulate", "recency", "--documents", "4", "--limit", "60", "--out", out)
	curve := filepath.Join(out, "curve.json")
	// Where every rank has the answer as often, all orders are worth the same.
	if even := mustRun(t, "estimate", "--data", retrieved(t, 8), "--curve", curve); !strings.Contains(even, "no placement is worth") {
		t.Errorf("every rank alike:\n%s", even)
	}
	text := mustRun(t, "estimate", "--data", retrieved(t, 5), "--curve", curve)
	if !strings.Contains(text, " ± ") || !strings.Contains(text, "Estimate, not a measurement") {
		t.Errorf("no error of the curve in:\n%s", text)
	}
}

func TestBadEstimates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, x := retrieved(t, 4), filepath.Join(dir, "x")
	unlabelled := write(t, filepath.Join(dir, "unlabelled.jsonl"), `{"record":"bookend 1"}`+"\n"+`{"question":"q","ctxs":[{"text":"a"}]}`)
	nowhere := write(t, filepath.Join(dir, "nowhere.jsonl"), `{"question":"q","answers":["Paris"],"ctxs":[{"text":"a"},{"text":"b"}]}`)
	broken := write(t, filepath.Join(dir, "curve.json"), strings.Replace(recency, "0.8", "8", 1))
	if _, err := core.ParseCurve([]byte(recency)); err != nil {
		t.Fatal(err)
	}
	args := []string{"estimate", "--data", data, "--curve", "gpt-3.5-turbo", "--out", x}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"estimate"}, "--curve"},
		{[]string{"estimate", "--curve", "gpt-3.5-turbo"}, "--data is missing"},
		{append(args, "--curve", "nobody"), "there is no file \"nobody\""},
		{append(args, "--curve", "nobody"), "gpt-3.5-turbo/10|20"},
		{append(args, "--curve", broken), "curve.json"},
		{append(args, "--curve", write(t, filepath.Join(dir, "null.json"), strings.Replace(recency, "0.2,0.8", "null,0.8", 1))), "accuracy: [0]: is null"},
		{append(args, "--curve", write(t, filepath.Join(dir, "twice.json"), strings.Replace(recency, `"documents":4`, `"documents":4,"documents":4`, 1))), "given twice"},
		{append(args, "--curve", write(t, filepath.Join(dir, "case.json"), strings.Replace(recency, `"accuracy"`, `"Accuracy"`, 1))), `is written "accuracy"`},
		{append(args, "--curve", dir), "is not a regular file"},
		{append(args, "--data", dir+"/none"), "no such file"},
		{append(args, "--data", unlabelled), "--labels"},
		{append(args, "--data", nowhere), "no list has the answer in any of its documents"},
		{append(args, "--labels", dir+"/none"), "no such file"},
		{append(args, "--worthwhile", "0"), "--worthwhile is 0"},
		{append(args, "--worthwhile", "NaN"), "--worthwhile is NaN"},
		{append(args, "--placements", "ranked"), "a baseline and a challenger"},
		{append(args, "--placements", "ranked,poem"), `"poem"`},
		{append(args, "--placements", "ranked,ranked"), "a name of its own"},
		{append(args, "--top-k=-1"), "--top-k is -1"},
		{append(args, "--score", "vibes"), "best-subspan"},
	} {
		o := command(t, c.args...)
		if o.code != exitUsage || !strings.Contains(o.err, c.want) {
			t.Errorf("bookend %q: code %d, want %d and %q in:\n%s", c.args, o.code, exitUsage, c.want, o.err)
		}
	}
	if _, err := os.Stat(x); err == nil {
		t.Error("a refused estimate made its folder")
	}
}

// Labels make data of what was recorded.
func TestEstimateWithLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := write(t, filepath.Join(dir, "lists.jsonl"), `{"record":"bookend 1"}`+"\n"+`{"question":"q","ctxs":[{"id":"a","text":"a"},{"id":"b","text":"b"}]}`)
	labels := write(t, filepath.Join(dir, "labels.jsonl"), `{"question":"Q","answers":["Paris"],"gold":["b"]}`)
	text := mustRun(t, "estimate", "--data", data, "--labels", labels, "--curve", "llama-2-70b-chat-repo", "--placements", "ranked,reversed")
	if !strings.Contains(text, "\n2         1  100.0 %\n") {
		t.Errorf("the label does not say where the answer stood:\n%s", text)
	}
}
