package record

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// queueLength is how many messages may be under way to the writer. Memory is
// bounded by Config.MaxMemory; this bounds the channel alone.
const queueLength = 4096

// Recorder writes a record file in the background. Open makes it: another one, or nil,
// records nothing, and says so by Err and Close. All methods are safe for concurrent
// use, and none but Close waits for the file.
type Recorder struct {
	config Config
	now    func() time.Time
	cut    int64 // by Open

	open   sync.RWMutex // held to read while a message is sent, to write to close
	closed bool
	queue  chan message
	held   atomic.Int64 // bytes, about, that are not written yet
	done   chan struct{}

	counts  counters
	failure atomic.Pointer[Error]
}

// Stats counts what became of retrievals and answers. Each retrieval that Observe
// was told of is in exactly one of Accepted, Dropped, Failed and Skipped.
type Stats struct {
	Accepted int64 // retrievals taken; after Close all are Written or Lost
	Dropped  int64 // retrievals for which there was no room, or that came after Close
	Failed   int64 // retrievals that ended in an error, and so placed nothing
	Skipped  int64 // retrievals that Config.Keep left out
	Written  int64 // entries in the file
	Lost     int64 // accepted, but not written: the disk failed, MaxFile was reached, or Redact panicked
	Torn     int64 // bytes of a last line, torn or no Entry, that Open cut off

	Answered       int64 // entries that were joined with their answer
	CitedNothing   int64 // of these, the answer cites no label at all
	CitedUnknown   int64 // of these, the answer cites labels, and none of them exists
	Unmatched      int64 // answers without a waiting retrieval: late, a second one, or of a request that was not recorded
	AnswersDropped int64 // answers for which there was no room, or that came after Close
	Expired        int64 // entries written without an answer, which they had waited for
	Repeated       int64 // entries written without an answer because a second retrieval came under the same ID
	WithoutID      int64 // entries that could not wait because the request had no ID
}

type counters struct {
	accepted, dropped, failed, skipped, written, lost                   atomic.Int64
	answered, nothing, unknown, unmatched, noRoom, expired, again, noID atomic.Int64
}

// Stats returns the counts so far.
func (r *Recorder) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	c := &r.counts
	return Stats{
		Accepted: c.accepted.Load(), Dropped: c.dropped.Load(), Failed: c.failed.Load(), Skipped: c.skipped.Load(),
		Written: c.written.Load(), Lost: c.lost.Load(), Torn: r.cut,
		Answered: c.answered.Load(), CitedNothing: c.nothing.Load(), CitedUnknown: c.unknown.Load(),
		Unmatched: c.unmatched.Load(), AnswersDropped: c.noRoom.Load(),
		Expired: c.expired.Load(), Repeated: c.again.Load(), WithoutID: c.noID.Load(),
	}
}

// Open opens a record file to append to, and creates it, for the user alone, when
// there is none. One that others may read becomes the user's alone. A last line that
// is torn or no Entry is cut off, and counted by Stats. Symbolic links are not
// followed. Close it when done: the writer runs until then.
//
// The error is every fault of the Config, joined, or an *Error: ErrLocked while
// somebody else writes the file, ErrNotRecord for a file of another kind, ErrExposed
// for one that cannot be taken away from others, ErrDamaged and ErrLimit as for Read,
// and errors.ErrUnsupported on systems whose locks it does not know.
func Open(path string, c Config) (*Recorder, error) { return open(path, c, time.Now) }

func open(path string, c Config, now func() time.Time) (*Recorder, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	file, err := openFile(path, c.MaxFile)
	if err != nil {
		return nil, err
	}
	r := &Recorder{config: c, now: now, cut: file.cut, queue: make(chan message, queueLength), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		w := &writer{Recorder: r, file: file, waiting: map[string]*waiting{}}
		w.run()
	}()
	return r, nil
}

// isOpen is false for a Recorder that Open did not make.
func (r *Recorder) isOpen() bool { return r != nil && r.queue != nil }

// message is what the writer is told: a retrieval or an answer.
type message struct {
	entry *Entry // with its texts as they came

	id     string
	answer Reply

	at   time.Time
	size int64
	sync chan struct{} // closed once all that came before is written; for tests
}

// Observe records one retrieval; it is made for core.Config.Observe. It takes what
// it needs before it returns, so that documents may be changed afterwards, and
// never waits. Without texts, ten documents of 2 kB take about 2 µs; the hashing is
// left to the background.
func (r *Recorder) Observe(ctx context.Context, e core.Event) {
	switch {
	case r == nil:
		return
	case !r.isOpen():
		r.counts.dropped.Add(1)
		return
	case e.Err != nil:
		r.counts.failed.Add(1)
		return
	case r.config.Keep != nil && !r.config.Keep(e):
		r.counts.skipped.Add(1)
		return
	}
	m := message{at: r.now().UTC()}
	m.entry = r.entry(e, m.at)
	if r.config.Conversation != nil {
		m.entry.Conversation = r.config.Conversation(ctx)
	}
	m.size = m.entry.size()
	if r.send(m) {
		r.counts.accepted.Add(1)
	} else {
		r.counts.dropped.Add(1)
	}
}

