package combine_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

func wrap(t *testing.T, inner chains.Chain, c core.Config) *combine.Chain {
	t.Helper()
	chain, err := combine.Wrap(inner, bookend.WithConfig(c))
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestWrapReportsEveryFault(t *testing.T) {
	t.Parallel()
	wrapped := wrap(t, step{}, core.Config{})
	config := bookend.WithConfig(core.Config{TopK: -1, Budget: 5})
	var none *combine.Chain
	for _, c := range []struct {
		name    string
		inner   chains.Chain
		options []bookend.Option
		want    []string
	}{
		{"nil", nil, []bookend.Option{config}, []string{"inner is nil", "TopK", "Budget"}},
		{"nested", wrapped, []bookend.Option{config}, []string{"inner", "place once", "TopK", "Budget"}},
		{"a nil *Chain", none, nil, []string{"inner is nil"}},
		{"a nil *LayoutChain", (*combine.LayoutChain)(nil), nil, []string{"inner is nil"}},
		{"a nil *LLMChain", (*chains.LLMChain)(nil), nil, []string{"inner is nil"}},
		{"options alone", step{}, []bookend.Option{config}, []string{"TopK", "Budget"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain, err := combine.Wrap(c.inner, c.options...)
			var e *core.ConfigError
			if !errors.As(err, &e) {
				t.Fatalf("got the error %v", err)
			}
			for _, word := range c.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not name %s", err, word)
				}
			}
			if chain != nil {
				t.Error("got a chain beside the error")
			}
		})
	}
}

// holder is a chain of one's own around another one.
type holder struct{ chains.Chain }

// extended is a chain of one's own that adds to a stuff chain.
type extended struct{ *chains.StuffDocuments }

// What lays out and places by itself is not wrapped, whatever holds it.
func TestWrapRefusesWhatPlaces(t *testing.T) {
	t.Parallel()
	plain := chains.LoadStuffQA(&echo{}).LLMChain
	ours := chains.NewLLMChain(&echo{}, newPrompter(t, combine.LayoutConfig{}))
	layout := newLayoutChain(t, &wire{}, combine.LayoutConfig{})
	stuff := chains.NewStuffDocuments(ours)
	mapped, reduced := chains.NewMapReduceDocuments(ours, plain), chains.NewMapReduceDocuments(plain, stuff)
	started, refined := chains.NewRefineDocuments(ours, plain), chains.NewRefineDocuments(plain, ours)
	reranked := chains.NewMapRerankDocuments(ours)
	for name, inner := range map[string]chains.Chain{
		"LayoutChain":                     layout,
		"LLMChain":                        ours,
		"LLMChain, value":                 *ours,
		"StuffDocuments":                  &stuff,
		"StuffDocuments, value":           stuff,
		"MapReduce, map":                  &mapped,
		"MapReduce, map, value":           mapped,
		"MapReduce, reduce":               &reduced,
		"MapReduce, reduce, value":        reduced,
		"Refine, first":                   &started,
		"Refine, first, value":            started,
		"Refine, later":                   &refined,
		"Refine, later, value":            refined,
		"MapRerank":                       reranked,
		"MapRerank, value":                *reranked,
		"a chain of one's own":            &holder{layout},
		"a stuff chain of one's own":      extended{&stuff},
		"a wrapped chain of one's own":    holder{wrap(t, step{}, core.Config{})},
		"a reduce chain that is wrapped":  chains.MapReduceDocuments{LLMChain: plain, ReduceChain: wrap(t, step{}, core.Config{})},
		"a reduce chain that lays it out": chains.MapReduceDocuments{LLMChain: plain, ReduceChain: layout},
	} {
		chain, err := combine.Wrap(inner)
		var e *core.ConfigError
		if !errors.As(err, &e) || e.Field != "inner" || !strings.Contains(err.Error(), "place once") || chain != nil {
			t.Errorf("%s: got %v and the error %v", name, chain, err)
		}
	}
	// The same without a Prompter, and without the chains that they need.
	for name, inner := range map[string]chains.Chain{
		"LLMChain":                        plain,
		"StuffDocuments":                  chains.NewStuffDocuments(plain),
		"Refine":                          chains.NewRefineDocuments(plain, plain),
		"an empty LLMChain":               &chains.LLMChain{},
		"an empty StuffDocuments":         chains.StuffDocuments{},
		"an empty MapReduce":              &chains.MapReduceDocuments{},
		"a chain of one's own":            holder{step{}},
		"an empty chain of one's own":     holder{},
		"a stuff chain that is not there": extended{},
	} {
		if _, err := combine.Wrap(inner); err != nil {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
}

// A zero value works by the defaults, or says what it lacks.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	values := map[string]any{"input_documents": documents(3), "question": "why?"}
	empty := new(combine.Chain)
	llm := &wire{answer: func(_ context.Context, messages []llms.MessageContent, _ llms.CallOptions) (*llms.ContentResponse, error) {
		return says(chat(messages)), nil
	}}
	const laidOut = "<human>[1] first [3] third [2] second Question: why?|"
	for _, c := range []struct {
		name string
		run  func(context.Context) (string, error)
		want string // "": a *core.ConfigError, or for a Chain that it has no documents
	}{
		{"Chain", func(ctx context.Context) (string, error) {
			if empty.GetCallbackHandler() != nil || empty.Arranger() != nil {
				t.Error("a zero Chain has a handler or an Arranger")
			}
			_, err := empty.Call(ctx, values)
			return "", err
		}, ""},
		{"Chain with a key", func(ctx context.Context) (string, error) {
			_, err := (&combine.Chain{InputKey: "input_documents"}).Call(ctx, values)
			return "", err
		}, ""},
		{"Chain in a chain", func(ctx context.Context) (string, error) {
			return chains.Run(ctx, chains.NewRetrievalQA(empty, list(documents(3))), "why?")
		}, ""},
		{"LayoutChain", func(ctx context.Context) (string, error) {
			_, err := new(combine.LayoutChain).Call(ctx, values)
			return "", err
		}, ""},
		{"LayoutChain in a chain", func(ctx context.Context) (string, error) {
			return chains.Run(ctx, chains.NewRetrievalQA(new(combine.LayoutChain), list(documents(3))), "why?")
		}, ""},
		{"LayoutConfig", func(ctx context.Context) (string, error) {
			return chains.Run(ctx, chains.NewRetrievalQA(newLayoutChain(t, llm, combine.LayoutConfig{}), list(documents(3))), "why?")
		}, laidOut},
		{"Prompter", func(ctx context.Context) (string, error) {
			return chains.Run(ctx, chains.NewRetrievalQA(chains.NewLLMChain(llm, new(combine.Prompter)), list(documents(3))), "why?")
		}, laidOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.run(context.Background())
			var fault *core.ConfigError
			if c.want == "" && !errors.As(err, &fault) && !errors.Is(err, chains.ErrInvalidInputValues) {
				t.Errorf("got the error %v, want a typed one", err)
			}
			if got = strings.Join(strings.Fields(got), " "); c.want != "" && (err != nil || got != c.want) {
				t.Errorf("(-want +got)\n-%s\n+%s %v", c.want, got, err)
			}
		})
	}
}

