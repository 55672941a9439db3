package compare

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
)

// watcher looks at the verdict, and at whether the run can tell one, after every
// question, in order.
type watcher struct {
	race
	ledger      *ledger
	kindOf      map[string]int // by the value of a question
	check       fitness.Check
	challengers []string // those that the verdict is about
	next        int      // the first question that is not settled
	cluster     []string // of the questions before it, those that are not counted yet
	unfit       *fitness.Unfit
	differ      bool     // some question has two prompts among baseline and challengers
	units       int      // independent ones: clusters count as one
	counted     []string // the questions that the verdict is about, in order
	dropped     int
	after       int             // questions of a kind that was decided, not counted
	recalled    map[string]bool // the arms that earlier runs noted
	begun       int             // questions, in this run
}

// By is the ID of the Grader whose scores count; empty where the scorer judges.
func (w *watcher) By() string { return w.ledger.judging.By() }

var _ watch.Watcher = (*watcher)(nil)

func newWatcher(l *ledger) (*watcher, error) {
	w := &watcher{ledger: l, recalled: map[string]bool{}, kindOf: kindsByValue(l.described.Kinds)}
	for _, arm := range l.arms {
		if (arm.Kind == Challenger || arm.Kind == Earlier) && arm.Identical == "" {
			w.challengers = append(w.challengers, arm.Name)
		}
	}
	if len(w.challengers) == 0 {
		w.unfit = w.samePrompts()
		return w, nil
	}
	var err error
	if w.race, err = newRace(l.described, len(w.challengers), max(len(l.described.Kinds), 1)); err != nil {
		return nil, err
	}
	for i, name := range w.challengers {
		w.race.earlier[i] = w.earlier(name)
		for kind := range w.parts {
			if slices.Contains(l.described.Late, name) || len(l.described.Kinds) > 0 && l.described.Kinds[kind].Late {
				w.late(kind, i)
			}
		}
	}
	return w, nil
}

// kind returns the place of a question's kind; -1 for one that has no verdict, as in a
// journal that was written by hand.
func (w *watcher) kind(q Question) int {
	if len(w.ledger.described.Kinds) == 0 {
		return 0
	}
	if at, known := w.kindOf[q.Kind]; known {
		return at
	}
	return slices.IndexFunc(w.ledger.described.Kinds, func(k QuestionKind) bool { return k.Pooled })
}

// Recall takes in a question that an earlier run noted.
func (w *watcher) Recall(id string, note json.RawMessage) error {
	var q Question
	if err := json.Unmarshal(note, &q); err != nil {
		return err
	}
	for name := range q.Cells {
		w.recalled[name] = true
	}
	w.ledger.note(id, q)
	return nil
}

// Begin takes a question in, with the arms that it is asked in.
func (w *watcher) Begin(id string, note any) (kept any, ready bool) {
	l, q := w.ledger, note.(Question)
	defer func() {
		if ready {
			w.begun++
		}
	}()
	noted, known := l.questions[id]
	if known && len(noted.Cells) > 0 {
		maps.DeleteFunc(q.Cells, func(name string, _ Cell) bool { return w.recalled[name] })
		if len(q.Cells) == 0 {
			return nil, true
		}
		l.note(id, q) // arms that are new to the journal
		return l.questions[id], true
	}
	choice, ready := w.choices.At(w.begun)
	if !ready && l.described.UntilDecided {
		return nil, false
	}
	w.leaveOut(q, choice)
	if known && len(q.Cells) == 0 {
		return nil, true // as before
	}
	l.note(id, q)
	return q, true
}

// leaveOut removes from a question the arms that a choice does not ask.
func (w *watcher) leaveOut(q Question, choice string) {
	if choice == "" {
		return
	}
	kind := w.kind(q)
	if kind < 0 || w.asked(choice, kind)[0] == kindIsDone {
		clear(q.Cells)
		return
	}
	for i, sign := range w.asked(choice, kind) {
		if sign == '-' {
			delete(q.Cells, w.challengers[i])
		}
	}
	for _, arm := range w.ledger.arms {
		if _, asked := q.Cells[arm.Identical]; arm.Identical != "" && !asked {
			delete(q.Cells, arm.Name)
		}
	}
}

// fresh says whether an arm is new to a journal that holds questions already.
func (w *watcher) fresh() bool {
	return len(w.recalled) > 0 && slices.ContainsFunc(w.ledger.arms, func(a ArmInfo) bool {
		return a.Kind == Challenger && !w.recalled[a.Name]
	})
}

// Asks says whether a question is asked in an arm, by its place among the arms.
func (w *watcher) Asks(id string, call int) bool {
	_, asked := w.ledger.questions[id].Cells[w.ledger.arms[call].Name]
	return asked
}

// Add takes a finished call in.
func (w *watcher) Add(r journal.Record) error { return w.ledger.add(r) }

// Decided says that no further question is needed.
func (w *watcher) Decided() bool {
	return w.unfit != nil || w.decided()
}

// says says whether a word may be said: one that nothing is lost or to be won needs a model
// that can do the task.
func (w *watcher) says(word evidence.Word) bool {
	switch word {
	case evidence.Reorder:
		return true
	case evidence.Keep, evidence.AsGood:
		return w.check.ComparisonReads()
	}
	return false
}

// Settle counts the questions that are complete, in order, up to the first that is not,
// or to the decision.
func (w *watcher) Settle() error { return w.settle(false) }

