package langchaingo_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
)

var errDown = errors.New("the store is down")

func TestNewRetrieverReportsEveryFault(t *testing.T) {
	t.Parallel()
	config, want := faults()
	wrapped, err := bookend.NewRetriever(list{})
	if err != nil {
		t.Fatal(err)
	}
	var none *bookend.Retriever
	for _, c := range []struct {
		name string
		make func() (*bookend.Retriever, error)
		want []string
	}{
		{"nil inner", func() (*bookend.Retriever, error) { return bookend.NewRetriever(nil, bookend.WithConfig(config)) }, append(want, "Inner is nil")},
		{"nested", func() (*bookend.Retriever, error) {
			return bookend.NewRetriever(wrapped, bookend.WithConfig(config))
		}, append(want, "Inner", "outermost")},
		{"a nil *Retriever", func() (*bookend.Retriever, error) { return bookend.NewRetriever(none) }, []string{"Inner is nil"}},
		{"another nil pointer", func() (*bookend.Retriever, error) { return bookend.NewRetriever((*list)(nil)) }, []string{"Inner is nil"}},
		{"options alone", func() (*bookend.Retriever, error) {
			return bookend.NewRetriever(list{}, bookend.WithConfig(config))
		}, want},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.make()
			checkFaults(t, err, c.want...)
			if r != nil {
				t.Error("got a retriever beside the error")
			}
		})
	}
}

func TestRetrieverPassesTheQuestionOn(t *testing.T) {
	t.Parallel()
	inner := &listener{}
	r, err := bookend.NewRetriever(reporting{documents(3), inner})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"start why?", "end why?: first second third"}; !slices.Equal(inner.heard, want) {
		t.Errorf("(-want +got)\n-%q\n+%q", want, inner.heard)
	}
}

func TestRetrieverReportsToItsOwnHandler(t *testing.T) {
	t.Parallel()
	inner, outer := &listener{}, &listener{}
	r, err := bookend.NewRetriever(reporting{documents(3), inner})
	if err != nil {
		t.Fatal(err)
	}
	r.CallbacksHandler = outer
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  *listener
		want []string
	}{
		{"outer", outer, []string{"start why?", "end why?: first third second"}},
		{"inner", inner, []string{"start why?", "end why?: first second third"}},
	} {
		if !slices.Equal(c.got.heard, c.want) {
			t.Errorf("%s (-want +got)\n-%q\n+%q", c.name, c.want, c.got.heard)
		}
	}
}

func TestRetrieverReportsNoEndOnError(t *testing.T) {
	t.Parallel()
	fails := core.PlacementFunc(func([]int, func(int) core.Origin) error { return errDown })
	for name, make := range map[string]func() (*bookend.Retriever, error){
		"inner": func() (*bookend.Retriever, error) { return bookend.NewRetriever(broken{errDown}) },
		"placement": func() (*bookend.Retriever, error) {
			return bookend.NewRetriever(list(documents(3)), bookend.WithConfig(core.Config{Placement: core.Choice{Placement: fails}}))
		},
	} {
		h := &listener{}
		r, err := make()
		if err != nil {
			t.Fatal(err)
		}
		r.CallbacksHandler = h
		docs, err := r.GetRelevantDocuments(context.Background(), "why?")
		if !errors.Is(err, errDown) || docs != nil {
			t.Errorf("%s: got %v and %v", name, docs, err)
		}
		if want := []string{"start why?"}; !slices.Equal(h.heard, want) {
			t.Errorf("%s (-want +got)\n-%q\n+%q", name, want, h.heard)
		}
	}
}

func TestInnerErrorIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	r, err := bookend.NewRetriever(broken{errDown})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), ""); err != errDown {
		t.Errorf("got %v, want %v itself", err, errDown)
	}
}

// stuffed is the prompt of chains.LoadStuffQA over the given texts.
func stuffed(texts string) string {
	return "Use the following pieces of context to answer the question at the end. If you don't know the answer, " +
		"just say that you don't know, don't try to make up an answer.\n\n" + texts + "\n\nQuestion: why?\nHelpful Answer:"
}

