package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

func TestWithoutTexts(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	r := mustOpen(t, path, Config{}, clock.now)
	docs := documents(3)
	docs[2].score = 0 // has none
	retrieve(t, r, "q1", docs, core.Config{TopK: 2})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	entries, found := mustRead(t, path)
	equal(t, "entries", 1, found.Entries)
	e := entries[0]
	equal(t, "time", clock.now(), e.Time)
	equal(t, "request ID", "q1", e.RequestID)
	equal(t, "question", "", e.Question)
	equal(t, "hash of the question", r.config.hash("What is q1?"), e.QuestionHash)
	equal(t, "length of the question", 11, e.QuestionLength)
	equal(t, "arm", Configured, e.Arm)
	equal(t, "order", "r1 r2", e.Arrangement.Order())
	equal(t, "documents, those left out included", 3, len(e.Documents))
	equal(t, "second document", Document{ID: "d1", Score: 0.5, Hash: r.config.hash("text 1"), Length: 6}, e.Documents[1])
	if e.Documents[2].Score.Known() {
		t.Errorf("a missing score became %v", e.Documents[2].Score)
	}
	text := content(t, path)
	for _, secret := range []string{"text 1", "Title", "What is"} {
		if strings.Contains(text, secret) {
			t.Errorf("the file holds %q:\n%s", secret, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		equal(t, "mode", 0o600, info.Mode().Perm())
	}
	equal(t, "counts", Stats{Accepted: 1, Written: 1}, r.Stats())
}

func TestTextsAndRedact(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{Texts: true, Redact: func(s string) string { return strings.ReplaceAll(s, "t", "T") }}, time.Now)
	retrieve(t, r, "q1", documents(2), core.Config{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _ := mustRead(t, path)
	equal(t, "question", "WhaT is q1?", entries[0].Question)
	equal(t, "document", Document{ID: "d1", Title: "TiTle 1", Text: "TexT 1", Score: 0.5, Hash: r.config.hash("TexT 1"), Length: 6}, entries[0].Documents[1])
	// What a dataset needs stands under its keys.
	contains(t, "the file", content(t, path), `"question":"WhaT is q1?"`, `"ctxs":[{"id":"d0","title":"TiTle 0","text":"TexT 0"`)
}

func TestHashKey(t *testing.T) {
	t.Parallel()
	// SHA-256 of "abc", and its HMAC under "key", as other tools compute them.
	equal(t, "plain", "ba7816bf8f01cfea414140de5dae2223", (&Config{}).hash("abc"))
	equal(t, "keyed", "9c196e32dc0175f86f4b1cb89289d661", (&Config{HashKey: []byte("key")}).hash("abc"))
}

// Documents are the caller's again as soon as the call has returned.
func TestDocumentsChangeAfterwards(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{Texts: true, Wait: time.Hour}, time.Now)
	a, err := core.New(core.Config{Observe: r.Observe})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			docs := documents(10)
			ctx := core.WithRequestID(context.Background(), fmt.Sprint(i))
			arrangement, err := core.Arrange(ctx, a, docs, view, core.Call{})
			if err != nil {
				t.Error(err)
			}
			for _, d := range docs {
				*d = doc{id: "changed", title: "changed", text: "changed"}
			}
			clear(docs)
			clear(arrangement.Slots)
			r.Answer(fmt.Sprint(i), "It is so [1].")
		}()
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if text := content(t, path); strings.Contains(text, "changed") {
		t.Errorf("what was written afterwards is recorded:\n%.300s", text)
	}
	entries, _ := mustRead(t, path)
	equal(t, "entries", 50, len(entries))
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	path, clock := newPath(t), newClock()
	r := mustOpen(t, path, Config{Wait: time.Minute, Model: "small"}, clock.now)
	seed := core.Config{Placement: core.Choice{Placement: core.Shuffled{Seed: 7}}}
	retrieve(t, r, "cites", documents(5), seed)
	retrieve(t, r, "cites nothing", documents(5), core.Config{})
	retrieve(t, r, "cites what is not there", documents(5), core.Config{TopK: 2})
	retrieve(t, r, "late", documents(5), core.Config{})
	retrieve(t, r, "", documents(5), core.Config{})
	clock.pass(2 * time.Second)
	retrieve(t, r, "twice", documents(5), core.Config{})
	retrieve(t, r, "twice", documents(5), core.Config{TopK: 1})
	retrieve(t, r, "never", documents(5), core.Config{})

	r.Answer("cites what is not there", "As said [5], [3].")
	r.Answered(core.WithRequestID(context.Background(), "cites"), Reply{Text: "So [4], and [2, 4, 9].", Model: "large", PromptTokens: 321})
	r.Answer("cites", "Once more [1].")
	r.Answer("cites nothing", "No idea.")
	r.Answer("twice", "Yes [1].")
	r.Answer("of nobody", "[1]")
	r.Answer("", "[1]")
	r.flush()
	clock.pass(58 * time.Second)
	r.Answer("late", "[1]")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "counts", Stats{
		Accepted: 8, Written: 8, Answered: 4, CitedNothing: 1, CitedUnknown: 1,
		Unmatched: 4, Expired: 2, Repeated: 1, WithoutID: 1,
	}, r.Stats())

	byID := map[string]Entry{}
	entries, _ := mustRead(t, path)
	for _, e := range entries {
		byID[e.RequestID] = e
	}
	e := byID["cites"]
	equal(t, "arm", Shuffled, e.Arm)
	equal(t, "model", "large", e.Model)
	equal(t, "tokens of the prompt", 321, e.PromptTokens)
	if want := (&Answer{Ranks: []int{3, 1}, Labels: []int{4, 2}, Unknown: 1, Length: 22, Seconds: 2}); !reflect.DeepEqual(want, e.Answer) {
		t.Errorf("answer (-want +got)\n-%+v\n+%+v", want, e.Answer)
	}
	e = byID["cites what is not there"]
	equal(t, "model", "small", e.Model)
	if want := (&Answer{Ranks: []int{}, Labels: []int{}, Unknown: 2, Length: 17, Seconds: 2}); !reflect.DeepEqual(want, e.Answer) {
		t.Errorf("answer (-want +got)\n-%+v\n+%+v", want, e.Answer)
	}
	equal(t, "documents of the second retrieval", 1, len(byID["twice"].Arrangement.Slots))
	for _, id := range []string{"late", "never"} {
		if byID[id].Answer != nil {
			t.Errorf("%q has an answer", id)
		}
	}
}

