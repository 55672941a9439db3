package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// grader gives the score that its func returns, and counts how often it is asked.
type grader struct {
	name  string
	score func(q judge.Query) (float64, error)

	mu      sync.Mutex
	asked   map[string]int // by the text of the call
	queries map[string]judge.Query
}

func newGrader(name string, score func(judge.Query) (float64, error)) *grader {
	return &grader{name: name, score: score, asked: map[string]int{}, queries: map[string]judge.Query{}}
}

func (g *grader) Describe() judge.Description { return judge.Description{Command: g.name} }

func (g *grader) Call(q judge.Query) (model.Call, error) {
	text := q.Question + "|" + q.Answer
	g.mu.Lock()
	defer g.mu.Unlock()
	g.queries[text] = q
	return model.Call{Key: g.name + text, Prompt: model.User(text), Tokens: 4, MaxTokens: 10}, nil
}

func (g *grader) Grade(_ context.Context, p model.Prompt) (float64, model.Answer, error) {
	g.mu.Lock()
	g.asked[p.Text]++
	q := g.queries[p.Text]
	g.mu.Unlock()
	score, err := g.score(q)
	return score, model.Answer{Text: "words", Usage: model.Usage{Prompt: 3, Completion: 2}}, err
}

func (g *grader) total() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range g.asked {
		n += k
	}
	return n
}

// topics are calls whose questions and documents are known.
func topics(questions, slots int) fake.Calls {
	calls := fake.Questions(questions, slots)
	for i := range calls {
		calls[i].Asked = calls[i].Question
		calls[i].Shown = []model.Document{{Text: fmt.Sprint("document of call ", i)}}
	}
	return calls
}

// reader answers with the text of the prompt.
var reader = model.Func(func(_ context.Context, p model.Prompt) (model.Answer, error) {
	return model.Answer{Text: "<think>hm</think>" + p.Text + "\nand more", Usage: model.Usage{Prompt: 10, Completion: 1}}, nil
})

