package eino_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/document"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
)

// listener records the callbacks of retrievers and transformers, as in
// "start BookendRetriever: why?", and the events that come as extra data.
type listener struct {
	mu     sync.Mutex
	heard  []string
	events []core.Event
}

func (l *listener) note(timing string, info *callbacks.RunInfo, what string) {
	if info.Component != components.ComponentOfRetriever && info.Component != components.ComponentOfTransformer {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, fmt.Sprintf("%s %s%s: %s", timing, info.Type, info.Component, what))
}

func (l *listener) handler() callbacks.Handler {
	return callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
			switch in := in.(type) {
			case string:
				l.note("start", info, in)
			case docs:
				l.note("start", info, texts(in))
			case *retriever.CallbackInput:
				l.note("start", info, in.Query)
			case *document.TransformerCallbackInput:
				l.note("start", info, texts(in.Input))
			}
			return ctx
		}).
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, out callbacks.CallbackOutput) context.Context {
			switch out := out.(type) {
			case docs:
				l.note("end", info, texts(out))
			case *retriever.CallbackOutput:
				l.note("end", info, texts(out.Docs))
				if e, ok := out.Extra[bookend.EventKey].(core.Event); ok {
					l.events = append(l.events, e)
				}
			case *document.TransformerCallbackOutput:
				l.note("end", info, texts(out.Output))
				if e, ok := out.Extra[bookend.EventKey].(core.Event); ok {
					l.events = append(l.events, e)
				}
			}
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
			l.note("error", info, fmt.Sprint(errors.Is(err, errDown)))
			return ctx
		}).
		Build()
}

func (l *listener) check(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(l.heard, want) {
		t.Errorf("heard (-want +got)\n-%s\n+%s", strings.Join(want, "\n "), strings.Join(l.heard, "\n "))
	}
}

var errDown = errors.New("it is down")

// fails is a placement that fails.
var fails = core.Choice{Placement: core.PlacementFunc(func([]int, func(int) core.Origin) error { return errDown })}

func TestATransformerNodeIsReportedOnce(t *testing.T) {
	t.Parallel()
	const name = "BookendDocumentTransformer"
	success := []string{"start " + name + ": first second third", "end " + name + ": first third second"}
	failure := []string{"start " + name + ": first second third", "error " + name + ": true"}
	for _, c := range []struct {
		name      string
		placement core.Choice
		observed  bool
		want      []string
	}{
		{"plain", core.Choice{}, false, success},
		{"plain, error", fails, false, failure},
		{"observed", core.Choice{}, true, success},
		{"observed, error", fails, true, failure},
	} {
		for kind, build := range transformerIn {
			t.Run(c.name+" in a "+kind, func(t *testing.T) {
				config, observed := &bookend.Config{Placement: c.placement}, 0
				if c.observed {
					config.Observe = func(context.Context, core.Event) { observed++ }
				}
				run, err := build(newTransformer(t, config))
				check(t, err)
				l := &listener{}
				_, err = run.Invoke(context.Background(), documents(3), compose.WithCallbacks(l.handler()))
				if wantErr := strings.HasPrefix(c.want[1], "error"); wantErr != errors.Is(err, errDown) {
					t.Errorf("got the error %v", err)
				}
				l.check(t, c.want...)
				wantObserved, wantEvents := 0, 0
				if c.observed {
					wantObserved = 1
					if err == nil {
						wantEvents = 1
					}
				}
				if observed != wantObserved || len(l.events) != wantEvents {
					t.Errorf("%d observed and %d events, want %d and %d", observed, len(l.events), wantObserved, wantEvents)
				}
			})
		}
	}
}

func TestAReportCarriesTheNameOfTheNode(t *testing.T) {
	t.Parallel()
	for _, observe := range []func(context.Context, core.Event){nil, func(context.Context, core.Event) {}} {
		run, err := compose.NewChain[docs, docs]().AppendDocumentTransformer(
			newTransformer(t, &bookend.Config{Observe: observe}), compose.WithNodeName("reorder")).Compile(context.Background())
		check(t, err)
		var names []string
		_, err = run.Invoke(context.Background(), documents(3), compose.WithCallbacks(callbacks.NewHandlerBuilder().
			OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
				if info.Component == components.ComponentOfTransformer {
					names = append(names, info.Name)
				}
				return ctx
			}).Build()))
		check(t, err)
		if want := []string{"reorder"}; !slices.Equal(names, want) {
			t.Errorf("(-want +got)\n-%v\n+%v", want, names)
		}
	}
}

