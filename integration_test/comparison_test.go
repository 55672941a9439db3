package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/llms"
	lcgschema "github.com/tmc/langchaingo/schema"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// retrievedTexts are documents, best first, as both frameworks have them.
func retrievedTexts(n int) (lcg []lcgschema.Document, ein []*einoschema.Document) {
	for rank := range n {
		text := fmt.Sprintf("text of rank %d", rank+1)
		lcg = append(lcg, lcgschema.Document{PageContent: text})
		ein = append(ein, &einoschema.Document{ID: fmt.Sprint(rank), Content: text})
	}
	return lcg, ein
}

// fixed is a retriever that always finds the same.
type fixed []lcgschema.Document

func (f fixed) GetRelevantDocuments(context.Context, string) ([]lcgschema.Document, error) {
	return f, nil
}

// parrot is a model that keeps what it was sent.
type parrot struct {
	llms.Model
	sent []llms.MessageContent
}

func (p *parrot) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	p.sent = messages
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "an answer"}}}, nil
}

// ranksOf returns the order in which the texts of retrievedTexts stand in a text.
func ranksOf(text string) (ranks []int) {
	for _, piece := range strings.Split(text, "text of rank ")[1:] {
		rank := 0
		if _, err := fmt.Sscan(piece, &rank); err == nil {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// The settings.json that a comparison writes is what both adapters take: as an order
// alone, and with the layout. Each gives the order of the winner.
func TestBothAdaptersLoadTheSettingsOfAComparison(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		word  evidence.Word
		want  []int // of 6 documents
		lead  string
	}{
		"reorder": {
			[]string{"--simulate", "recency", "--placements", "ranked,reversed", "--layouts", "query-aware", "--format", "numbered", "--limit", "2000", "--until-decided"},
			evidence.Reorder,
			[]int{6, 5, 4, 3, 2, 1},
			"Question: why?",
		},
		"keep": {
			[]string{"--simulate", "primacy", "--placements", "edges-first=2,reversed", "--top-k", "5", "--limit", "2000", "--until-decided"},
			evidence.Keep,
			[]int{1, 2, 5, 3, 4},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "out")
			run := exec.CommandContext(t.Context(), "go", append([]string{"run", "./cmd/bookend", "compare", "--out", dir}, c.flags...)...)
			run.Dir = ".."
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var summary compare.Result
			text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
			if err == nil {
				err = json.Unmarshal(text, &summary)
			}
			if err != nil || summary.Word != c.word {
				t.Fatalf("%s, %v", summary.Finding, err)
			}
			text, err = os.ReadFile(filepath.Join(dir, "settings.json"))
			if err != nil {
				t.Fatal(err)
			}
			var settings compare.Settled
			if err := json.Unmarshal(text, &settings); err != nil {
				t.Fatal(err)
			}
			adaptersPlace(t, settings, c.want, c.lead)
		})
	}
}

// adaptersPlace runs settings in every part of both adapters that takes some. lead
// stands before the documents.
func adaptersPlace(t *testing.T, settings compare.Settled, want []int, lead string) {
	t.Helper()
	lcg, ein := retrievedTexts(6)
	check := func(part, text string) {
		t.Helper()
		if got := ranksOf(text); !slices.Equal(got, want) {
			t.Errorf("%s (-want +got)\n-%v\n+%v", part, want, got)
		}
	}

	r, err := langchaingo.NewRetriever(fixed(lcg), langchaingo.WithConfig(settings.Order))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(t.Context(), "why?")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range docs {
		texts = append(texts, d.PageContent)
	}
	check("langchaingo's retriever", strings.Join(texts, "\n"))

	model := &parrot{}
	chain, err := combine.NewLayoutChain(model, combine.LayoutConfig{Prompt: settings.Prompt, Config: settings.Order})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Call(t.Context(), map[string]any{"input_documents": lcg, "question": "why?"}); err != nil {
		t.Fatal(err)
	}
	sent := ""
	for _, m := range model.sent {
		for _, part := range m.Parts {
			sent += part.(llms.TextContent).Text + "\n"
		}
	}
	check("langchaingo's layout chain", sent)

	node, err := eino.NewTransformer(t.Context(), &settings.Order)
	if err != nil {
		t.Fatal(err)
	}
	placed, err := node.Transform(t.Context(), ein)
	if err != nil {
		t.Fatal(err)
	}
	texts = nil
	for _, d := range placed {
		texts = append(texts, d.Content)
	}
	check("eino's transformer", strings.Join(texts, "\n"))

	template, err := eino.NewChatTemplate(t.Context(), &eino.ChatTemplateConfig{Prompt: settings.Prompt, Config: settings.Order})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := template.Format(t.Context(), map[string]any{"documents": ein, "question": "why?"})
	if err != nil {
		t.Fatal(err)
	}
	laid := ""
	for _, m := range messages {
		laid += m.Content + "\n"
	}
	check("eino's chat template", laid)
	if laid != sent {
		t.Errorf("the two adapters send different prompts (-langchaingo +eino)\n-%s\n+%s", sent, laid)
	}
	if before, _, _ := strings.Cut(sent, "text of rank"); lead != "" && !strings.Contains(before, lead) {
		t.Errorf("no %q before the documents of:\n%s", lead, sent)
	}
}

