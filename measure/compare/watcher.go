package compare

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
)

// watcher looks at the verdict, and at whether the run can tell one, after every
// question, in order.
type watcher struct {
	ledger *ledger
	// trial counts a call without an answer against the word that it would be counted
	// for: the verdict is by it. known leaves such questions out.
	trial, known *evidence.Trial
	check        fitness.Check
	challengers  []string // those that the verdict is about
	next         int      // the first question that is not settled
	cluster      []string // of the questions before it, those that are not counted yet
	word         evidence.Word
	unfit        *fitness.Unfit
	differ       bool     // some question has two prompts among baseline and challengers
	units        int      // independent ones: clusters count as one
	counted      []string // the questions that the verdict is about, in order
	dropped      int
	choices      watch.Lagged[string] // a sign for each challenger: - is not asked; empty: all are
	recalled     map[string]bool      // the arms that earlier runs noted
	begun        int                  // questions, in this run
}

// By is the ID of the Grader whose scores count; empty where the scorer judges.
func (w *watcher) By() string { return w.ledger.judging.By() }

var _ watch.Watcher = (*watcher)(nil)

func newWatcher(l *ledger) (*watcher, error) {
	w := &watcher{ledger: l, word: evidence.Inconclusive, recalled: map[string]bool{}, choices: watch.NewLagged(l.described.lag(), "")}
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
	if w.trial, err = evidence.NewTrial(l.described.Rule, len(w.challengers)); err != nil {
		return nil, err
	}
	if w.known, err = evidence.NewTrial(l.described.Rule, len(w.challengers)); err != nil {
		return nil, err
	}
	for i, name := range w.challengers {
		if slices.Contains(l.described.Late, name) {
			w.trial.Late(i)
			w.known.Late(i)
		}
	}
	return w, nil
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
	if _, known := l.questions[id]; known {
		maps.DeleteFunc(q.Cells, func(name string, _ Cell) bool { return w.recalled[name] })
		if len(q.Cells) == 0 {
			return nil, true
		}
		l.note(id, q) // arms that are new to the journal
		return l.questions[id], true
	}
	choice, ready := w.choices.At(len(l.order))
	if !ready && l.described.UntilDecided {
		return nil, false
	}
	for i, sign := range choice {
		if sign == '-' {
			delete(q.Cells, w.challengers[i])
		}
	}
	for _, arm := range l.arms {
		if _, asked := q.Cells[arm.Identical]; arm.Identical != "" && !asked {
			delete(q.Cells, arm.Name)
		}
	}
	l.note(id, q)
	return q, true
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

// choose says whom to ask the question that is Lag behind the one that was just counted.
func (w *watcher) choose() {
	if w.trial == nil || !w.ledger.described.UntilDecided {
		return
	}
	var left strings.Builder
	for i := range w.challengers {
		left.WriteByte("+-"[one(!w.trial.Asks(i))])
	}
	w.choices.Choose(left.String())
}

// Add takes a finished call in.
func (w *watcher) Add(r journal.Record) error { return w.ledger.add(r) }

// Decided says that no further question is needed.
func (w *watcher) Decided() bool {
	if w.unfit != nil {
		return true
	}
	return w.ledger.described.UntilDecided && (w.word == evidence.Reorder || w.keeps(w.word))
}

// keeps says whether a word is keep, and may be said.
func (w *watcher) keeps(word evidence.Word) bool {
	return word == evidence.Keep && w.check.ComparisonReads()
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
	l := w.ledger
	var questions []fitness.Question
	spans, known := make([]span, len(w.challengers)), make([]span, len(w.challengers))
	for _, id := range ids {
		q := l.questions[id]
		questions = append(questions, w.fitness(q))
		drop := l.drops(q)
		if drop {
			w.dropped++
		} else {
			w.counted = append(w.counted, id)
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
	w.units++
	w.check.Add(questions...)
	for i := range w.challengers {
		if err := spans[i].to(w.trial, i); err != nil {
			return err
		}
		if err := known[i].to(w.known, i); err != nil {
			return err
		}
	}
	if w.trial != nil {
		w.word = w.trial.Look()
	}
	if w.unfit = w.check.Comparison(); w.unfit == nil && w.word == evidence.Keep && !w.differ {
		w.unfit = w.samePrompts() // no gain was seen because there was nothing to see
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
