package prompt_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// The cap is that of the renderer, or else of the arranger, or else the default.
func TestMaxBytesIsTheOneThatIsSet(t *testing.T) {
	t.Parallel()
	long := core.DefaultMaxBytes + 50_000
	in := prompt.Input{Question: "Q"}
	for _, test := range []struct {
		name             string
		prompt, arranger int
		kept             int // of three documents: long, of 1,000 bytes, of one
	}{
		{"none", 0, 0, 2},
		{"arranger, above", 0, long, 3},
		{"arranger, below", 0, 999, 1},
		{"renderer, above", long, 0, 3},
		{"renderer, below", 999, 0, 1},
		{"the renderer's is that of prompts", 999, long, 1},
	} {
		docs := texts(strings.Repeat("x", long), strings.Repeat("y", 1000), "z")
		a := mustArranger(t, core.Config{})
		if test.arranger > 0 {
			a = mustArranger(t, core.Config{MaxBytes: test.arranger, Budget: 2 * long, Unit: core.Runes, KeepBest: true})
		}
		for _, c := range []prompt.Config{{Budget: 3 * long, Unit: core.Runes}, {BookendFrom: 5, Layout: prompt.Bookend, Unit: core.Runes}} {
			c.MaxBytes = test.prompt
			p, err := prompt.Build(t.Context(), mustNew(t, c), a, docs, docView, in)
			if err != nil {
				t.Fatal(err)
			}
			same(t, test.name, test.kept, len(p.Arrangement.Labels()))
			for _, d := range p.Arrangement.Dropped {
				same(t, test.name+": reason", core.OverMaxBytes, d.Reason)
			}
			if test.arranger == 0 {
				p, err = prompt.Render(t.Context(), mustNew(t, c), mustArranged(t, nil, 3), docs, docView, in)
				if err != nil {
					t.Fatal(err)
				}
				same(t, test.name+": Render", test.kept, len(p.Arrangement.Labels()))
			}
		}
	}
}

// Above the cap a question is refused, and a message goes with what stands before it.
func TestMaxBytesOfQuestionAndHistory(t *testing.T) {
	t.Parallel()
	c := prompt.Config{MaxBytes: 100, Budget: 10_000, Count: func(text string) int {
		if len(text) > 1000 {
			t.Errorf("a text of %d bytes was counted", len(text))
		}
		return len(text)
	}}
	long := strings.Repeat("x", 101)
	every(t, c, letters(1), prompt.Input{Question: long}, func(t *testing.T, err error) {
		same(t, "field", "Question", mustBe[*core.ConfigError](t, err).Field)
		mustMention(t, err, "101", "100", "MaxBytes")
	})
	user := func(text string) prompt.Message { return prompt.Message{Role: prompt.User, Text: text} }
	says := func(text string) prompt.Message { return prompt.Message{Role: prompt.Assistant, Text: text} }
	history := []prompt.Message{user("1"), says("one"), user("2"), says(long + long), user("3"), says("three")}
	p := build(t, c, letters(1), prompt.Input{Question: "Q", History: history})
	same(t, "text", "User: 3\nAssistant: three\n\n[1] A\n\nQuestion: Q", p.Text)
	same(t, "turns", 2, p.DroppedTurns)
	same(t, "messages", 4, p.DroppedMessages)
}

// counter counts by length and remembers what it saw.
type counter struct {
	calls, longest, total int
	cancel                func()
	at                    int // the call that ends the context
}

func (c *counter) count(text string) int {
	c.calls++
	c.longest, c.total = max(c.longest, len(text)), c.total+len(text)
	if c.calls == c.at {
		c.cancel()
	}
	return len(text) / 4
}

