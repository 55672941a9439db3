package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
)

// kindsFile writes lists of so many documents whose answer stands first, in two languages
// and two that are rare.
func kindsFile(t *testing.T, questions, documents int) string {
	t.Helper()
	var b strings.Builder
	for i := range questions {
		language := []string{"de", "en"}[i%2]
		if i%40 == 0 {
			language = []string{"a rare one, whose name is long enough for any table", "=xx"}[i/40%2]
		}
		docs := []string{fmt.Sprintf(`{"text":"the code of %d is code%dx","isgold":true}`, i, i)}
		for d := 1; d < documents; d++ {
			docs = append(docs, fmt.Sprintf(`{"text":"passage %d beside question %d"}`, d, i))
		}
		fmt.Fprintf(&b, `{"question":"what is the code of %d?","answers":["code%dx"],"language":%q,"ctxs":[%s]}`+"\n", i, i, language, strings.Join(docs, ","))
	}
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runCommand wants an exit code.
func runCommand(t *testing.T, code int, args ...string) outcome {
	t.Helper()
	o := command(t, args...)
	if o.code != code {
		t.Fatalf("bookend %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), o.code, code, o.out, o.err)
	}
	return o
}

func resultOf(t *testing.T, dir string) compare.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r compare.Result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every output has a row for each kind, and what is written is read by what reads settings.
func TestCompareByKind(t *testing.T) {
	t.Parallel()
	data, dir := kindsFile(t, 400, 6), filepath.Join(t.TempDir(), "out")
	got := runCommand(t, 0, "compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--by", "language", "--placements", "ranked,reversed", "--out", dir)
	if !strings.Contains(got.out, "A verdict for each language: de, en, (other)") && !strings.Contains(got.out, "A verdict for each language: en, de, (other)") {
		t.Errorf("the plan does not name the kinds:\n%s", got.out)
	}
	r := resultOf(t, dir)
	if len(r.Kinds) != 3 || r.By != "language" || !r.Kinds[2].Pooled || len(r.Kinds[2].Values) != 2 {
		t.Fatalf("%+v", r.Kinds)
	}
	table := got.out[strings.Index(got.out, "\nlanguage "):]
	for _, line := range strings.Split(table[:strings.Index(table, "\n\n")], "\n") {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("%d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(got.out), " "), "which joins the rarer values: =xx, a rare one, whose name") {
		t.Error("the rare values are not named")
	}
	for name, want := range map[string]string{"kinds.csv": ",language,de,de,", "report.html": "By kind of question"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v:\n%.500s", name, err, text)
		}
	}
	path := filepath.Join(dir, "settings.json")
	s, err := settings.Load(path, nil)
	if err != nil || s.By != "language" || len(s.Kinds) != 3 {
		t.Errorf("%v: %+v", err, s)
	}
	if got := runCommand(t, 2, "compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--settings", path, "--dry-run"); !strings.Contains(got.err, "kinds changes no prompt") {
		t.Errorf("settings by kind for every arm: %s", got.err)
	}
	if got := runCommand(t, 2, "compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--by", "langauge", "--dry-run"); !strings.Contains(got.err, `no line with "langauge"`) {
		t.Errorf("a field that no line has: %s", got.err)
	}
}

// The baseline has the most documents, whatever the order of the flag; the table, the page
// and the files name costs.
func TestCompareNoWorse(t *testing.T) {
	t.Parallel()
	data, dir := kindsFile(t, 700, 10), filepath.Join(t.TempDir(), "out")
	got := runCommand(t, 0, "compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--placements", "ranked", "--top-k", "3,10,5",
		"--no-worse", "10", "--until-decided", "--price-prompt", "1", "--price-answer", "2", "--out", dir)
	r := resultOf(t, dir)
	if r.Arms[0].Name != "ranked top 10" || r.NoWorse != 0.1 || r.Word != evidence.AsGood || r.Winner != "ranked top 3" {
		t.Errorf("baseline %s, %s, %s: %s", r.Arms[0].Name, r.Word, r.Winner, r.Finding)
	}
	cost := r.Arms[0].Cost
	if cost == nil || cost.Thousand == nil || cost.Share != 1 {
		t.Errorf("the baseline costs %+v", cost)
	}
	for _, want := range []string{"As good and cheaper: with ranked top 3", "no worse?", "a thousand cost"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(page), "Points against cost") || !strings.Contains(string(page), "no worse: above −10") {
		t.Errorf("the page draws no costs: %v", err)
	}
	csv, err := os.ReadFile(filepath.Join(dir, "summary.csv"))
	if err != nil || !strings.Contains(string(csv), "log_e_no_worse,prompt_tokens_each,cost_share,cost_thousand") {
		t.Errorf("summary.csv: %v", err)
	}
	for _, args := range [][]string{{"--no-worse", "100"}, {"--no-worse=-1"}, {"--no-worse", "0"}, {"--no-worse", "3", "--worthwhile", "0"}} {
		runCommand(t, 2, append([]string{"compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--dry-run"}, args...)...)
	}
}

// With both flags each kind names its cheapest arm by what calls cost in that kind: lists of
// four documents have no use for less than the ten of the baseline. The forecast, the page and the files say so.
func TestCompareNoWorseByKind(t *testing.T) {
	t.Parallel()
	var text []byte
	for _, documents := range []int{4, 12} {
		lines, err := os.ReadFile(kindsFile(t, 350, documents))
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, strings.ReplaceAll(string(lines), "what is the code", fmt.Sprint("beside ", documents, ", what is the code"))...)
	}
	data, dir := filepath.Join(t.TempDir(), "lists.jsonl"), filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(data, text, 0o600); err != nil {
		t.Fatal(err)
	}
	got := runCommand(t, 0, "compare", "--data", data, "--simulate", "gpt-3.5-turbo", "--by", "documents", "--placements", "ranked",
		"--top-k", "6,12", "--no-worse", "10", "--until-decided", "--out", dir)
	for _, want := range []string{"gain of the cheapest", "−10 points", "as good for 12, use ranked top 6 at", "of the cost", "keep ranked top 12 for 4"} {
		if !strings.Contains(strings.Join(strings.Fields(got.out), " "), want) {
			t.Errorf("no %q in\n%s", want, got.out)
		}
	}
	if strings.Contains(got.out, "no worse?") {
		t.Errorf("it is said of all questions what is no worse:\n%s", got.out)
	}
	r := resultOf(t, dir)
	for _, k := range r.Kinds {
		want := map[string]string{"4": "ranked top 12", "12": "ranked top 6"}[k.Name]
		if k.Winner != want {
			t.Errorf("%s: %s, want %s", k.Name, k.Winner, want)
		}
	}
	s, err := settings.Load(filepath.Join(dir, "settings.json"), nil)
	if err != nil || len(s.Kinds) != 2 {
		t.Fatalf("%v: %+v", err, s)
	}
	for _, k := range s.Kinds {
		if want := map[string]int{"4": 12, "12": 6}[k.Values[0]]; k.Order.TopK != want {
			t.Errorf("settings for %v: top %d, want %d", k.Values, k.Order.TopK, want)
		}
	}
	csv, err := os.ReadFile(filepath.Join(dir, "kinds.csv"))
	if err != nil || !strings.Contains(string(csv), ",log_e_no_worse,cost_share") || strings.Count(string(csv), ",as good,yes,") != 1 {
		t.Errorf("%v\n%s", err, csv)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(page), "call an arm as good that loses 10 points or more") {
		t.Errorf("the page does not say what as good means: %v", err)
	}
}