func TestRetrievalQAReadsThePlacedDocuments(t *testing.T) {
	t.Parallel()
	off := core.Config{TopK: 1, Select: func(context.Context) *core.Arranger { return core.Off }}
	for _, c := range []struct {
		name          string
		config        core.Config
		want, sources string
	}{
		{"default", core.Config{}, "first\n\nthird\n\nfourth\n\nsecond", "first third fourth second"},
		{"top-k", core.Config{TopK: 3}, "first\n\nthird\n\nsecond", "first third second"},
		{"off", off, "first\n\nsecond\n\nthird\n\nfourth", "first second third fourth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := bookend.NewRetriever(list(documents(4)), bookend.WithConfig(c.config))
			if err != nil {
				t.Fatal(err)
			}
			llm := &recorder{}
			chain := chains.NewRetrievalQAFromLLM(llm, r)
			chain.ReturnSourceDocuments = true
			out, err := chains.Call(context.Background(), chain, map[string]any{"query": "why?"})
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{stuffed(c.want)}; !slices.Equal(llm.prompts, want) {
				t.Errorf("prompt (-want +got)\n-%q\n+%q", want, llm.prompts)
			}
			if got := sourceTexts(out); got != c.sources {
				t.Errorf("source_documents (-want +got)\n-%s\n+%s", c.sources, got)
			}
			if out["text"] != "yes" {
				t.Errorf("answer %q", out["text"])
			}
		})
	}
}

func TestOffLeavesThePromptAsItWas(t *testing.T) {
	t.Parallel()
	r, err := bookend.NewRetriever(list(documents(4)), bookend.WithConfig(core.Config{
		Select: func(context.Context) *core.Arranger { return core.Off },
	}))
	if err != nil {
		t.Fatal(err)
	}
	plain, off := &recorder{}, &recorder{}
	for llm, chain := range map[*recorder]chains.Chain{
		plain: chains.NewRetrievalQAFromLLM(plain, list(documents(4))),
		off:   chains.NewRetrievalQAFromLLM(off, r),
	} {
		if _, err := chains.Run(context.Background(), chain, "why?"); err != nil {
			t.Fatal(err)
		}
		if len(llm.prompts) != 1 {
			t.Fatalf("%d prompts", len(llm.prompts))
		}
	}
	if plain.prompts[0] != off.prompts[0] {
		t.Errorf("(-plain +off)\n-%q\n+%q", plain.prompts[0], off.prompts[0])
	}
}

// A zero value works by the defaults, or says what it lacks.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	found := func(docs []schema.Document, err error) (string, error) { return texts(docs), err }
	for _, c := range []struct {
		name string
		run  func(context.Context) (string, error)
		want string // "": a *core.ConfigError
	}{
		{"Retriever", func(ctx context.Context) (string, error) {
			var r bookend.Retriever
			if r.Arranger() != nil {
				t.Error("a zero Retriever has an Arranger")
			}
			return found(r.GetRelevantDocuments(ctx, "why?"))
		}, ""},
		{"Retriever with a handler", func(ctx context.Context) (string, error) {
			return found((&bookend.Retriever{CallbacksHandler: &listener{}}).GetRelevantDocuments(ctx, "why?"))
		}, ""},
		{"Transformer", func(ctx context.Context) (string, error) {
			return found(new(bookend.Transformer).TransformDocuments(ctx, documents(3)))
		}, "first third second"},
		{"Transformer's Arranger", func(ctx context.Context) (string, error) {
			return found(core.Transform(ctx, new(bookend.Transformer).Arranger(), documents(3), bookend.View(), core.Call{}))
		}, "first third second"},
		{"Option", func(ctx context.Context) (string, error) {
			r, err := bookend.NewRetriever(list(documents(3)), bookend.Option{})
			if err != nil {
				return "", err
			}
			return found(r.GetRelevantDocuments(ctx, "why?"))
		}, "first third second"},
		{"Source", func(context.Context) (string, error) {
			_, err := bookend.NewPipeline(config{Sources: []bookend.Source{{}}})
			return "", err
		}, ""},
		{"pipeline.Config", func(context.Context) (string, error) {
			_, err := bookend.NewPipeline(config{})
			return "", err
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run(context.Background())
			var fault *core.ConfigError
			if c.want == "" && !errors.As(err, &fault) {
				t.Errorf("got the error %v, want a *core.ConfigError", err)
			}
			if c.want != "" && (err != nil || got != c.want) {
				t.Errorf("(-want +got)\n-%s\n+%s %v", c.want, got, err)
			}
		})
	}
}
