//go:build !race

// The times that are taken here mean nothing under the race detector.

package integration_test

import (
	"context"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"
	lcgschema "github.com/tmc/langchaingo/schema"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/langchaingo"
)

// engine is a BM25 index (bleve, in memory) as a retriever of langchaingo. It is
// for one goroutine: it remembers the last search.
type engine struct {
	index bleve.Index
	texts []string
	k     int

	found []lcgschema.Document // what the last search found, as it was handed over
	spent time.Duration        // what it took
}

// bleve starts its workers when it is imported, and they count as left behind.
func init() { bleve.Config.Shutdown() }

func newEngine(t *testing.T, texts []string, k int) *engine {
	t.Helper()
	return newEngineBy(t, "en", texts, k)
}

// newEngineBy cuts texts into words by an analyzer of bleve: both "en" and "standard"
// leave common words out, and "en" knows the forms of a word besides.
func newEngineBy(t *testing.T, analyzer string, texts []string, k int) *engine {
	t.Helper()
	bleve.Config.SetAnalysisQueueSize(2)
	defer bleve.Config.Shutdown()
	field := bleve.NewTextFieldMapping() // what a search needs, and no more
	field.Store, field.IncludeInAll, field.IncludeTermVectors, field.DocValues = false, false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.ScoringModel = index.BM25Scoring
	mapping.DefaultAnalyzer = analyzer
	mapping.DefaultMapping = bleve.NewDocumentStaticMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", field)
	// No path keeps it in memory. NewMemOnly would too, but what that returns scores
	// by TF-IDF, whatever the mapping says.
	memory, err := bleve.NewUsing("", mapping, scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	})
	for first := 0; first < len(texts); first += 1000 {
		batch := memory.NewBatch()
		for i, text := range texts[first:min(first+1000, len(texts))] {
			if err := batch.Index(strconv.Itoa(first+i), map[string]string{"text": text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := memory.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	return &engine{index: memory, texts: texts, k: k}
}

// GetRelevantDocuments returns the k best texts, best first, equal ones by ID.
func (e *engine) GetRelevantDocuments(ctx context.Context, query string) ([]lcgschema.Document, error) {
	start := time.Now()
	match := bleve.NewMatchQuery(query)
	match.SetField("text")
	request := bleve.NewSearchRequestOptions(match, e.k, 0, false)
	request.SortBy([]string{"-_score", "_id"})
	result, err := e.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	docs := make([]lcgschema.Document, len(result.Hits))
	for i, hit := range result.Hits {
		n, err := strconv.Atoi(hit.ID)
		if err != nil {
			return nil, err
		}
		docs[i] = lcgschema.Document{PageContent: e.texts[n], Metadata: map[string]any{"id": hit.ID}, Score: float32(hit.Score)}
	}
	e.spent = time.Since(start)
	e.found = docs
	return docs, nil
}

func lcgIDs(docs []lcgschema.Document) []string {
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i], _ = d.Metadata["id"].(string)
	}
	return ids
}

// inOrder returns the first n of ids in the order of the default placement.
func inOrder(t *testing.T, ids []string, n int) []string {
	t.Helper()
	order, err := core.Order(core.HeadTail, n)
	if err != nil {
		t.Fatal(err)
	}
	placed := make([]string, n)
	for slot, rank := range order {
		placed[slot] = ids[rank]
	}
	return placed
}

// Over every question of the handbook, both adapters place what the engine finds,
// and the engine's own list stays as it was.
func TestSearchTheHandbook(t *testing.T) {
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	e := newEngine(t, texts, 10)
	retriever, err := langchaingo.NewRetriever(e)
	if err != nil {
		t.Fatal(err)
	}
	node, err := eino.NewTransformer(background, nil)
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, q := range questions {
		placed, err := retriever.GetRelevantDocuments(background, q.Question)
		if err != nil {
			t.Fatal(err)
		}
		handedOver := lcgIDs(e.found)
		plain, err := e.GetRelevantDocuments(background, q.Question)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(lcgIDs(plain), handedOver); d != "" {
			t.Errorf("%q: the engine's list (-want +after the call)\n%s", q.Question, d)
		}
		if len(plain) < 2 {
			t.Errorf("%q finds %d passages", q.Question, len(plain))
		}
		want := inOrder(t, lcgIDs(plain), len(plain))
		if d := cmp.Diff(want, lcgIDs(placed)); d != "" {
			t.Errorf("%q, langchaingo (-want +got)\n%s", q.Question, d)
		}
		nodeDocs := make([]*einoschema.Document, len(plain))
		for i, d := range plain {
			nodeDocs[i] = &einoschema.Document{ID: d.Metadata["id"].(string), Content: d.PageContent}
		}
		fromNode, err := node.Transform(background, nodeDocs)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(fromNode))
		for i, d := range fromNode {
			ids[i] = d.ID
		}
		if d := cmp.Diff(want, ids); d != "" {
			t.Errorf("%q, eino (-want +got)\n%s", q.Question, d)
		}
		if slices.ContainsFunc(placed, func(d lcgschema.Document) bool { return strings.HasSuffix(d.PageContent, q.Contexts[0].Text) }) {
			answered++
		}
	}
	t.Logf("bleve over %d passages of the handbook: the answer is among the 10 best for %d of %d questions", len(chunks), answered, len(questions))
	if answered < len(questions)/2 {
		t.Error("the engine finds hardly any answer")
	}

	match := bleve.NewMatchQuery(questions[0].Question)
	match.SetField("text")
	request := bleve.NewSearchRequest(match)
	request.Explain = true
	result, err := e.index.Search(request)
	if err != nil || len(result.Hits) == 0 {
		t.Fatalf("%d hits, %v", len(result.Hits), err)
	}
	if why := result.Hits[0].Expl.String(); !strings.Contains(why, "saturation") {
		t.Errorf("the score is not BM25's:\n%s", why)
	}
}

