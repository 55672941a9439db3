//go:build unix

package record

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
)

const childPath = "BOOKEND_TEST_RECORD"

// TestChild is the service that the test below starts as a process of its own, and
// kills.
func TestChild(t *testing.T) {
	path := os.Getenv(childPath)
	if path == "" {
		t.Skip("runs only as the child of another test")
	}
	r, err := Open(path, Config{Texts: true, Wait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	docs := documents(10)
	for i := 0; ; i++ {
		id := fmt.Sprint(i)
		retrieve(t, r, id, docs, core.Config{})
		r.Answer(id, "So it is [1].")
		if i%100 == 0 {
			r.flush()
			fmt.Println("written")
		}
	}
}

// A service that is killed again and again leaves whole entries and at most one
// torn line, and the next one goes on behind them.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	before := 0
	for kill := range 6 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$")
		c.Env = append(os.Environ(), childPath+"="+path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range kill + 2 {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		cancel()
		entries, found := mustRead(t, path)
		if len(entries) < before+100*kill+100 {
			t.Errorf("kill %d: %d entries after %d: what was written is lost", kill, len(entries), before)
		}
		size := len(content(t, path))
		r := mustOpen(t, path, Config{}, time.Now)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		equal(t, "bytes that the next writer cut off", found.Torn, int64(size-len(content(t, path))))
		for _, e := range entries[before:] {
			if e.Answer == nil || len(e.Documents) != 10 {
				t.Fatalf("an entry is not whole: %+v", e)
			}
		}
		before = len(entries)
	}
}