// settle leaves out questions that are not complete if asked.
func (w *watcher) settle(all bool) error {
	for ; w.next < len(w.ledger.order) && !w.Decided(); w.next++ {
		id := w.ledger.order[w.next]
		q := w.ledger.questions[id]
		if w.next >= w.begun && w.fresh() {
			return nil // an arm that is new to the journal comes with Begin
		}
		if len(q.Cells) == 0 { // its kind was decided
			w.choose()
			continue
		}
		if w.ledger.waits(q) {
			if !all || w.ledger.described.UntilDecided {
				return nil
			}
			continue
		}
		if len(w.cluster) > 0 && (q.Cluster == "" || q.Cluster != w.ledger.questions[w.cluster[0]].Cluster) {
			if err := w.count(); err != nil {
				return err
			}
			if w.Decided() {
				return nil
			}
		}
		w.cluster = append(w.cluster, id)
		if q.Cluster == "" {
			if err := w.count(); err != nil {
				return err
			}
		}
		w.choose()
	}
	return nil
}

// settleAll counts every question that is complete; with UntilDecided up to the first
// that is not, as Settle does, so that both decide alike.
func (w *watcher) settleAll() error {
	if err := w.settle(true); err != nil || w.Decided() {
		return err
	}
	if err := w.count(); err != nil || w.Decided() {
		return err
	}
	if asked := len(w.counted) + w.dropped; asked > 0 && asked >= w.ledger.described.Questions && !w.differ {
		w.unfit = w.samePrompts()
	}
	return nil
}

// span adds up what is known of differences: the least and the most that they may be.
type span struct {
	low, high float64
	n         int
}

// count counts the cluster: one question, or some that hang together.
func (w *watcher) count() error {
	ids := w.cluster
	w.cluster = nil
	if len(ids) == 0 {
		return nil
	}
	byKind := make([][]string, max(len(w.parts), 1))
	for _, id := range ids {
		kind := w.kind(w.ledger.questions[id])
		if kind < 0 || len(w.parts) > 0 && w.parts[kind].done {
			w.after++
			continue
		}
		byKind[kind] = append(byKind[kind], id)
	}
	var questions []fitness.Question
	for kind, ids := range byKind {
		if len(ids) == 0 {
			continue
		}
		w.units++
		for _, id := range ids {
			questions = append(questions, w.fitness(w.ledger.questions[id]))
		}
		if err := w.countIn(kind, ids); err != nil {
			return err
		}
	}
	if len(questions) == 0 {
		return nil
	}
	w.check.Add(questions...)
	w.decide(w.says)
	nothing := slices.ContainsFunc(w.parts, func(p part) bool { return p.word == evidence.Keep || p.word == evidence.AsGood })
	if w.unfit = w.check.Comparison(); w.unfit == nil && nothing && !w.differ {
		w.unfit = w.samePrompts() // no gain was seen because there was nothing to see
	}
	return nil
}

// countIn counts the questions of a cluster that are of one kind.
func (w *watcher) countIn(kind int, ids []string) error {
	l := w.ledger
	spans, known := make([]span, len(w.challengers)), make([]span, len(w.challengers))
	counted, dropped := w.counted, w.dropped
	for _, id := range ids {
		q := l.questions[id]
		drop := l.drops(q)
		if drop {
			w.dropped++
		} else {
			w.counted = append(w.counted, id)
			if len(w.parts) > 0 {
				w.spend(&w.parts[kind], q)
			}
		}
		baseline := l.of(q, l.arms[0].Name)
		for i, name := range w.challengers {
			o := l.of(q, name)
			if o.state == missing { // of an earlier arm
				continue
			}
			low, high := l.score(o)-l.most(baseline), l.most(o)-l.score(baseline)
			if q.Cells[name].Key == q.Cells[l.arms[0].Name].Key { // one call
				low, high = 0, 0
			} else {
				w.differ = true
			}
			spans[i].add(low, high)
			if !drop {
				d := l.score(o) - l.score(baseline)
				known[i].add(d, d)
			}
		}
	}
	if len(w.parts) == 0 {
		return nil
	}
	p := &w.parts[kind]
	p.counted = append(p.counted, w.counted[len(counted):]...)
	p.dropped += w.dropped - dropped
	for i := range w.challengers {
		if err := spans[i].to(p.trial, i); err != nil {
			return err
		}
		if err := known[i].to(p.known, i); err != nil {
			return err
		}
	}
	return nil
}

func (s *span) add(low, high float64) { s.low, s.high, s.n = s.low+low, s.high+high, s.n+1 }

func (s span) to(t *evidence.Trial, challenger int) error {
	if s.n == 0 {
		return nil
	}
	return t.Add(challenger, s.low/float64(s.n), s.high/float64(s.n))
}

// fitness says what became of the calls of a question that the verdict is about. One
// that arms share counts once.
func (w *watcher) fitness(q Question) fitness.Question {
	var f fitness.Question
	seen := map[string]bool{}
	for _, arm := range w.ledger.judged() {
		key := q.Cells[arm.Name].Key
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		o := w.ledger.outcomes[key]
		switch {
		case o.state == missing:
			continue
		case o.state == failed:
			f.Failed++
		case o.class.Refusal:
			f.Refused++
		case o.class.Empty:
			f.Empty++
		}
		f.Calls++
		f.Judged++
		f.Right += w.ledger.score(o)
		w.check.Prompt(o.estimated, o.least, o.usage.Prompt)
	}
	return f
}
