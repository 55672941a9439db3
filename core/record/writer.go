package record

import (
	"container/list"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
)

// flushBytes is when lines that are ready are written although more is to come.
const flushBytes = 64 << 10

// syncEvery is how often the file is synced to disk while it is written.
const syncEvery = time.Second

// writer is the goroutine that owns the file and all that waits.
type writer struct {
	*Recorder
	file *file

	waiting map[string]*waiting
	oldest  list.List // of *waiting, by arrival
	bytes   int64     // held by all that waits

	lines   []byte // ready to be written, whole lines
	entries int    // in lines
	ready   int64  // bytes held for them
}

// waiting is a retrieval whose answer has not come.
type waiting struct {
	entry *Entry
	size  int64
	place *list.Element
}

// run ends when the queue is closed and everything is written.
func (w *writer) run() {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for open := true; open; {
		select {
		case m, more := <-w.queue:
			if open = more; more {
				w.take(m)
			}
		case <-tick.C:
			w.expire(w.now())
			w.write()
			w.sync()
		}
		if len(w.queue) == 0 || len(w.lines) >= flushBytes {
			w.write()
		}
	}
	for w.oldest.Len() > 0 {
		w.giveUp(w.oldest.Front().Value.(*waiting), &w.counts.expired)
	}
	w.write()
	if err := w.file.close(); err != nil {
		w.fail(w.file.path, err)
	}
}

func (w *writer) take(m message) {
	w.expire(m.at)
	switch {
	case m.sync != nil:
		w.write()
		close(m.sync)
	case m.entry != nil:
		w.retrieval(m)
	default:
		w.answered(m)
	}
}

func (w *writer) retrieval(m message) {
	if !w.finish(m.entry) {
		w.counts.lost.Add(1)
		w.held.Add(-m.size)
		return
	}
	kept := m.entry.size() // without what is not to be recorded
	w.held.Add(kept - m.size)
	m.size = kept
	id := m.entry.RequestID
	if w.config.Wait == 0 || id == "" {
		if id == "" && w.config.Wait > 0 {
			w.counts.noID.Add(1)
		}
		w.append(m.entry, m.size)
		return
	}
	if earlier := w.waiting[id]; earlier != nil {
		w.giveUp(earlier, &w.counts.again)
	}
	p := &waiting{entry: m.entry, size: m.size}
	p.place = w.oldest.PushBack(p)
	w.waiting[id] = p
	w.bytes += p.size
	// Half of the memory is left to what comes in.
	for w.oldest.Len() > w.config.MaxWaiting || w.bytes > int64(w.config.MaxMemory)/2 {
		w.giveUp(w.oldest.Front().Value.(*waiting), &w.counts.expired)
	}
}

// finish makes hashes and lengths, and takes out what is not to be recorded. It
// returns false where Redact panics.
func (w *writer) finish(e *Entry) (ok bool) {
	defer func() {
		if !ok {
			_ = recover()
		}
	}()
	redact := w.config.Redact
	if redact == nil {
		redact = func(text string) string { return text }
	}
	e.Model = w.config.Model
	if !w.config.Texts {
		e.Arrangement.Notes = nil // a Refine may have put anything there
	}
	for i, note := range e.Arrangement.Notes {
		e.Arrangement.Notes[i] = redact(note)
	}
	if e.Question != "" {
		e.Question = redact(e.Question)
		if !w.config.Texts {
			e.QuestionHash, e.QuestionLength, e.Question = w.config.hash(e.Question), len(e.Question), ""
		}
	}
	for rank := range e.Documents {
		d := &e.Documents[rank]
		d.Text = redact(d.Text)
		d.Length = len(d.Text)
		if d.Text != "" {
			d.Hash = w.config.hash(d.Text)
		}
		if w.config.Texts {
			d.Title = redact(d.Title)
		} else {
			d.Text = ""
		}
	}
	return true
}

// answered joins an answer with the retrieval that waits for it.
func (w *writer) answered(m message) {
	defer w.held.Add(-m.size)
	p := w.waiting[m.id]
	if p == nil {
		w.counts.unmatched.Add(1)
		return
	}
	w.forget(p)
	a := &Answer{Ranks: []int{}, Labels: []int{}, Length: len(m.answer.Text), Seconds: m.at.Sub(p.entry.Time).Seconds()}
	for _, c := range prompt.Citations(m.answer.Text, p.entry.Arrangement) {
		if c.Exists {
			a.Ranks = append(a.Ranks, c.Rank)
			a.Labels = append(a.Labels, c.Label)
		} else {
			a.Unknown++
		}
	}
	w.counts.answered.Add(1)
	switch {
	case len(a.Ranks) == 0 && a.Unknown > 0:
		w.counts.unknown.Add(1)
	case len(a.Ranks) == 0:
		w.counts.nothing.Add(1)
	}
	p.entry.Answer = a
	p.entry.PromptTokens = m.answer.PromptTokens
	if m.answer.Model != "" {
		p.entry.Model = m.answer.Model
	}
	w.append(p.entry, p.size)
}

// expire gives up what has waited long enough.
func (w *writer) expire(now time.Time) {
	for w.oldest.Len() > 0 {
		p := w.oldest.Front().Value.(*waiting)
		if now.Sub(p.entry.Time) < w.config.Wait {
			return
		}
		w.giveUp(p, &w.counts.expired)
	}
}

// giveUp writes a retrieval without its answer.
func (w *writer) giveUp(p *waiting, count *atomic.Int64) {
	count.Add(1)
	w.forget(p)
	w.append(p.entry, p.size)
}

func (w *writer) forget(p *waiting) {
	w.oldest.Remove(p.place)
	delete(w.waiting, p.entry.RequestID)
	w.bytes -= p.size
}

// append makes the line of an entry.
func (w *writer) append(e *Entry, size int64) {
	line, err := json.Marshal(e)
	if err == nil && len(line) >= MaxLine {
		err = ErrLimit
	}
	if err != nil {
		w.fail(w.file.path, err)
		w.counts.lost.Add(1)
		w.held.Add(-size)
		return
	}
	w.lines = append(append(w.lines, line...), '\n')
	w.entries++
	w.ready += size
	if len(w.lines) >= flushBytes {
		w.write()
	}
}

// write appends the lines that are ready, or none of them.
func (w *writer) write() {
	if w.entries == 0 {
		return
	}
	if err := w.file.append(w.lines); err != nil {
		w.fail(w.file.path, err)
		w.counts.lost.Add(int64(w.entries))
	} else {
		w.counts.written.Add(int64(w.entries))
	}
	w.held.Add(-w.ready)
	w.lines, w.entries, w.ready = w.lines[:0], 0, 0
	if cap(w.lines) > 4*flushBytes {
		w.lines = nil
	}
}

func (w *writer) sync() {
	if err := w.file.sync(); err != nil {
		w.fail(w.file.path, err)
	}
}
