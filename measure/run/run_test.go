package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

func noLuck() float64 { return 0 }

func TestEveryCallEndsOnceAndIsNotRepeated(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	p := fake.Questions(20, 4)
	j := fake.Journal(t, path)
	var told []Progress
	got, err := Run(t.Context(), p, fake.Echo, j, Limits{Concurrency: 7, Progress: func(p Progress) { told = append(told, p) }})
	if err != nil || got.Answered != p.Len() || got.Left() != 0 || got.Open != 0 || got.Spent.Requests != p.Len() {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(told) != p.Len() {
		t.Fatalf("told %d times", len(told))
	}
	for i, p := range told {
		if p.Answered != i+1 || p.Last.Key == "" {
			t.Errorf("told %d: %+v", i, p)
		}
	}
	records, reading := fake.Read(t, path)
	if len(records) != p.Len() || len(reading.Manifest) != 1 {
		t.Errorf("%d records, %d manifests", len(records), len(reading.Manifest))
	}
	byKey := map[string]journal.Record{}
	for _, r := range records {
		byKey[r.Key] = r
	}
	for _, c := range p {
		r, ok := byKey[c.Key]
		if !ok || r.Question != c.Question || r.Arm != c.Arm || r.Slot != c.Slot || r.Repeat != c.Repeat ||
			!slices.Equal(r.Answers, c.Answers) || r.Answer.Text != "yes" || r.Attempts != 1 || r.Time.IsZero() {
			t.Errorf("call %+v has the record %+v", c, r)
		}
	}
	again, err := Run(t.Context(), p, nil, j, Limits{}) // a nil model would panic
	if err != nil || again.Known != p.Len() || again.Answered != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func TestCallsGoOutInPlanOrder(t *testing.T) {
	t.Parallel()
	p := fake.Questions(5, 3)
	var got []string
	model := model.Func(func(ctx context.Context, ask model.Prompt) (model.Answer, error) {
		c, ok := model.CallFrom(ctx)
		if !ok || c.Prompt.Text != ask.Text {
			t.Error("the context does not have the call")
		}
		got = append(got, c.Key)
		return model.Answer{}, nil
	})
	if _, err := Run(t.Context(), p, model, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1}); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, c := range p {
		want = append(want, c.Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n-%v\n+%v", want, got)
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	var open, most atomic.Int64
	full := make(chan struct{})
	model := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		n := open.Add(1)
		defer open.Add(-1)
		for {
			if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		if n == 5 {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		select { // the first ones wait until five are open
		case <-full:
		case <-ctx.Done():
		}
		return model.Answer{}, nil
	})
	if _, err := Run(t.Context(), fake.Questions(10, 3), model, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 5, Timeout: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 5 {
		t.Errorf("open at once: -want 5 +got %d", most.Load())
	}
}

// script fails as told, attempt by attempt, and then answers.
type script struct {
	mu   sync.Mutex
	errs []error
	n    int
}

func (s *script) Ask(context.Context, model.Prompt) (model.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.n <= len(s.errs) {
		return model.Answer{}, s.errs[s.n-1]
	}
	return model.Answer{Text: "yes", Usage: model.Usage{Prompt: 10, Completion: 1}}, nil
}

// onlyOne is a single call.
func onlyOne() fake.Calls { return fake.Questions(1, 1)[:1].Sized(10, 5) }

func TestRetries(t *testing.T) {
	t.Parallel()
	second := time.Second
	busy, broken := &model.Error{Status: 429}, &model.Error{Status: 500}
	for name, c := range map[string]struct {
		errs     []error
		limits   Limits
		sleeps   []time.Duration
		attempts int
		fails    bool
		lost     int
		late     bool
	}{
		"at once":              {attempts: 1},
		"backs off":            {errs: []error{busy, broken, busy}, sleeps: []time.Duration{second, 2 * second, 4 * second}, attempts: 4},
		"gives up":             {errs: []error{broken, broken, broken}, limits: Limits{Retries: 2}, sleeps: []time.Duration{second, 2 * second}, attempts: 3, fails: true},
		"never":                {errs: []error{broken}, limits: Limits{Retries: -1}, attempts: 1, fails: true},
		"not what is final":    {errs: []error{&model.Error{Status: 401}}, attempts: 1, fails: true},
		"honours Retry-After":  {errs: []error{&model.Error{Status: 429, RetryAfter: 7 * second}}, sleeps: []time.Duration{7 * second}, attempts: 2},
		"not for hours":        {errs: []error{&model.Error{Status: 429, RetryAfter: time.Hour}}, attempts: 1, fails: true, late: true},
		"counts what it lost":  {errs: []error{errors.New("reset"), &model.Error{Status: 200}, broken}, sleeps: []time.Duration{second, 2 * second, 4 * second}, attempts: 4, lost: 20},
		"another first wait":   {errs: []error{busy, busy}, limits: Limits{Backoff: 100 * second}, sleeps: []time.Duration{60 * second, 60 * second}, attempts: 3},
		"an error of any type": {errs: []error{errors.New("x")}, limits: Limits{Retries: -1}, attempts: 1, fails: true, lost: 10},
		"what it lost counts": {
			errs: slices.Repeat([]error{errors.New("reset")}, 9), limits: Limits{MaxTokens: 40}, // 10 + 10 + 10 + 15 would be too many
			sleeps: []time.Duration{second, 2 * second}, attempts: 3, fails: true, lost: 30,
		},
		"a cap ends the retries": {errs: []error{broken, broken, broken}, limits: Limits{MaxCalls: 2}, sleeps: []time.Duration{second}, attempts: 2, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, slow, model := fake.Path(t), newFakeTime(), &script{errs: c.errs}
			var waits []time.Duration
			c.limits.Repeating = func(why journal.Failure, wait time.Duration) {
				if want := journal.NewFailure(c.errs[len(waits)]); why != *want {
					t.Errorf("told of %v, want %v", why, *want)
				}
				waits = append(waits, wait)
			}
			got, err := run(t.Context(), onlyOne(), model, fake.Journal(t, path), c.limits, slow.clock(), noLuck)
			if later := (*LaterError)(nil); c.late != errors.As(err, &later) {
				t.Fatal(err)
			}
			if capped := (*CapError)(nil); err != nil && !c.late && !(c.limits.MaxCalls+c.limits.MaxTokens > 0 && errors.As(err, &capped)) {
				t.Fatal(err)
			}
			if !slices.Equal(waits, c.sleeps) {
				t.Errorf("told of the waits %v, want %v", waits, c.sleeps)
			}
			records, _ := fake.Read(t, path)
			if len(records) != 1 || records[0].Attempts != c.attempts || (records[0].Failure != nil) != c.fails || records[0].Lost != c.lost {
				t.Errorf("records %+v", records)
			}
			if !slices.Equal(slow.sleeps, c.sleeps) {
				t.Errorf("waits: (-want +got) -%v +%v", c.sleeps, slow.sleeps)
			}
			if model.n != c.attempts || got.Retries != c.attempts-1 || got.Spent.Requests != c.attempts || got.Failed+got.Answered != 1 {
				t.Errorf("asked %d times; %+v", model.n, got)
			}
		})
	}
}

func TestFailuresAreTriedAgainAndOnlyThey(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	p := fake.Questions(10, 3)
	j := fake.Journal(t, path)
	bad := map[string]bool{}
	for i, c := range p {
		bad[c.Key] = i%3 == 0
	}
	m := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		if c, _ := model.CallFrom(ctx); bad[c.Key] {
			return model.Answer{}, &model.Error{Status: 400, Err: errors.New("no")}
		}
		return model.Answer{}, nil
	})
	first, err := Run(t.Context(), p, m, j, Limits{Concurrency: 1})
	if err != nil || first.Failed != p.Len()/3 || first.Answered != p.Len()-p.Len()/3 {
		t.Fatalf("first: %+v, %v", first, err)
	}
	if a, f := j.Len(); a != first.Answered || f != first.Failed {
		t.Errorf("journal: %d answered, %d failed", a, f)
	}
	var asked []string
	second, err := Run(t.Context(), p, model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		c, _ := model.CallFrom(ctx)
		if !bad[c.Key] {
			t.Error("a finished call is asked again")
		}
		asked = append(asked, c.Key)
		return model.Answer{}, nil
	}), j, Limits{Concurrency: 1})
	if err != nil || second.Answered != first.Failed || second.Known != first.Answered || len(asked) != first.Failed {
		t.Errorf("second: %+v, %v", second, err)
	}
	records, _ := fake.Read(t, path)
	if r := records[0]; r.Failure == nil || r.Failure.Status != 400 {
		t.Errorf("first record: %+v", r)
	}
}

func TestCapsHoldAcrossRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits Limits
		calls  int // that fit: each may use 10+5 tokens, and uses 10+1
		cap    string
	}{
		"calls":  {Limits{MaxCalls: 7}, 7, "calls"},
		"tokens": {Limits{MaxTokens: 70}, 6, "tokens"}, // 5·11 + 15 = 70
		"cost":   {Limits{MaxCost: 70e-6, Prices: model.Prices{Prompt: 1, Completion: 1}}, 6, "cost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := fake.Journal(t, fake.Path(t))
			p := fake.Questions(5, 2).Sized(10, 5)
			c.limits.Concurrency = 1
			for run, want := range []int{c.calls, 0} {
				got, err := Run(t.Context(), p, fake.Echo, j, c.limits)
				e := (*CapError)(nil)
				if !errors.As(err, &e) || e.Cap != c.cap || got.Answered != want || got.Left() != p.Len()-c.calls {
					t.Errorf("run %d: %+v, %v", run, got, err)
				}
			}
			// At once it is as many: a call waits for the open ones, which use less.
			j = fake.Journal(t, fake.Path(t))
			c.limits.Concurrency = 8
			if got, err := Run(t.Context(), p, fake.Echo, j, c.limits); err == nil || got.Spent.Requests != c.calls {
				t.Errorf("at once: %+v, %v", got, err)
			}
		})
	}
}

