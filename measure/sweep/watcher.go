package sweep

import (
	"encoding/json"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/shape"
)

// watcher looks at the shape, and at whether the run can tell one, after every question,
// in the order in which they were noted.
type watcher struct {
	*ledger
	trial   *shape.Trial
	check   fitness.Check
	next    int      // the first question that is not settled
	cluster []*asked // of the questions before it, those that are not counted yet
	counted []*asked
	ids     []string // of the counted
	choices watch.Lagged[choice]
	shape   core.Shape
	settled bool
	unfit   *fitness.Unfit
}

var _ watch.Watcher = (*watcher)(nil)

func watcherOf(d Described) (*watcher, error) {
	j, err := JudgingOf(d)
	if err != nil {
		return nil, err
	}
	l, err := newLedger(d, j)
	if err != nil {
		return nil, err
	}
	return newWatcher(l)
}

func newWatcher(l *ledger) (*watcher, error) {
	trial, err := shape.NewTrial(l.described.Documents, l.described.Slots)
	return &watcher{ledger: l, trial: trial, shape: core.ShapeUndecided, choices: watch.NewLagged(evidence.RaceLag, everything)}, err
}

// Recall takes in a question that an earlier run noted.
func (w *watcher) Recall(id string, note json.RawMessage) error {
	return w.readNotes([]journal.Note{{Name: id, Value: note}})
}

// Begin takes a question in.
func (w *watcher) Begin(id string, note any) (kept any, ready bool) {
	if q := w.questions[id]; q != nil && q.noted {
		return nil, true
	}
	n := note.(noted)
	c, ready := w.choices.At(len(w.order))
	if !ready && w.described.UntilDecided {
		return nil, false
	}
	n.Slots, n.Bare = w.chosen(id, c), c.bare
	w.begin(id, n)
	return n, true
}

// Asks says whether a call of a question is made, by its place in the plan: the baselines,
// the slots, the repeats.
func (w *watcher) Asks(id string, call int) bool {
	q, baselines := w.questions[id], 0
	for _, arm := range w.described.Arms {
		if arm == ArmClosedBook || arm == ArmOracle {
			baselines++
		}
	}
	if slot := call - baselines; slot >= 0 && slot < len(q.slots) {
		return q.slots[slot].state != notAsked
	}
	return !q.bare
}

// Add takes a finished call in.
func (w *watcher) Add(r journal.Record) error { return w.add(r) }

// Decided says that no further question is needed.
func (w *watcher) Decided() bool {
	return w.unfit != nil || w.described.UntilDecided && w.settled && (w.shape != core.ShapeFlat || w.check.SweepReads())
}

// Settle counts the questions all of whose calls ended, up to the first that has one
// that is open.
func (w *watcher) Settle() error {
	for ; w.next < len(w.order) && !w.Decided(); w.next++ {
		q := w.questions[w.order[w.next]]
		if w.waits(q, true) {
			return nil
		}
		if err := w.take(w.order[w.next], q); err != nil {
			return err
		}
		w.choose()
	}
	return nil
}

// settleAll counts every question that has an end in every slot; with UntilDecided what
// Settle counts, so that both decide alike.
func (w *watcher) settleAll() error {
	if w.described.UntilDecided {
		if err := w.Settle(); err != nil || w.Decided() {
			return err
		}
		return w.count()
	}
	for ; w.next < len(w.order) && !w.Decided(); w.next++ {
		q := w.questions[w.order[w.next]]
		if w.waits(q, false) {
			continue
		}
		if err := w.take(w.order[w.next], q); err != nil {
			return err
		}
	}
	if w.Decided() {
		return nil
	}
	return w.count()
}

// take counts a question, or keeps it until its cluster is complete.
func (w *watcher) take(id string, q *asked) error {
	if len(w.cluster) > 0 && (q.cluster == "" || q.cluster != w.cluster[0].cluster) {
		if err := w.count(); err != nil {
			return err
		}
		if w.Decided() {
			w.next--
			return nil
		}
	}
	w.cluster = append(w.cluster, q)
	w.ids = append(w.ids, id)
	if q.cluster == "" {
		return w.count()
	}
	return nil
}

// count counts the cluster.
func (w *watcher) count() error {
	if len(w.cluster) == 0 {
		return nil
	}
	rows := make([]shape.Row, len(w.cluster))
	questions := make([]fitness.Question, len(w.cluster))
	for i, q := range w.cluster {
		rows[i], questions[i] = w.row(q), w.fitness(q)
		w.check.Scale(q.closedBook.estimated, q.closedBook.read, q.oracle.estimated, q.oracle.read)
		for _, c := range q.cells() {
			w.check.Prompt(c.estimated, c.least, c.read)
		}
	}
	w.counted = append(w.counted, w.cluster...)
	w.cluster = nil
	w.check.Add(questions...)
	if err := w.trial.Add(rows...); err != nil {
		return err
	}
	w.shape, w.settled = w.trial.Look()
	w.unfit = w.check.Sweep()
	return nil
}

// row holds the scores of a question; where a call failed, what they may have been.
func (w *watcher) row(q *asked) shape.Row {
	r := shape.Row{Low: make([]float64, len(q.slots)), High: make([]float64, len(q.slots))}
	for i, c := range q.slots {
		switch c.state {
		case answered:
			r.Low[i], r.High[i] = w.score(c), w.score(c)
		case notAsked:
			r.Low[i], r.High[i] = math.NaN(), math.NaN()
		default:
			r.High[i] = 1
		}
	}
	return r
}

// fitness says what became of the calls of a question.
func (w *watcher) fitness(q *asked) fitness.Question {
	f := fitness.Question{
		Baselines:  q.closedBook.state == answered && q.oracle.state == answered,
		ClosedBook: w.score(q.closedBook), Oracle: w.score(q.oracle),
	}
	for _, c := range q.slots {
		if c.state != missing {
			f.Judged++
		}
		if c.state == answered {
			f.Right += w.score(c)
			if c.long {
				f.Long++
			}
		}
	}
	for _, c := range q.cells() {
		switch c.state {
		case missing, notAsked:
			continue
		case failed:
			f.Failed++
		case answered:
			switch {
			case c.class.Refusal:
				f.Refused++
			case c.class.Empty:
				f.Empty++
			}
		}
		f.Calls++
	}
	return f
}
