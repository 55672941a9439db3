package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/sweep"
)

const ownPrompt = `# the prompt of our chain
note: for people
prompt:
  layout: bookend
  format: xml
  rules: Answer from the documents alone.
  task: A customer asks.
  instruction: Answer the customer in one word.
  reminder: "Remember: the documents alone."
  cue: "Answer:"
  question_prefix: "Customer: "
`

// prompted is a server that keeps what it is asked.
func prompted(t *testing.T) (url string, prompts func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	url, _ = server(t, func(p string) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, p)
		return http.StatusOK, "Paris"
	})
	return url, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// A sweep and a comparison ask in the words of one settings file.
func TestOwnPrompt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "rag.yaml"), ownPrompt)
	url, prompts := prompted(t)
	text := mustRun(t, "sweep", "--data", questions(t, 1), "--settings", file, "--model", "m", "--base-url", url, "--completion=false", "--out", filepath.Join(dir, "sweep"))
	if !strings.Contains(text, "layout bookend/xml") {
		t.Errorf("the layout is not told:\n%s", text)
	}
	d, err := sweep.DescriptionOf(filepath.Join(dir, "sweep", journalName))
	if err != nil || d.Prompt.Rules != "Answer from the documents alone." || d.Prompt.Labels != prompt.BySlot {
		t.Errorf("%+v, %v", d.Prompt, err)
	}
	mustRun(t, "compare", "--data", retrieved(t, 2), "--settings", file, "--model", "m", "--base-url", url, "--out", filepath.Join(dir, "compare"))
	shown := 0
	for _, p := range prompts() { // the last message of each: the rules are in the first
		inOrder := 0
		for _, words := range []string{"<document", "Customer: What is capital", "Answer the customer in one word.", "Remember: the documents alone.", "Answer:"} {
			if at := strings.Index(p[inOrder:], words); at >= 0 {
				inOrder += at
			} else if strings.Contains(p, "<document") {
				t.Errorf("no %q in its place:\n%s", words, p)
			}
		}
		if strings.Contains(p, "<document") {
			shown++
		}
	}
	if shown < 8 {
		t.Errorf("%d of %d prompts show documents", shown, len(prompts()))
	}
	won, err := settings.Load(filepath.Join(dir, "compare", "settings.json"), nil)
	if err != nil || won.Prompt.Task != "A customer asks." || won.Prompt.Layout != prompt.Bookend {
		t.Errorf("%+v, %v", won, err)
	}
}

// A budget in the tokens of a tokenizer leaves documents out, and the settings that win
// say by which.
func TestOwnTokenizer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "rag.yaml"), "order: {budget: 12}\ntokenizer: cl100k_base\nprompt: {instruction: Be short.}\n")
	url, prompts := prompted(t)
	mustRun(t, "compare", "--data", retrieved(t, 2), "--settings", file, "--model", "m", "--base-url", url, "--out", filepath.Join(dir, "out"))
	for _, p := range prompts() {
		if n := strings.Count(p, "["); n == 0 || n > 2 {
			t.Errorf("%d documents in 12 tokens:\n%s", n, p)
		}
	}
	won, err := settings.Load(filepath.Join(dir, "out", "settings.json"), nil)
	if err != nil || won.Tokenizer != "cl100k_base" || won.Order.Budget != 12 {
		t.Errorf("%+v, %v", won, err)
	}
	d, err := compare.DescriptionOf(filepath.Join(dir, "out", journalName))
	if err != nil || d.Arms[0].Tokenizer != "cl100k_base" {
		t.Errorf("%+v, %v", d.Arms[0], err)
	}
}

