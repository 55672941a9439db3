package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

func mustRun(t *testing.T, p *Plan, d Described, model model.Model, j *journal.Journal, concurrency int) run.Progress {
	t.Helper()
	progress, err := Run(t.Context(), p, d, model, j, run.Limits{Concurrency: concurrency, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	return progress
}

func mustSummarize(t *testing.T, j *journal.Journal) Result {
	t.Helper()
	r, err := SummarizeJournal(j.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		curve  string
		arms   []string
		want   evidence.Word
		winner string
	}{
		{"llama-2-70b-chat-repo", []string{"ranked", "reversed"}, evidence.Reorder, "reversed"},
		{"gpt-3.5-turbo", []string{"ranked", "reversed"}, evidence.Keep, "ranked"},
		{"gpt-3.5-turbo", []string{"reversed", "long-context", "ranked"}, evidence.Reorder, "ranked"},
	} {
		t.Run(fmt.Sprint(c.curve, c.arms), func(t *testing.T) {
			t.Parallel()
			lists := mustLists(t, 2000, 20, 0.5)
			p := mustPlan(t, lists, armsOf(t, c.arms...), func(s *Settings) { s.Shuffles = 1 })
			j := mustJournal(t)
			progress := mustRun(t, p, described(p, func(d *Described) { d.UntilDecided = true }), reader(t, publishedAs(t, c.curve).At(20)), j, 1)
			r := mustSummarize(t, j)
			if r.Word != c.want || r.Winner != c.winner || progress.Left() == 0 || r.More != nil {
				t.Errorf("%s, winner %s, %d calls left: %s", r.Word, r.Winner, progress.Left(), r.Finding)
			}
			if first, _, _ := strings.Cut(r.Finding, " "); !strings.EqualFold(strings.Trim(first, ":"), string(c.want)) {
				t.Errorf("the sentence does not begin with the verdict: %s", r.Finding)
			}
			if r.Questions.After > 1 || progress.Answered > (r.Questions.Counted+1)*len(r.Arms) {
				t.Errorf("%+v after %d answers", r.Questions, progress.Answered)
			}
			if i := slices.IndexFunc(p.settings.Arms, func(a Arm) bool { return a.Name == c.winner }); !reflect.DeepEqual(r.Settings.Order, p.settings.Arms[i].Order) {
				t.Errorf("settings of the winner: %+v", r.Settings)
			}
			// Asked again, nothing is: the answer is known.
			if again := mustRun(t, p, described(p, func(d *Described) { d.UntilDecided = true }), denied(t), j, 4); again.Answered != 0 {
				t.Errorf("%d calls after the decision", again.Answered)
			}
			for _, a := range r.Arms {
				if a.Full.Wilson != nil || a.Against != nil && a.Against.Fixed != nil {
					t.Errorf("%s shows what holds for a fixed number only", a.Name)
				}
			}
		})
	}
}

// denied fails the test when it is asked.
func denied(t *testing.T) model.Model {
	return model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		t.Error("the model is asked")
		return model.Answer{}, errors.New("denied")
	})
}

// The order in which answers come does not matter: questions count in plan order.
func TestTheVerdictDoesNotDependOnConcurrency(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 2000, 20, 0.5)
	var want Result
	for i, concurrency := range []int{1, 3, 16} {
		p := mustPlan(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), nil)
		j := mustJournal(t)
		mustRun(t, p, described(p, func(d *Described) { d.UntilDecided = true }), reader(t, publishedAs(t, "llama-2-70b-chat-repo").At(20)), j, concurrency)
		r := mustSummarize(t, j)
		if i == 0 {
			want = r
		}
		if r.Word != want.Word || r.Questions.Counted != want.Questions.Counted || !reflect.DeepEqual(r.Arms[1].Against, want.Arms[1].Against) || !reflect.DeepEqual(r.Strata, want.Strata) {
			t.Errorf("%d at once: %s", concurrency, r.Finding)
		}
	}
}

func TestAnInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 60, 5, 0.5)
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), nil)
	j := mustJournal(t)
	m := reader(t, publishedAs(t, "llama-2-70b-chat-repo").At(5))
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	counting := model.Func(func(ctx context.Context, ask model.Prompt) (model.Answer, error) {
		if asked.Add(1) == 101 {
			cancel()
			return model.Answer{}, ctx.Err()
		}
		return m.Ask(ctx, ask)
	})
	progress, err := Run(ctx, p, described(p, nil), counting, j, run.Limits{Concurrency: 1})
	if !errors.Is(err, context.Canceled) || progress.Answered != 100 {
		t.Fatalf("%+v, %v", progress, err)
	}
	r := mustSummarize(t, j)
	if n := bothAnswered(t, p, j); r.Questions.Counted != n || n < 100/7 { // whatever became of the controls
		t.Errorf("after 100 calls: %+v", r.Questions)
	}
	if rest := mustRun(t, p, described(p, nil), m, j, 4); rest.Answered+rest.Known != rest.Calls || rest.Calls > 60*3+50*4 || rest.Known < 100 || rest.Left() != 0 {
		t.Errorf("%+v", rest)
	}
	if r := mustSummarize(t, j); r.Questions.Counted != 60 || r.Counts.Missing != 0 {
		t.Errorf("%+v", r.Questions)
	}
}