// judged returns what a report sees, by the keys of the calls.
func judged(t *testing.T, path string, by judge.Grader) map[string]journal.Record {
	t.Helper()
	found := map[string]journal.Record{}
	_, err := journal.ReadJudged(path, by.Describe().ID(), func(r journal.Record) error {
		found[r.Key] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func half(judge.Query) (float64, error) { return 0.5, nil }

func TestRunJudges(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	j := fake.Journal(t, path)
	calls, g := topics(3, 2), newGrader("g", half) // 5 calls a question, of which two share a prompt
	told := 0
	progress, err := Run(t.Context(), calls, Judged{Model: reader, Grader: g, Prices: model.Prices{Prompt: 1e6}}, j, Limits{
		Prices: model.Prices{Completion: 1e6},
		Progress: func(p Progress) {
			if told++; p.Last.Score == nil || *p.Last.Score != 0.5 || p.Last.Answer == nil || p.Last.Of != "" {
				t.Errorf("told %+v", p.Last)
			}
		},
	})
	if err != nil || progress.Answered != 15 || told != 15 {
		t.Fatalf("%v, %v, told %d", progress, err, told)
	}
	// The repeat has the prompt, and so the answer, of a slot: it shares its score.
	if g.total() != 12 || len(g.asked) != 12 {
		t.Errorf("%d judgements of %d answers", g.total(), len(g.asked))
	}
	if s := progress.Spent; s.Requests != 27 || s.Usage.Prompt != 150 || s.Judge != (model.Usage{Prompt: 36, Completion: 24}) || s != j.Spent() || progress.Cost != 15+36 {
		t.Errorf("%+v, cost %v; the journal: %+v", s, progress.Cost, j.Spent())
	}
	for text, q := range g.queries {
		if q.Question == "" || !strings.HasPrefix(q.Answer, "question ") || strings.Contains(q.Answer, "think") || len(q.Documents) != 1 || q.References[0] != "yes" {
			t.Errorf("%s: %+v", text, q)
		}
	}
	for key, r := range judged(t, path, g) {
		if r.Score == nil || *r.Score != 0.5 {
			t.Errorf("%s: %+v", key, r)
		}
	}
	again, err := Run(t.Context(), calls, Judged{Model: reader, Grader: g}, j, Limits{})
	if err != nil || again.Known != 15 || g.total() != 12 {
		t.Errorf("again: %v, %v, %d judgements", again, err, g.total())
	}
	// Another judge judges what is there, and asks the model nothing.
	other := newGrader("other", func(judge.Query) (float64, error) { return 1, nil })
	again, err = Run(t.Context(), calls, Judged{Grader: other}, j, Limits{})
	if err != nil || again.Answered != 15 || other.total() != 12 || again.Spent.Usage != (model.Usage{}) {
		t.Errorf("another judge: %v, %v, %d judgements", again, err, other.total())
	}
	if r := judged(t, path, g)[calls[0].Key]; *r.Score != 0.5 {
		t.Errorf("the first judge's score is %v", *r.Score)
	}
}

// Without a model nothing is asked but the judge.
func TestRunJudgesOnly(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	j := fake.Journal(t, path)
	calls, g := topics(2, 2), newGrader("g", half)
	if _, err := Run(t.Context(), calls[:4], reader, j, Limits{}); err != nil {
		t.Fatal(err)
	}
	if found := judged(t, path, g); len(found) != 0 {
		t.Errorf("answers that nobody has judged: %v", found)
	}
	progress, err := Run(t.Context(), calls, Judged{Grader: g}, j, Limits{})
	if err != nil || progress.Answered != 4 || progress.Left() != 6 || g.total() != 4 {
		t.Errorf("%v, %v, %d judgements", progress, err, g.total())
	}
}

// A judge that fails leaves a failure, never a score, and is asked again by the next run,
// which asks the model nothing.
func TestRunJudgeFails(t *testing.T) {
	t.Parallel()
	for name, score := range map[string]func(judge.Query) (float64, error){
		"error": func(q judge.Query) (float64, error) { return 1, errors.New("no idea about " + q.Answer) },
		"permanent": func(judge.Query) (float64, error) {
			return 0, &model.Error{Permanent: true, Err: errors.New("garbage")}
		},
		"above 1": func(judge.Query) (float64, error) { return 1.01, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fake.Path(t)
			j := fake.Journal(t, path)
			broken := true
			g := newGrader("g", func(q judge.Query) (float64, error) {
				if broken && strings.Contains(q.Answer, "slot 0") {
					return score(q)
				}
				return 1, nil
			})
			calls, clock := topics(2, 2), newFakeTime()
			one := func() float64 { return 0 }
			limits := Limits{Retries: 2, Concurrency: 1}
			progress, err := run(t.Context(), calls, Judged{Model: reader, Grader: g}, j, limits, clock.clock(), one)
			if err != nil || progress.Failed != 2 || progress.Answered != 8 {
				t.Fatal(progress, err)
			}
			tries := map[string]int{"error": 3}[name]
			for text, n := range g.asked {
				if strings.Contains(text, "slot 0") && n != max(tries, 1) {
					t.Errorf("%s was asked %d times", text, n)
				}
			}
			failed := 0
			for _, r := range judged(t, path, g) {
				if r.Failure != nil {
					failed++
					if !r.Failure.Judge || r.Score != nil || r.Answer != nil || !strings.HasPrefix(r.Failure.Message, "the judge failed: ") || strings.Contains(r.Failure.Message, "question 0") {
						t.Errorf("%+v %+v", r, r.Failure)
					}
				}
			}
			if failed != 2 || j.Answered(calls[2].Key) == false {
				t.Errorf("%d failures; the answer is there: %v", failed, j.Answered(calls[2].Key))
			}
			broken = false
			before := g.total()
			progress, err = run(t.Context(), calls, Judged{Model: model.Func(nil), Grader: g}, j, limits, clock.clock(), one)
			if err != nil || progress.Answered != 2 || progress.Known != 8 || g.total() != before+2 {
				t.Errorf("%v, %v, %d judgements", progress, err, g.total()-before)
			}
			for key, r := range judged(t, path, g) {
				if r.Score == nil {
					t.Errorf("%s: %+v", key, r)
				}
			}
		})
	}
}

func TestRunJudgedNeedsAGrader(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), topics(1, 2), Judged{Model: reader}, fake.Journal(t, fake.Path(t)), Limits{})
	if !errors.As(err, new(*core.ConfigError)) {
		t.Error(err)
	}
}

