//go:build !race

// It shares the engine with tests whose times mean nothing under the race detector.

package integration_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/integration_test/parts"
	bookend "github.com/bookend-rag/bookend/langchaingo"
)

// candidates is the number of chunks that each retriever of these tests is asked for.
const candidates = 20

// named gives what an engine finds the IDs of the handbook's chunks, so that other
// retrievers' copies are known to be the same.
type named struct {
	*engine
	chunks []handbook.Chunk
}

func (n named) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	docs, err := n.engine.GetRelevantDocuments(ctx, query)
	for _, d := range docs {
		i, err := strconv.Atoi(d.Metadata["id"].(string))
		if err != nil {
			return nil, err
		}
		d.Metadata["id"] = n.chunks[i].ID()
	}
	return docs, err
}

func handbookChunks(t *testing.T) ([]handbook.Chunk, []string) {
	t.Helper()
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	return chunks, texts
}

// judged is a question of the handbook and the chunk that answers it.
type judged struct {
	question string
	relevant rank.Relevant[string]
}

func judgedQuestions(t *testing.T, chunks []handbook.Chunk) []judged {
	t.Helper()
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]judged, len(questions))
	for i, q := range questions {
		all[i] = judged{q.Question, rank.Relevant[string]{}}
		for _, c := range chunks {
			if gold := q.Contexts[0]; c.Source == gold.ID && strings.HasSuffix(c.Text, gold.Text) {
				all[i].relevant[c.ID()] = 1
			}
		}
		if len(all[i].relevant) != 1 {
			t.Fatalf("%q is answered by %d chunks", q.Question, len(all[i].relevant))
		}
	}
	return all
}

// measured is the mean of each metric over the questions.
type measured struct{ mrr, recall5, ndcg10 float64 }

func (m measured) String() string {
	return fmt.Sprintf("%.3f | %.3f | %.3f", m.mrr, m.recall5, m.ndcg10)
}

// measure asks every question of a retriever that places, and reads the metrics off the
// restored ranks.
func measure(t *testing.T, questions []judged, reranker *rank.Reranker, sources ...bookend.Source) measured {
	t.Helper()
	var arrangement core.Arrangement
	r, err := bookend.NewPipeline(pipeline.Config[schema.Document]{
		Sources: sources, Reranker: reranker,
		Order: core.Config{Observe: func(_ context.Context, e core.Event) { arrangement = e.Arrangement }},
	})
	if err != nil {
		t.Fatal(err)
	}
	var mrr, recall, ndcg []float64
	for _, q := range questions {
		placed, err := r.GetRelevantDocuments(t.Context(), q.question)
		if err != nil {
			t.Fatal(err)
		}
		ranked, err := core.RestoreRank(arrangement, placed)
		if err != nil {
			t.Fatal(err)
		}
		ids := lcgIDs(ranked)
		mrr = append(mrr, q.relevant.ReciprocalRank(ids))
		recall = append(recall, q.relevant.Recall(ids, 5))
		ndcg = append(ndcg, q.relevant.NDCG(ids, 10))
	}
	return measured{rank.Mean(mrr), rank.Mean(recall), rank.Mean(ndcg)}
}

