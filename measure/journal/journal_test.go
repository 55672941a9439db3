package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

func TestJournalReturnsWhatWasAppended(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	j := mustJournal(t, path)
	want := []Record{answerRecord("k1", "line\nline <b> \x00 é"), failedRecord("k2"), answerRecord("k2", ""), answerRecord("k3", "")}
	want[3].Answer.Usage = model.Usage{}
	for _, r := range want {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	check := func(j *Journal) {
		t.Helper()
		if a, f := j.Len(); a != 3 || f != 0 || !j.Answered("k2") || j.Answered("k4") {
			t.Errorf("answered %d, failed %d", a, f)
		}
		// 5+2 of each of two answers, 8 lost, and for the third the estimate of 4.
		if got, want := j.Spent(), (Spent{Requests: 6, Usage: model.Usage{Prompt: 22, Completion: 4, Cached: 2}}); got != want {
			t.Errorf("spent: (-want +got) -%+v +%+v", want, got)
		}
		if err := j.Append(answerRecord("k1", "again")); err == nil {
			t.Error("a second answer is taken")
		}
	}
	check(j)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(answerRecord("k9", "")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	check(mustJournal(t, path))
	if got, reading := mustRead(t, path); !reflect.DeepEqual(got, want) || reading.Torn != 0 || reading.Records != 4 {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: %v, %v", info.Mode(), err)
	}
}

// Wherever a journal is cut, the whole lines survive, the rest is reported, and the
// next writer goes on after them.
func TestTornLineIsCutOff(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	j := mustJournal(t, path)
	if err := errors.Join(j.Describe("plan"), j.Append(answerRecord("k1", "one")), j.Append(answerRecord("k2", "two"))); err != nil {
		t.Fatal(err)
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := newPath(t)
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(torn, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		end := bytes.LastIndexByte(whole[:cut], '\n') + 1
		want := max(0, bytes.Count(whole[:cut], []byte("\n"))-2)
		got, reading := mustRead(t, torn)
		if len(got) != want || reading.Torn != int64(cut-end) {
			t.Fatalf("cut at %d: read %d records, torn %d; want %d, %d", cut, len(got), reading.Torn, want, cut-end)
		}
		if cut%4 > 0 && cut != end && cut != end-1 {
			continue // opening syncs the disk, which takes time
		}
		j, err := Open(torn)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if a, _ := j.Len(); a != want || j.Torn() != int64(cut-end) {
			t.Fatalf("cut at %d: opened with %d answers, torn %d; want %d, %d", cut, a, j.Torn(), want, cut-end)
		}
		if err := errors.Join(j.Append(answerRecord("k3", "three")), j.Close()); err != nil {
			t.Fatal(err)
		}
		if got, reading := mustRead(t, torn); len(got) != want+1 || reading.Torn != 0 {
			t.Fatalf("cut at %d: %d records after another one, torn %d", cut, len(got), reading.Torn)
		}
	}
}

func TestJournalRefuses(t *testing.T) {
	t.Parallel()
	line := `{"key":"k","question":"","arm":"","slot":0,"time":"2026-01-31T00:00:00Z","answer":{"text":""}}` + "\n"
	for name, c := range map[string]struct {
		content string
		err     error
		line    int
	}{
		"another file":         {"my notes\n", ErrNotJournal, 0},
		"a dataset":            {threeDocuments + "\n", ErrNotJournal, 0},
		"another short file":   {"my", ErrNotJournal, 0},
		"damage in the middle": {header + line + "{]\n" + line, ErrDamaged, 3},
		"neither nor":          {header + `{"key":"k"}` + "\n" + line, ErrDamaged, 2},
		"no key":               {header + `{"answer":{"text":""}}` + "\n" + line, ErrDamaged, 2},
		"a long line":          {header + line + strings.Repeat("x", MaxLine) + "\n", dataset.ErrLimit, 3},
	} {
		path := newPath(t)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, openErr := Open(path)
		_, readErr := Read(path, func(Record) error { return nil })
		for _, err := range []error{openErr, readErr} {
			e := (*Error)(nil)
			if !errors.Is(err, c.err) || !errors.As(err, &e) || e.Line != c.line || e.Path != path {
				t.Errorf("%s: got %v; want %v in line %d", name, err, c.err, c.line)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != c.content {
			t.Errorf("%s: the file was changed", name)
		}
	}
	folder := t.TempDir()
	if _, err := Open(folder); !errors.Is(err, ErrNotJournal) {
		t.Errorf("a folder: %v", err)
	}
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := Open(link); err == nil {
		t.Error("a symbolic link is followed")
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target of a link was made")
	}
}

func TestRecordsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	j := mustJournal(t, newPath(t))
	both := answerRecord("k", "")
	both.Failure = &Failure{}
	for _, r := range []Record{{Key: "k"}, answerRecord("", ""), both} {
		if err := j.Append(r); err == nil {
			t.Errorf("%+v is taken", r)
		}
	}
	if err := j.Append(answerRecord("long", strings.Repeat("x", MaxLine))); !errors.Is(err, dataset.ErrLimit) {
		t.Errorf("a long record: %v", err)
	}
	if err := j.Append(answerRecord("k", strings.Repeat("x", MaxLine-1000))); err != nil {
		t.Errorf("the next record: %v", err)
	}
}

// After a failed write nobody knows what stands at the end of the file.
func TestFailedWriteSticks(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	j := mustJournal(t, path)
	writable := j.file
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	j.file = readOnly
	first := j.Append(answerRecord("k1", ""))
	j.file = writable
	if second := j.Append(answerRecord("k2", "")); first == nil || second != first || j.Answered("k1") {
		t.Errorf("first %v, then %v", first, second)
	}
	if records, _ := mustRead(t, path); len(records) != 0 {
		t.Errorf("records: %+v", records)
	}
}

func TestReadJournalStopsOnRequest(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	j := mustJournal(t, path)
	if err := errors.Join(j.Append(answerRecord("k1", "")), j.Append(answerRecord("k2", ""))); err != nil {
		t.Fatal(err)
	}
	enough, n := errors.New("enough"), 0
	_, err := Read(path, func(Record) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("read %d records, %v", n, err)
	}
}

// FuzzJournal: no content panics; what can be opened can be read, with the same
// number of answers; and opening is stable.
func FuzzJournal(f *testing.F) {
	line := `{"key":"k","answer":{"text":"x"}}` + "\n"
	for _, seed := range []string{
		"", "{", header[:9], header, header + line, header + line[:20], header + "{]\n" + line,
		header + `{"manifest":{}}` + "\n" + `{"key":"k","failure":{}}` + "\n" + line, "x\n", header + line + "\x00\x00",
		header + `{"KEY":"k","key":"","answer":{}}` + "\n", header + `{"key":"k","slot":1.5,"answer":{}}` + "\n" + line,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		answers := map[string]bool{}
		_, readErr := Read(path, func(r Record) error {
			if r.Answer != nil {
				answers[r.Key] = true
			}
			return nil
		})
		j, err := Open(path)
		if err != nil {
			return
		}
		n, _ := j.Len()
		j.Close()
		if readErr == nil && n != len(answers) {
			t.Errorf("opened with %d answers, read with %d", n, len(answers))
		}
		j, err = Open(path)
		if err != nil {
			t.Fatalf("opened once, but not twice: %v", err)
		}
		defer j.Close()
		if m, _ := j.Len(); m != n || j.Torn() != 0 {
			t.Errorf("answers: first %d, then %d; torn %d", n, m, j.Torn())
		}
	})
}

func writeJournal(t testing.TB, answers int) string {
	path := newPath(t)
	var b bytes.Buffer
	b.WriteString(header)
	for i := range answers {
		r := answerRecord(fmt.Sprintf("%064x", i), "The answer is somewhere in document [3], which says it in about so many words.")
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A note is written once for each value, also across openings.
func TestNotesAreWrittenOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	for range 2 {
		j := mustJournal(t, path)
		for _, n := range []struct {
			name  string
			value any
		}{{"q1", 1}, {"q2", map[string]int{"b": 2, "a": 1}}, {"q2", map[string]int{"b": 2, "a": 1}}, {"q\"3\n", "<x>"}} {
			if err := j.Note(n.name, n.value); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	j := mustJournal(t, path)
	if err := errors.Join(j.Note("q1", 2), j.Append(answerRecord("k", "v"))); err != nil {
		t.Fatal(err)
	}
	if j.Note("", 1) == nil || j.Note("q", func() {}) == nil {
		t.Error("a note without a name, or of a func, is taken")
	}
	records, reading := mustRead(t, path)
	var got []string
	for _, n := range reading.Notes {
		got = append(got, n.Name+" = "+string(n.Value))
	}
	want := []string{"q1 = 1", `q2 = {"a":1,"b":2}`, "q\"3\n = \"\\u003cx\\u003e\"", "q1 = 2"}
	if !reflect.DeepEqual(got, want) || len(records) != 1 {
		t.Errorf("(-want +got)\n-%q\n+%q, %d records", want, got, len(records))
	}
}

// A journal that others may read is closed to them; a file of another kind is left as
// it is.
func TestModeOfAnExistingFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	for content, want := range map[string]os.FileMode{"": 0o600, header: 0o600, "somebody's notes\n": 0o644} {
		path := filepath.Join(t.TempDir(), "journal.jsonl")
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, 0o644)); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path)
		if (err == nil) != (want == 0o600) {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil {
			j.Close()
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: mode %v, error %v; want %v", content, info.Mode(), err, want)
		}
	}
}
