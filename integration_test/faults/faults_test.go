// Package faults feeds both adapters what goes wrong in production: retrievers
// that fail, hang or return rubbish, hostile sizes, cancelled requests, and a model
// server that breaks off.
package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	einobookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/retriever"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tiktoken-go/tokenizer"
	"github.com/tmc/langchaingo/chains"
	langopenai "github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/schema"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("the index is down")

// source answers a query with texts, for either framework.
type source func(ctx context.Context) ([]string, error)

// ask sends a query through the retriever wrapper of one framework and returns the
// placed texts.
type ask func(t *testing.T, ctx context.Context, s source, config core.Config) ([]string, error)

var frameworks = map[string]ask{"langchaingo": askLangchaingo, "eino": askEino}

type langchainSource struct{ source }

func (s langchainSource) GetRelevantDocuments(ctx context.Context, _ string) ([]schema.Document, error) {
	texts, err := s.source(ctx)
	if texts == nil {
		return nil, err
	}
	docs := make([]schema.Document, len(texts))
	for i, text := range texts {
		docs[i].PageContent = text
	}
	return docs, err
}

func askLangchaingo(t *testing.T, ctx context.Context, s source, config core.Config) ([]string, error) {
	t.Helper()
	r, err := bookend.NewRetriever(langchainSource{s}, bookend.WithConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(ctx, "q")
	if docs == nil {
		return nil, err
	}
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.PageContent
	}
	return texts, err
}

type einoSource struct{ source }

func (s einoSource) Retrieve(ctx context.Context, _ string, _ ...retriever.Option) ([]*einoschema.Document, error) {
	texts, err := s.source(ctx)
	if texts == nil {
		return nil, err
	}
	docs := make([]*einoschema.Document, len(texts))
	for i, text := range texts {
		docs[i] = &einoschema.Document{Content: text}
	}
	return docs, err
}

func askEino(t *testing.T, ctx context.Context, s source, config core.Config) ([]string, error) {
	t.Helper()
	r, err := einobookend.NewRetriever(ctx, &einobookend.RetrieverConfig{Retriever: einoSource{s}, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := r.Retrieve(ctx, "q")
	if docs == nil {
		return nil, err
	}
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.Content
	}
	return texts, err
}

// found is a source that always finds these texts.
func found(texts ...string) source {
	return func(context.Context) ([]string, error) { return texts, nil }
}

// inBoth runs a test in both frameworks.
func inBoth(t *testing.T, test func(t *testing.T, ask ask)) {
	for name, ask := range frameworks {
		t.Run(name, func(t *testing.T) { test(t, ask) })
	}
}

func TestErrorOfTheRetrieverReachesTheCaller(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		got, err := ask(t, context.Background(), func(context.Context) ([]string, error) { return []string{"half"}, errDown }, core.Config{})
		if !errors.Is(err, errDown) || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestTimeoutReachesTheCaller(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		got, err := ask(t, ctx, func(ctx context.Context) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, core.Config{})
		if !errors.Is(err, context.DeadlineExceeded) || got != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestCancelled(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		for name, inner := range map[string]func(cancel func()) source{
			"before, by an inner that does not look": func(cancel func()) source {
				cancel()
				return found("a")
			},
			"during": func(cancel func()) source {
				return func(context.Context) ([]string, error) {
					cancel()
					return []string{"a"}, nil
				}
			},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			if got, err := ask(t, ctx, inner(cancel), core.Config{}); !errors.Is(err, context.Canceled) || got != nil {
				t.Errorf("%s: got %v, %v", name, got, err)
			}
			cancel()
		}
		ctx, cancel := context.WithCancel(context.Background())
		got, err := ask(t, ctx, found("a", "b", "c"), core.Config{})
		cancel() // after: what was returned stays
		if err != nil || !slices.Equal(got, []string{"a", "c", "b"}) {
			t.Errorf("after: got %v, %v", got, err)
		}
	})
}

func TestNothingFound(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		if got, err := ask(t, context.Background(), func(context.Context) ([]string, error) { return nil, nil }, core.Config{TopK: 3}); got != nil || err != nil {
			t.Errorf("nil: got %v, %v", got, err)
		}
		if got, err := ask(t, context.Background(), found([]string{}...), core.Config{}); len(got) != 0 || err != nil {
			t.Errorf("empty: got %v, %v", got, err)
		}
	})
}

func TestDuplicatesAreKeptUnlessToldOtherwise(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		s := found("a", "b", "a", "", "")
		got, err := ask(t, context.Background(), s, core.Config{})
		if err != nil || !slices.Equal(got, []string{"a", "a", "", "", "b"}) {
			t.Errorf("kept: got %q, %v", got, err)
		}
		got, err = ask(t, context.Background(), s, core.Config{DropSameText: true})
		if err != nil || !slices.Equal(got, []string{"a", "", "", "b"}) {
			t.Errorf("dropped: got %q, %v", got, err)
		}
	})
}

