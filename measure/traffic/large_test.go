package traffic_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/linelog"
	"github.com/bookend-rag/bookend/internal/ratio"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// go test ./measure/traffic -run Large -v -traffic.requests 1000000
var largeRequests = flag.Int("traffic.requests", 10_000, "requests in the larger file of TestLargeFiles, of which the smaller has a tenth")

const largePath = "BOOKEND_TEST_TRAFFIC"

// writeTraffic writes a record file of so many simulated requests of one day.
func writeTraffic(t testing.TB, requests int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traffic.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	defer out.Flush()
	if _, err := out.WriteString(record.Header); err != nil {
		t.Fatal(err)
	}
	lines := json.NewEncoder(out)
	if err := simulation("U", 10, 1).Entries(requests, noon, func(e record.Entry) error { return lines.Encode(e) }); err != nil {
		t.Fatal(err)
	}
	return path
}

func decodeTraffic(t testing.TB, path string) (entries int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := linelog.NewReader(file); ; {
		line, _, err := lines.Next()
		if err != nil {
			return entries
		}
		var e record.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		entries++
	}
}

// TestLargeChild reads a file in a process of its own, for the test below.
func TestLargeChild(t *testing.T) {
	path := os.Getenv(largePath)
	if path == "" {
		t.Skip("runs only as the child of another test")
	}
	start := time.Now()
	c := collector(t, traffic.Options{})
	if _, err := c.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Printf("%d bytes are live, %s, %d requests read in %.1f s\n", memory.HeapAlloc, peakMemory(), c.Result().Shuffled.Requests, took.Seconds())
}

// peakMemory is the peak of the process where the system tells it.
func peakMemory() string {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return "peak " + strings.TrimSpace(value)
		}
	}
	return "peak unknown"
}

// A request takes about a hundred bytes. What is live is compared, since the peak depends
// on when the garbage collector ran.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	live := func(requests int) (bytes int) {
		path := writeTraffic(t, requests)
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLargeChild$", "-test.v")
		c.Env = append(os.Environ(), largePath+"="+path)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if n, _ := fmt.Sscanf(line, "%d bytes are live", &bytes); n == 1 {
				t.Log(strings.TrimSpace(line))
			}
		}
		return bytes
	}
	small, large := live(*largeRequests/10), live(*largeRequests)
	if each := (large - small) / (*largeRequests - *largeRequests/10); small == 0 || each > 150 {
		t.Errorf("a request holds %d bytes", each)
	}
}

// BenchmarkReadFile reports what reading and counting cost beside decoding the JSON
// alone. It may cost 2 at most.
func BenchmarkReadFile(b *testing.B) {
	path := writeTraffic(b, 1000)
	count := func() {
		c := collector(b, traffic.Options{})
		if _, err := c.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		count()
	}
	b.ReportMetric(ratio.Median(count, func() { decodeTraffic(b, path) }), "x-decode")
}