// Callbacks get what the observer gets.
func TestCallbacksGetTheEvent(t *testing.T) {
	t.Parallel()
	var observed core.Event
	run, err := transformerIn["graph"](newTransformer(t, &bookend.Config{
		TopK: 2, Observe: func(_ context.Context, e core.Event) { observed = e },
	}))
	check(t, err)
	l := &listener{}
	_, err = run.Invoke(core.WithRequestID(context.Background(), "r-17"), documents(3), compose.WithCallbacks(l.handler()))
	check(t, err)
	if len(l.events) != 1 {
		t.Fatalf("%d events, want 1", len(l.events))
	}
	e := l.events[0]
	if e.RequestID != "r-17" || e.Query != "" || e.Text(2) != "third" || !maps.Equal(e.Arrangement.Labels(), map[int]int{1: 0, 2: 1}) {
		t.Errorf("request ID %q, query %q, text %q, labels %v", e.RequestID, e.Query, e.Text(2), e.Arrangement.Labels())
	}
	if got, want := e.Arrangement.String(), observed.Arrangement.String(); got != want {
		t.Errorf("arrangement (-observed +callback)\n-%s\n+%s", want, got)
	}
}

// The value of a call may have an observer where the node has none. The node then
// still reports once, documents alone.
func TestAnObserverOfOneCallIsNoSecondReport(t *testing.T) {
	t.Parallel()
	observed := 0
	a := arranger(t, core.Config{Observe: func(context.Context, core.Event) { observed++ }})
	run, err := transformerIn["chain"](newTransformer(t, nil))
	check(t, err)
	l := &listener{}
	_, err = run.Invoke(context.Background(), documents(3), compose.WithCallbacks(l.handler()),
		compose.WithDocumentTransformerOption(bookend.TransformWith(a)))
	check(t, err)
	l.check(t, "start BookendDocumentTransformer: first second third", "end BookendDocumentTransformer: first third second")
	if observed != 1 || len(l.events) != 0 {
		t.Errorf("%d observed and %d events, want 1 and 0", observed, len(l.events))
	}
}

func TestANilDocumentIsReported(t *testing.T) {
	t.Parallel()
	for _, observe := range []func(context.Context, core.Event){nil, func(context.Context, core.Event) {}} {
		run, err := transformerIn["graph"](newTransformer(t, &bookend.Config{Observe: observe}))
		check(t, err)
		started, failed := 0, 0
		handler := callbacks.NewHandlerBuilder().
			OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
				if info.Component == components.ComponentOfTransformer {
					started++
				}
				return ctx
			}).
			OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, err error) context.Context {
				var e *core.ConfigError
				if info.Component == components.ComponentOfTransformer && errors.As(err, &e) && e.Field == "documents[1]" {
					failed++
				}
				return ctx
			}).Build()
		_, err = run.Invoke(context.Background(), docs{{}, nil}, compose.WithCallbacks(handler))
		var e *core.ConfigError
		if !errors.As(err, &e) || e.Field != "documents[1]" {
			t.Errorf("got the error %v", err)
		}
		if started != 1 || failed != 1 {
			t.Errorf("%d starts and %d errors, want one each", started, failed)
		}
	}
}

// A source's nil document is its retriever's fault, which has reported what it found by
// then: the error is reported once, by the part around it.
func TestANilDocumentOfASourceIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, observe := range []func(context.Context, core.Event){nil, func(context.Context, core.Event) { t.Error("observed, though nothing was arranged") }} {
		for name, sources := range map[string][]bookend.Source{
			"one":     {bookend.From("", typed{list{{}, nil}})},
			"several": {bookend.From("", typed{list{{}, nil}}), bookend.From("", typed{list{{}}})},
		} {
			g := compose.NewGraph[string, docs]()
			r := newRetriever(t, &bookend.RetrieverConfig{Sources: sources, Config: core.Config{Observe: observe}})
			run, err := compileGraph(g, g.AddRetrieverNode("retrieve", r), g.AddEdge(compose.START, "retrieve"), g.AddEdge("retrieve", compose.END))
			check(t, err)
			var mu sync.Mutex
			heard := map[string]int{}
			hear := func(timing string, info *callbacks.RunInfo) {
				mu.Lock()
				defer mu.Unlock()
				if info.Component == components.ComponentOfRetriever {
					heard[timing+" "+info.Type]++
				}
			}
			_, err = run.Invoke(context.Background(), question, compose.WithCallbacks(callbacks.NewHandlerBuilder().
				OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
					hear("start", info)
					return ctx
				}).
				OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
					hear("end", info)
					return ctx
				}).
				OnErrorFn(func(ctx context.Context, info *callbacks.RunInfo, _ error) context.Context {
					hear("error", info)
					return ctx
				}).Build()))
			var fault *core.ConfigError
			if !errors.As(err, &fault) || fault.Field != "documents[1]" {
				t.Errorf("%s: got the error %v", name, err)
			}
			mu.Lock()
			if heard["start Bookend"] != 1 || heard["error Bookend"] != 1 || heard["end Bookend"] != 0 || heard["error Store"] != 0 {
				t.Errorf("%s: heard %v, want one start and one error of Bookend", name, heard)
			}
			mu.Unlock()
		}
	}
}