// bothAnswered counts the questions that baseline and challengers have an answer to.
func bothAnswered(t *testing.T, p *Plan, j *journal.Journal) (n int) {
	t.Helper()
	for i := range p.Questions() {
		_, q, err := p.Question(i)
		if err != nil {
			t.Fatal(err)
		}
		if j.Answered(q.Cells["ranked"].Key) && j.Answered(q.Cells["reversed"].Key) && j.Answered(q.Cells["head-tail"].Key) {
			n++
		}
	}
	return n
}

// A failed or refused call removes its question from every arm, or is wrong in its
// arm, and is counted either way.
func TestUnansweredCalls(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 40, 5, 0.5)
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	failing, refused := map[string]bool{}, map[string]bool{}
	for i := range 10 {
		id, _, err := p.Question(i)
		if err != nil {
			t.Fatal(err)
		}
		if i < 6 {
			failing[id] = true
		} else {
			refused[id] = true
		}
	}
	model := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		switch a := (model.Answer{Text: call.Answers[0], FinishReason: "stop"}); {
		case call.Arm == "reversed" && failing[call.Question]:
			return model.Answer{}, &model.Error{Status: 400}
		case call.Arm == "reversed" && refused[call.Question]:
			a.FinishReason = "content_filter"
			return a, nil
		default:
			return a, nil
		}
	})
	for rule, want := range map[Unanswered]struct{ counted, dropped, reversed int }{
		Drop: {30, 10, 30}, "": {30, 10, 30}, Wrong: {40, 0, 30},
	} {
		j := mustJournal(t)
		mustRun(t, p, described(p, func(d *Described) { d.Unanswered = rule }), model, j, 3)
		r := mustSummarize(t, j)
		if r.Questions.Counted != want.counted || r.Questions.Dropped != want.dropped || r.Arms[1].Full.Correct != want.reversed || r.Arms[0].Full.Correct != want.counted {
			t.Errorf("%q: %+v, ranked %d, reversed %d right", rule, r.Questions, r.Arms[0].Full.Correct, r.Arms[1].Full.Correct)
		}
		if c := r.Arms[1].Counts; c.Failed != 6 || c.Refused != 4 || c.Answered != 34 || r.Counts.Failed != 6 {
			t.Errorf("%q: counts %+v", rule, c)
		}
	}
}

func TestArmsThatShareAPromptShareItsCall(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 30, 5, 0.5), armsOf(t, "ranked", "head-tail", "long-context", "ranked")[:3], func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	j := mustJournal(t)
	if progress := mustRun(t, p, described(p, nil), reader(t, publishedAs(t, "gpt-3.5-turbo").At(5)), j, 2); progress.Answered != 60 || progress.Calls != 60 {
		t.Errorf("%+v", progress)
	}
	r := mustSummarize(t, j)
	if long := r.Arms[2]; long.Identical != "head-tail" || long.Against.Sequential != nil || !reflect.DeepEqual(long.Full, r.Arms[1].Full) || long.Counts.Answered != 30 {
		t.Errorf("%+v", long)
	}
	if r.Counts.Planned != 60 {
		t.Errorf("shared calls are counted twice: %+v", r.Counts)
	}
	// Where all are identical, nothing needs to be asked, and nothing can be said.
	p = mustPlan(t, mustLists(t, 30, 1, 0.5), armsOf(t, "ranked", "head-tail", "reversed"), nil)
	j = mustJournal(t)
	if progress := mustRun(t, p, described(p, func(d *Described) { d.UntilDecided = true }), denied(t), j, 1); progress.Answered != 0 {
		t.Errorf("%+v", progress)
	}
	if r := mustSummarize(t, j); r.Word != evidence.Unfit || r.Winner != "ranked" || !strings.Contains(r.Finding, "same prompts as ranked. They differ in settings that have no effect here (head-tail in order.placement; reversed in order.placement)") || !reflect.DeepEqual(r.Settings, Settled{}) {
		t.Errorf("%s", r.Finding)
	}
}

