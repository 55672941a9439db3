// The opentelemetry example shows a chain of langchaingo and a graph of eino in
// operation: a span around each arrangement, which says what came in, what stands where
// and what was left out, and metrics of all calls. Bookend's part of it is in
// telemetry.go.
//
//	go run ./examples/opentelemetry
//
// The traces and metrics stay in memory and are printed. A service gives its providers
// an exporter instead, such as otlptracehttp and otlpmetrichttp; nothing else changes.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

func main() { cli.Main(run) }

var questions = []string{
	"Can I get a refund after 45 days?",
	"How long is store credit valid?",
	"Who pays for the return of a damaged parcel?",
	"Do you sell gift cards?",
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if err := cli.Parse(flag.NewFlagSet("opentelemetry", flag.ContinueOnError), args, out); err != nil {
		return err
	}
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)) // in a service: WithBatcher, and an exporter of otlp
	metrics := sdkmetric.NewManualReader()
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics)) // in a service: NewPeriodicReader

	seen, err := newTelemetry(meters)
	if err != nil {
		return err
	}
	// Of ten documents the best five may enter, as far as 300 words go.
	config := core.Config{TopK: 5, Budget: 300, Unit: core.Words, Observe: seen.observe}
	if err := askAll(ctx, tracers.Tracer("opentelemetry"), config); err != nil {
		return err
	}
	// Nothing is on its way any more when the providers are shut down.
	var collected metricdata.ResourceMetrics
	if err := metrics.Collect(ctx, &collected); err != nil {
		return err
	}
	stubs := spans.GetSpans()
	if err := cmp.Or(tracers.Shutdown(ctx), meters.Shutdown(ctx)); err != nil {
		return err
	}
	fmt.Fprintf(out, "What Bookend did with %d questions in langchaingo, and the same in eino:\n\n", len(questions))
	printMetrics(out, collected)
	fmt.Fprintln(out, "\nThe first question in each, as a trace:")
	printTraces(out, stubs)
	return nil
}

// askAll asks every question in both frameworks.
func askAll(ctx context.Context, tracer trace.Tracer, config core.Config) error {
	store, err := newStore()
	if err != nil {
		return err
	}
	chain, err := newChain(tracer, langchainStore{store}, config)
	if err != nil {
		return err
	}
	graph, err := newGraph(ctx, tracer, einoStore{store}, config)
	if err != nil {
		return err
	}
	for _, question := range questions {
		if _, err := chain(ctx, question); err != nil {
			return err
		}
		if _, err := graph(ctx, question); err != nil {
			return err
		}
	}
	return nil
}

// printMetrics prints a line for each metric: its sum, and its parts by reason.
func printMetrics(out io.Writer, collected metricdata.ResourceMetrics) {
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Histogram[int64]:
				var calls uint64
				var sum int64
				for _, point := range data.DataPoints {
					calls, sum = calls+point.Count, sum+point.Sum
				}
				fmt.Fprintf(out, "%-26s%4d in %d calls\n", m.Name, sum, calls)
			case metricdata.Sum[int64]:
				var sum int64
				by := map[string]int64{}
				for _, point := range data.DataPoints {
					reason, _ := point.Attributes.Value("bookend.reason")
					sum, by[reason.AsString()] = sum+point.Value, by[reason.AsString()]+point.Value
				}
				var parts []string
				for _, reason := range slices.Sorted(maps.Keys(by)) {
					parts = append(parts, fmt.Sprintf("%d by %s", by[reason], reason))
				}
				fmt.Fprintf(out, "%-26s%4d: %s\n", m.Name, sum, strings.Join(parts, ", "))
			}
		}
	}
}

// printTraces prints the first trace of each root's name, as a tree.
func printTraces(out io.Writer, spans tracetest.SpanStubs) {
	children := map[trace.SpanID][]tracetest.SpanStub{}
	for _, span := range spans {
		children[span.Parent.SpanID()] = append(children[span.Parent.SpanID()], span)
	}
	var print func(span tracetest.SpanStub, depth int)
	print = func(span tracetest.SpanStub, depth int) {
		name := strings.Repeat("  ", depth) + span.Name
		took := float64(span.EndTime.Sub(span.StartTime)) / float64(time.Millisecond)
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-16s%7.2f ms   %s", name, took, described(span)), " "))
		for _, child := range children[span.SpanContext.SpanID()] {
			print(child, depth+1)
		}
	}
	printed := map[string]bool{}
	for _, root := range children[trace.SpanID{}] {
		if !printed[root.Name] {
			printed[root.Name] = true
			print(root, 0)
		}
	}
}

// described tells the attributes that Bookend gave a span, "" without any.
func described(span tracetest.SpanStub) string {
	set := attribute.NewSet(span.Attributes...)
	in, ok := set.Value("bookend.documents.in")
	if !ok {
		return ""
	}
	placed, _ := set.Value("bookend.documents.out")
	order, _ := set.Value("bookend.order")
	return fmt.Sprintf("%d in, %d out: %s", in.AsInt64(), placed.AsInt64(), order.AsString())
}

// store searches the paragraphs of the handbook.
type store struct {
	chunks []handbook.Chunk
	index  *search.Index
}

func newStore() (*store, error) {
	chunks, index, err := search.Handbook()
	return &store{chunks, index}, err
}

func (s *store) search(ctx context.Context, query string) ([]search.Hit, error) {
	return s.index.Search(ctx, query, 10)
}
