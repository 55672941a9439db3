package main

import (
	"context"
	"errors"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// telemetry reports what Bookend did with the documents of each call. It reports
// numbers and names of settings alone, never a text or a question: traces are read by
// more people than the documents are.
type telemetry struct {
	in, out metric.Int64Histogram
	dropped metric.Int64Counter
}

func newTelemetry(meters metric.MeterProvider) (*telemetry, error) {
	meter := meters.Meter("github.com/bookend-rag/bookend/examples/opentelemetry")
	buckets := metric.WithExplicitBucketBoundaries(0, 1, 2, 5, 10, 20, 50, 100)
	in, err1 := meter.Int64Histogram("bookend.documents.in", buckets, metric.WithUnit("{document}"),
		metric.WithDescription("Documents that came in, of each call"))
	out, err2 := meter.Int64Histogram("bookend.documents.out", buckets, metric.WithUnit("{document}"),
		metric.WithDescription("Documents that were placed, of each call"))
	dropped, err3 := meter.Int64Counter("bookend.documents.dropped", metric.WithUnit("{document}"),
		metric.WithDescription("Documents that were left out, by reason"))
	return &telemetry{in, out, dropped}, errors.Join(err1, err2, err3)
}

// observe is for the Observe of a core.Config. It describes the span of the context,
// which is the one around the arrangement if that has one. An error is left to whoever
// started the span, since it is returned to them.
func (t *telemetry) observe(ctx context.Context, e core.Event) {
	a := e.Arrangement
	// Without what follows "=": a seed for each request would make a time series for
	// each request.
	placement, _, _ := strings.Cut(a.Placement, "=")

	span := trace.SpanFromContext(ctx)
	span.SetAttributes(
		attribute.String("bookend.placement", placement),
		attribute.Int("bookend.documents.in", a.N),
	)
	if e.Err != nil {
		return
	}
	span.SetAttributes(
		attribute.Int("bookend.documents.out", len(a.Slots)),
		attribute.String("bookend.order", a.Order()),
	)
	by := metric.WithAttributes(attribute.String("bookend.placement", placement))
	t.in.Record(ctx, int64(a.N), by)
	t.out.Record(ctx, int64(len(a.Slots)), by)
	dropped := map[core.Reason]int64{}
	for _, d := range a.Dropped {
		dropped[d.Reason]++
	}
	for reason, n := range dropped {
		span.SetAttributes(attribute.Int64("bookend.documents.dropped."+string(reason), n))
		t.dropped.Add(ctx, n, by, metric.WithAttributes(attribute.String("bookend.reason", string(reason))))
	}
}