// A thousand requests at once, whose answers come out of order, late, twice or
// never: every retrieval is in the file once, with its own answer or none.
func TestAThousandAtOnce(t *testing.T) {
	t.Parallel()
	const n = 1000
	path, clock := newPath(t), newClock()
	r := mustOpen(t, path, Config{Wait: time.Minute}, clock.now)
	var wg sync.WaitGroup
	at := func(f func(i int)) {
		for _, i := range rand.Perm(n) {
			wg.Add(1)
			go func() { defer wg.Done(); f(i) }()
		}
		wg.Wait()
		r.flush()
	}
	text := func(i int) string { return fmt.Sprintf("It is so [%d].", i%10+1) }
	at(func(i int) { retrieve(t, r, fmt.Sprint("r", i), documents(10), core.Config{}) })
	at(func(i int) {
		switch i % 4 {
		case 0, 1: // in time, some twice
			for range i%4 + 1 {
				r.Answer(fmt.Sprint("r", i), text(i))
			}
		}
	})
	clock.pass(time.Hour)
	at(func(i int) {
		if i%4 == 2 { // too late
			r.Answer(fmt.Sprint("r", i), text(i))
		}
	})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "counts", Stats{Accepted: n, Written: n, Answered: n / 2, Unmatched: n / 2, Expired: n / 2}, r.Stats())
	entries, _ := mustRead(t, path)
	seen := map[string]bool{}
	for _, e := range entries {
		var i int
		if _, err := fmt.Sscanf(e.RequestID, "r%d", &i); err != nil || seen[e.RequestID] {
			t.Fatalf("%q: %v, seen %v", e.RequestID, err, seen[e.RequestID])
		}
		seen[e.RequestID] = true
		equal(t, "answered", i%4 < 2, e.Answer != nil)
		if e.Answer != nil && !reflect.DeepEqual(e.Answer.Ranks, []int{i % 10}) {
			t.Errorf("%s cites %v", e.RequestID, e.Answer.Ranks)
		}
	}
	equal(t, "held", 0, r.held.Load())
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const room = 200_000
	path, clock := newPath(t), newClock()
	r := mustOpen(t, path, Config{Texts: true, Wait: time.Hour, MaxMemory: room}, clock.now)
	big := documents(1)
	big[0].text = strings.Repeat("x", 9_000)
	for i := range 100 {
		retrieve(t, r, fmt.Sprint(i), big, core.Config{})
		r.flush()
		if held := r.held.Load(); held > room/2 {
			t.Fatalf("%d bytes are held", held)
		}
	}
	huge := documents(1)
	huge[0].text = strings.Repeat("x", room)
	retrieve(t, r, "huge", huge, core.Config{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "counts", Stats{Accepted: 100, Dropped: 1, Written: 100, Expired: 100}, r.Stats())

	// Without texts, what is not recorded is not held either, but long IDs are.
	r = mustOpen(t, newPath(t), Config{Wait: time.Hour, MaxMemory: room}, clock.now)
	for i := range 20 {
		retrieve(t, r, fmt.Sprint(i), big, core.Config{})
		r.flush()
	}
	equal(t, "written of 20 with a long text", 0, r.Stats().Written)
	big[0].id = strings.Repeat("i", 9_000)
	for i := range 20 {
		retrieve(t, r, fmt.Sprint("long ", i), big, core.Config{})
		r.flush()
		if held := r.held.Load(); held > room/2 {
			t.Fatalf("%d bytes are held", held)
		}
	}

	r = mustOpen(t, newPath(t), Config{Wait: time.Hour, MaxWaiting: 3}, clock.now)
	for i := range 10 {
		retrieve(t, r, fmt.Sprint(i), big, core.Config{})
	}
	r.flush()
	equal(t, "counts", Stats{Accepted: 10, Written: 7, Expired: 7}, r.Stats())
}