func TestTenThousandDocuments(t *testing.T) {
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	inBoth(t, func(t *testing.T, ask ask) {
		got, err := ask(t, context.Background(), found(texts...), core.Config{})
		if err != nil || !slices.Equal(got, core.Reorder(texts)) {
			t.Errorf("%d texts, %v", len(got), err)
		}
	})
}

func TestTextsOfTenMegabytes(t *testing.T) {
	long := strings.Repeat("ten megabytes. ", 10<<20/15)
	inBoth(t, func(t *testing.T, ask ask) {
		got, err := ask(t, context.Background(), found(long, "short", long+"!"), core.Config{})
		if err != nil || len(got) != 3 || got[0] != long || got[2] != "short" {
			t.Errorf("without a budget: %d texts, %v", len(got), err)
		}
		got, err = ask(t, context.Background(), found(long, "short", long), core.Config{Budget: 100, Unit: core.Words})
		if err != nil || !slices.Equal(got, []string{"short"}) {
			t.Errorf("under a budget: %d texts, %v", len(got), err)
		}
	})
}

// TestOneLetterManyTimes holds the byte cap to its purpose: a BPE tokenizer takes
// 20 seconds for this text.
func TestOneLetterManyTimes(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	longest := 0
	count := func(text string) int {
		longest = max(longest, len(text))
		n, err := codec.Count(text)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	letters := strings.Repeat("a", 200_000)
	inBoth(t, func(t *testing.T, ask ask) {
		got, err := ask(t, context.Background(), found(letters, "a short text"), core.Config{Budget: 1000, Count: count})
		if err != nil || !slices.Equal(got, []string{"a short text"}) {
			t.Errorf("%d texts, %v", len(got), err)
		}
	})
	p, err := prompt.New(prompt.Config{Budget: 1000, Count: count})
	if err != nil {
		t.Fatal(err)
	}
	built, err := prompt.Build(context.Background(), p, nil, []string{letters, "a short text"},
		&core.View[string]{Text: func(s string) string { return s }}, prompt.Input{Question: "Why?"})
	if err != nil || len(built.Arrangement.Slots) != 1 || built.Arrangement.Dropped[0].Reason != core.OverMaxBytes {
		t.Errorf("prompt: %+v, %v", built.Arrangement, err)
	}
	if longest >= len(letters) {
		t.Errorf("the tokenizer saw a text of %d bytes", longest)
	}
}

func TestInvalidUTF8IsPassedOn(t *testing.T) {
	inBoth(t, func(t *testing.T, ask ask) {
		broken := []string{"\xff\xfe", "a\x80b", "\xed\xa0\x80"}
		got, err := ask(t, context.Background(), found(broken...), core.Config{Budget: 100, Unit: core.Runes, DropSameText: true})
		if err != nil || !slices.Equal(got, core.Reorder(broken)) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestNilDocumentIsNamed(t *testing.T) {
	r, err := einobookend.NewRetriever(context.Background(), &einobookend.RetrieverConfig{Retriever: nilSource{}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Retrieve(context.Background(), "q")
	var fault *core.ConfigError
	if !errors.As(err, &fault) || fault.Field != "documents[1]" {
		t.Errorf("got %v", err)
	}
}

type nilSource struct{}

func (nilSource) Retrieve(context.Context, string, ...retriever.Option) ([]*einoschema.Document, error) {
	return []*einoschema.Document{{Content: "a"}, nil}, nil
}

func brokenOff(t *testing.T) *openaitest.Server {
	return openaitest.New(t, func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Chunks: []string{"Gre", "en."}, Drop: true}
	})
}

func TestModelThatBreaksOffInMidStreamLangchaingo(t *testing.T) {
	s := brokenOff(t)
	llm, err := langopenai.New(langopenai.WithBaseURL(s.URL), langopenai.WithToken("none"), langopenai.WithModel("m"), langopenai.WithHTTPClient(s.Client))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := combine.NewLayoutChain(llm, combine.LayoutConfig{})
	if err != nil {
		t.Fatal(err)
	}
	streamed := ""
	answer, err := chains.Run(context.Background(), chains.NewRetrievalQA(chain, langchainSource{found("a")}), "q",
		chains.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			streamed += string(chunk)
			return nil
		}))
	if err == nil {
		t.Errorf("no error; the answer is %q, streamed %q", answer, streamed)
	}
	t.Logf("streamed %q, then: %v", streamed, err)
}

func TestModelThatBreaksOffInMidStreamEino(t *testing.T) {
	s := brokenOff(t)
	m, err := openai.NewChatModel(context.Background(), &openai.ChatModelConfig{BaseURL: s.URL, APIKey: "none", Model: "m", HTTPClient: s.Client})
	if err != nil {
		t.Fatal(err)
	}
	template, err := einobookend.NewChatTemplate(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := template.Format(context.Background(), map[string]any{"documents": []*einoschema.Document{{Content: "a"}}, "question": "q"})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := m.Stream(context.Background(), messages)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for {
		if _, err = stream.Recv(); err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ended with %v", err)
	}
}
