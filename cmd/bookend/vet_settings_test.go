package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// broken are settings that Bookend refuses.
var broken = []string{
	"order: {top_kk: 8}",
	"order: {top_k: eight}",
	"order: {top_k: -1}",
	"order: {top_k: 2.5}",
	"order: {top_k: 9223372036854775808}",
	"order: {top_k:}",
	"order: {top_k: 8, top_k: 9}",
	"order: {top_k: [8]}",
	"order: {top_k: true}",
	"order: {placement: head_tial}",
	"order: {placement: measured}",
	"order: {placement: measured=}",
	"order: {placement: measured=none.json}",
	"order: {placement: {name: measured, curve: none.json}}",
	"order: {placement: {name: measured, curve: {format: bookend-curve/1}}}",
	"order: {placement: {name: edges-first, edge: 0.5}}",
	"order: {placement: {name: edges-first, edge: -2}}",
	"order: {placement: {name: edges-first=2, edge: 2}}",
	"order: {placement: {edge: 2}}",
	"order: {placement: {name: ranked, seed: 1}}",
	"order: {placement: {nam: ranked}}",
	"order: {placement: 3}",
	"order: {placement: [ranked]}",
	"order: {placement: ranked=1}",
	"order: {placement: shuffled=x}",
	"order: {placement: lost_in_the_middle}",
	"order: {rank: scores, top_k: 3}",
	"order: {rank: score, top_k: 3}",
	"order: {threshold: 0.5, top_k: 3}",
	"order: {threshold: .inf, direction: higher-is-better, top_k: 3}",
	"order: {threshold: high, direction: lower_is_better, top_k: 3}",
	"order: {budget: 90, top_k: 3}",
	"order: {budget: 90, unit: lines, top_k: 3}",
	"order: {keep_best: true}",
	"order: {pins: a, keys: {pin: p}}",
	"order: {pins: [a, 5, \"\"], keys: {pin: p}}",
	"order: {drop_same_id: 1, drop_same_text: yes}",
	"order: {layout: bookend, top_k: 3}",
	"order: {overflow: skipp, top_k: 3}",
	"order: {max_bytes: 1e400}",
	"order: {keys: {id: 7, source: 8}}",
	"prompt: {layout: documents}",
	"prompt: {layout: \"documents,question,question,question\"}",
	"prompt: {layout: query_awar}",
	"prompt: {layout: bookend, bookend_from: 5}",
	"prompt: {reserve: 5, question_prefix: q}",
	"prompt: {format: html, max_shown: -3}",
	"prompt: {labels: place, no_documents: none}",
	"prompt: {show: title, title_key: t}",
	"prompt: {rules: 5, no_documents: x}",
	"promt: {layout: bookend, title_key: x}",
	"order: {top_k: 3, placement: ranked}\nretriever: {k: 5}",
	"order: {top_k: 3}\ntokenizer: cl100k_bse",
	"order: {top_k: 3}\nprompts: {layout: bookend}",
	"order: {top_k: 3}\norder: {top_k: 4}",
	"order: {top_k: 3}\n---\norder: {top_k: 4}",
	"$schema: https://example.org/bookend/schema.json\n5: x\norder: 4",
	"order: &o {top_kk: 3, placement: ranked}\nprompt: *o",
	"order:\n  <<: {top_kk: 3}\n  placement: headtail\nnote: [a]\n",
	"# ü\norder: {\"ü\": 1, top_k: \"8\", placement: \"ränked\"}",
	"{\"order\": {\"top_k\": 1.5e1, \"placement\": \"rank\"},\n \"prompt\": {\"layout\": 5}}",
	"order:\n  top_k: 3\n" + strings.Repeat("  drop_same_idd: 1\n", 120),
}

// What vet reports of a broken file is what the reader reports: the same faults, at
// the same lines and columns.
func TestVetAgreesWithTheReader(t *testing.T) {
	t.Parallel()
	if len(broken) < 50 {
		t.Errorf("%d files", len(broken))
	}
	for i, text := range broken {
		path := write(t, filepath.Join(t.TempDir(), fmt.Sprintf("rag-%d.yaml", i)), text+"\n")
		reader := command(t, "order", "--settings", path, "3")
		want := strings.Split(strings.TrimSpace(reader.err), "\n")
		var report struct {
			Findings []struct {
				Rule, Level, Message string
				Line, Column         int
			}
		}
		o := command(t, "vet", "--format", "json", path)
		if err := json.Unmarshal([]byte(o.out), &report); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, f := range report.Findings {
			if f.Level == "error" {
				got = append(got, fmt.Sprintf("bookend: %s:%d:%d: %s", path, f.Line, f.Column, f.Message))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if reader.code != exitUsage || o.code != exitFailed || !slices.Equal(got, want) {
			t.Errorf("%s\nthe reader (code %d): %s\nvet (code %d):        %s", text, reader.code, strings.Join(want, "\n  "), o.code, strings.Join(got, "\n  "))
		}
	}
}

// What Bookend reads is no error of vet's.
func TestVetAgreesOnWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"order: {top_k: 8, placement: head-tail}",
		"order: {placement: {name: edges-first, edge: 3}}",
		"order: {placement: document-order, min_documents: 3}",
		"order: {rank: score, direction: lower-is-better, keys: {score: distance}}\ntokenizer: cl100k_base\nprompt: {layout: bookend, bookend_from: 900, budget: 4000}",
		"order: {placement: {name: measured, curve: {format: bookend-curve/1, documents: 2, questions: 9, shape: primacy, slots: [0, 1], accuracy: [0.9, 0.1], asked: a b}}}",
		"note: mine\n$schema: ./bookend.schema.json",
	} {
		path := write(t, filepath.Join(t.TempDir(), "rag.yaml"), text+"\n")
		if o := command(t, "order", "--settings", path, "2"); o.code != exitDone {
			t.Errorf("%s\nis not read: %s", text, o.err)
		}
		if o := command(t, "vet", path); o.code != exitDone || !strings.Contains(o.out, "1 as Bookend: 0 errors") {
			t.Errorf("%s\ncode %d: %s", text, o.code, o.out)
		}
	}
}
