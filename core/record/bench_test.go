package record

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/linelog"
	"github.com/bookend-rag/bookend/internal/ratio"
)

// BenchmarkRetrieval reports what recording adds to one retrieval of ten documents
// of 2 kB that nobody observed before: to the caller, who waits for it ("µs-caller", the median), and in all,
// the background included ("µs-all").
func BenchmarkRetrieval(b *testing.B) {
	for _, texts := range []bool{false, true} {
		b.Run(fmt.Sprintf("texts=%v", texts), func(b *testing.B) {
			docs := documents(10)
			for i := range docs {
				docs[i].text = strings.Repeat(fmt.Sprint(i, " some words. "), 180)[:2048]
			}
			r := mustOpen(b, filepath.Join(b.TempDir(), "f"), Config{Texts: texts}, time.Now)
			observed, err := core.New(core.Config{Observe: r.Observe})
			if err != nil {
				b.Fatal(err)
			}
			silent, err := core.New(core.Config{})
			if err != nil {
				b.Fatal(err)
			}
			ctx := core.WithRequestID(context.Background(), "a-request-id")
			run := func(a *core.Arranger) {
				if _, err := core.Transform(ctx, a, docs, view, core.Call{Query: "What is it?"}); err != nil {
					b.Fatal(err)
				}
			}
			timed := func(a *core.Arranger) time.Duration {
				start := time.Now()
				run(a)
				return time.Since(start)
			}
			var with, without []time.Duration
			start := time.Now()
			n := 0
			for b.Loop() {
				with = append(with, timed(observed))
				without = append(without, timed(silent))
				if n++; n%1000 == 0 {
					r.flush() // so that nothing is dropped for want of room
				}
			}
			r.flush()
			all := time.Since(start)
			slices.Sort(with)
			slices.Sort(without)
			b.ReportMetric(float64(with[n/2]-without[n/2])/1e3, "µs-caller")
			b.ReportMetric(float64(all.Nanoseconds())/float64(n)/1e3, "µs-all")
			if d := r.Stats().Dropped; d > 0 {
				b.Fatalf("%d were dropped", d)
			}
		})
	}
}

// BenchmarkRead reports what reading costs beside decoding the same JSON.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "f")
	r := mustOpen(b, path, Config{Wait: time.Hour}, time.Now)
	for i := range 2000 {
		retrieve(b, r, fmt.Sprint(i), documents(10), core.Config{})
		r.Answer(fmt.Sprint(i), "So [1] and [4].")
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
	readAll := func() {
		if _, err := Read(path, func(Entry) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	decode := func() {
		file, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		for lines := linelog.NewReader(file); ; {
			line, _, err := lines.Next()
			if err != nil {
				return
			}
			var e Entry
			if err := json.Unmarshal(line, &e); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		readAll()
	}
	b.ReportMetric(ratio.Median(readAll, decode), "x-decode")
}