// While the writer stands still, a full queue drops what comes and nobody waits.
func TestPressure(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	inside, hold := make(chan struct{}, 1), make(chan struct{})
	r := mustOpen(t, path, Config{Redact: func(s string) string {
		select {
		case inside <- struct{}{}:
		default:
		}
		<-hold
		return s
	}}, time.Now)
	retrieve(t, r, "first", documents(1), core.Config{})
	<-inside
	const more = queueLength + 100
	for range more {
		retrieve(t, r, "more", documents(1), core.Config{})
	}
	equal(t, "dropped", 100, r.Stats().Dropped)
	close(hold)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "counts", Stats{Accepted: 1 + queueLength, Dropped: 100, Written: 1 + queueLength}, r.Stats())
	entries, _ := mustRead(t, path)
	equal(t, "entries", 1+queueLength, len(entries))
	retrieve(t, r, "after Close", documents(1), core.Config{})
	r.Answer("after Close", "[1]")
	equal(t, "dropped after Close", 101, r.Stats().Dropped)
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	r := mustOpen(t, newPath(t), Config{
		Keep:   func(e core.Event) bool { return e.RequestID != "skip" },
		Redact: func(s string) string { return strings.Repeat(s, 1-len(s)/1000) }, // panics on a long text
	}, time.Now)
	retrieve(t, r, "skip", documents(1), core.Config{})
	long := documents(1)
	long[0].text = strings.Repeat("x", 2000)
	retrieve(t, r, "panics", long, core.Config{})
	a, err := core.New(core.Config{Observe: r.Observe})
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := core.Transform(cancelled, a, documents(1), view, core.Call{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	retrieve(t, r, "kept", documents(1), core.Config{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, "counts", Stats{Accepted: 2, Failed: 1, Skipped: 1, Written: 1, Lost: 1}, r.Stats())
}

func TestMaxFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{MaxFile: 2000}, time.Now)
	for range 20 {
		retrieve(t, r, "q", documents(2), core.Config{})
		r.flush()
	}
	if err := r.Close(); !errors.Is(err, errTooLarge) {
		t.Errorf("Close: %v", err)
	}
	entries, _ := mustRead(t, path)
	s := r.Stats()
	if len(entries) == 0 || s.Written != int64(len(entries)) || s.Lost != 20-s.Written {
		t.Errorf("%d entries, %+v", len(entries), s)
	}
	if size := len(content(t, path)); size > 2000 {
		t.Errorf("the file has %d bytes", size)
	}
}

