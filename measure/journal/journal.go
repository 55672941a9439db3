package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// syncEvery is how often a journal is synced to disk while it is written.
const syncEvery = time.Second

// Journal is the append-only record of a run: JSON lines, one for each finished
// call, keyed by model.Call.Key. Each line is written at once by a single write at the
// end of the file, so that it survives the death of the process as soon as Append
// has returned. It is synced to disk once a second at most, and on Close: a power
// cut can cost the last second.
//
// Only the user may read the file (mode 0600): one that others may read is closed to
// them when it is opened to write. One process at a time writes it;
// anybody may read beside it. All methods are safe for concurrent use.
type Journal struct {
	path string

	mu       sync.Mutex
	file     *os.File
	lock     io.Closer // nil where the file itself is locked
	size     int64
	err      error // sticks: what follows a failed write could not be trusted
	answered map[string]struct{}
	failed   map[string]struct{}
	judged   map[judgement]struct{}
	scores   map[string]float64           // by the key of the judge's call
	notes    map[string][sha256.Size]byte // the sum of the last value of each
	spent    Spent
	manifest []byte
	torn     int64
	synced   time.Time
}

// Open opens a journal to write, and creates it when there is none. It
// reads the file once from start to end. A torn last line, which a killed process
// leaves behind, is cut off; Torn says so. Symbolic links are not followed.
//
// The error is an *Error: ErrLocked while somebody else writes it,
// ErrNotJournal for a file of another kind, ErrDamaged for a line in the middle
// that is not a record, ErrLimit for a line above MaxLine, and
// errors.ErrUnsupported on systems whose locks it does not know.
func Open(path string) (*Journal, error) {
	fail := func(rule string, err error) error { return &Error{Path: path, Rule: rule, Err: err} }
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fail("is not a regular file", ErrNotJournal)
	}
	file, lock, err := linelog.OpenLocked(path)
	if errors.Is(err, linelog.ErrLocked) {
		return nil, fail("another process is writing it: wait for its end, or choose another folder", ErrLocked)
	}
	if err != nil {
		return nil, fail(fmt.Sprintf("cannot be opened: %v", err), err)
	}
	j := &Journal{
		path: path, file: file, lock: lock, synced: time.Now(),
		answered: map[string]struct{}{}, failed: map[string]struct{}{}, notes: map[string][sha256.Size]byte{},
		judged: map[judgement]struct{}{}, scores: map[string]float64{},
	}
	if err := j.load(); err != nil {
		j.Close()
		return nil, err
	}
	if err := linelog.Private(file); err != nil { // not before it is known to be a journal
		j.Close()
		return nil, fail(fmt.Sprintf("holds questions and answers, but %v: change its mode to 0600, or choose another folder", err), err)
	}
	return j, nil
}

// load indexes what is there and cuts a torn line off.
func (j *Journal) load() error {
	end, err := scan(j.file, j.path, func(text []byte) bool {
		// Decoded in full, so that what is taken here can be read later.
		var line journalLine
		if json.Unmarshal(text, &line) != nil || !line.valid() {
			return false
		}
		switch {
		case line.Manifest != nil:
			j.manifest = bytes.Clone(line.Manifest)
		case line.Note != "":
			j.notes[line.Note] = sha256.Sum256(line.Value)
		case line.Journal == "":
			j.index(line.Record)
		}
		return true
	})
	if err != nil {
		return err
	}
	j.size, j.torn = end.Whole, end.Torn
	if j.torn > 0 {
		if err := j.file.Truncate(j.size); err != nil {
			return &Error{Path: j.path, Rule: fmt.Sprintf("its torn last line cannot be cut off: %v", err), Err: err}
		}
	}
	if j.size == 0 {
		return j.write([]byte(header))
	}
	return nil
}

// judgement names what judges which record.
type judgement struct{ by, of string }

// index takes a record into what is known.
func (j *Journal) index(r Record) {
	j.spent.Add(r.Spent())
	if r.Of != "" {
		if r.Score != nil {
			j.judged[judgement{r.By, r.Of}] = struct{}{}
			j.scores[r.Key] = *r.Score
		}
		return
	}
	switch _, done := j.answered[r.Key]; {
	case done:
	case r.Answer != nil:
		j.answered[r.Key] = struct{}{}
		delete(j.failed, r.Key)
	default:
		j.failed[r.Key] = struct{}{}
	}
}

// Path returns the path that was opened.
func (j *Journal) Path() string { return j.path }

// Torn returns the number of bytes of a torn last line that were cut off on
// opening; 0 for none. The call that it was part of is made again.
func (j *Journal) Torn() int64 { return j.torn }

// Answered says whether the journal has an answer under the key.
func (j *Journal) Answered(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.answered[key]
	return ok
}

// Judged says whether the answer under a key has a score by a judge, of that ID.
func (j *Journal) Judged(by, key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.judged[judgement{by, key}]
	return ok
}

// Score returns the score that a call of a judge, of that key, has found.
func (j *Journal) Score(key string) (score float64, known bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	score, known = j.scores[key]
	return score, known
}

