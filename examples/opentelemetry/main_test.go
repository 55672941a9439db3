package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/schema"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

const want = `What Bookend did with 4 questions in langchaingo, and the same in eino:

bookend.documents.in        80 in 8 calls
bookend.documents.out       36 in 8 calls
bookend.documents.dropped   44: 4 by budget, 40 by top-k

The first question in each, as a trace:
langchaingo        T.TT ms
  arrange          T.TT ms   10 in, 4 out: r1 r3 r4 r2
    search         T.TT ms
eino               T.TT ms
  search           T.TT ms
  arrange          T.TT ms   10 in, 4 out: r1 r3 r4 r2
`

func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
	if got := regexp.MustCompile(` *\d+\.\d\d ms`).ReplaceAllString(out.String(), "   T.TT ms"); got != regexp.MustCompile(` *T\.TT ms`).ReplaceAllString(want, "   T.TT ms") {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// sdk is the real SDK, which keeps all in memory.
type sdk struct {
	*telemetry
	spans   *tracetest.InMemoryExporter
	tracer  trace.Tracer
	metrics *sdkmetric.ManualReader
}

func newSDK(t *testing.T) *sdk {
	t.Helper()
	s := &sdk{spans: tracetest.NewInMemoryExporter(), metrics: sdkmetric.NewManualReader()}
	s.tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans)).Tracer("test")
	var err error
	if s.telemetry, err = newTelemetry(sdkmetric.NewMeterProvider(sdkmetric.WithReader(s.metrics))); err != nil {
		t.Fatal(err)
	}
	return s
}

// points returns each data point as text: "name{attributes} calls sum".
func (s *sdk) points(t *testing.T) []string {
	t.Helper()
	var collected metricdata.ResourceMetrics
	if err := s.metrics.Collect(t.Context(), &collected); err != nil {
		t.Fatal(err)
	}
	var points []string
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[int64]:
				for _, p := range data.DataPoints {
					points = append(points, fmt.Sprintf("%s{%s} %d %d", m.Name, p.Attributes.Encoded(attribute.DefaultEncoder()), p.Count, p.Sum))
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					points = append(points, fmt.Sprintf("%s{%s} %d", m.Name, p.Attributes.Encoded(attribute.DefaultEncoder()), p.Value))
				}
			}
		}
	}
	slices.Sort(points)
	return points
}

// attributes returns what the one span of that name says, values as text.
func (s *sdk) attributes(t *testing.T, name string) map[string]string {
	t.Helper()
	for _, span := range s.spans.GetSpans() {
		if span.Name == name {
			said := map[string]string{}
			for _, a := range span.Attributes {
				said[string(a.Key)] = a.Value.Emit()
			}
			return said
		}
	}
	t.Fatalf("no span %q", name)
	return nil
}

const secret = "the secret of the third document"

// fixed answers with five documents, of which two have one text, or with an error.
type fixed struct{ err error }

func (f fixed) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return []schema.Document{{PageContent: "a"}, {PageContent: "b"}, {PageContent: secret}, {PageContent: "a"}, {PageContent: "d"}}, f.err
}

func (f fixed) Retrieve(context.Context, string, ...retriever.Option) ([]*einoschema.Document, error) {
	return []*einoschema.Document{{Content: "a"}, {Content: "b"}, {Content: secret}, {Content: "a"}, {Content: "d"}}, f.err
}

// ask returns how to ask in each framework.
func ask(t *testing.T, s *sdk, inner fixed, config core.Config) map[string]func(context.Context, string) error {
	t.Helper()
	config.Observe = s.observe
	chain, err := newChain(s.tracer, inner, config)
	if err != nil {
		t.Fatal(err)
	}
	graph, err := newGraph(t.Context(), s.tracer, inner, config)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(context.Context, string) error{
		"langchaingo": func(ctx context.Context, question string) error { _, err := chain(ctx, question); return err },
		"eino":        func(ctx context.Context, question string) error { _, err := graph(ctx, question); return err },
	}
}

