//go:build unix

package run

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
)

var kills = flag.Int("kills", 15, "how often TestKilledAtRandomMoments kills its run")

const (
	childURL, childJournal, childLimit = "BOOKEND_TEST_URL", "BOOKEND_TEST_JOURNAL", "BOOKEND_TEST_FILE_LIMIT"
	killConcurrency                    = 8
)

func killPlan() fake.Calls { return fake.Questions(4**kills, 4) }

// TestChild is the run that the tests below start as a process of its own.
func TestChild(t *testing.T) {
	url := os.Getenv(childURL)
	if url == "" {
		t.Skip("runs only as the child of another test")
	}
	if os.Getenv(childLimit) != "" { // a file of 20,000 bytes fills the disk
		limit := syscall.Rlimit{Cur: 20_000, Max: 20_000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(os.Getenv(childJournal))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	model := httpModel{url: url, client: http.DefaultClient, limit: 1 << 20}
	if _, err := Run(t.Context(), killPlan(), model, j, Limits{Concurrency: killConcurrency}); err != nil {
		t.Fatal(err)
	}
}

// child starts TestChild in a process of its own.
func child(t testing.TB, url, journal string, environment ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$", "-kills", flag.Lookup("kills").Value.String())
	c.Env = append(append(os.Environ(), childURL+"="+url, childJournal+"="+journal), environment...)
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, &out
}

// A run that is killed again and again loses no finished call and repeats none: of
// the calls that were open, it repeats at most as many as ran at once.
func TestKilledAtRandomMoments(t *testing.T) {
	path, plan := fake.Path(t), killPlan()
	keyOf := map[string][]string{} // the keys of each prompt: its own and its repeat's
	for _, c := range plan {
		keyOf[c.Prompt.Text] = append(keyOf[c.Prompt.Text], c.Key)
	}
	var mu sync.Mutex
	during := map[string][]string{} // the prompts of each run, by its path
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := promptOf(r)
		mu.Lock()
		during[r.URL.Path] = append(during[r.URL.Path], text)
		mu.Unlock()
		time.Sleep(2 * time.Millisecond) // the latency of a server
		writeAnswer(w, "an answer")
	}))
	defer server.Close()

	answers := func() map[string]int {
		found := map[string]int{}
		if _, err := os.Stat(path); err != nil {
			return found // killed before there was a journal
		}
		records, _ := fake.Read(t, path)
		for _, r := range records {
			if r.Answer == nil {
				t.Errorf("a failure is recorded: %+v", r.Failure)
			}
			found[r.Key]++
		}
		return found
	}
	total := 0
	for kill := 0; kill <= *kills; kill++ {
		done := answers()
		run := fmt.Sprint("/run/", kill) // requests of the run before may still come in
		c, out := child(t, server.URL+run, path)
		if kill < *kills {
			after := rand.IntN(40)
			ended := make(chan struct{})
			go func() { _ = c.Wait(); close(ended) }()
			waitFor(t, "requests come in", func() bool {
				mu.Lock()
				defer mu.Unlock()
				select {
				case <-ended:
					return true
				default:
					return len(during[run]) >= after
				}
			})
			for range rand.IntN(3000) { // some moment within the next milliseconds
				runtime.Gosched()
			}
			_ = c.Process.Kill()
			<-ended
		} else if err := c.Wait(); err != nil {
			t.Fatalf("the last run: %v\n%s", err, out)
		}
		mu.Lock()
		asked := map[string]int{}
		for _, text := range during[run] {
			asked[text]++
		}
		total += len(during[run])
		lost := len(during[run]) - (len(answers()) - len(done))
		mu.Unlock()
		if lost < 0 || lost > killConcurrency {
			t.Errorf("run %d: %d requests have no answer in the journal; %d ran at once", kill, lost, killConcurrency)
		}
		for text, n := range asked {
			open := 0 // of the keys of this prompt, those without an answer
			for _, key := range keyOf[text] {
				if done[key] == 0 {
					open++
				}
			}
			if n > open {
				t.Errorf("run %d: asked %d times for a prompt with %d unanswered calls", kill, n, open)
			}
		}
	}
	final := answers()
	for _, c := range plan {
		if final[c.Key] != 1 {
			t.Errorf("the cell %s %s is in the journal %d times", c.Question, c.Key, final[c.Key])
		}
	}
	if len(final) != plan.Len() {
		t.Errorf("cells: -want %d +got %d", plan.Len(), len(final))
	}
	t.Logf("%d kills, %d calls, %d repeated", *kills, plan.Len(), total-plan.Len())
}

// Each kill alone repeats no more than what was open: the journal lacks at most
// that many of the answers that the server sent.
func TestKillLosesOnlyWhatWasOpen(t *testing.T) {
	path := fake.Path(t)
	var mu sync.Mutex
	n := 0
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		stuck := n > 60
		mu.Unlock()
		if stuck { // from here on nothing is answered
			<-hold
			return
		}
		writeAnswer(w, "an answer")
	}))
	defer server.Close()
	defer close(hold)
	c, _ := child(t, server.URL, path)
	waitFor(t, "the run stands still", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return n == 60+killConcurrency
	})
	_ = c.Process.Kill()
	_ = c.Wait()
	if records, _ := fake.Read(t, path); len(records) != 60 {
		t.Errorf("answers in the journal: -want 60 +got %d", len(records))
	}
}

func TestSecondProcessOnAJournal(t *testing.T) {
	path := fake.Path(t)
	j := fake.Journal(t, path)
	if _, err := journal.Open(path); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("in the same process: %v", err)
	}
	c, out := child(t, "http://127.0.0.1:1", path)
	if err := c.Wait(); err == nil || !strings.Contains(out.String(), "another process is writing it") {
		t.Errorf("in another process: %v, %s", err, out)
	}
	if err := j.Append(fake.Answered("k", "")); err != nil {
		t.Errorf("the first one is disturbed: %v", err)
	}
	if _, reading := fake.Read(t, path); reading.Records != 1 {
		t.Error("a reader is kept out")
	}
}

func TestFullDiskStopsAndResumes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeAnswer(w, "an answer") }))
	defer server.Close()
	path := fake.Path(t)
	c, out := child(t, server.URL, path, childLimit+"=1")
	if err := c.Wait(); err == nil || !strings.Contains(out.String(), "cannot be written") || !strings.Contains(out.String(), "a new run continues there") {
		t.Fatalf("on a full disk: %v, %s", err, out)
	}
	records, reading := fake.Read(t, path)
	if len(records) < 10 || reading.Torn != 0 {
		t.Errorf("%d records, %d bytes torn", len(records), reading.Torn)
	}
	plan := killPlan()
	got, err := Run(t.Context(), plan, fake.Echo, fake.Journal(t, path), Limits{})
	if err != nil || got.Known != len(records) || got.Known+got.Answered != plan.Len() {
		t.Errorf("after that: %+v, %v", got, err)
	}
}