// A call holds back what it may use, and then what it used.
func TestTokensPerMinuteFollowWhatWasUsed(t *testing.T) {
	t.Parallel()
	list := fake.Calls{{Key: "a", Tokens: 10, MaxTokens: 50}, {Key: "b", Tokens: 10, MaxTokens: 50}, {Key: "c", Tokens: 10, MaxTokens: 50}}
	got, err := run(t.Context(), list, fake.Echo, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1, TokensPerMinute: 600}, newFakeTime().clock(), noLuck)
	if want := 2200 * time.Millisecond; err != nil || got.Elapsed != want { // 2 × 11 tokens, 10 a second
		t.Errorf("elapsed: -want %v +got %v, %v", want, got.Elapsed, err)
	}
}

func TestManyFailuresInARowStop(t *testing.T) {
	t.Parallel()
	p := fake.Questions(10, 2)
	denied := model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		return model.Answer{}, &model.Error{Status: 401}
	})
	got, err := Run(t.Context(), p, denied, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1, MaxFailures: 3})
	if mixed, err := Run(t.Context(), p, model.Func(func(ctx context.Context, ask model.Prompt) (model.Answer, error) {
		if c, _ := model.CallFrom(ctx); c.Arm == "closed-book" {
			return fake.Echo(ctx, ask)
		}
		return denied(ctx, ask)
	}), fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1, MaxFailures: 5}); err != nil || mixed.Left() != 0 {
		t.Errorf("4 failures at a time: %+v, %v", mixed, err)
	}
	e := (*FailuresError)(nil)
	if !errors.As(err, &e) || e.Failures != 3 || e.Last.Status != 401 || got.Failed < 3 || got.Failed > 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCancelInterruptsAndLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	path := fake.Path(t)
	j := fake.Journal(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var open atomic.Int64
	model := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		if open.Add(1) == 8 {
			cancel()
		}
		<-ctx.Done()
		return model.Answer{}, ctx.Err()
	})
	got, err := Run(ctx, fake.Questions(10, 3), model, j, Limits{Concurrency: 8, Retries: -1})
	if !errors.Is(err, context.Canceled) || got.Failed+got.Answered != 0 || got.Left() != got.Calls || got.Open != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if records, _ := fake.Read(t, path); len(records) != 0 {
		t.Errorf("interrupted calls are recorded: %+v", records)
	}
	waitFor(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestDeadlineEndsWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	busy := model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		return model.Answer{}, &model.Error{Status: 503, RetryAfter: 9 * time.Minute}
	})
	got, err := Run(ctx, fake.Questions(3, 3), busy, fake.Journal(t, fake.Path(t)), Limits{})
	if !errors.Is(err, context.DeadlineExceeded) || got.Failed+got.Answered != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = Run(ctx, fake.Questions(3, 3), nil, fake.Journal(t, fake.Path(t)), Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended before it began: %+v, %v", got, err)
	}
}

// An answer that is there is kept, whatever became of the context.
func TestAnswerAfterCancelIsKept(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	ctx, cancel := context.WithCancel(t.Context())
	model := model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		cancel()
		return model.Answer{Text: "late"}, nil
	})
	got, err := Run(ctx, onlyOne(), model, fake.Journal(t, path), Limits{})
	if records, _ := fake.Read(t, path); len(records) != 1 || err != nil || got.Answered != 1 {
		t.Errorf("%+v, %v, %v", got, err, records)
	}
}