// Once the context has ended nothing more is counted, and its error is returned.
func TestAnEndedContextStopsTheCounting(t *testing.T) {
	t.Parallel()
	docs := prose(100)
	in := prompt.Input{Question: "Q", History: fourTurns}
	a := mustArranged(t, nil, len(docs))
	for _, c := range []prompt.Config{{Budget: 9_000}, {Budget: 100_000}, {Budget: 9_000, Layout: prompt.Bookend, BookendFrom: 20_000}, {Layout: prompt.Bookend, BookendFrom: 9}} {
		for name, call := range map[string]func(context.Context, *prompt.Renderer) (prompt.Prompt, error){
			"Build": func(ctx context.Context, r *prompt.Renderer) (prompt.Prompt, error) {
				return prompt.Build(ctx, r, nil, docs, docView, in)
			},
			"Render": func(ctx context.Context, r *prompt.Renderer) (prompt.Prompt, error) {
				return prompt.Render(ctx, r, a, docs, docView, in)
			},
			"Block": func(ctx context.Context, r *prompt.Renderer) (prompt.Prompt, error) {
				return prompt.Block(ctx, r, a, docs, docView)
			},
		} {
			all := &counter{}
			c.Count = all.count
			if _, err := call(t.Context(), mustNew(t, c)); err != nil {
				t.Fatal(err)
			}
			for at := 0; at <= all.calls; at++ {
				ctx, cancel := context.WithCancel(t.Context())
				n := &counter{cancel: cancel, at: at}
				if at == 0 {
					cancel()
				}
				c.Count = n.count
				p, err := call(ctx, mustNew(t, c))
				cancel()
				if !errors.Is(err, context.Canceled) || n.calls > at {
					t.Errorf("%s, budget %d, ended in count %d of %d: %d counts and error %v", name, c.Budget, at, all.calls, n.calls, err)
				}
				isEmpty(t, p)
			}
		}
	}
}

// A FormatFunc is not called once the context has ended.
func TestAnEndedContextStopsTheFormatting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	c := prompt.Config{FormatFunc: func(d prompt.Document) (string, error) {
		if calls++; calls == 3 {
			cancel()
		}
		return d.Text, nil
	}}
	_, err := prompt.Build(ctx, mustNew(t, c), nil, letters(9), docView, prompt.Input{Question: "Q"})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("%d calls and error %v", calls, err)
	}
}

// Parts are counted once, and then few whole prompts: what is counted stays in
// proportion to the budget, however much comes in.
func TestWhatIsCountedIsBounded(t *testing.T) {
	t.Parallel()
	dense := strings.Repeat("a", 30_000) // by this counter 7,500 units
	var history []prompt.Message
	for range 50 {
		history = append(history, prompt.Message{Role: prompt.User, Text: dense})
	}
	many := make([]doc, 2_000)
	for i := range many {
		many[i].text = fmt.Sprintf("document %d is short", i)
	}
	for _, test := range []struct {
		name   string
		docs   []doc
		in     prompt.Input
		budget int
		calls  int
		times  float64 // of the bytes that the budget can hold
	}{
		{"long documents", texts(slices.Repeat([]string{dense}, 100)...), prompt.Input{Question: "Q"}, 16_000, 12, 8},
		{"none fits", texts(slices.Repeat([]string{dense}, 100)...), prompt.Input{Question: "Q"}, 4_000, 6, 4},
		{"long turns", letters(3), prompt.Input{Question: "Q", History: history}, 16_000, 12, 8},
		{"prose", prose(500), prompt.Input{Question: "Q"}, 16_000, 16, 6},
		{"many short ones", many, prompt.Input{Question: "Q"}, 4_000, 20, 6},
	} {
		n := &counter{}
		p := build(t, prompt.Config{NoDocuments: "-", Budget: test.budget, Count: n.count}, test.docs, test.in)
		if p.Size > test.budget {
			t.Errorf("%s: size %d", test.name, p.Size)
		}
		if got := float64(n.total) / float64(4*test.budget); got > test.times || n.calls > test.calls {
			t.Errorf("%s: %d bytes in %d counts, %.1f times what the budget holds", test.name, n.total, n.calls, got)
		}
	}
}