// What a running chain retrieved becomes the data of a comparison, also where the
// chain writes to its documents as soon as it has them.
func TestARecordedChainBecomesAComparison(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	recorder, err := record.Open(path, record.Config{Texts: true})
	if err != nil {
		t.Fatal(err)
	}
	const questions, k = 40, 5
	var labelLines []string
	for i := range questions {
		lcg, _ := retrievedTexts(k)
		lcg[i%k].PageContent = fmt.Sprintf("the answer is number-%d", i)
		lcg[i%k].Metadata = map[string]any{"id": "gold", "title": "a title"}
		r, err := langchaingo.NewRetriever(fixed(lcg), langchaingo.WithConfig(core.Config{Observe: recorder.Observe, Keys: core.Keys{ID: "id"}, Placement: core.Choice{Placement: core.Reversed}}))
		if err != nil {
			t.Fatal(err)
		}
		question := fmt.Sprintf("What is number %d?", i)
		docs, err := r.GetRelevantDocuments(t.Context(), question)
		if err != nil || len(docs) != k {
			t.Fatal(docs, err)
		}
		for _, docs := range [][]lcgschema.Document{docs, lcg} {
			for j := range docs {
				if docs[j].Metadata != nil {
					docs[j].Metadata["id"], docs[j].Metadata["title"] = "spoiled", "spoiled"
				}
				docs[j] = lcgschema.Document{PageContent: "spoiled"}
			}
		}
		line, err := json.Marshal(map[string]any{"question": question, "answers": []string{fmt.Sprintf("number-%d", i)}})
		if err != nil {
			t.Fatal(err)
		}
		labelLines = append(labelLines, string(line))
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if s := recorder.Stats(); s.Written != questions || s.Dropped+s.Lost != 0 {
		t.Errorf("%+v", s)
	}
	labelFile := filepath.Join(t.TempDir(), "labels.jsonl")
	if err := os.WriteFile(labelFile, []byte(strings.Join(labelLines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	labels, err := dataset.ReadLabels(labelFile)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := dataset.Rules{Lists: true, Labels: labels}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lists.Close()
	if r := lists.Report(); r.Kept != questions || r.WithoutGold != 0 || r.ManyGolds != 0 || r.MinDocuments != k {
		t.Errorf("%+v", r)
	}
	for i := range questions {
		c, err := lists.Case(i)
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Documents[c.Gold]; c.Gold != i%k || d.ID != "gold" || d.Title != "a title" || d.Text != fmt.Sprintf("the answer is number-%d", i) {
			t.Errorf("question %d, the answer at rank %d: %+v", i, c.Gold, d)
		}
	}

	arm := func(p core.Placement) compare.Arm {
		return compare.Arm{Name: fmt.Sprint(p), Order: core.Config{Placement: core.Choice{Placement: p}}, Prompt: compare.DefaultPrompt()}
	}
	plan, err := compare.NewPlan(lists, compare.Settings{Model: "last", Arms: []compare.Arm{arm(core.RankOrder), arm(core.Reversed)}, Shuffles: -1, Repeats: -1})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	// The model reads the last document, and nothing else.
	model := model.Func(func(_ context.Context, p model.Prompt) (model.Answer, error) {
		documents, _, _ := strings.Cut(p.Text, "\n\nQuestion:")
		return model.Answer{Text: documents[strings.LastIndex(documents, "Document ["):]}, nil
	})
	described := compare.Described{Manifest: plan.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}}
	_, err = compare.Run(t.Context(), plan, described, model, journal, run.Limits{})
	if err := errors.Join(err, journal.Close()); err != nil {
		t.Fatal(err)
	}
	result, err := compare.SummarizeJournal(journal.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// A fifth has the answer at the last rank, a fifth at the first.
	if a := result.Arms; result.Questions.Counted != questions || a[0].Full.Correct != questions/k || a[1].Full.Correct != questions/k || a[1].Against.Wins != questions/k || a[1].Against.Losses != questions/k {
		t.Errorf("%+v: %+v", result.Questions, a)
	}
	for _, s := range result.Strata {
		if s.From == 0 && (s.Questions != questions/k || s.Arms[1].Correct != s.Questions || s.Arms[0].Correct != 0) {
			t.Errorf("%+v", s)
		}
	}
}
