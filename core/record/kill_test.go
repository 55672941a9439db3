//go:build unix

package record

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
)

var kills = flag.Int("record.kills", 3, "how often TestKilled and TestKilledOnAFullDisk kill a service that records")

const (
	childPath = "BOOKEND_TEST_RECORD"
	childName = "BOOKEND_TEST_RECORD_NAME"
	workers   = 4
)

// TestChild is the service that the tests below start as a process of its own, and
// kill. Each worker tells how much is written after every few of its requests, and
// never has more under way than there is room for.
func TestChild(t *testing.T) {
	path, name := os.Getenv(childPath), os.Getenv(childName)
	if path == "" {
		t.Skip("runs only as the child of another test")
	}
	r, err := Open(path, Config{Texts: true, Wait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	docs := documents(10)
	var all sync.WaitGroup
	for worker := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 0; ; i++ {
				id := fmt.Sprintf("%s/%d/%d", name, worker, i)
				retrieve(t, r, id, docs, core.Config{})
				r.Answer(id, "So it is [1].")
				if i%20 == 19 {
					r.flush()
					s := r.Stats()
					fmt.Printf("said %d %d %d\n", s.Written, s.Lost, s.Dropped)
				}
			}
		}()
	}
	all.Wait()
}

// said is what a child tells of itself.
type said struct{ written, lost, dropped int }

// child starts a service, and returns what it says, line by line.
func child(t *testing.T, path, name string) (*exec.Cmd, func() (said, bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$")
	c.Env = append(os.Environ(), childPath+"="+path, childName+"="+name)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	return c, func() (s said, more bool) {
		for lines.Scan() {
			if n, _ := fmt.Sscanf(lines.Text(), "said %d %d %d", &s.written, &s.lost, &s.dropped); n == 3 {
				return s, true
			}
		}
		return s, false
	}
}

// killAndRead kills services that record under load, one after the other, and reads
// what they left: all that was said to be written is there, nothing is there twice,
// and nothing but the last line is torn, which the next one cuts off. room, if any, makes
// some on a disk that gets full: for each service, and again once it has filled that.
func killAndRead(t *testing.T, path string, room func()) {
	t.Helper()
	before := 0
	for kill := range *kills {
		name := fmt.Sprint("service ", kill)
		if room != nil {
			room()
		}
		c, next := child(t, path, name)
		until := func(reached func(said) bool) (s said) {
			for {
				var more bool
				if s, more = next(); !more {
					t.Fatal("the child ended by itself, or was ended after a minute")
				}
				if reached(s) {
					return s
				}
			}
		}
		last := until(func(s said) bool { return s.written > 0 })
		if room != nil {
			full := until(func(s said) bool { return s.lost > 0 })
			room()
			last = until(func(s said) bool { return s.written > full.written })
		}
		time.Sleep(rand.N(20 * time.Millisecond))
		_ = c.Process.Kill()
		for s, more := next(); more; s, more = next() {
			last.written, last.lost, last.dropped = max(last.written, s.written), max(last.lost, s.lost), max(last.dropped, s.dropped)
		}
		_ = c.Wait()

		entries, found := mustRead(t, path)
		if got := len(entries) - before; got < last.written {
			t.Errorf("kill %d: %d entries, of %d that were written", kill, got, last.written)
		}
		equal(t, "dropped", 0, last.dropped)
		seen, upTo := map[string]bool{}, [workers]int{}
		for _, e := range entries {
			if seen[e.RequestID] {
				t.Errorf("kill %d: %q is there twice", kill, e.RequestID)
			}
			seen[e.RequestID] = true
			if e.Answer == nil || len(e.Documents) != 10 {
				t.Fatalf("an entry is not whole: %+v", e)
			}
			rest, ours := strings.CutPrefix(e.RequestID, name+"/")
			if !ours || room != nil {
				continue
			}
			var worker, i int
			if _, err := fmt.Sscanf(rest, "%d/%d", &worker, &i); err != nil || i != upTo[worker] {
				t.Fatalf("kill %d: %q comes after %d others of its worker: %v", kill, e.RequestID, upTo[worker], err)
			}
			upTo[worker]++
		}
		r := mustOpen(t, path, Config{}, time.Now)
		equal(t, "bytes that the next writer cut off", found.Torn, r.Stats().Torn)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		before = len(entries)
	}
	t.Logf("%d entries after %d kills", before, *kills)
}

func TestKilled(t *testing.T) {
	t.Parallel()
	killAndRead(t, newPath(t), nil)
}
