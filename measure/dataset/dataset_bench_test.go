package dataset

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// generateQuestions writes about the given number of bytes of question-answer
// lines, each with 20 passages of 600 bytes.
func generateQuestions(t testing.TB, size int64) (path string, lines int) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "large.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	passages := strings.Repeat(`,{"title":"Title","text":"`+strings.Repeat("some words ", 54)+`","isgold":false}`, 19)
	w := bufio.NewWriter(file)
	for written := int64(0); written < size; lines++ {
		n, err := fmt.Fprintf(w, `{"question":"question %d","answers":["answer %d"],"ctxs":[{"title":"Title","text":"It is answer %d.","isgold":true}%s]}`+"\n",
			lines, lines, lines, passages)
		if err != nil {
			t.Fatal(err)
		}
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path, lines
}

// A dataset holds offsets, not texts.
func TestOpenHoldsOffsetsOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 24 MB")
	}
	path, lines := generateQuestions(t, 24<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := open(t, Rules{}, path)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if d.Len() != lines {
		t.Errorf("%d cases of %d lines", d.Len(), lines)
	}
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 1<<20 {
		t.Errorf("a dataset of 24 MB holds %d bytes, want less than 1 MB", held)
	}
	runtime.KeepAlive(d)
}

// BenchmarkOpenLarge opens 200 MB and fails when the process has taken 200 MB from
// the system, which is what a file of 1 GB may take: the memory does not grow with
// the number of lines beyond 24 bytes each.
func BenchmarkOpenLarge(b *testing.B) {
	const size = 200 << 20
	path, _ := generateQuestions(b, size)
	b.SetBytes(size)
	for b.Loop() {
		d, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
	failAbove(b, 200<<20)
}

// BenchmarkOpenLongestLines opens lines at the limit, nearly all of each in the
// gold document.
func BenchmarkOpenLongestLines(b *testing.B) {
	path := filepath.Join(b.TempDir(), "long.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for i := range 4 {
		fmt.Fprintf(w, `{"question":"q%d","answers":["zz"],"ctxs":[{"text":"`, i)
		for range (DefaultMaxLine - 200) / 11 {
			w.WriteString("some words ")
		}
		w.WriteString(`zz","isgold":true}]}` + "\n")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(4 * DefaultMaxLine)
	for b.Loop() {
		d, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		d.Close()
	}
	failAbove(b, 200<<20)
}

func failAbove(b *testing.B, limit uint64) {
	b.Helper()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MB-from-system")
	if m.Sys > limit {
		b.Errorf("%d bytes were taken from the system, want less than %d", m.Sys, limit)
	}
}
