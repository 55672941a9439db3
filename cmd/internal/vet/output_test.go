package vet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

func text(findings []vet.Finding) string {
	var b strings.Builder
	vet.Text(&b, findings)
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	file, err := doctree.Read(production)
	if err != nil {
		t.Fatal(err)
	}
	want := `testdata/files/home-production.yaml:10:16: warning BE101: ranked order gives the end of the prompt to the worst document
  10 |   chunk_order: similarity_desc   # as the reranker gives them
     |                ^^^^^^^^^^^^^^^
  The documents reach the prompt best first: of 10, the second best stands in slot 2, and the last
  slot holds the worst. Many models read the middle worst (lost in the middle).
      slot         1    2    3    4    5    6    7    8    9   10
      now         r1   r2   r3   r4   r5   r6   r7   r8   r9  r10
      head-tail   r1   r3   r5   r7   r9  r10   r8   r6   r4   r2
  fix:  chunk_order: head_tail_alternating   # as the reranker gives them
  fine: Ranked order is right for a model that reads the start best or every slot alike, and where
        the best document nearly always holds the answer. Below five documents it hardly matters.
`
	if got := text(check(t, file, "")); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

// Whatever a file holds is text on a terminal, and no line of it runs on.
func TestHostileText(t *testing.T) {
	t.Parallel()
	file := parse(t, "a\x1b[31m.yaml", "retriever: {top_k: 9, order: score_desc} # \u202e\n---\nretriever: {top_k: 9}\n\"x\\e[31m\": 1\nchunk_order: \"\\e[2Jnope\\n\\u202e\" # \u202e "+strings.Repeat("long", 100)+"\n")
	got := text(check(t, file, ""))
	if strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "BE006") || !strings.Contains(got, "fix:") {
		t.Errorf("%q", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if len([]rune(line)) > 200 {
			t.Errorf("a line of %d characters: %.80q", len([]rune(line)), line)
		}
	}
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	file, err := doctree.Read(filepath.Join("testdata", "files", "bookend-ranked.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := vet.SARIF(check(t, file, ""), vet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndColumn int }
					}
				}
				Fixes []struct {
					ArtifactChanges []struct {
						Replacements []struct {
							DeletedRegion   struct{ StartLine, StartColumn, EndColumn int }
							InsertedContent struct{ Text string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.ColumnKind != "unicodeCodePoints" || len(run.Results) != 1 || len(run.Tool.Driver.Rules) != len(vet.Rules()) {
		t.Fatalf("%s", data)
	}
	r := run.Results[0]
	if at := r.Locations[0].PhysicalLocation; run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Level != "warning" ||
		at.ArtifactLocation.URI != "testdata/files/bookend-ranked.yaml" || at.Region.StartLine != 4 || at.Region.StartColumn != 14 {
		t.Errorf("%+v", r)
	}
	// The deleted region is the value between its quotes.
	fix := r.Fixes[0].ArtifactChanges[0].Replacements[0]
	line := []rune(file.Line(fix.DeletedRegion.StartLine))
	if got := string(line[fix.DeletedRegion.StartColumn-1 : fix.DeletedRegion.EndColumn-1]); got != "similarity_desc" || fix.InsertedContent.Text != "head-tail" {
		t.Errorf("%q is replaced by %q", got, fix.InsertedContent.Text)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.yaml", "b/c.YML", "b/d.json", "b/e.txt", ".git/f.yaml", "node_modules/g/h.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("a: 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b", "link.yaml")); err != nil {
		t.Skip(err)
	}
	files, err := vet.Files([]string{dir, filepath.Join(dir, "b", "e.txt")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i], _ = filepath.Rel(dir, files[i])
		files[i] = filepath.ToSlash(files[i])
	}
	if want := []string{"a.yaml", "b/c.YML", "b/d.json", "b/e.txt"}; !slices.Equal(files, want) {
		t.Errorf("(-want +got)\n-%q\n+%q", want, files)
	}
	if _, err := vet.Files([]string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing file is no error")
	}
}

// A hostile file gets so many findings and no more, however many it earns.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	line := strings.Repeat(`{"retriever":{"top_k":9},"chunk_order":"similarity_desc"},`, 4000)
	many := strings.Repeat(`"{query} {retrieved_contents}",`, 1000)
	if n := len(check(t, parse(t, "a.json", `{"node_lines":[{"nodes":[{"node_type":"prompt_maker","modules":[{"prompt":[`+strings.TrimSuffix(many, ",")+`]}]}]}]}`), "")); n != 200 {
		t.Errorf("%d findings in one chain, want 200", n)
	}
	if n := len(check(t, parse(t, "a.json", "["+strings.TrimSuffix(line, ",")+"]"), "")); n != 200 {
		t.Errorf("%d findings, want 200", n)
	}
}

func TestSpellingsOfOrders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]vet.Meaning{
		"similarity_desc": vet.Ranked, "Similarity-Desc": vet.Ranked, "score desc": vet.Ranked, "RELEVANCE": vet.Ranked, "distance_asc": vet.Ranked, "ranked": vet.Ranked,
		"similarity_asc": vet.Reversed, "reversed": vet.Reversed, "distance:desc": vet.Reversed,
		"head_tail_alternating": vet.Folded, "lost in the middle": vet.Folded, "edges-first=3": vet.Folded, "measured": vet.Folded, "measured=curve.json": vet.Folded,
		"chronological": vet.Other, "none": vet.Other, "document-order": vet.Other,
		"head_tial": vet.Unknown, "": vet.Unknown, "banana": vet.Unknown,
	} {
		if got := vet.ParseOrder(name).Meaning; got != want {
			t.Errorf("%q means %d, want %d", name, got, want)
		}
	}
}

const (
	haystackLoop = `components:
  r: {type: x.InMemoryBM25Retriever, init_parameters: {}}
  a: {type: x.LLMRanker, init_parameters: {}}
  b: {type: x.PromptBuilder, init_parameters: {template: "{{ documents }}"}}
  c: {type: x.DocumentJoiner, init_parameters: {}}
connections:
- {sender: r.documents, receiver: c.documents}
- {sender: c.documents, receiver: a.documents}
- {sender: a.documents, receiver: c.documents}
- {sender: a.documents, receiver: b.documents}
`
	difyWithout = `kind: app
app: {name: x}
workflow:
  graph:
    nodes:
    - {id: kb, data: {type: knowledge-retrieval, multiple_retrieval_config: {top_k: 9}}}
    - {id: llm, data: {type: llm, context: {enabled: false, variable_selector: [kb, result]}, prompt_template: [{role: user, text: "{{#sys.query#}} {{#context#}}"}]}}
`
)

// Small files, each about one thing that a reader could take for another.
func TestSmallFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"no documents are retrieved", "chunking: {chunk_order: banana}\n", ""},
		{"a sampler's top_k", "retriever: {top_k: 8}\nllm: {top_k: 100}\n", ""},
		{"a switched-off reranker", "retriever: {top_k: 20, chunk_order: sandwich}\nreranker: {enabled: false, top_n: 5}\n", ""},
		{"a reranker inside the retriever", "retriever: {top_k: 20, rerank_top_n: 6, chunk_order: sandwich}\n", ""},
		{"a reranker named by its model", "retriever: {top_k: 20}\nrerank_model: bge\n", "2:1 BE105 warning"},
		{"a reranker named none", "retriever: {top_k: 20}\nreranker: none\n", ""},
		{"a threshold cuts behind the reranker", "retriever: {top_k: 20}\nreranker: {model: x, score_threshold: 0.3}\n", ""},
		{"an order by date", "retriever: {top_k: 20}\ncontext: {chunk_order: newest_first}\n", ""},
		{"a sort by a field", "retriever: {top_k: 20}\ncontext: {document_sort: department}\n", ""},
		{"an order from the environment", "retriever: {top_k: 20}\ncontext: {chunk_order: \"${ORDER}\"}\n", ""},
		{"a number from the environment", "retriever: {top_k: \"${K}\"}\ncontext: {chunk_order: relevance}\n", "2:24 BE101 warning"},
		{"an order and nothing else", "chunk_order: similarity_desc\n", "1:14 BE101 warning"},
		{"the later order counts", "retriever: {top_k: 9, order: score_desc}\ncontext: {chunk_order: sandwich}\n", ""},
		{"placed, then sorted again", "retriever: {top_k: 9}\ncontext: {chunk_order: relevance}\n", "2:24 BE101 warning"},
		{"few documents behind the reranker", "retriever: {top_k: 30}\nreranker: {top_n: 4}\ncontext: {chunk_order: relevance}\n", "3:24 BE101 note"},
		{"one document", "retriever: {top_k: 1}\ncontext: {chunk_order: relevance}\n", ""},
		{"many retrieved, few kept", "retriever: {top_k: 200}\nreranker: {top_n: 10}\n", ""},
		{"several retrievers add up", "retrievers:\n  - {name: bm25, top_k: 30}\n  - {name: dense, top_k: 30}\n", "3:26 BE104 warning"},
		{"a direction in words", "retriever: {top_k: 9, lower_is_better: true, similarity_threshold: 0.7}\n", "1:68 BE004 error"},
		{"a distance and its direction", "retriever: {top_k: 9, lower_is_better: true, max_distance: 0.7}\n", ""},
		{"the budget fits", "retriever: {top_k: 9}\ncontext: {token_budget: 7000}\nllm: {n_ctx: 8192, max_tokens: 1000}\n", ""},
		{"the answer alone does not", "retriever: {top_k: 9}\nllm: {n_ctx: 2048, max_tokens: 4096}\n", "2:32 BE005 error"},
		{"the question at both ends", "retriever: {top_k: 9}\nprompt: {template: \"{query} {context} {query}\"}\n", ""},
		{"the question by position", "retriever: {top_k: 9}\nprompt: {question_position: before}\n", "2:29 BE103 warning"},
		{"the rules by position", "retriever: {top_k: 9}\nprompt: {instruction_position: top}\n", "2:32 BE103 warning"},
		{"no template of documents", "retriever: {top_k: 9}\nprompt: {template: \"Rephrase: {question}\"}\n", ""},
		{"Bookend takes other names", "order: {placement: lost_in_the_middle}\n", "1:20 BE006 error"},
		{"Bookend's own mapping", "order: {top_k: 9, placement: {name: ranked}}\n", "1:37 BE101 warning"},
		{"a list of plain steps", "pipeline: [retrieve, rerank, reorder, generate]\n", "1:22 BE105 warning"},
		{"steps before a cut by size", "pipeline:\n  - retrieve: {k: 9}\n  - lost_in_the_middle\n  - truncate: {max_context_tokens: 900}\n", "3:5 BE001 error"},
		{"placed, ranked anew, placed again", "steps:\n  - retrieve: {k: 9}\n  - reorder: sandwich\n  - rerank: {top_n: 5}\n  - reorder: sandwich\n", "3:14 BE002 error"},
		{"AutoRAG without a reranker in its node", "node_lines: [{nodes: [{node_type: retrieval, top_k: 9}, {node_type: passage_reranker, modules: [{module_type: pass_reranker}]}]}]\n", ""},
		{"a loop of Haystack's components", haystackLoop, ""},
		{"a Dify model that reads no knowledge", difyWithout, ""},
		{"best last before a cut", "retriever: {top_k: 20, order: score_asc}\ncontext: {max_chunks: 5}\n", "1:31 BE001 error, 1:31 BE102 warning"},
	} {
		if got := short(check(t, parse(t, "a.yaml", c.file), "")); got != c.want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", c.name, c.want, got)
		}
	}
}