// Len returns how many calls have an answer, and how many have only failed. Judgements
// are none of them.
func (j *Journal) Len() (answered, failed int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.answered), len(j.failed)
}

// Spent returns what all records of the journal used.
func (j *Journal) Spent() Spent {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.spent
}

// Append writes one record. When it returns nil, the record outlives the process.
//
// A record needs a key and either an answer or a failure, a judgement either a score or
// a failure. One that is longer than
// MaxLine is refused with ErrLimit, and one for a key that has an answer
// already, or a second score by one judge, with an error; the journal stays usable. After a failed write, as on a
// full disk, what was written of the line is cut off again, and every further
// Append fails with the same error: free some space and open the journal anew.
func (j *Journal) Append(r Record) error {
	if !r.valid() {
		return &Error{Path: j.path, Rule: "a record needs a key and either an answer or a failure; a judgement also what is judged by whom, and a score of 0 to 1 or a failure"}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return &Error{Path: j.path, Rule: fmt.Sprintf("a record cannot be written: %v", err), Err: err}
	}
	if err := j.checkLength(text); err != nil {
		return err
	}
	j.mu.Lock()
	_, done := j.answered[r.Key]
	if r.Of != "" {
		_, done = j.judged[judgement{r.By, r.Of}]
	}
	if done {
		j.mu.Unlock()
		return &Error{Path: j.path, Rule: "has an answer under the key " + r.Key + " already"}
	}
	if err = j.write(append(text, '\n')); err == nil {
		j.index(r)
	}
	due := err == nil && time.Since(j.synced) >= syncEvery
	if due {
		j.synced = time.Now()
	}
	file := j.file
	j.mu.Unlock()
	if due { // outside the lock, so that the others need not wait
		if err := file.Sync(); err != nil && !errors.Is(err, os.ErrClosed) {
			return j.stick(err)
		}
	}
	return err
}

// Describe writes down what the following records belong to, as JSON, unless the
// last description is the same. Run calls it with the plan's Manifest.
func (j *Journal) Describe(manifest any) error {
	text, err := json.Marshal(manifest)
	if err != nil {
		return &Error{Path: j.path, Rule: fmt.Sprintf("the plan cannot be written: %v", err), Err: err}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if bytes.Equal(text, j.manifest) {
		return nil
	}
	line := append(append([]byte(`{"manifest":`), text...), "}\n"...)
	if err := j.checkLength(line); err != nil {
		return err
	}
	if err := j.write(line); err != nil {
		return err
	}
	j.manifest = text
	return nil
}

// Note writes down a value under a name, as JSON, unless the last one under that
// name is the same: what the report of an experiment needs to know of a question
// beside the answers, for instance. Read returns all notes. The name must
// not be empty.
func (j *Journal) Note(name string, value any) error {
	if name == "" {
		return &Error{Path: j.path, Rule: "a note needs a name"}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return &Error{Path: j.path, Rule: fmt.Sprintf("the note %q cannot be written: %v", name, err), Err: err}
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return &Error{Path: j.path, Rule: fmt.Sprintf("the note %q cannot be written: %v", name, err), Err: err}
	}
	line := fmt.Appendf(nil, `{"note":%s,"value":%s}`+"\n", quoted, text)
	if err := j.checkLength(line); err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	j.mu.Lock()
	defer j.mu.Unlock()
	if last, known := j.notes[name]; known && last == sum {
		return nil
	}
	if err := j.write(line); err != nil {
		return err
	}
	j.notes[name] = sum
	return nil
}

func (j *Journal) checkLength(line []byte) error {
	if len(line) < MaxLine {
		return nil
	}
	return &Error{
		Path: j.path, Err: ErrLimit,
		Rule: fmt.Sprintf("a record of %d bytes is too long; %d are allowed", len(line), MaxLine),
	}
}

// write appends one whole line, or nothing.
func (j *Journal) write(line []byte) error {
	if j.err != nil {
		return j.err
	}
	_, err := j.file.Write(line)
	if err == nil {
		j.size += int64(len(line))
		return nil
	}
	// Where this fails, too, the next one to open the journal cuts the line off.
	_ = j.file.Truncate(j.size)
	j.err = j.broken(err)
	return j.err
}

func (j *Journal) broken(err error) error {
	return &Error{
		Path: j.path, Err: err,
		Rule: fmt.Sprintf("cannot be written: %v; what it holds is safe, and a new run continues there", err),
	}
}

func (j *Journal) stick(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.broken(err)
	}
	return j.err
}

// Close syncs the file and gives up the lock. A second call does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	file := j.file
	j.file = nil
	if j.err == nil {
		j.err = &Error{Path: j.path, Rule: "is closed", Err: os.ErrClosed}
	}
	err := errors.Join(file.Sync(), file.Close())
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	if err != nil {
		return &Error{Path: j.path, Rule: fmt.Sprintf("cannot be closed: %v", err), Err: err}
	}
	return nil
}