// A torn last line is counted and left out by Read, and cut off by the next Open.
func TestTornLine(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{}, time.Now)
	retrieve(t, r, "one", documents(2), core.Config{})
	retrieve(t, r, "two", documents(2), core.Config{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	whole := content(t, path)
	last := strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n") + 1
	for cut := range len(whole) - 1 {
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(whole[:cut], "\n")
		start := strings.LastIndex(whole[:cut], "\n") + 1
		entries, found := mustRead(t, path)
		equal(t, "entries", max(lines-1, 0), len(entries))
		equal(t, "torn", int64(cut-start), found.Torn)
		if cut%97 != 0 && cut != last { // opening syncs the file, which takes a while
			continue
		}
		r := mustOpen(t, path, Config{}, time.Now)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		want := whole[:start]
		if want == "" {
			want = Header
		}
		equal(t, "after the next Open", want, content(t, path))
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a text":      "my notes\nand more",
		"a journal":   `{"journal":"bookend 1"}` + "\n{",
		"a dataset":   `{"question":"q","ctxs":[]}` + "\n",
		"nearly ours": Header[:5] + "x",
	} {
		path := newPath(t)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Config{}); !errors.Is(err, ErrNotRecord) {
			t.Errorf("%s: Open: %v", name, err)
		}
		if _, err := Read(path, func(Entry) error { return nil }); !errors.Is(err, ErrNotRecord) {
			t.Errorf("%s: Read: %v", name, err)
		}
		equal(t, name, text, content(t, path))
	}
	dir := t.TempDir()
	link := dir + "/link"
	if err := os.Symlink(newPath(t), link); err == nil {
		if _, err := Open(link, Config{}); !errors.Is(err, ErrNotRecord) {
			t.Errorf("a symbolic link: %v", err)
		}
	}
	if _, err := Open(dir, Config{}); !errors.Is(err, ErrNotRecord) {
		t.Errorf("a folder: %v", err)
	}
	path := newPath(t)
	mustOpen(t, path, Config{}, time.Now)
	if _, err := Open(path, Config{}); !errors.Is(err, ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	good := `{"time":"2026-01-31T12:00:00Z","ctxs":[{"score":1,"length":2}],"arrangement":{"n":1,"placement":"ranked","slots":[{"index":0,"rank":0,"label":1,"score":1}]},"arm":"configured"}` + "\n"
	for name, bad := range map[string]string{
		"no JSON":        "{]\n",
		"another number": strings.Replace(good, `"n":1`, `"n":2`, 1),
		"another arm":    strings.Replace(good, `configured`, `left`, 1),
		"a cited rank":   strings.Replace(good, `"arm"`, `"answer":{"ranks":[1],"labels":[2]},"arm"`, 1),
		"labels":         strings.Replace(good, `"arm"`, `"answer":{"ranks":[0],"labels":[]},"arm"`, 1),
	} {
		n := 0
		_, err := read(strings.NewReader(Header+good+bad+good), "f", func(Entry) error { n++; return nil })
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrDamaged) || e.Line != 3 || n != 1 {
			t.Errorf("%s: after %d entries: %v", name, n, err)
		}
		found, err := read(strings.NewReader(Header+good+bad), "f", func(Entry) error { return nil })
		if err != nil || found.Torn != int64(len(bad)) || found.Entries != 1 {
			t.Errorf("%s, at the end: %+v, %v", name, found, err)
		}
	}
	stop := errors.New("enough")
	if found, err := read(strings.NewReader(Header+good+good+good), "f", func(Entry) error { return stop }); err != stop || found.Entries != 1 {
		t.Errorf("stopped: %+v, %v", found, err)
	}
	if _, err := read(strings.NewReader(Header+strings.Repeat("x", MaxLine+1)), "f", nil); !errors.Is(err, ErrLimit) {
		t.Errorf("a long line: %v", err)
	}
}