func TestRunJudgeStopsTheRun(t *testing.T) {
	t.Parallel()
	g := newGrader("g", func(judge.Query) (float64, error) { return 0, errors.New("down") })
	_, err := Run(t.Context(), topics(9, 2), Judged{Model: reader, Grader: g}, fake.Journal(t, fake.Path(t)), Limits{Retries: -1, MaxFailures: 3, Concurrency: 1})
	failures := (*FailuresError)(nil)
	if !errors.As(err, &failures) || failures.Failures != 3 || !failures.Last.Judge || !strings.Contains(err.Error(), "the judge failed: down") {
		t.Error(err)
	}
	later := newGrader("g", func(judge.Query) (float64, error) { return 0, &model.Error{Status: 429, RetryAfter: time.Hour} })
	_, err = Run(t.Context(), topics(9, 2), Judged{Model: reader, Grader: later}, fake.Journal(t, fake.Path(t)), Limits{})
	if !errors.As(err, new(*LaterError)) {
		t.Error(err)
	}
}

// Judgements count against every cap, in the run that continues, too.
func TestRunJudgeCaps(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]Limits{
		"calls":  {MaxCalls: 9},
		"tokens": {MaxTokens: 500},
		"cost":   {MaxCost: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fake.Path(t)
			j := fake.Journal(t, path)
			calls, g := topics(9, 2), newGrader("g", half)
			limits.Concurrency = 3
			judged := Judged{Model: reader, Grader: g, Prices: model.Prices{Prompt: 1e6, Completion: 3e6}}
			for range 3 {
				progress, err := Run(t.Context(), calls, judged, j, limits)
				full := (*CapError)(nil)
				if !errors.As(err, &full) || full.Cap != name {
					t.Fatalf("%v, %v", progress, err)
				}
			}
			spent := j.Spent()
			cost := limits.Prices.Cost(spent.Usage) + judged.Prices.Cost(spent.Judge)
			if limits.MaxCalls > 0 && spent.Requests > limits.MaxCalls || limits.MaxTokens > 0 && spent.Tokens() > limits.MaxTokens || limits.MaxCost > 0 && cost > limits.MaxCost {
				t.Errorf("%+v at %v, over the cap", spent, cost)
			}
			if g.total() == 0 {
				t.Error("nothing was judged")
			}
			progress, err := Run(t.Context(), calls, judged, j, Limits{})
			if err != nil || progress.Left() != 0 {
				t.Errorf("without caps: %v, %v", progress, err)
			}
			for text, n := range g.asked {
				if n != 1 {
					t.Errorf("%s was judged %d times", text, n)
				}
			}
		})
	}
}

func TestRunJudgesNoEmptyAnswer(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	calls, g := topics(1, 2), newGrader("g", half)
	empty := model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		return model.Answer{Text: "<think>what is", Usage: model.Usage{Prompt: 1}}, nil
	})
	progress, err := Run(t.Context(), calls, Judged{Model: empty, Grader: g}, fake.Journal(t, path), Limits{})
	if err != nil || progress.Answered != 5 || g.total() != 0 || progress.Spent.Requests != 5 {
		t.Errorf("%v, %v, %d judgements", progress, err, g.total())
	}
	for key, r := range judged(t, path, g) {
		if r.Score == nil || *r.Score != 0 {
			t.Errorf("%s: %+v", key, r)
		}
	}
}