// What changes no prompt is refused by name, and nothing is asked.
func TestIdleSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	words := write(t, filepath.Join(dir, "words"), "Be short.")
	url, prompts := prompted(t)
	for _, test := range []struct {
		command, settings string
		flags             []string
		want              []string // no more than these are named
	}{
		{"sweep", "order: {placement: head-tail, top_k: 8, keys: {id: x}}", nil, []string{"order.keys.id", "order.placement", "order.top_k"}},
		{"sweep", "prompt: {budget: 900, reserve: 90, max_bytes: 1, unit: words}", nil, []string{"prompt.budget", "prompt.max_bytes", "prompt.reserve", "prompt.unit"}},
		{"sweep", "tokenizer: o200k_base", nil, []string{"tokenizer"}},
		{"sweep", "prompt: {layout: bookend, bookend_from: 100, unit: words, task: t}", nil, []string{"prompt.bookend_from", "prompt.unit"}},
		{"sweep", "prompt: {labels: rank, title_key: t, source_key: s, no_documents: none}", nil, []string{"prompt.labels", "prompt.no_documents", "prompt.source_key", "prompt.title_key"}},
		{"sweep", "prompt: {show: [author, title]}", nil, []string{`"author" in prompt.show`}},
		{"sweep", "prompt: {reminder: r}", nil, []string{"prompt.reminder"}},
		{"sweep", "prompt: {task: t, instruction: i}", nil, []string{"prompt.task"}},
		{"sweep", "prompt: {task: t}", []string{"--instruction", words}, []string{"prompt.task"}},
		{"sweep", "prompt: {task: t, rules: r, instruction: i, layout: 'documents,question'}", nil, []string{"prompt.instruction", "prompt.rules", "prompt.task"}},
		{"sweep", "prompt: {layout: bookend, rules: r}", nil, []string{"prompt.layout bookend has a place for a task or a reminder"}},
		{"sweep", "prompt: {layout: query-aware, format: xml}", []string{"--layout", "question-last", "--format", "xml"}, []string{"prompt.format", "prompt.layout"}},
		{"sweep", "prompt: {instruction: i}", []string{"--instruction", words}, []string{"prompt.instruction"}},
		{"sweep", "", []string{"--instruction", words, "--layout", "rules,documents,question"}, []string{"--instruction"}},
		{"sweep", "", []string{"--layout", "bookend"}, []string{"--layout bookend"}},
		{"sweep", "", []string{"--no-repeat", "--repeats", "2"}, []string{"--repeats"}},
		{"compare", "order: {placement: reversed}", nil, []string{"order.placement"}},
		{"compare", "order: {rank: score, direction: higher-is-better, threshold: .5, threshold_by: own, keys: {score: s, pin: p}}", nil, []string{"order.direction", "order.keys.pin", "order.keys.score", "order.rank", "order.threshold", "order.threshold_by"}},
		{"compare", "order: {unit: words, overflow: skip}", nil, []string{"order.overflow", "order.unit"}},
		{"compare", "prompt: {unit: words, max_bytes: 9, no_documents: none}", nil, []string{"prompt.max_bytes", "prompt.no_documents", "prompt.unit"}},
		{"compare", "{order: {budget: 9, unit: words}, tokenizer: cl100k_base}", nil, []string{"tokenizer"}},
		{"compare", "prompt: {show: [author, source]}", nil, []string{`"author" in prompt.show`}},
		{
			"compare", "{order: {top_k: 2}, prompt: {layout: query-aware, format: xml, labels: slot, instruction: i}}",
			[]string{"--layouts", "question-last", "--format", "xml", "--label-by", "rank", "--instruction", words, "--top-k", "2"},
			[]string{"order.top_k", "prompt.format", "prompt.instruction", "prompt.labels", "prompt.layout"},
		},
		{"compare", "prompt: {reminder: r}", []string{"--layouts", "question-last,query-aware"}, []string{"prompt.reminder"}},
		{"compare", "", []string{"--layouts", "question-last,bookend"}, []string{"--layouts bookend"}},
		{"compare", "prompt: {layout: 'documents,question'}", []string{"--instruction", words}, []string{"--instruction"}},
		{"compare", "", []string{"--fit-limit", "3"}, []string{"--fit-limit and --fit-slots"}},
		{"compare", "", []string{"--fit-slots", "3"}, []string{"--fit-limit and --fit-slots"}},
		{"compare", "", []string{"--decay", "0.6"}, []string{"--decay"}},
	} {
		args := append([]string{test.command, "--data", questions(t, 2), "--model", "m", "--base-url", url, "--out", filepath.Join(t.TempDir(), "out")}, test.flags...)
		if test.settings != "" {
			args = append(args, "--settings", write(t, filepath.Join(t.TempDir(), "rag.yaml"), test.settings))
		}
		o := command(t, args...)
		lines := strings.Split(strings.TrimSpace(o.err), "\n")
		if o.code != exitUsage || len(lines) != len(test.want) || len(prompts()) > 0 {
			t.Errorf("%s, %s %v: code %d, want %q\n%s", test.command, test.settings, test.flags, o.code, test.want, o.err)
			continue
		}
		for i, want := range test.want {
			if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], "leave ") && !strings.Contains(lines[i], "give ") {
				t.Errorf("%s, %s %v (-want +got)\n-%s\n+%s", test.command, test.settings, test.flags, want, lines[i])
			}
		}
	}
}