// What Read says of a file and what Open does to it agree, and after an append every
// reader reads it.
func TestOpenAgreesWithRead(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{}, time.Now)
	retrieve(t, r, "one", documents(1), core.Config{})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	good := strings.TrimPrefix(content(t, path), Header)
	bad := strings.Replace(good, "configured", "left", 1)
	for _, c := range []struct {
		name string
		text string
		want error // of both
		torn string
	}{
		{"whole", good + good, nil, ""},
		{"nothing but the header", "", nil, ""},
		{"a damaged last line", good + good + bad, nil, bad},
		{"a damaged line alone", bad, nil, bad},
		{"no JSON, with its end", good + "{]\n", nil, "{]\n"},
		{"an empty line", good + "\n", nil, "\n"},
		{"a second header", good + Header, nil, Header},
		{"zeros, with an end", good + "\x00\x00\x00\n", nil, "\x00\x00\x00\n"},
		{"a torn last line", good + good[:30], nil, good[:30]},
		{"a torn line alone", good[:30], nil, good[:30]},
		{"a damaged line before a torn one", good + bad + good[:30], ErrDamaged, ""},
		{"two damaged lines", good + bad + bad, ErrDamaged, ""},
		{"a line that is too long", good + strings.Repeat("x", MaxLine) + "\n", ErrLimit, ""},
		{"a torn line that is too long", good + strings.Repeat("x", MaxLine+1), ErrLimit, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			if err := os.WriteFile(path, []byte(Header+c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			found, err := Read(path, func(Entry) error { return nil })
			if !errors.Is(err, c.want) {
				t.Errorf("Read: %v", err)
			}
			r, err := Open(path, Config{})
			if c.want != nil {
				if !errors.Is(err, c.want) {
					t.Errorf("Open: %v", err)
				}
				equal(t, "the file that was refused", Header+c.text, content(t, path))
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "torn, for Read", int64(len(c.torn)), found.Torn)
			equal(t, "torn, for Open", found.Torn, r.Stats().Torn)
			line := 0
			if c.torn != "" {
				line = 2 + strings.Count(strings.TrimSuffix(c.text, c.torn), "\n")
			}
			equal(t, "the torn line", line, found.TornLine)
			retrieve(t, r, "appended", documents(1), core.Config{})
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			entries, after := mustRead(t, path)
			equal(t, "entries, then one more", found.Entries+1, len(entries))
			equal(t, "torn afterwards", Reading{Entries: found.Entries + 1}, after)
			equal(t, "last", "appended", entries[len(entries)-1].RequestID)
			again := mustOpen(t, path, Config{}, time.Now)
			equal(t, "counted once", 0, again.Stats().Torn)
		})
	}
}

// A record that others could read is the user's alone before a text is written to it.
// What is no record stays as it is.
func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	for _, c := range []struct {
		name, text string
		mode, want os.FileMode
	}{
		{"a record", Header, 0o644, 0o600},
		{"one that all may write", Header, 0o666, 0o600},
		{"an empty file", "", 0o644, 0o600},
		{"a torn header", Header[:5], 0o640, 0o600},
		{"another file", "my notes\n", 0o644, 0o644},
	} {
		path := newPath(t)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(path, Config{Texts: true}); err == nil {
			defer r.Close()
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.name, c.want, info.Mode().Perm())
	}
}

// badDisk is a file with what a disk can do: fail to write, after a part, fail to cut
// off that part, and keep the mode as it is.
type badDisk struct {
	*os.File
	full, stuck, open bool
}

var errDisk = errors.New("no space left")

func (d *badDisk) Write(p []byte) (int, error) {
	if d.full {
		n, _ := d.File.Write(p[:len(p)/2])
		return n, errDisk
	}
	return d.File.Write(p)
}

func (d *badDisk) Truncate(size int64) error {
	if d.stuck {
		return errDisk
	}
	return d.File.Truncate(size)
}

func (d *badDisk) Chmod(mode os.FileMode) error {
	if d.open {
		return errDisk
	}
	return d.File.Chmod(mode)
}