func TestCallsOfOneKeyAreAskedOnce(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	list := fake.Calls{{Key: "a"}, {Key: "a"}, {Key: "b"}, {Key: "a"}}
	other := make(chan struct{})
	got, err := Run(t.Context(), list, model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		if c, _ := model.CallFrom(ctx); c.Key == "b" {
			close(other)
		}
		<-other // so that the second call comes while the first is open
		return model.Answer{}, nil
	}), fake.Journal(t, path), Limits{})
	if records, _ := fake.Read(t, path); err != nil || len(records) != 2 || got.Calls != 2 || got.Known != 0 || got.Answered != 2 || got.Left() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBrokenSourceStops(t *testing.T) {
	t.Parallel()
	list := fake.Calls{{Key: "a"}, {}, {Key: "b"}}
	got, err := Run(t.Context(), list, fake.Echo, fake.Journal(t, fake.Path(t)), Limits{Concurrency: 1})
	if err == nil || got.Known != 0 || got.Answered > 1 || got.Left() < 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestProgressPrints(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Progress{
		"2 calls answered, 1 answered before, 3 failed, 4 left":                              {Calls: 10, Known: 1, Answered: 2, Failed: 3},
		"2 calls answered, 1 answered before, 3 failed, 3 left, 1 not needed":                {Calls: 10, Known: 1, Answered: 2, Failed: 3, Skipped: 1},
		"No call was made, since none is needed":                                             {Calls: 10, Skipped: 1, Enough: true},
		"2 calls answered, 1 answered before, 3 failed, 4 not needed, since enough is known": {Calls: 10, Known: 1, Answered: 2, Failed: 3, Skipped: 1, Enough: true},
	} {
		if got := p.String(); got != want {
			t.Errorf("(-want +got) -%s +%s", want, got)
		}
	}
}

// sufficient is a list of calls that has enough after so many.
type sufficient struct {
	fake.Calls
	enough int
}

func (s sufficient) Call(i int) (model.Call, error) {
	if i >= s.enough {
		return model.Call{}, fmt.Errorf("decided: %w", ErrEnough)
	}
	return s.Calls.Call(i)
}

func TestASourceMayHaveEnough(t *testing.T) {
	t.Parallel()
	list := fake.Calls{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "d"}}
	got, err := Run(t.Context(), sufficient{list, 2}, fake.Echo, fake.Journal(t, fake.Path(t)), Limits{})
	if err != nil || got.Answered != 2 || got.Left() != 2 || !got.Enough {
		t.Errorf("%+v, %v", got, err)
	}
}

// One answer that is long in coming holds back what the run would ask without it: only at
// the start, and never what may be open at once.
func TestARunStaysCloseToItsOldestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ slow, concurrency, want int }{
		{slow: 0, concurrency: 4, want: window},
		{slow: 37, concurrency: 4, want: 37 + window},
		{slow: 0, concurrency: 90, want: 180},
		{slow: early - 50, concurrency: 2, want: 1500},
	} {
		var asked atomic.Int64
		slow := make(chan struct{})
		m := model.Func(func(ctx context.Context, p model.Prompt) (model.Answer, error) {
			asked.Add(1)
			if call, _ := model.CallFrom(ctx); call.Index == c.slow && call.Arm == "bare" {
				<-slow
			}
			return fake.Echo.Ask(ctx, p)
		})
		list := make(fake.Calls, 1500)
		for i := range list {
			list[i] = model.Call{Key: fmt.Sprint(i), Question: fmt.Sprint(i), Index: i, Arm: "bare", Prompt: model.User("?"), Answers: []string{"yes"}}
		}
		done := make(chan error)
		go func() {
			got, err := Run(t.Context(), list, m, fake.Journal(t, fake.Path(t)), Limits{Concurrency: c.concurrency})
			if err == nil && (got.Answered != len(list) || got.Open != 0) {
				err = fmt.Errorf("%+v", got)
			}
			done <- err
		}()
		waitFor(t, "the calls that do not wait", func() bool { return int(asked.Load()) >= c.want })
		time.Sleep(20 * time.Millisecond) // more would be asked by now
		if n := int(asked.Load()); n != c.want {
			t.Errorf("call %d is slow: %d calls were made beside it, want %d", c.slow, n, c.want)
		}
		close(slow)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