func TestABatchGivesTheSameResult(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 50, 5, 0.5)
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), nil)
	m := reader(t, publishedAs(t, "llama-2-70b-chat-repo").At(5))
	d := described(p, nil)
	direct := mustJournal(t)
	mustRun(t, p, d, m, direct, 1)
	want := mustSummarize(t, direct)

	answers := map[string]model.Answer{}
	if _, err := journal.Read(direct.Path(), func(r journal.Record) error { answers[r.Key] = *r.Answer; return nil }); err != nil {
		t.Fatal(err)
	}
	var lines, results bytes.Buffer
	if _, err := batch.Write(&lines, p, "fake", p.Settings().Params, nil); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(lines.String()), "\n") {
		var request struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(answers[request.ID].Text)
		fmt.Fprintf(&results, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2}}}}`+"\n", request.ID, text)
	}
	byBatch := mustJournal(t)
	source, err := Noted(p, d, byBatch)
	if err != nil {
		t.Fatal(err)
	}
	read, err := batch.Read(&results, source, byBatch)
	if err != nil || read.Missing != 0 {
		t.Fatalf("%v, %v", read, err)
	}
	got := mustSummarize(t, byBatch)
	got.Spent.Requests = want.Spent.Requests // a batch makes no requests of its own
	if !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
}

// With many questions a comparison finds the order of the placements that
// arithmetic gives; gaps below .3 points are ties.
func TestComparisonAgreesWithArithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		curve string
		decay float64
		order []string // best first
	}{
		{"llama-2-70b-chat-repo", 0.5, []string{"measured", "reversed", "head-tail", "ranked"}},
		{"gpt-3.5-turbo", 0.3, []string{"measured", "ranked", "head-tail", "reversed"}},
	} {
		t.Run(c.curve, func(t *testing.T) {
			t.Parallel()
			curve := publishedAs(t, c.curve)
			measured, err := simulate.CurveOf(curve)
			if err != nil {
				t.Fatal(err)
			}
			arms := armsOf(t, "ranked", "head-tail", "reversed")
			arms = append(arms, Arm{Name: "measured", Prompt: DefaultPrompt()})
			arms[3].Order.Placement.Placement = measuredBy(measured)
			lists := mustLists(t, manyQuestions, 20, c.decay)
			estimated, err := Estimate(t.Context(), lists, arms, ReadingOfPublished(curve), 0.03)
			if err != nil {
				t.Fatal(err)
			}
			p := mustPlan(t, lists, arms, func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
			d := described(p, nil)
			notes, records := ask(t, p, reader(t, curve.At(20)))
			r, err := Summarize(d, notes, records, nil)
			if err != nil {
				t.Fatal(err)
			}
			expected, found := map[string]float64{}, map[string]float64{}
			for i, a := range estimated.Arms {
				expected[a.Name], found[a.Name] = a.Accuracy, r.Arms[i].Full.Accuracy
			}
			t.Logf("%d questions: expected %v, found %v", manyQuestions, expected, found)
			for i := 1; i < len(c.order); i++ {
				better, worse := c.order[i-1], c.order[i]
				gap := expected[better] - expected[worse]
				if gap < -0.003 || gap >= 0.003 && found[better] <= found[worse] {
					t.Errorf("%s before %s: expected %.4f and %.4f, found %.4f and %.4f", better, worse, expected[better], expected[worse], found[better], found[worse])
				}
			}
		})
	}
}

// ask answers every call without a journal.
func ask(t *testing.T, p *Plan, model model.Model) (notes []journal.Note, records []journal.Record) {
	t.Helper()
	answers := map[string]bool{}
	source := answering{model, p}
	for i := range p.Questions() {
		id, q, err := p.Question(i)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := json.Marshal(q)
		notes = append(notes, journal.Note{Name: id, Value: value})
		for _, call := range p.last.calls {
			if !answers[call.Key] {
				answers[call.Key] = true
				records = append(records, source.record(t, call))
			}
		}
	}
	return notes, records
}

type answering struct {
	model model.Model
	plan  *Plan
}

func (a answering) record(t *testing.T, call model.Call) journal.Record {
	t.Helper()
	answer, err := a.model.Ask(model.WithCall(t.Context(), call), call.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	return journal.Record{Key: call.Key, Question: call.Question, Arm: call.Arm, Slot: call.Slot, Answers: call.Answers, Answer: &answer, Attempts: 1}
}

// Records and questions may stand in the journal in any order.
func TestSummarizeIsPure(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 80, 6, 0.5), armsOf(t, "ranked", "reversed", "head-tail"), nil)
	notes, records := ask(t, p, reader(t, publishedAs(t, "llama-2-70b-chat-repo").At(6)))
	d := described(p, nil)
	want, err := Summarize(d, notes, records, nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(records)
	got, err := Summarize(d, notes, append(records, records[:9]...), nil)
	got.Spent = want.Spent // the doubled records cost
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v\n%v", want, got, err)
	}
	all := 0
	for _, s := range want.Strata {
		all += s.Questions
		for i := range s.Arms {
			if s.Arms[i].Correct > s.Questions {
				t.Errorf("%+v", s)
			}
		}
	}
	if all != want.Questions.Counted {
		t.Errorf("the strata hold %d of %d questions", all, want.Questions.Counted)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil || back.Finding != want.Finding {
		t.Errorf("%v", err)
	}
	if fixed := want.Arms[1].Against.Fixed; fixed == nil || fixed.Holm == nil || *fixed.Holm < fixed.McNemar || math.Abs(fixed.McNemar-stats.McNemar(want.Arms[1].Against.Wins, want.Arms[1].Against.Losses)) > 0 {
		t.Errorf("%+v", fixed)
	}
}

func TestJournalsThatAreNoComparison(t *testing.T) {
	t.Parallel()
	for name, manifest := range map[string]any{
		"none": nil, "a sweep": map[string]any{"model": "m"}, "no arms": map[string]any{"experiment": "compare"},
		"a list": []int{1}, "no worthwhile": map[string]any{"experiment": "compare", "arms": []map[string]string{{"name": "a", "kind": "baseline"}, {"name": "b"}}},
	} {
		j := mustJournal(t)
		if manifest != nil {
			if err := j.Describe(manifest); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := SummarizeJournal(j.Path(), nil); !errors.Is(err, ErrNoComparison) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	j := mustJournal(t)
	if err := errors.Join(j.Describe(described(p, nil)), j.Note("q", "no question")); err != nil {
		t.Fatal(err)
	}
	if _, err := SummarizeJournal(j.Path(), nil); !errors.Is(err, ErrNoComparison) {
		t.Errorf("a note of something else: %v", err)
	}
	other := described(mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "head-tail", "reversed"), nil), nil)
	j = mustJournal(t)
	if err := errors.Join(j.Describe(described(p, nil)), j.Describe(other)); err != nil {
		t.Fatal(err)
	}
	if _, err := DescriptionOf(j.Path()); !errors.Is(err, ErrNoComparison) {
		t.Errorf("two comparisons: %v", err)
	}
	more := described(mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed", "tail-head"), nil), nil)
	if !described(p, nil).SameComparison(more) {
		t.Error("an arm more makes another comparison")
	}
}

func TestSettledIsReadBack(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "edges-first=3", "reversed"), nil)
	r, err := Summarize(described(p, nil), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.Settings)
	if err != nil {
		t.Fatal(err)
	}
	var got Settled
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, r.Settings) {
		t.Errorf("(-want +got)\n-%+v\n+%+v\n%v", r.Settings, got, err)
	}
}

func TestWhatMayChangeBetweenRuns(t *testing.T) {
	t.Parallel()
	few := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	more := mustPlan(t, mustLists(t, 9, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	if !described(few, nil).SameComparison(described(more, nil)) {
		t.Error("more generated questions make another comparison")
	}
	labelled := described(few, func(d *Described) { d.Dataset.Labels = "00" })
	if described(few, nil).SameComparison(labelled) {
		t.Error("other labels make the same comparison")
	}
	for name, c := range map[string]struct {
		change func(*Described)
		told   bool
	}{
		"nothing":    {func(*Described) {}, false},
		"worthwhile": {func(d *Described) { d.Worthwhile = 0.01 }, true},
		"the end":    {func(d *Described) { d.UntilDecided = true }, true},
	} {
		j := mustJournal(t)
		if err := errors.Join(j.Describe(described(few, nil)), j.Describe(described(few, c.change))); err != nil {
			t.Fatal(err)
		}
		d, err := DescriptionOf(j.Path())
		if err != nil || (len(d.Remarks) > 0) != c.told {
			t.Errorf("%s changed: %q, %v", name, d.Remarks, err)
		}
	}
}

func TestTheSettingsSayWhatSpeaksAgainstThem(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Model = model.SimulatedPrefix + "u" })
	r, err := Summarize(described(p, func(d *Described) { d.SameQuestions = true }), nil, nil, nil)
	if err != nil || !strings.Contains(r.Settings.Note, "SIMULATED") || !strings.Contains(r.Settings.Note, "same questions") {
		t.Errorf("%q, %v", r.Settings.Note, err)
	}
}

// Who judges is told twice, to the run and in the journal: both must say the same.
func TestRunWantsTheJudgeThatIsDescribed(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	d := described(p, func(d *Described) { d.Judge = &judge.Description{Command: "x"} })
	_, err := Run(t.Context(), p, d, fake.Echo, fake.Journal(t, fake.Path(t)), run.Limits{})
	if fault := (*core.ConfigError)(nil); !errors.As(err, &fault) || fault.Field != "Described.Judge" {
		t.Error(err)
	}
}
