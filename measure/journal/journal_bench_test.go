package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/bookend-rag/bookend/internal/ratio"
)

// BenchmarkResume reports what opening a journal of 100,000 answers costs beside
// decoding its JSON. It may cost 2 at most.
func BenchmarkResume(b *testing.B) {
	path := writeJournal(b, 100_000)
	open := func() {
		j, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if n, _ := j.Len(); n != 100_000 {
			b.Fatalf("answers: %d", n)
		}
		j.Close()
	}
	decode := func() {
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(content) {
			var r Record
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		open()
	}
	b.ReportMetric(ratio.Median(open, decode), "x-decode")
}