// What changes prompts is taken: each of these alone gives prompts that differ from those
// without it.
func TestSettingsAreTaken(t *testing.T) {
	t.Parallel()
	data := write(t, filepath.Join(t.TempDir(), "lists.jsonl"), `{"question":"Which?","answers":["Paris"],"ctxs":[`+
		`{"id":"1","title":"a title","text":"It is Paris.","source":"s","position":1},{"id":"2","text":"Other words."},{"id":"2","text":"Yet other words."},{"id":"3","text":"Other words."},{"id":"4","text":"Fourth.","source":"s","position":0}]}`+"\n")
	prompts := func(name, own string, flags ...string) string {
		t.Helper()
		url, prompts := prompted(t)
		file := data
		if name == "sweep" {
			file = questions(t, 1)
		}
		args := append([]string{name, "--data", file, "--model", "m", "--base-url", url, "--concurrency", "1", "--settings", write(t, filepath.Join(t.TempDir(), "rag.yaml"), own), "--out", filepath.Join(t.TempDir(), "out"), "--completion=false"}, flags...)
		if o := command(t, args...); o.code != exitDone && o.code != exitUnfit { // where one document is left, arms are alike
			t.Errorf("code %d\n%s", o.code, o.err)
		}
		return strings.Join(prompts(), "\n---\n")
	}
	plain := map[string]string{"sweep": prompts("sweep", "prompt: {instruction: i}"), "compare": prompts("compare", "prompt: {instruction: i}")}
	for _, test := range []struct{ command, settings string }{
		{"sweep", "prompt: {instruction: other}"},
		{"sweep", "prompt: {layout: query-aware, instruction: i}"},
		{"sweep", "prompt: {format: markdown, instruction: i}"},
		{"sweep", "prompt: {layout: bookend, instruction: i, reminder: r}"},
		{"sweep", "prompt: {task: t}"},
		{"sweep", "prompt: {instruction: i, cue: 'A:'}"},
		{"sweep", "prompt: {instruction: i, question_prefix: 'Q: '}"},
		{"sweep", "prompt: {instruction: i, show: [title]}"},
		{"compare", "{order: {top_k: 3}, prompt: {instruction: i}}"},
		{"compare", "{order: {drop_same_id: true}, prompt: {instruction: i}}"},
		{"compare", "{order: {drop_same_text: true}, prompt: {instruction: i}}"},
		{"compare", "{order: {budget: 6, unit: words}, prompt: {instruction: i}}"},
		{"compare", "{order: {groups: true}, prompt: {instruction: i}}"},
		{"compare", "{order: {groups: true, keys: {source: file, position: at}}, prompt: {instruction: i}}"},
		{"compare", "{order: {min_documents: 9}, prompt: {instruction: i}}"},
		{"compare", "{order: {max_bytes: 12}, prompt: {instruction: i}}"},
		{"compare", "prompt: {instruction: i, labels: slot}"},
		{"compare", "prompt: {instruction: i, show: [source]}"},
		{"compare", "prompt: {instruction: i, budget: 12, unit: words}"},
	} {
		got := prompts(test.command, test.settings)
		if got == plain[test.command] {
			t.Errorf("%s, %s: the prompts are those without it", test.command, test.settings)
		}
	}
	if prompts("compare", "{order: {groups: true}, prompt: {instruction: i}}") != prompts("compare", "{order: {groups: true, keys: {source: file, position: at}}, prompt: {instruction: i}}") {
		t.Error("keys that name the fields of one's own documents change the groups")
	}
}
