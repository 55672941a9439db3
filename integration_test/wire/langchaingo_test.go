package wire

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// lister is a retriever that always finds the texts, best first.
type lister struct{}

func (lister) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	docs := make([]schema.Document, len(texts))
	for i, text := range texts {
		docs[i] = schema.Document{PageContent: text, Score: float32(len(texts) - i), Metadata: map[string]any{"source": fmt.Sprintf("file-%d.md", i+1)}}
	}
	return docs, nil
}

func llm(t *testing.T, s *openaitest.Server) llms.Model {
	t.Helper()
	m, err := openai.New(openai.WithBaseURL(s.URL), openai.WithToken("none"), openai.WithModel("recorder"), openai.WithHTTPClient(s.Client))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func wrapped(t *testing.T, opts ...bookend.Option) *bookend.Retriever {
	t.Helper()
	r, err := bookend.NewRetriever(lister{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRetrievalQASendsThePlacedDocuments(t *testing.T) {
	s := openaitest.New(t, answer)
	got, err := chains.Run(ctx, chains.NewRetrievalQAFromLLM(llm(t, s), wrapped(t)), question)
	if err != nil || got != "Green." {
		t.Fatalf("got %q, %v", got, err)
	}
	request := onlyRequest(t, s)
	wantMessages(t, request, openaitest.Message{Role: "user", Content: stuffed(placed())})
	wantOrderInBody(t, request.Body, headTail)
}

func TestOffSendsThePromptOfAChainWithoutBookend(t *testing.T) {
	off := bookend.WithConfig(core.Config{TopK: 2, Select: func(context.Context) *core.Arranger { return core.Off }})
	s := openaitest.New(t, answer)
	for _, r := range []schema.Retriever{lister{}, wrapped(t, off)} {
		if _, err := chains.Run(ctx, chains.NewRetrievalQAFromLLM(llm(t, s), r), question); err != nil {
			t.Fatal(err)
		}
	}
	plain, switchedOff := s.Requests()[0], s.Requests()[1]
	if string(plain.Body) != string(switchedOff.Body) {
		t.Errorf("(-plain +off)\n-%s\n+%s", plain.Body, switchedOff.Body)
	}
}

func TestCombineSendsThePlacedDocumentsAndKeepsTheSourcesRanked(t *testing.T) {
	s := openaitest.New(t, answer)
	step, err := combine.Wrap(chains.LoadStuffQA(llm(t, s)), bookend.WithConfig(core.Config{TopK: 5}))
	if err != nil {
		t.Fatal(err)
	}
	chain := chains.NewRetrievalQA(step, lister{})
	chain.ReturnSourceDocuments = true
	out, err := chains.Call(ctx, chain, map[string]any{"query": question})
	if err != nil {
		t.Fatal(err)
	}
	wantOrderInBody(t, onlyRequest(t, s).Body, []int{0, 2, 4, 3, 1})
	ranked, _ := lister{}.GetRelevantDocuments(ctx, question)
	sources := out["source_documents"].([]schema.Document)
	if !slices.EqualFunc(sources, ranked, func(a, b schema.Document) bool { return a.PageContent == b.PageContent }) {
		t.Errorf("the sources are not the ranked list: %v", sources)
	}
}

func TestConversationSendsThePlacedDocumentsInEachTurn(t *testing.T) {
	s := openaitest.New(t, answer)
	chain := chains.NewConversationalRetrievalQAFromLLM(llm(t, s), wrapped(t), memory.NewConversationBuffer())
	for range 2 {
		if _, err := chains.Run(ctx, chain, question); err != nil {
			t.Fatal(err)
		}
	}
	requests := s.Requests() // answer; condense the question, answer
	if len(requests) != 3 {
		t.Fatalf("%d requests, want 3", len(requests))
	}
	wantOrderInBody(t, requests[0].Body, headTail)
	wantOrderInBody(t, requests[2].Body, headTail)
}

var docNumber = regexp.MustCompile(`Doc (\d):`)

func TestMapReduceReducesInThePlacedOrder(t *testing.T) {
	s := openaitest.New(t, func(r openaitest.Request) openaitest.Reply {
		if found := docNumber.FindAllString(r.Messages[0].Content, -1); len(found) == 1 {
			return openaitest.Text(found[0] + " noted")
		}
		return openaitest.Text("Green.")
	})
	if _, err := chains.Run(ctx, chains.NewRetrievalQA(chains.LoadMapReduceQA(llm(t, s)), wrapped(t)), question); err != nil {
		t.Fatal(err)
	}
	requests := s.Requests()
	if len(requests) != len(texts)+1 {
		t.Fatalf("%d requests, want one for each document and one to reduce", len(requests))
	}
	wantOrderInBody(t, requests[len(texts)].Body, headTail)
}

func TestRefineReadsInThePlacedOrder(t *testing.T) {
	s := openaitest.New(t, func(openaitest.Request) openaitest.Reply { return openaitest.Text("so far") })
	if _, err := chains.Run(ctx, chains.NewRetrievalQA(chains.LoadRefineQA(llm(t, s)), wrapped(t)), question); err != nil {
		t.Fatal(err)
	}
	for i, request := range s.Requests() {
		wantOrderInBody(t, request.Body, headTail[i:i+1])
	}
}

func TestLayoutChainSendsTheRenderedPromptInItsRoles(t *testing.T) {
	for _, format := range []prompt.Format{prompt.Numbered, prompt.Titled, prompt.XML, prompt.Markdown} {
		t.Run(string(format), func(t *testing.T) {
			s := openaitest.New(t, answer)
			config := prompt.Config{Format: format, Layout: prompt.Bookend, Rules: "Only the documents.", Task: "Answer briefly.", Instruction: "Answer in a word.", Reminder: "Only the documents!"}
			chain, err := combine.NewLayoutChain(llm(t, s), combine.LayoutConfig{Prompt: config})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := chains.Run(ctx, chains.NewRetrievalQA(chain, lister{}), question); err != nil {
				t.Fatal(err)
			}
			renderer, err := prompt.New(config)
			if err != nil {
				t.Fatal(err)
			}
			docs, _ := lister{}.GetRelevantDocuments(ctx, question)
			want, err := prompt.Build(ctx, renderer, nil, docs, bookend.View(), prompt.Input{Question: question})
			if err != nil {
				t.Fatal(err)
			}
			request := onlyRequest(t, s)
			wantMessages(t, request,
				openaitest.Message{Role: "system", Content: want.Messages[0].Text},
				openaitest.Message{Role: "user", Content: want.Messages[1].Text})
			wantOrderInBody(t, request.Body, headTail)
			if format != prompt.XML { // which escapes the closing tag of document 4
				for _, text := range texts {
					if !strings.Contains(request.Messages[1].Content, text) {
						t.Errorf("%q did not arrive literally", text)
					}
				}
			}
		})
	}
}

func TestLayoutChainStreamsBeforeTheServerHasFinished(t *testing.T) {
	reply, release := firstChunkThenRest()
	s := openaitest.New(t, reply)
	chain, err := combine.NewLayoutChain(llm(t, s), combine.LayoutConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var chunks []string
	got, err := chains.Run(ctx, chains.NewRetrievalQA(chain, lister{}), question,
		chains.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			if chunks = append(chunks, string(chunk)); len(chunks) == 1 {
				release() // the server goes on only now
			}
			return nil
		}))
	if err != nil || got != "Green." {
		t.Fatalf("got %q, %v", got, err)
	}
	if len(chunks) == 0 || chunks[0] != "Gre" || strings.Join(chunks, "") != "Green." {
		t.Errorf("streamed %q", chunks)
	}
}