// However a write fails, the file holds whole lines, each once, as soon as the disk
// works again.
func TestABadDisk(t *testing.T) {
	t.Parallel()
	for _, stuck := range []bool{false, true} {
		path := newPath(t)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		disk := &badDisk{File: f}
		w := &file{path: path, f: disk}
		if err := w.mend(); err != nil {
			t.Fatal(err)
		}
		want := Header
		write := func(line string, fails bool) {
			t.Helper()
			if err := w.append([]byte(line)); (err != nil) != fails {
				t.Errorf("%q: %v", line, err)
			}
			if !fails {
				want += line
			}
		}
		write("one\n", false)
		disk.full, disk.stuck = true, stuck
		write("two, that is lost\n", true)
		write("three, that is lost, too\n", true)
		disk.full = false
		write("four\n", stuck) // not behind a half of the second
		disk.stuck = false
		write("five\n", false)
		disk.full = true
		write("six, that is lost\n", true)
		disk.full = false
		if err := w.close(); err != nil {
			t.Fatal(err)
		}
		equal(t, "the file", want, content(t, path))
	}

	path := newPath(t)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Chmod(0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		err = (&file{path: path, f: &badDisk{File: f, open: true}}).mend()
		if !errors.Is(err, ErrExposed) {
			t.Errorf("a mode that stays: %v", err)
		}
		contains(t, "the error", fmt.Sprint(err), "0644", "mode 0600", "folder of your own")
	}
}

// Without texts nothing that was asked or retrieved is in the file, nor in what the
// recorder prints, whichever way it comes: by an error that repeats it, too, and by the
// note of a step that quotes it. With texts, notes are redacted like these.
func TestNoPrivateWord(t *testing.T) {
	t.Parallel()
	const question, text, title = "Is Blue Harbour the code?", "No, Green Meadow is.", "Codes of the vault"
	echo := errors.New("status 500: cannot rank '" + question + "' against '" + text + "'")
	repeats := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return nil, echo })
	chunks := []doc{{id: "d1", title: title, text: text, score: 1}}
	byValue := &core.View[doc]{
		Text: func(d doc) string { return d.text },
		ID:   func(d doc) string { return d.id },
		Meta: func(d doc) map[string]any {
			return map[string]any{"title": d.title, "note": d.text}
		},
	}
	redact := func(s string) string {
		return strings.NewReplacer("Blue Harbour", "[x]", "Green Meadow", "[x]", "vault", "[x]").Replace(s)
	}
	for _, config := range []Config{{}, {Wait: time.Hour}, {HashKey: []byte("k")}, {Redact: redact}, {Texts: true, Redact: redact}} {
		path := newPath(t)
		r := mustOpen(t, path, config, time.Now)
		a, err := core.New(core.Config{Observe: r.Observe})
		if err != nil {
			t.Fatal(err)
		}
		ctx := core.WithRequestID(context.Background(), "r1")
		failed, err := rank.Rerank(ctx, &rank.Reranker{Scorer: repeats, OnFailure: rank.KeepOrder}, byValue, question, chunks)
		if err != nil {
			t.Fatal(err)
		}
		missing := core.Stage{Name: "dense", Failure: rank.FailureCode(echo)}
		if _, err := core.Transform(ctx, a, chunks, byValue, core.Call{Query: question, Stages: []core.Stage{missing, failed}}); err != nil {
			t.Fatal(err)
		}
		quotes := func(_ *core.Arranger, a core.Arrangement) (core.Arrangement, error) {
			a.Notes = append(a.Notes, echo.Error())
			return a, nil
		}
		if _, err := core.Arrange(ctx, a, chunks, byValue, core.Call{Query: question, Refine: quotes}); err != nil {
			t.Fatal(err)
		}
		r.Answer("r1", "You asked: "+question+" "+text+" [1]")
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		written := content(t, path)
		private := []string{"Blue Harbour", "Green Meadow"}
		if !config.Texts {
			private = append(private, "vault", "status 500", "cannot rank")
		}
		for _, p := range private {
			if all := written + fmt.Sprintf("%+v %v", r.Stats(), r.Err()); strings.Contains(all, p) {
				t.Errorf("%+v: %q is written:\n%s", config, p, all)
			}
		}
		entries, _ := mustRead(t, path)
		equal(t, "entries", 2, len(entries))
		if config.Texts {
			equal(t, "notes of failures", "ranking by dense is missing (error); ranking by rerank failed (error), and the order before it is kept",
				strings.Join(entries[0].Arrangement.Notes, "; "))
			contains(t, "a note", entries[1].Arrangement.Notes[0], "cannot rank 'Is [x] the code?'")
		}
	}
}