func TestSpanAndMetricsOfACall(t *testing.T) {
	t.Parallel()
	for _, framework := range []string{"langchaingo", "eino"} {
		s := newSDK(t)
		if err := ask(t, s, fixed{}, core.Config{TopK: 3, DropSameText: true})[framework](t.Context(), "a private question"); err != nil {
			t.Fatal(err)
		}
		if got, want := s.attributes(t, "arrange"), map[string]string{
			"bookend.placement": "head-tail", "bookend.order": "r1 r3 r2",
			"bookend.documents.in": "5", "bookend.documents.out": "3",
			"bookend.documents.dropped.same-text": "1", "bookend.documents.dropped.top-k": "1",
		}; !maps.Equal(got, want) {
			t.Errorf("%s: the span says %v, want %v", framework, got, want)
		}
		if got, want := s.points(t), []string{
			"bookend.documents.dropped{bookend.placement=head-tail,bookend.reason=same-text} 1",
			"bookend.documents.dropped{bookend.placement=head-tail,bookend.reason=top-k} 1",
			"bookend.documents.in{bookend.placement=head-tail} 1 5",
			"bookend.documents.out{bookend.placement=head-tail} 1 3",
		}; !slices.Equal(got, want) {
			t.Errorf("%s: metrics %q, want %q", framework, got, want)
		}
		parents := map[string]string{"langchaingo": "arrange", "eino": "eino"} // of the span around the search
		names := map[trace.SpanID]string{}
		for _, span := range s.spans.GetSpans() {
			names[span.SpanContext.SpanID()] = span.Name
			if text := fmt.Sprint(span); strings.Contains(text, secret) || strings.Contains(text, "private") {
				t.Errorf("%s: a span tells a text: %s", framework, text)
			}
		}
		for _, span := range s.spans.GetSpans() {
			if span.Name == "search" && names[span.Parent.SpanID()] != parents[framework] {
				t.Errorf("%s: the search stands under %q, want %q", framework, names[span.Parent.SpanID()], parents[framework])
			}
		}
		if len(names) != 3 {
			t.Errorf("%s: spans %v, want three", framework, names)
		}
	}
}

// What fails is an error of each span around it, and no call in the metrics.
func TestFailure(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	refuses := core.PlacementFunc(func([]int, func(int) core.Origin) error { return down })
	for _, c := range []struct {
		name, framework string
		inner           fixed
		config          core.Config
		failed          []string // spans
	}{
		{"search", "langchaingo", fixed{down}, core.Config{}, []string{"arrange", "langchaingo", "search"}},
		{"search", "eino", fixed{down}, core.Config{}, []string{"eino", "search"}},
		{"placement", "langchaingo", fixed{}, core.Config{Placement: core.Choice{Placement: refuses}}, []string{"arrange", "langchaingo"}},
		{"placement", "eino", fixed{}, core.Config{Placement: core.Choice{Placement: refuses}}, []string{"arrange", "eino"}},
	} {
		t.Run(c.framework+" "+c.name, func(t *testing.T) {
			s := newSDK(t)
			if err := ask(t, s, c.inner, c.config)[c.framework](t.Context(), "q"); !errors.Is(err, down) {
				t.Fatalf("got error %v", err)
			}
			if points := s.points(t); len(points) > 0 {
				t.Errorf("metrics %q", points)
			}
			var failed []string
			for _, span := range s.spans.GetSpans() {
				if span.Status.Code == codes.Error && len(span.Events) == 1 {
					failed = append(failed, span.Name)
				}
			}
			if slices.Sort(failed); !slices.Equal(failed, c.failed) {
				t.Errorf("failed spans %v, want %v", failed, c.failed)
			}
			if c.name == "placement" && s.attributes(t, "arrange")["bookend.documents.in"] != "5" {
				t.Errorf("the span says %v, not how many documents came in", s.attributes(t, "arrange"))
			}
		})
	}
}

// A node that streams ends its span, too.
func TestStreaming(t *testing.T) {
	t.Parallel()
	s := newSDK(t)
	arrange, err := bookend.NewTransformer(t.Context(), &core.Config{Observe: s.observe})
	if err != nil {
		t.Fatal(err)
	}
	documents, err := compose.NewChain[string, []*einoschema.Document]().AppendRetriever(fixed{}).AppendDocumentTransformer(arrange, compose.WithNodeName("arrange")).Compile(t.Context(), compose.WithGraphName("eino"))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := documents.Stream(t.Context(), "q", compose.WithCallbacks(spans(s.tracer)))
	if err != nil {
		t.Fatal(err)
	}
	stream.Close()
	if got := len(s.spans.GetSpans()); got != 3 {
		t.Errorf("%d spans have ended, want 3", got)
	}
}

// A seed for each request must not become a time series for each request.
func TestSeedsMakeOneSeries(t *testing.T) {
	t.Parallel()
	s := newSDK(t)
	config := core.Config{Select: func(ctx context.Context) *core.Arranger {
		a, err := core.New(core.Config{Placement: core.Choice{Placement: core.Shuffled{Seed: core.SeedFor(1, core.RequestID(ctx))}}})
		if err != nil {
			panic(err)
		}
		return a
	}}
	asks := ask(t, s, fixed{}, config)
	var group sync.WaitGroup
	for i := range 50 {
		group.Add(1)
		go func() {
			defer group.Done()
			for _, ask := range asks {
				if err := ask(core.WithRequestID(t.Context(), fmt.Sprint("request ", i)), "q"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	want := []string{"bookend.documents.in{bookend.placement=shuffled} 100 500", "bookend.documents.out{bookend.placement=shuffled} 100 500"}
	if got := s.points(t); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