// The step reads what was admitted and placed, the sources are all that was
// retrieved, best first.
func TestSourcesStayRanked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		step func(llm *echo) chains.Chain
		want string
	}{
		{"stuff", func(llm *echo) chains.Chain { return chains.LoadStuffQA(llm) }, "first\nthird\nfourth\nsecond"},
		{"map-reduce", func(llm *echo) chains.Chain { return chains.LoadMapReduceQA(llm) }, "first\nthird\nfourth\nsecond"},
	} {
		t.Run(c.name, func(t *testing.T) {
			llm := &echo{}
			chain := chains.NewRetrievalQA(wrap(t, c.step(llm), core.Config{TopK: 4}), list(documents(5)))
			chain.ReturnSourceDocuments = true
			out, err := chains.Call(context.Background(), chain, map[string]any{"query": "why?"})
			if err != nil {
				t.Fatal(err)
			}
			if got := llm.last(); got != c.want {
				t.Errorf("prompt (-want +got)\n-%s\n+%s", c.want, got)
			}
			if got, want := sourceTexts(out), "first second third fourth fifth"; got != want {
				t.Errorf("source_documents (-want +got)\n-%s\n+%s", want, got)
			}
			if got := out["text"]; got != c.want {
				t.Errorf("answer (-want +got)\n-%s\n+%s", c.want, got)
			}
		})
	}
}

// Refine has no prompt with several documents, but it runs, and its sources stay
// ranked as well.
func TestRefineRuns(t *testing.T) {
	t.Parallel()
	llm := &echo{}
	chain := chains.NewRetrievalQA(wrap(t, chains.LoadRefineQA(llm), core.Config{TopK: 3}), list(documents(4)))
	chain.ReturnSourceDocuments = true
	out, err := chains.Call(context.Background(), chain, map[string]any{"query": "why?"})
	if err != nil {
		t.Fatal(err)
	}
	if len(llm.prompts) != 3 {
		t.Errorf("%d prompts, want one for each of 3 admitted documents", len(llm.prompts))
	}
	if got, want := textsIn(llm.prompts[0]), "first"; got != want {
		t.Errorf("first prompt (-want +got)\n-%s\n+%s", want, got)
	}
	if got, want := sourceTexts(out), "first second third fourth"; got != want {
		t.Errorf("source_documents (-want +got)\n-%s\n+%s", want, got)
	}
}