// typed is a retriever with a name of its own.
type typed struct{ retriever.Retriever }

func (typed) GetType() string { return "Store" }

// checker is a retriever that reports by itself.
type checker struct{ typed }

func (checker) IsCallbacksEnabled() bool { return true }

func (c checker) Retrieve(ctx context.Context, query string, options ...retriever.Option) (docs, error) {
	ctx = callbacks.OnStart(ctx, &retriever.CallbackInput{Query: query})
	found, err := c.typed.Retrieve(ctx, query, options...)
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &retriever.CallbackOutput{Docs: found})
	return found, nil
}

func TestARetrieverNodeAndItsInnerAreReportedOnceEach(t *testing.T) {
	t.Parallel()
	found := list(documents(3))
	for _, c := range []struct {
		name      string
		inner     retriever.Retriever
		placement core.Choice
		want      []string
	}{
		{"success", typed{found}, core.Choice{}, []string{
			"start BookendRetriever: why?", "start StoreRetriever: why?",
			"end StoreRetriever: first second third", "end BookendRetriever: first third second",
		}},
		{"an inner without a name", found, core.Choice{}, []string{
			"start BookendRetriever: why?", "start Retriever: why?",
			"end Retriever: first second third", "end BookendRetriever: first third second",
		}},
		{"an inner that reports by itself", checker{typed{found}}, core.Choice{}, []string{
			"start BookendRetriever: why?", "start StoreRetriever: why?",
			"end StoreRetriever: first second third", "end BookendRetriever: first third second",
		}},
		{"the inner fails", typed{broken{errDown}}, core.Choice{}, []string{
			"start BookendRetriever: why?", "start StoreRetriever: why?",
			"error StoreRetriever: true", "error BookendRetriever: true",
		}},
		{"an inner that reports by itself fails", checker{typed{broken{errDown}}}, core.Choice{}, []string{
			"start BookendRetriever: why?", "start StoreRetriever: why?",
			"error StoreRetriever: true", "error BookendRetriever: true",
		}},
		{"the placement fails", typed{found}, fails, []string{
			"start BookendRetriever: why?", "start StoreRetriever: why?",
			"end StoreRetriever: first second third", "error BookendRetriever: true",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRetriever(t, &bookend.RetrieverConfig{Retriever: c.inner, Config: core.Config{Placement: c.placement}})
			g := compose.NewGraph[string, docs]()
			run, err := compileGraph(g, g.AddRetrieverNode("retrieve", r),
				g.AddEdge(compose.START, "retrieve"), g.AddEdge("retrieve", compose.END))
			check(t, err)
			l := &listener{}
			_, err = run.Invoke(context.Background(), question, compose.WithCallbacks(l.handler()))
			if wantErr := strings.HasPrefix(c.want[3], "error"); wantErr != errors.Is(err, errDown) {
				t.Errorf("got the error %v", err)
			}
			l.check(t, c.want...)
		})
	}
}

// Outside of a graph, handlers in the context hear of the parts that have an observer,
// and of the inner retriever.
func TestOutsideOfAGraph(t *testing.T) {
	t.Parallel()
	watched := &bookend.Config{Observe: func(context.Context, core.Event) {}}
	l := &listener{}
	heard := callbacks.InitCallbacks(context.Background(), nil, l.handler())
	for _, ctx := range []context.Context{context.Background(), heard} {
		for _, c := range []*bookend.Config{nil, watched} {
			placed, err := newTransformer(t, c).Transform(ctx, documents(3))
			checkTexts(t, "first third second", placed, err)
		}
		for _, c := range []core.Config{{}, *watched} {
			r := newRetriever(t, &bookend.RetrieverConfig{Retriever: typed{list(documents(3))}, Config: c})
			placed, err := r.Retrieve(ctx, question)
			checkTexts(t, "first third second", placed, err)
		}
	}
	if len(l.events) != 2 {
		t.Errorf("%d events, want 2", len(l.events))
	}
	l.check(t,
		"start BookendDocumentTransformer: first second third", "end BookendDocumentTransformer: first third second",
		"start StoreRetriever: why?", "end StoreRetriever: first second third",
		"start BookendRetriever: why?", "start StoreRetriever: why?",
		"end StoreRetriever: first second third", "end BookendRetriever: first third second")
}