// tableRow is a row of the table in docs/rerank.md: a name and three numbers.
var tableRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([01]\.\d{3}) \| ([01]\.\d{3}) \| ([01]\.\d{3}) \|$`)

// checkDocs compares rows with those of the docs. A model's numbers differ a little
// from processor to processor.
func checkDocs(t *testing.T, rows map[string]measured, tolerance float64) {
	t.Helper()
	page, err := os.ReadFile("../docs/rerank.md")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]measured{}
	for _, row := range tableRow.FindAllStringSubmatch(string(page), -1) {
		var values [3]float64
		for i := range values {
			values[i], _ = strconv.ParseFloat(row[i+2], 64)
		}
		written[row[1]] = measured{values[0], values[1], values[2]}
	}
	for name, got := range rows {
		t.Logf("| %s | %v |", name, got)
		want, there := written[name]
		far := func(a, b float64) bool { return math.Abs(a-b) > tolerance }
		if !there || far(want.mrr, got.mrr) || far(want.recall5, got.recall5) || far(want.ndcg10, got.ndcg10) {
			t.Errorf("docs/rerank.md, %q (-written +measured)\n-%v\n+%v", name, want, got)
		}
	}
}

// What fusing two indexes of words does to the handbook's questions is what the docs
// say.
func TestRerankTableOffline(t *testing.T) {
	chunks, texts := handbookChunks(t)
	questions := judgedQuestions(t, chunks)
	stems := bookend.From("stems", named{newEngine(t, texts, candidates), chunks})
	words := bookend.From("words", named{newEngineBy(t, "standard", texts, candidates), chunks})
	checkDocs(t, map[string]measured{
		"stems: BM25 over English word stems": measure(t, questions, nil, stems),
		"words: BM25 over words as they are":  measure(t, questions, nil, words),
		"stems and words, fused":              measure(t, questions, nil, stems, words),
	}, 0.0005)
}

// Against a running server with a real model, in both shapes of the protocol: every
// document has the score that the server gives to it alone.
func TestRerankServer(t *testing.T) {
	server := parts.Start(t, "embeddings.py")
	chunks, texts := handbookChunks(t)
	questions := judgedQuestions(t, chunks)
	e := named{newEngine(t, texts, 10), chunks}
	for _, form := range []rank.Form{rank.Documents, rank.Texts} {
		newScorer := func(batch int) *rank.HTTP {
			h, err := rank.NewHTTP(rank.HTTPConfig{URL: server.URL, Form: form, Batch: batch, Timeout: 5 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(h.CloseIdleConnections)
			return h
		}
		alone := newScorer(1)
		for i := 0; i < len(questions); i += len(questions) / 3 {
			question := questions[i].question
			var arrangement core.Arrangement
			r, err := bookend.NewPipeline(pipeline.Config[schema.Document]{
				Sources:  []bookend.Source{bookend.From("", e)},
				Reranker: &rank.Reranker{Scorer: newScorer(7)},
				Order:    core.Config{Observe: func(_ context.Context, e core.Event) { arrangement = e.Arrangement }},
			})
			if err != nil {
				t.Fatal(err)
			}
			placed, err := r.GetRelevantDocuments(t.Context(), question)
			if err != nil {
				t.Fatal(err)
			}
			stage, ok := arrangement.Stage("rerank")
			if !ok || len(placed) != len(stage.Scores) {
				t.Fatalf("%d documents, stage %v", len(placed), stage)
			}
			single := map[string]float64{}
			for _, d := range placed {
				scores, err := alone.Score(t.Context(), question, []string{d.PageContent})
				if err != nil {
					t.Fatal(err)
				}
				single[d.Metadata["id"].(string)] = scores[0]
			}
			last := math.Inf(1)
			ranked, err := core.RestoreRank(arrangement, placed)
			if err != nil {
				t.Fatal(err)
			}
			for rank, d := range ranked {
				index, _ := arrangement.IndexOf(rank)
				got, want := float64(stage.Scores[index]), single[d.Metadata["id"].(string)]
				// int8 activations are scaled by batch, so that neighbours move a score a little.
				if math.Abs(got-want) > 0.03 {
					t.Errorf("%s form, %q: %v has score %.4f, alone %.4f", form, question, d.Metadata["id"], got, want)
				}
				if got > last {
					t.Errorf("%s form, %q: r%d scores more than the one before it", form, question, rank+1)
				}
				last = got
			}
		}
	}
}

// remembering asks a scorer for each pair of a question and a text once.
func remembering(scorer rank.Scorer) rank.Scorer {
	known := map[[2]string]float64{}
	return rank.ScorerFunc(func(ctx context.Context, query string, texts []string) ([]float64, error) {
		var unknown []string
		for _, text := range texts {
			if _, ok := known[[2]string{query, text}]; !ok {
				unknown = append(unknown, text)
			}
		}
		scores, err := scorer.Score(ctx, query, unknown)
		if err != nil {
			return nil, err
		}
		for i, text := range unknown {
			known[[2]string{query, text}] = scores[i]
		}
		all := make([]float64, len(texts))
		for i, text := range texts {
			all[i] = known[[2]string{query, text}]
		}
		return all, nil
	})
}

// What fusion and reranking do to the handbook's questions, over PostgreSQL with
// pgvector and a real embedding model. The rows of the docs are of all questions, which
// takes minutes: with BOOKEND_RERANK_ALL=1 they are measured again. Otherwise a few
// questions have to show what the docs conclude from them.
func TestRerankTable(t *testing.T) {
	server := parts.Start(t, "embeddings.py")
	database := parts.Start(t, "postgres.py")
	chunks, texts := handbookChunks(t)
	questions := judgedQuestions(t, chunks)
	all := os.Getenv("BOOKEND_RERANK_ALL") == "1"
	if !all {
		for i := range 16 {
			questions[i] = questions[i*10]
		}
		questions = questions[:16]
	}
	store, _ := newHandbookStore(t, database.URL, newEmbedder(t, server))
	h, err := rank.NewHTTP(rank.HTTPConfig{URL: server.URL + "/v1/rerank", Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.CloseIdleConnections)
	reranker := &rank.Reranker{Scorer: remembering(h)}
	stems := bookend.From("stems", named{newEngine(t, texts, candidates), chunks})
	dense := bookend.From("dense", vectorstores.ToRetriever(store, candidates))
	rows := map[string]measured{
		"dense: MiniLM in pgvector":           measure(t, questions, nil, dense),
		"stems and dense, fused":              measure(t, questions, nil, stems, dense),
		"stems and dense, fused and reranked": measure(t, questions, reranker, stems, dense),
		"stems, reranked by MiniLM":           measure(t, questions, reranker, stems),
	}
	if all {
		checkDocs(t, rows, 0.02)
		return
	}
	byDense, fused, reranked := rows["dense: MiniLM in pgvector"], rows["stems and dense, fused"], rows["stems and dense, fused and reranked"]
	t.Logf("%d questions (MRR | recall@5 | nDCG@10): dense %v, fused %v, fused and reranked %v", len(questions), byDense, fused, reranked)
	if fused.recall5 < byDense.recall5 {
		t.Error("the fusion finds less than one of its lists")
	}
	// The reranker is the dense list's own model.
	if math.Abs(reranked.mrr-byDense.mrr) > 0.05 {
		t.Error("the model ranks by /rerank in another way than by its vectors")
	}
}

// The example runs every stage over real parts: PostgreSQL with pgvector, an embedding
// model, and the same model behind /rerank.
func TestRerankExample(t *testing.T) {
	server := parts.Start(t, "embeddings.py")
	database := parts.Start(t, "postgres.py")
	out, err := exec.CommandContext(t.Context(), "go", "run", "../examples/rerank",
		"-postgres", database.URL, "-embeddings-url", server.URL+"/v1", "-rerank-url", server.URL+"/rerank").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, part := range []string{"dense", "fusion", "rerank", "5 of ", "\n   5 ", "*employee-discount.txt#0: "} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in what the example prints", part)
		}
	}
	if strings.Contains(text, "Note: ") {
		t.Error("a stage failed")
	}
	t.Logf("go run ./examples/rerank over real parts:\n%s", out)
}