// The size of the second corpus and of what is asked of it.
const (
	corpusChunks = 10_000
	chunkBytes   = 1_000
	topHits      = 100
	tokenBudget  = 4_000
	askedQueries = 100
	timedRounds  = 2
)

// goFiles returns the documentation and the standard library's sources of the Go
// distribution in use, without tests, commands and internal packages.
func goFiles(t *testing.T) (goroot string, files []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	goroot = strings.TrimSpace(string(out))
	skipped := []string{"cmd", "vendor", "internal", "testdata"}
	for _, folder := range []string{"doc", "src"} {
		folder, err := filepath.EvalSymlinks(filepath.Join(goroot, folder))
		if err != nil {
			continue // some distributions leave the documentation out
		}
		err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(skipped, entry.Name()):
				return filepath.SkipDir
			case entry.Type().IsRegular() && slices.Contains([]string{".go", ".md", ".html"}, filepath.Ext(file)) && !strings.HasSuffix(file, "_test.go"):
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return goroot, files
}

// cut cuts a text at its blank lines into chunks of at most chunkBytes; a
// paragraph that is longer stays whole.
func cut(text string) []string {
	var chunks []string
	var chunk strings.Builder
	flush := func() {
		if strings.TrimSpace(chunk.String()) != "" {
			chunks = append(chunks, chunk.String())
		}
		chunk.Reset()
	}
	for _, paragraph := range strings.SplitAfter(text, "\n\n") {
		if chunk.Len() > 0 && chunk.Len()+len(paragraph) > chunkBytes {
			flush()
		}
		chunk.WriteString(paragraph)
	}
	flush()
	return chunks
}

// evenly returns n of all, from its first to its last.
func evenly[E any](all []E, n int) []E {
	some := make([]E, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}

// goCorpus returns the chunks of the Go distribution, and as queries the first
// sentences of its packages' documentation.
func goCorpus(t *testing.T) (chunks, queries []string) {
	t.Helper()
	goroot, files := goFiles(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, cut(string(text))...)
		if filepath.Ext(file) != ".go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if sentence := new(doc.Package).Synopsis(parsed.Doc.Text()); len(strings.Fields(sentence)) > 5 && !slices.Contains(queries, sentence) {
			queries = append(queries, sentence)
		}
	}
	if len(files) < 300 || len(chunks) < corpusChunks || len(queries) < askedQueries {
		t.Skipf("%s has %d files, %d chunks and %d package comments: install a Go distribution with its sources",
			goroot, len(files), len(chunks), len(queries))
	}
	t.Logf("%s: %d chunks of %d, from %d files; %d queries of %d package comments",
		goroot, corpusChunks, len(chunks), len(files), askedQueries, len(queries))
	return evenly(chunks, corpusChunks), evenly(queries, askedQueries)
}

// counter counts tokens, and the time that it takes.
type counter struct {
	codec tokenizer.Codec
	calls int
	spent time.Duration
}

func (c *counter) count(text string) int {
	start := time.Now()
	n, err := c.codec.Count(text)
	if err != nil {
		return -1 // refused by core
	}
	c.spent += time.Since(start)
	c.calls++
	return n
}