// A counter that finds a text cheap gets no more of it than the budget could hold of
// any other.
func TestCheapTextsAreBoundedToo(t *testing.T) {
	t.Parallel()
	n := &counter{}
	count := func(text string) int { n.count(text); return len(text) / 64 }
	docs := texts(slices.Repeat([]string{strings.Repeat("=", 10_000)}, 200)...)
	p := build(t, prompt.Config{Budget: 10_000, MaxBytes: 20_000, Count: count}, docs, prompt.Input{Question: "Q"})
	if n.longest > 170_000 || len(p.Arrangement.Labels()) != 15 {
		t.Errorf("a text of %d bytes was counted, and %d documents are kept", n.longest, len(p.Arrangement.Labels()))
	}
	same(t, "reason", core.OverBudget, p.Arrangement.Dropped[0].Reason)

	// What may not be left out is refused before it is counted.
	for i := range docs {
		docs[i].meta = map[string]any{"pin": true}
	}
	n.calls = 0
	_, err := prompt.Build(t.Context(), mustNew(t, prompt.Config{Budget: 10_000, MaxBytes: 20_000, Count: count}), mustArranger(t, core.Config{Keys: core.Keys{Pin: "pin"}}), docs, docView, prompt.Input{Question: "Q"})
	same(t, "field", "Budget", mustBe[*core.ConfigError](t, err).Field)
	same(t, "counts", 0, n.calls)

	// Nor is it where the size of the whole decides the layout alone: it is a long one.
	n.calls = 0
	p = build(t, prompt.Config{Layout: prompt.Bookend, BookendFrom: 1_000, Count: count}, docs, prompt.Input{Question: "Q"})
	same(t, "layout", prompt.Bookend, p.Layout)
	same(t, "counts", 0, n.calls)
	same(t, "documents", len(docs), len(p.Arrangement.Labels()))
}

// No sum and no product wraps around.
func TestNumbersDoNotOverflow(t *testing.T) {
	t.Parallel()
	huge := func(string) int { return math.MaxInt }
	in := prompt.Input{Question: "Q", History: fourTurns}
	for _, c := range []prompt.Config{
		{Budget: math.MaxInt, Unit: core.Runes},
		{Budget: math.MaxInt, Reserve: 1, Unit: core.Runes},
		{Budget: math.MaxInt, Count: huge},
		{Budget: math.MaxInt, BookendFrom: math.MaxInt, Layout: prompt.Bookend, Count: core.Words.Count},
		{Layout: prompt.Bookend, BookendFrom: math.MaxInt, MaxBytes: math.MaxInt, Count: huge},
	} {
		docs := letters(9)
		for i := range docs {
			docs[i].text = strings.Repeat("x ", 15_000)
		}
		if p := build(t, c, docs, in); len(p.Arrangement.Labels()) != 9 || p.DroppedTurns != 0 {
			t.Errorf("%+v: %d documents, %d turns out", c.Budget, len(p.Arrangement.Labels()), p.DroppedTurns)
		}
	}
	for _, c := range []prompt.Config{
		{Budget: math.MaxInt, Reserve: math.MaxInt, Unit: core.Runes},
		{Budget: 1, Reserve: math.MaxInt, Unit: core.Runes},
		{Budget: math.MaxInt - 1, Count: huge},
	} {
		_, err := prompt.Build(t.Context(), mustNew(t, c), nil, letters(9), docView, in)
		mustBe[*prompt.BudgetError](t, err)
	}
}

// A placement that gives two orders for one input would make the arrangement say
// another thing than the prompt.
func TestAPlacementThatChangesItsMind(t *testing.T) {
	t.Parallel()
	calls := 0
	fickle := core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
		calls++
		for i := range slots {
			slots[i] = (i + calls) % len(slots)
		}
		return nil
	})
	a := mustArranger(t, core.Config{Placement: core.Choice{Placement: fickle}})
	_, err := prompt.Build(t.Context(), mustNew(t, prompt.Config{Budget: 40, Unit: core.Runes}), a, letters(9), docView, prompt.Input{Question: "Q"})
	mustMention(t, mustBe[*core.PlacementError](t, err), "two ways")
}

var million = flag.Bool("million", false, "lay out a prompt from a million documents")

// With -million: the best of a million documents take two seconds and a gigabyte at
// most.
func TestAMillionDocuments(t *testing.T) {
	if !*million {
		t.Skip("-million runs it")
	}
	docs := make([]doc, 1_000_000)
	for i := range docs {
		docs[i].text = fmt.Sprint("document ", i, " says what it says in a line or so")
	}
	r := mustNew(t, prompt.Config{Budget: 4_000, Count: func(text string) int {
		for start := time.Now(); time.Since(start) < 100*time.Nanosecond; {
		}
		return len(text) / 4
	}})
	var times []time.Duration
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		if _, err := prompt.Build(t.Context(), r, nil, docs, docView, prompt.Input{Question: "Q"}); err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(start))
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1_000_000_000 {
			t.Errorf("%d bytes were allocated", got)
		} else {
			t.Logf("%v, %d MB", times[len(times)-1], got/1_000_000)
		}
	}
	slices.Sort(times)
	if times[2] > 2*time.Second {
		t.Errorf("the median is %v", times[2])
	}
}