func TestOffLeavesThePromptAsItWas(t *testing.T) {
	t.Parallel()
	off := core.Config{TopK: 1, Select: func(context.Context) *core.Arranger { return core.Off }}
	plainLLM, offLLM := &echo{}, &echo{}
	for _, chain := range []chains.Chain{
		chains.NewRetrievalQA(chains.LoadStuffQA(plainLLM), list(documents(5))),
		chains.NewRetrievalQA(wrap(t, chains.LoadStuffQA(offLLM), off), list(documents(5))),
	} {
		if _, err := chains.Run(context.Background(), chain, "why?"); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(plainLLM.prompts, offLLM.prompts) {
		t.Errorf("(-plain +off)\n-%q\n+%q", plainLLM.prompts, offLLM.prompts)
	}
}

// counting is a memory that counts how often it is loaded and saved.
type counting struct {
	schema.Memory
	loads, saves int
}

func (c *counting) LoadMemoryVariables(ctx context.Context, in map[string]any) (map[string]any, error) {
	c.loads++
	return c.Memory.LoadMemoryVariables(ctx, in)
}

func (c *counting) SaveContext(ctx context.Context, in, out map[string]any) error {
	c.saves++
	return c.Memory.SaveContext(ctx, in, out)
}

func TestTheWrappedChainRunsOnce(t *testing.T) {
	t.Parallel()
	down := errors.New("the model is down")
	for _, c := range []struct {
		name  string
		err   error
		heard []string
		saves int
	}{
		{"success", nil, []string{"start", "end"}, 1},
		{"failure", down, []string{"start", "error"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls, m, h := 0, &counting{Memory: memory.NewSimple()}, &listener{}
			inner := step{err: c.err, memory: m, handler: h, calls: &calls}
			chain := wrap(t, inner, core.Config{})
			_, err := chains.Call(context.Background(), chain, map[string]any{"input_documents": documents(3), "question": "why?"})
			if !errors.Is(err, c.err) {
				t.Errorf("got the error %v, want %v", err, c.err)
			}
			if calls != 1 || m.loads != 1 || m.saves != c.saves {
				t.Errorf("%d calls, %d loads and %d saves, want 1, 1 and %d", calls, m.loads, m.saves, c.saves)
			}
			if !slices.Equal(h.heard, c.heard) {
				t.Errorf("events (-want +got)\n-%v\n+%v", c.heard, h.heard)
			}
		})
	}
}

// bare is a chain without a callbacks handler.
type bare struct{ chains.Chain }

func TestKeysMemoryAndHandlerAreThoseOfTheWrappedChain(t *testing.T) {
	t.Parallel()
	m, h := &counting{Memory: memory.NewSimple()}, &listener{}
	chain := wrap(t, step{memory: m, handler: h}, core.Config{})
	if chain.GetMemory() != schema.Memory(m) {
		t.Error("the memory is another one")
	}
	if chain.GetCallbackHandler() != callbacks.Handler(h) {
		t.Error("the handler is another one")
	}
	if got := wrap(t, bare{step{}}, core.Config{}).GetCallbackHandler(); got != nil {
		t.Errorf("a chain without a handler has the handler %v", got)
	}
	if got := chain.GetInputKeys(); !slices.Equal(got, []string{"question"}) {
		t.Errorf("input keys %v", got)
	}
	if got := chain.GetOutputKeys(); !slices.Equal(got, []string{"text"}) {
		t.Errorf("output keys %v", got)
	}
}

func TestInputKey(t *testing.T) {
	t.Parallel()
	other := wrap(t, step{key: "passages"}, core.Config{})
	other.InputKey = "passages"
	out, err := other.Call(context.Background(), map[string]any{"passages": documents(3), "question": "why?"})
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := out["documents"].([]schema.Document)
	if got, want := texts(docs), "first third second"; got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}

	calls := 0
	chain := wrap(t, step{calls: &calls}, core.Config{})
	for name, values := range map[string]map[string]any{
		"missing":    {"question": "why?"},
		"wrong type": {"question": "why?", "input_documents": "a text"},
		"nil":        {"question": "why?", "input_documents": nil},
		"no values":  nil,
	} {
		_, err := chain.Call(context.Background(), values)
		if !errors.Is(err, chains.ErrInputValuesWrongType) || !errors.Is(err, chains.ErrInvalidInputValues) ||
			!strings.Contains(err.Error(), "input_documents") {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
	if calls != 0 {
		t.Errorf("the wrapped chain was called %d times without documents", calls)
	}
}

func TestValuesAreNotWrittenTo(t *testing.T) {
	t.Parallel()
	values := map[string]any{"input_documents": documents(3), "question": "why?", "tone": "plain"}
	before := maps.Clone(values)
	before["input_documents"] = slices.Clone(documents(3))
	if _, err := wrap(t, step{}, core.Config{}).Call(context.Background(), values); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(values, before) {
		t.Errorf("(-before +after)\n-%v\n+%v", before, values)
	}
}

// passing records the values and the options that it is called with.
type passing struct {
	step
	values  map[string]any
	options int
}

func (p *passing) Call(_ context.Context, values map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	p.values, p.options = values, len(options)
	return map[string]any{"text": ""}, nil
}

func TestOtherValuesAndOptionsArePassedOn(t *testing.T) {
	t.Parallel()
	inner := &passing{}
	_, err := wrap(t, inner, core.Config{}).Call(context.Background(),
		map[string]any{"input_documents": documents(1), "tone": "plain"}, chains.WithTemperature(0), chains.WithMaxTokens(5))
	if err != nil {
		t.Fatal(err)
	}
	if inner.options != 2 || inner.values["tone"] != "plain" {
		t.Errorf("got %d options and the values %v", inner.options, inner.values)
	}
}
