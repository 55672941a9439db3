package integration_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	einobookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/integration_test/parts"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	einoopenai "github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/schema"
)

// shelf is the handbook with its vectors, in memory: the nearest first.
type shelf struct {
	embedder embeddings.Embedder
	chunks   []handbook.Chunk
	vectors  [][]float32
	k        int
}

func newShelf(t *testing.T, embedder embeddings.Embedder, k int) *shelf {
	t.Helper()
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	vectors, err := embedder.EmbedDocuments(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{embedder, chunks, vectors, k}
}

func (s *shelf) nearest(ctx context.Context, query string) ([]handbook.Chunk, error) {
	vector, err := s.embedder.EmbedQuery(ctx, query)
	if err != nil {
		return nil, err
	}
	scores := make([]float32, len(s.chunks))
	order := make([]int, len(s.chunks))
	for i := range s.chunks {
		order[i] = i
		for j, v := range s.vectors[i] {
			scores[i] += v * vector[j]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	found := make([]handbook.Chunk, s.k)
	for rank := range found {
		found[rank] = s.chunks[order[rank]]
	}
	return found, nil
}

// GetRelevantDocuments makes the shelf a retriever of langchaingo.
func (s *shelf) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	chunks, err := s.nearest(ctx, query)
	docs := make([]schema.Document, len(chunks))
	for i, c := range chunks {
		docs[i] = schema.Document{PageContent: c.Text, Metadata: map[string]any{"id": c.ID()}}
	}
	return docs, err
}

// Retrieve makes einoBooks a retriever of eino.
func (s einoBooks) Retrieve(ctx context.Context, query string, _ ...retriever.Option) ([]*einoschema.Document, error) {
	chunks, err := s.nearest(ctx, query)
	docs := make([]*einoschema.Document, len(chunks))
	for i, c := range chunks {
		docs[i] = &einoschema.Document{ID: c.ID(), Content: c.Text}
	}
	return docs, err
}

type einoBooks struct{ *shelf }

// modelProxy stands between a client and the model server, and records the bodies
// of the requests.
type modelProxy struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
}

func newModelProxy(t *testing.T, server parts.Part) *modelProxy {
	t.Helper()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: ownClient(t).Transport,
	}
	p := &modelProxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		p.mu.Lock()
		p.bodies = append(p.bodies, body)
		p.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// sent returns the text of the messages of the one request since the last call,
// and whether it asked for a stream.
func (p *modelProxy) sent(t *testing.T) (text string, streamed bool) {
	t.Helper()
	p.mu.Lock()
	bodies := p.bodies
	p.bodies = nil
	p.mu.Unlock()
	if len(bodies) != 1 {
		t.Fatalf("%d requests reached the server, want 1", len(bodies))
	}
	var request struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(bodies[0], &request); err != nil {
		t.Fatalf("%v in %s", err, bodies[0])
	}
	texts := make([]string, len(request.Messages))
	for i, m := range request.Messages {
		texts[i] = m.Content
	}
	return strings.Join(texts, "\n"), request.Stream
}

// headTailRanks is the order that the default placement puts six documents in.
var headTailRanks = []int{0, 2, 4, 5, 3, 1}

// checkBlock fails unless the prompt holds the documents between before and after,
// byte for byte: nothing else stands there.
func checkBlock(t *testing.T, prompt, before, want, after string) {
	t.Helper()
	_, rest, found := strings.Cut(prompt, before)
	if !found {
		t.Fatalf("the prompt has no %q:\n%s", before, prompt)
	}
	got, _, found := strings.Cut(rest, after)
	if !found {
		t.Fatalf("the prompt has no %q after the documents:\n%s", after, prompt)
	}
	if got != want {
		t.Errorf("documents on the wire\n-want\n%s\n+got\n%s", want, got)
	}
}

// TestModel asks a question over the handbook through both frameworks, their
// OpenAI clients and llama.cpp's server, and reads what went over the wire.
func TestModel(t *testing.T) {
	server := parts.Start(t, "model.py", "--model", "smollm2")
	books := newShelf(t, newEmbedder(t, parts.Start(t, "embeddings.py")), len(headTailRanks))
	ctx := context.Background()
	const question = "Can I get a refund after 45 days?"
	ranked, err := books.nearest(ctx, question)
	if err != nil {
		t.Fatal(err)
	}
	proxy := newModelProxy(t, server)

	t.Run("langchaingo", func(t *testing.T) {
		llm, err := openai.New(openai.WithBaseURL(proxy.URL+"/v1"), openai.WithToken("none"),
			openai.WithModel("smollm2"), openai.WithHTTPClient(ownClient(t)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := bookend.NewRetriever(books)
		if err != nil {
			t.Fatal(err)
		}
		chain := chains.NewRetrievalQAFromLLM(llm, r)
		var placed []string
		for _, rank := range headTailRanks {
			placed = append(placed, ranked[rank].Text)
		}
		check := func(t *testing.T, wantStream bool) {
			t.Helper()
			prompt, streamed := proxy.sent(t)
			if streamed != wantStream {
				t.Errorf("stream is %t, want %t", streamed, wantStream)
			}
			checkBlock(t, prompt, "make up an answer.\n\n", strings.Join(placed, "\n\n"), "\n\nQuestion: "+question)
		}
		options := []chains.ChainCallOption{chains.WithTemperature(0), chains.WithMaxTokens(32)}

		answer, err := chains.Run(ctx, chain, question, options...)
		if err != nil {
			t.Fatal(err)
		}
		check(t, false)
		if answer == "" {
			t.Error("the answer is empty")
		}
		t.Logf("%s %q", question, answer)

		var pieces []string
		streamed, err := chains.Run(ctx, chain, question, append(options, chains.WithStreamingFunc(func(_ context.Context, piece []byte) error {
			pieces = append(pieces, string(piece))
			return nil
		}))...)
		if err != nil {
			t.Fatal(err)
		}
		check(t, true)
		if got := strings.Join(pieces, ""); got != streamed || len(pieces) < 2 {
			t.Errorf("%d pieces make %q, and the answer is %q", len(pieces), got, streamed)
		}
		t.Logf("in %d pieces: %q", len(pieces), streamed)
	})

	t.Run("eino", func(t *testing.T) {
		model := newEinoModel(t, proxy.URL, 32)
		reorder, err := einobookend.NewTransformer(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		template, err := einobookend.NewChatTemplate(ctx, &einobookend.ChatTemplateConfig{
			Prompt: layout.Config{Rules: "Answer from the documents alone."},
			Placed: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		g := compose.NewGraph[string, *einoschema.Message]()
		if err := errors.Join(
			g.AddRetrieverNode("retrieve", einoBooks{books}),
			g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents")),
			g.AddPassthroughNode("question", compose.WithOutputKey("question")),
			g.AddChatTemplateNode("prompt", template),
			g.AddChatModelNode("model", model),
			g.AddEdge(compose.START, "retrieve"),
			g.AddEdge("retrieve", "reorder"),
			g.AddEdge("reorder", "prompt"),
			g.AddEdge(compose.START, "question"),
			g.AddEdge("question", "prompt"),
			g.AddEdge("prompt", "model"),
			g.AddEdge("model", compose.END),
		); err != nil {
			t.Fatal(err)
		}
		program, err := g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
		if err != nil {
			t.Fatal(err)
		}
		var placed []string
		for _, rank := range headTailRanks {
			placed = append(placed, fmt.Sprintf("[%d] %s", rank+1, ranked[rank].Text))
		}
		check := func(t *testing.T, wantStream bool) {
			t.Helper()
			prompt, streamed := proxy.sent(t)
			if streamed != wantStream {
				t.Errorf("stream is %t, want %t", streamed, wantStream)
			}
			checkBlock(t, prompt, "Answer from the documents alone.\n", strings.Join(placed, "\n\n"), "\n\nQuestion: "+question)
		}

		// The trace of a request tells the template the ranks of what comes placed.
		traced, _ := core.WithTrace(ctx)
		answer, err := program.Invoke(traced, question)
		if err != nil {
			t.Fatal(err)
		}
		check(t, false)
		if answer.Content == "" {
			t.Error("the answer is empty")
		}
		t.Logf("%s %q", question, answer.Content)

		traced, _ = core.WithTrace(ctx)
		stream, err := program.Stream(traced, question)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		pieces, text := 0, ""
		for {
			piece, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			pieces++
			text += piece.Content
		}
		check(t, true)
		if pieces < 2 || text == "" {
			t.Errorf("%d pieces make %q", pieces, text)
		}
		t.Logf("in %d pieces: %q", pieces, text)
	})

	t.Run("prompt cache", func(t *testing.T) { promptCache(t, proxy, books) })
}

func newEinoModel(t *testing.T, address string, maxTokens int) *einoopenai.ChatModel {
	t.Helper()
	zero := float32(0)
	model, err := einoopenai.NewChatModel(context.Background(), &einoopenai.ChatModelConfig{
		BaseURL: address + "/v1", APIKey: "none", Model: "smollm2",
		MaxTokens: &maxTokens, Temperature: &zero, HTTPClient: ownClient(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// conversations are pairs of questions that a customer may ask in a row: what is
// found for the second overlaps with what was found for the first.
var conversations = [][2]string{
	{"How much is taken off my refund if I use your prepaid label?", "Is the prepaid return label free if you sent the wrong item?"},
	{"How long is the warranty on a tent?", "Does the warranty on a tent cover a broken pole?"},
	{"How long does standard shipping take?", "How long does express shipping take?"},
}

// turn is what the server reports of one request.
type turn struct{ prompt, cached int }

func (u turn) processed() int { return u.prompt - u.cached }

// promptCache holds conversations of two turns once for every arm, and logs how many
// tokens of the second prompts the server had to process. Where the documents stand
// before the history, the two prompts share what their lists share at the head; where
// they stand behind it, the rules alone, so that one conversation shows it.
func promptCache(t *testing.T, proxy *modelProxy, books *shelf) {
	model := newEinoModel(t, proxy.URL, 4)
	requests := 0
	for _, c := range []struct {
		place         string
		before        bool
		conversations [][2]string
	}{
		{"documents before the history", true, conversations},
		{"documents after the history", false, conversations[:1]},
	} {
		for _, placement := range []core.StandardPlacement{core.RankOrder, core.HeadTail} {
			var sum turn
			for i, questions := range c.conversations {
				arm := fmt.Sprintf("conversation %d, %s, %v", i, c.place, placement)
				// The server may keep the prompts of all arms. The arm's name at the
				// very top keeps one from profiting by another's.
				turns, sameFirst := converse(t, model, books, placement, c.before, "This is "+arm+".", questions)
				requests += len(turns)
				for n, u := range turns {
					if u.prompt <= 0 || u.cached < 0 || u.cached >= u.prompt {
						t.Fatalf("%s: the server reports %d of %d tokens as cached in turn %d", arm, u.cached, u.prompt, n+1)
					}
				}
				first, second := turns[0], turns[1]
				t.Logf("%s: %d of %d tokens processed, then %d of %d (same first document: %t)",
					arm, first.processed(), first.prompt, second.processed(), second.prompt, sameFirst)
				if first.cached > 32 {
					t.Errorf("%s: %d tokens of a prompt that is new were cached: the arms are not apart", arm, first.cached)
				}
				if c.before && sameFirst && second.cached <= first.cached+32 {
					t.Errorf("%s: both turns start with the same document, but only %d of %d tokens were cached", arm, second.cached, second.prompt)
				}
				sum.prompt += second.prompt
				sum.cached += second.cached
			}
			t.Logf("%s, %v: of %d prompt tokens in second turns %d were processed (%.0f %%)",
				c.place, placement, sum.prompt, sum.processed(), 100*float64(sum.processed())/float64(sum.prompt))
		}
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	if got := len(proxy.bodies); got != requests {
		t.Errorf("%d requests reached the server, want %d", got, requests)
	}
}

// converse asks both questions, each over what the shelf finds for it, and returns
// what the server reports, and whether both prompts start with the same document.
func converse(t *testing.T, model *einoopenai.ChatModel, books *shelf, placement core.StandardPlacement, before bool, rules string, questions [2]string) (turns [2]turn, sameFirst bool) {
	t.Helper()
	ctx := context.Background()
	arranger, err := core.New(core.Config{Placement: core.Choice{Placement: placement}})
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := layout.New(layout.Config{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	var history []layout.Message
	var firsts [2]string
	for n, question := range questions {
		docs, err := einoBooks{books}.Retrieve(ctx, question)
		if err != nil {
			t.Fatal(err)
		}
		p, err := layout.Build(ctx, renderer, arranger, docs, einobookend.View(), layout.Input{Question: question, History: history})
		if err != nil {
			t.Fatal(err)
		}
		firsts[n] = docs[p.Arrangement.Slots[0].Index].ID
		messages := p.Messages
		if before {
			block, err := layout.Block(context.Background(), renderer, p.Arrangement, docs, einobookend.View())
			if err != nil {
				t.Fatal(err)
			}
			messages = append([]layout.Message{{Role: layout.System, Text: rules + "\n\n" + block.Text}}, history...)
			messages = append(messages, layout.Message{Role: layout.User, Text: question})
		}
		var chat []*einoschema.Message
		for _, m := range messages {
			chat = append(chat, &einoschema.Message{Role: einoschema.RoleType(m.Role), Content: m.Text})
		}
		answer, err := model.Generate(ctx, chat)
		if err != nil {
			t.Fatal(err)
		}
		usage := answer.ResponseMeta.Usage
		turns[n] = turn{usage.PromptTokens, usage.PromptTokenDetails.CachedTokens}
		history = append(history, layout.Message{Role: layout.User, Text: question}, layout.Message{Role: layout.Assistant, Text: answer.Content})
	}
	return turns, firsts[0] == firsts[1]
}