// A Recorder that Open did not make records nothing and says so.
func TestRecorderThatNobodyOpened(t *testing.T) {
	t.Parallel()
	for _, r := range []*Recorder{nil, {}} {
		retrieve(t, r, "q", documents(2), core.Config{})
		r.Answer("q", "[1]")
		r.Answered(context.Background(), Reply{Text: "[1]"})
		for _, err := range []error{r.Err(), r.Close(), r.Close()} {
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, ErrNotOpen) {
				t.Errorf("%v", err)
			}
		}
		if want := (Stats{Dropped: 1, Unmatched: 2}); r != nil {
			equal(t, "counts", want, r.Stats())
		} else {
			equal(t, "counts", Stats{}, r.Stats())
		}
	}
	_, err := Read(newPath(t), nil)
	var e *core.ConfigError
	if !errors.As(err, &e) || e.Field != "each" {
		t.Errorf("Read without a func: %v", err)
	}
	equal(t, "a zero error", true, (&Error{}).Error() != "")
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	_, err := Open(newPath(t), Config{Wait: -1, MaxWaiting: -1, MaxMemory: -1, MaxFile: -1})
	for _, field := range []string{"Wait", "MaxWaiting", "MaxMemory", "MaxFile"} {
		contains(t, "the error", fmt.Sprint(err), field)
	}
}

func FuzzRead(f *testing.F) {
	path := newPath(f)
	r := mustOpen(f, path, Config{Wait: time.Hour}, time.Now)
	retrieve(f, r, "q", documents(2), core.Config{})
	r.Answer("q", "[1]")
	if err := r.Close(); err != nil {
		f.Fatal(err)
	}
	whole := []byte(content(f, path))
	for _, seed := range [][]byte{whole, whole[:len(whole)-4], []byte(Header), nil, []byte("x"), append(whole, "{}\n{}\n"...)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := read(bytes.NewReader(data), "f", func(e Entry) error {
			if wrong := e.check(); wrong != "" {
				t.Error(wrong)
			}
			return nil
		})
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%T: %v", err, err)
		}
		if err == nil && found.Torn > int64(len(data)) {
			t.Errorf("%d bytes torn of %d", found.Torn, len(data))
		}
	})
}

// Where a document was cut from is recorded with the texts, and what ranked it is
// the entry's own.
func TestOriginsAndStages(t *testing.T) {
	t.Parallel()
	chunks := []map[string]any{
		{"text": "one", "_source": "a.md", "page": 3},
		{"text": "two", "_source": "b.md"},
		{"text": "three"},
	}
	text := func(m map[string]any) string { return m["text"].(string) }
	meta := func(m map[string]any) map[string]any { return m }
	for _, texts := range []bool{true, false} {
		path := newPath(t)
		r := mustOpen(t, path, Config{Texts: texts}, time.Now)
		a, err := core.New(core.Config{Observe: func(ctx context.Context, e core.Event) {
			r.Observe(ctx, e)
			stage := e.Arrangement.Stages[0]
			stage.Ranks[0], stage.Scores[0] = 99, 99 // by whoever comes later
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = core.Transform(context.Background(), a, chunks, &core.View[map[string]any]{Text: text, Meta: meta},
			core.Call{Stages: []core.Stage{{Name: "rerank", Ranks: []int{2, 0, 1}, Scores: []core.Score{0.1, 0.3, 0.2}}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		entries, _ := mustRead(t, path)
		if len(entries) != 1 {
			t.Fatalf("%d entries", len(entries))
		}
		got := entries[0].Documents
		if !texts {
			if got[0].Source != "" || got[2].Position != nil {
				t.Errorf("without texts: %+v", got)
			}
			continue
		}
		if got[0].Source != "b.md" || got[0].Position != nil || got[1].Source != "" || got[2].Source != "a.md" || got[2].Position == nil || *got[2].Position != 3 {
			t.Errorf("origins: %+v", got)
		}
		for _, s := range entries[0].Arrangement.Stages {
			for _, rank := range s.Ranks {
				if rank == 99 {
					t.Errorf("stage %s is shared: %v", s.Name, s.Ranks)
				}
			}
		}
	}
}