// entry copies an event. Texts are Go strings, which cannot change, so that they
// are shared.
func (r *Recorder) entry(e core.Event, at time.Time) *Entry {
	n := e.Arrangement.N
	entry := &Entry{
		Time: at, RequestID: e.RequestID, Question: e.Query,
		Documents: make([]Document, n), Arrangement: e.Arrangement, Arm: Configured,
	}
	a := &entry.Arrangement // the caller has the same slices
	a.Slots, a.Dropped, a.Notes = slices.Clone(a.Slots), slices.Clone(a.Dropped), slices.Clone(a.Notes)
	a.Stages = slices.Clone(a.Stages)
	for i := range a.Stages {
		a.Stages[i].Ranks, a.Stages[i].Scores = slices.Clone(a.Stages[i].Ranks), slices.Clone(a.Stages[i].Scores)
	}
	if name, _, _ := strings.Cut(e.Arrangement.Placement, "="); name == Shuffled {
		entry.Arm = Shuffled
	}
	for rank := range n {
		d := Document{ID: e.ID(rank), Text: e.Text(rank), Score: core.Score(math.NaN())}
		if score, known := e.Score(rank); known {
			d.Score = core.Score(score)
		}
		if r.config.Texts {
			d.Title = e.Field(rank, r.config.TitleKey)
			if origin := e.Origin(rank); origin.Source != "" {
				d.Source = origin.Source
				if origin.HasPosition && !math.IsInf(origin.Position, 0) {
					d.Position = &origin.Position
				}
			}
		}
		entry.Documents[rank] = d
	}
	return entry
}

// What an entry and one of its documents hold beside texts, about.
const (
	entryBytes    = 600
	documentBytes = 250
)

// size is how many bytes an entry holds, about.
func (e *Entry) size() int64 {
	size := entryBytes + len(e.RequestID) + len(e.Conversation) + len(e.Question) + len(e.Documents)*documentBytes
	for _, d := range e.Documents {
		size += len(d.ID) + len(d.Title) + len(d.Text) + len(d.Source)
	}
	for _, note := range e.Arrangement.Notes {
		size += len(note)
	}
	return int64(size)
}

// Answer tells the text of the answer to the request. Only what it cites is
// recorded. It never waits.
func (r *Recorder) Answer(requestID, text string) {
	r.answer(requestID, Reply{Text: text})
}

// Answered tells the answer to the request whose ID is in ctx: the hook for a
// chain's Answered, and for eino.AnswerHandler.
func (r *Recorder) Answered(ctx context.Context, a Reply) { r.answer(core.RequestID(ctx), a) }

func (r *Recorder) answer(id string, a Reply) {
	if r == nil {
		return
	}
	if id == "" || r.config.Wait == 0 {
		r.counts.unmatched.Add(1)
		return
	}
	if !r.send(message{id: id, answer: a, at: r.now(), size: int64(entryBytes + len(id) + len(a.Text))}) {
		r.counts.noRoom.Add(1)
	}
}

// send hands a message to the writer, and says whether there was room for it.
func (r *Recorder) send(m message) bool {
	r.open.RLock()
	defer r.open.RUnlock()
	if r.closed {
		return false
	}
	if r.held.Add(m.size) <= int64(r.config.MaxMemory) {
		select {
		case r.queue <- m:
			return true
		default:
		}
	}
	r.held.Add(-m.size)
	return false
}

// flush waits until all that was accepted before has been looked at and written.
func (r *Recorder) flush() {
	done := make(chan struct{})
	r.queue <- message{sync: done, at: r.now()}
	<-done
}

// Err returns the latest error of writing, or nil. Writing is tried again with
// every entry that follows, so that a disk that has room again is used.
func (r *Recorder) Err() error {
	if !r.isOpen() {
		return &Error{Rule: "is not open: make the Recorder by Open", Err: ErrNotOpen}
	}
	if e := r.failure.Load(); e != nil {
		return e
	}
	return nil
}

// Close writes what was accepted, waiting retrievals included, syncs the file and
// gives it up. It returns the latest error of writing. What comes afterwards is
// dropped and counted; a second Close does no more than wait.
func (r *Recorder) Close() error {
	if !r.isOpen() {
		return r.Err()
	}
	r.open.Lock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
	r.open.Unlock()
	<-r.done
	return r.Err()
}

func (r *Recorder) fail(path string, err error) {
	r.failure.Store(&Error{Path: path, Rule: fmt.Sprintf("cannot be written: %v; what it holds is safe", err), Err: err})
}
