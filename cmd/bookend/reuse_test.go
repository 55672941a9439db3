package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/replay"
)

// swapped are lists of three documents each, of which the best two change places.
func swapped(t *testing.T, requests int, change bool) string {
	t.Helper()
	var lines []string
	for i := range requests {
		docs := []string{"alpha", "beta", "gamma"}
		if change && i%2 == 1 {
			docs = []string{"beta", "alpha", "gamma"}
		}
		var ctxs []string
		for _, name := range docs {
			ctxs = append(ctxs, fmt.Sprintf(`{"id":%q,"text":%q}`, name, strings.Repeat(name+" ", 80)))
		}
		lines = append(lines, fmt.Sprintf(`{"time":"2026-12-01T08:00:%02dZ","question":"question %d?","ctxs":[%s]}`, i, i, strings.Join(ctxs, ",")))
	}
	return write(t, filepath.Join(t.TempDir(), "lists.jsonl"), strings.Join(lines, "\n"))
}

func TestReuse(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	args := []string{
		"reuse", "--data", swapped(t, 40, true), "--curve", "gpt-3.5-turbo", "--worth", "2,100", "--placement", "ranked",
		"--price-prompt", "2.5", "--price-cached", "0.25", "--out", out,
	}
	text := mustRun(t, args...)
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[0], `With "reuse`) {
		t.Errorf("the first line is %q", lines[0])
	}
	for _, want := range []string{
		"\n40 requests within 39s; the cache is taken to share beginnings in blocks of 16\ntokens, for 5m0s; curve: gpt-3.5-turbo/10.\n",
		"setting                from cache  processed   right  given up  per 1000\nyours: ranked ",
		"\nranked ", "\nhead-tail ", "\nmeasured ", "\nreuse, best rank held ", "\nreuse, worth 2 ", "\nreuse, worth 100 ",
		"Your documents are numbered by rank, and those of the other settings by ID", "\nThe curve is of 10 documents", "\nWhere the answers stand is assumed",
		"In " + out + ": reuse.json, report.html",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, line := range lines { // all fits a terminal
		if n := utf8.RuneCountInString(line); n > 80 && !strings.HasPrefix(line, "In ") {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	words := strings.Join(strings.Fields(text), " ")
	var r replay.Result
	if err := json.Unmarshal([]byte(read(t, out, "reuse.json")), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 7 || !strings.HasPrefix(words, r.Finding) || !r.Saves || r.Rows[6].Share <= r.Rows[0].Share || *r.Rows[6].Loss <= 0 || *r.Rows[0].Loss != 0 {
		t.Errorf("%+v", r)
	}
	private(t, out)
	html := read(t, out, "report.html")
	for _, want := range []string{"<svg class=\"wide\"", "<svg class=\"narrow\"", "yours: ranked: ", "points of accuracy given up, by the curve", "7: reuse, worth 100"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if again := mustRun(t, args...); again != text {
		t.Errorf("a second count (-want +got)\n-%s\n+%s", text, again)
	}
	if o := command(t, append(args, "--block", "64")...); o.code != exitFailed || !strings.Contains(o.err, "--force overwrites") {
		t.Errorf("another count over the first: code %d, %s", o.code, o.err)
	}
}

func TestReuseSavesNothing(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"all alike": swapped(t, 10, false), "one request": swapped(t, 1, true)} {
		for _, cache := range [][]string{{}, {"--cache", "prompts"}, {"--minimum", "2000"}} {
			text := mustRun(t, append([]string{"reuse", "--data", data, "--label-by", "id", "--placement", "ranked"}, cache...)...)
			if !strings.HasPrefix(text, "Another order saves nothing here") {
				t.Errorf("%s, %v:\n%s", name, cache, text)
			}
		}
	}
}

func TestReuseRefuses(t *testing.T) {
	t.Parallel()
	data, dir := swapped(t, 2, true), t.TempDir()
	settings := write(t, filepath.Join(dir, "groups.json"), `{"order":{"groups":true},"prompt":{}}`)
	for want, flags := range map[string][]string{
		"--data is missing":                {},
		"--worth is 0":                     {"--data", data, "--worth", "0"},
		"--worth is 101":                   {"--data", data, "--worth", "101"},
		"--decay is 0":                     {"--data", data, "--decay", "0"},
		"--block is 16, but whole prompts": {"--data", data, "--cache", "prompts", "--block", "16"},
		"--minimum is -1":                  {"--data", data, "--minimum=-1"},
		"--lifetime is -1s":                {"--data", data, "--lifetime=-1s"},
		"--price-prompt is -1":             {"--data", data, "--price-prompt=-1"},
		"as the name of a published curve": {"--data", data, "--curve", "nonsense"},
		"no such file":                     {"--data", filepath.Join(dir, "missing")},
		"use o200k":                        {"--data", data, "--tokenizer", "words"},
		`must be "rank", "slot" or "id"`:   {"--data", data, "--label-by", "color"},
		"documents-first":                  {"--data", data, "--layout", "nonsense"},
		"--documents is 0":                 {"--data", data, "--documents", "0"},
	} {
		o := command(t, append([]string{"reuse"}, flags...)...)
		if o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%v: code %d, want %q in %s", flags, o.code, want, o.err)
		}
	}
	if text := mustRun(t, "reuse", "--data", data, "--settings", settings); !strings.Contains(text, "Reuse moves no documents that stand in groups") || strings.Contains(text, "\nreuse,") {
		t.Errorf("with groups:\n%s", text)
	}
}

// A curve that says nothing of right answers gives no price.
func TestReuseByOtherCurves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	curve := func(name, more string) string {
		return write(t, filepath.Join(dir, name), `{"format":"bookend-curve/1","documents":3,"slots":[0,2],"accuracy":[0.5,0.9],`+more+`}`)
	}
	data := swapped(t, 10, true)
	for file, want := range map[string]string{
		curve("use.json", `"kind":"use","shape":"recency"`): "The curve is one of use",
		curve("undecided.json", `"shape":"undecided"`):      "The curve is undecided",
		curve("flat.json", `"shape":"flat"`):                "The curve is flat",
		curve("recency.json", `"shape":"recency"`):          "\nreuse, worth 5 ",
	} {
		text := mustRun(t, "reuse", "--data", data, "--curve", file)
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in:\n%s", file, want, text)
		}
		if strings.Contains(want, "use") || strings.Contains(want, "undecided") {
			if priced := strings.Contains(text, "\nreuse, worth"); priced != strings.Contains(want, "worth") {
				t.Errorf("%s: priced %v:\n%s", file, priced, text)
			}
		}
	}
}