// percentiles prints the median and the 99th of 100.
func percentiles[N int | float64 | time.Duration](values []N, format func(N) string) string {
	slices.Sort(values)
	at := func(p int) string { return format(values[(len(values)-1)*p/100]) }
	return "p50 " + at(50) + ", p99 " + at(99)
}

// Over 10,000 chunks of real documents: of the 100 best the longest prefix that
// fits into a budget of tokens is admitted and placed, for 100 queries. What that
// adds to a query is logged, and asserted nowhere: it is the machine's.
func TestSearchTheGoDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes 10,000 chunks: leave -short out")
	}
	chunks, queries := goCorpus(t)
	start := time.Now()
	e := newEngine(t, chunks, topHits)
	t.Logf("bleve indexed them in %v", time.Since(start).Round(time.Millisecond))
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tokens := &counter{codec: codec}
	trimmed, err := langchaingo.NewRetriever(e, langchaingo.WithConfig(core.Config{Budget: tokenBudget, Count: tokens.count}))
	if err != nil {
		t.Fatal(err)
	}
	reorder, err := langchaingo.NewTransformer()
	if err != nil {
		t.Fatal(err)
	}

	var whole, search, counting, ours, alone []time.Duration
	var oursShare, countingShare, aloneShare []float64
	var admitted, counted []int
	for round := range 1 + timedRounds {
		for _, query := range queries {
			tokens.spent, tokens.calls = 0, 0
			start := time.Now()
			placed, err := trimmed.GetRelevantDocuments(background, query)
			total := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			spent, calls := tokens.spent, tokens.calls

			start = time.Now()
			untrimmed, err := reorder.TransformDocuments(background, e.found)
			only := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			if round == 0 { // warms up, and is where correctness is looked at
				checkTrimmed(t, codec, query, lcgIDs(e.found), e.texts, lcgIDs(placed), lcgIDs(untrimmed))
				continue
			}
			rest := total - e.spent - spent
			whole, search, counting = append(whole, total), append(search, e.spent), append(counting, spent)
			ours, alone = append(ours, rest), append(alone, only)
			oursShare = append(oursShare, float64(rest)/float64(total))
			countingShare = append(countingShare, float64(spent)/float64(total))
			aloneShare = append(aloneShare, float64(only)/float64(e.spent+only))
			admitted, counted = append(admitted, len(placed)), append(counted, calls)
		}
	}

	round := func(d time.Duration) string { return d.Round(100 * time.Nanosecond).String() }
	share := func(s float64) string { return fmt.Sprintf("%.3f %%", 100*s) }
	t.Logf(`%d calls of a langchaingo retriever over bleve (BM25, top %d), wrapped by Bookend with a budget of %d tokens (o200k_base)
whole call (search, counting, Bookend):            %s
  the search alone:                                %s
  the tokenizer alone, run inside Bookend's call:  %s
    as a share of the whole call:                  %s
    texts counted: %s; documents admitted: %s
  Bookend without the search and the tokenizer:    %s
    as a share of the whole call:                  %s
reordering all %d without a budget:               %s
    as a share of the search and the reordering:   %s`,
		len(whole), topHits, tokenBudget,
		percentiles(whole, round), percentiles(search, round), percentiles(counting, round), percentiles(countingShare, share),
		percentiles(counted, strconv.Itoa), percentiles(admitted, strconv.Itoa),
		percentiles(ours, round), percentiles(oursShare, share),
		topHits, percentiles(alone, round), percentiles(aloneShare, share))
}

// checkTrimmed checks one query's documents against what was found, the IDs by
// rank: placed under the budget, and untrimmed without one.
func checkTrimmed(t *testing.T, codec tokenizer.Codec, query string, found, texts, placed, untrimmed []string) {
	t.Helper()
	if len(found) != topHits {
		t.Fatalf("%q finds %d chunks, want %d", query, len(found), topHits)
	}
	if d := cmp.Diff(inOrder(t, found, topHits), untrimmed); d != "" {
		t.Errorf("%q without a budget (-want +got)\n%s", query, d)
	}
	fit, used := 0, 0
	for _, id := range found {
		n, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		size, err := codec.Count(texts[n])
		if err != nil {
			t.Fatal(err)
		}
		if used+size > tokenBudget {
			break
		}
		fit, used = fit+1, used+size
	}
	if fit == topHits {
		t.Errorf("%q: all chunks fit, so that the budget decides nothing", query)
	}
	if d := cmp.Diff(inOrder(t, found, fit), placed); d != "" {
		t.Errorf("%q: the longest prefix that fits has %d chunks of %d tokens (-want +got)\n%s", query, fit, used, d)
	}
}
