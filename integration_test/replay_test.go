//go:build !race

package integration_test

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/prefixcache"
	"github.com/bookend-rag/bookend/measure/replay"
)

// askers draws questions of the handbook evenly, drops 15 % of each one's words, and
// asks BM25 for its ten best paragraphs: what people ask again and again, each in words
// of their own.
func askers(t *testing.T, questions []handbook.Question, requests int) replay.Traffic {
	t.Helper()
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	engine := newEngine(t, texts, 10)
	draw := rand.New(rand.NewPCG(18, 1))
	traffic := replay.Traffic{Source: "the handbook"}
	for range requests {
		var words []string
		for _, word := range strings.Fields(questions[draw.IntN(len(questions))].Question) {
			if draw.Float64() >= 0.15 {
				words = append(words, word)
			}
		}
		question := strings.Join(words, " ")
		found, err := engine.GetRelevantDocuments(context.Background(), question)
		if err != nil {
			t.Fatal(err)
		}
		r := replay.Request{Question: question}
		for _, d := range found {
			r.Documents = append(r.Documents, dataset.Document{ID: handbookID(chunks, d.PageContent), Text: d.PageContent})
		}
		if len(r.Documents) > 0 && question != "" {
			traffic.Requests = append(traffic.Requests, r)
		}
	}
	return traffic
}

func handbookID(chunks []handbook.Chunk, text string) string {
	for _, c := range chunks {
		if c.Text == text {
			return c.ID()
		}
	}
	return ""
}

// shopRules are about 300 tokens of the handbook's own: what a shop tells its model.
func shopRules(t testing.TB) string {
	t.Helper()
	text, err := fs.ReadFile(handbook.Docs(), "tone.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:1200])
}

// shopSetting has labels that stay with a document.
func shopSetting(t testing.TB, name string, p core.Placement) replay.Setting {
	t.Helper()
	return replay.Setting{
		Name: name, Order: core.Config{Placement: core.Choice{Placement: p}},
		Prompt: prompt.Config{Rules: shopRules(t), Labels: prompt.ByID},
	}
}

func handbookQuestions(t testing.TB) []handbook.Question {
	t.Helper()
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	return questions
}

// 1,500 requests, a cache of 400,000 tokens in vLLM's blocks, and no provider's minimum.
func TestReplayedHandbook(t *testing.T) {
	traffic := askers(t, handbookQuestions(t), 1500)
	r, err := replay.Run(t.Context(), traffic, replay.Config{
		Settings: []replay.Setting{
			shopSetting(t, "ranked", core.RankOrder), shopSetting(t, "head-tail", core.HeadTail),
			held(shopSetting(t, "best rank held", core.RankOrder)), free(shopSetting(t, "free", core.RankOrder)),
		},
		Cache: prefixcache.Config{Block: 16, Capacity: 400_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		t.Logf("%s: %.1f %% of %d tokens a prompt", row.Name, 100*row.Share, row.Tokens/r.Requests)
	}
	ranked, kept := r.Rows[0].Share, r.Rows[2].Share
	if len(traffic.Requests) != 1500 || ranked < 0.60 || ranked > 0.66 || kept < 0.68 || kept < ranked+0.06 || !r.Saves {
		t.Errorf("%d requests: ranked %.3f, best rank held %.3f: %s", len(traffic.Requests), ranked, kept, r.Finding)
	}
}

// held reuses around the best rank.
func held(s replay.Setting) replay.Setting {
	s.Reuse = &reuse.Config{Hold: 1}
	return s
}

// free reuses as if every order were as good as another.
func free(s replay.Setting) replay.Setting {
	flat := &core.Curve{Format: core.CurveFormat, Documents: 2, Slots: []int{0, 1}, Accuracy: []float64{0.5, 0.5}, Shape: core.ShapeFlat}
	s.Reuse = &reuse.Config{Worth: 1, Curve: flat}
	return s
}
