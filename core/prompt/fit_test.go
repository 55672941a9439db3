package prompt_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// The history of this test has four turns: what comes before the first question,
// and three questions with what follows them.
var fourTurns = []prompt.Message{
	{Role: prompt.System, Text: "summary"},
	{Role: prompt.Assistant, Text: "hello"},
	{Role: prompt.User, Text: "first"},
	{Role: prompt.Assistant, Text: "one"},
	{Role: prompt.User, Text: "second"},
	{Role: prompt.User, Text: "third"},
	{Role: prompt.Assistant, Text: "three"},
	{Role: prompt.Tool, Text: "3"},
}

var turnStarts = []int{0, 2, 4, 5}

// steps are all prompts that a budget can lead to, the fullest first: without one
// turn more of the history, then without one unpinned document more.
type step struct {
	text     string
	turns    int
	messages int
	left     []int // ranks in the prompt
}

func stepsOf(t *testing.T, c prompt.Config, a *core.Arranger, docs []doc, in prompt.Input) []step {
	t.Helper()
	c.Budget, c.Reserve = 0, 0
	r := mustNew(t, c)
	var steps []step
	add := func(turns int, messages int, left []int) {
		subset := make([]doc, len(left))
		for i, rank := range left {
			subset[i] = docs[rank]
		}
		rest := in
		rest.History = in.History[messages:]
		p, err := prompt.Build(t.Context(), r, a, subset, docView, rest)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step{p.Text, turns, messages, left})
	}
	all := make([]int, len(docs))
	for rank := range all {
		all[rank] = rank
	}
	for turns, start := range turnStarts {
		add(turns, start, all)
	}
	add(len(turnStarts), len(in.History), all)
	for i := len(docs) - 1; i >= 0; i-- {
		if docs[i].meta["pin"] == true {
			continue
		}
		all = slices.DeleteFunc(slices.Clone(all), func(rank int) bool { return rank == i })
		add(len(turnStarts), len(in.History), all)
	}
	return steps
}

// For every budget the prompt is the fullest that fits: with fewer than all
// documents no history is left, the worst unpinned documents are out, and the
// others are placed as if no more had come in.
func TestBudgetDropsTheLeast(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Why?", History: fourTurns}
	for _, placement := range []core.Placement{core.HeadTail, core.Reversed, core.LongContext, core.EdgesFirst{Edge: 1}} {
		for _, pins := range []string{"", "B", "CF", "ABCDEF"} {
			docs := texts("A alpha", "B beta, two lines\nof it", "C gamma", "D", "E epsilon", "F phi")
			for i := range docs {
				docs[i].meta = map[string]any{"pin": strings.Contains(pins, docs[i].text[:1])}
			}
			a := mustArranger(t, core.Config{Keys: core.Keys{Pin: "pin"}, Placement: core.Choice{Placement: placement}})
			c := prompt.Config{Rules: "Be kind.", Reminder: "Be brief.", Unit: core.Runes, NoDocuments: "-", Reserve: 3}
			steps := stepsOf(t, c, a, docs, in)
			full := core.Runes.Count(steps[0].text) + c.Reserve
			for c.Budget = 1 + c.Reserve; c.Budget <= full+1; c.Budget++ {
				want := slices.IndexFunc(steps, func(s step) bool { return core.Runes.Count(s.text)+c.Reserve <= c.Budget })
				p, err := prompt.Build(t.Context(), mustNew(t, c), a, docs, docView, in)
				name := fmt.Sprintf("%v, pins %q, budget %d", placement, pins, c.Budget)
				if want < 0 {
					var short *prompt.BudgetError
					if !errors.As(err, &short) || short.Needed != core.Runes.Count(steps[len(steps)-1].text) {
						t.Fatalf("%s: got error %v, want a budget error", name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				s := steps[want]
				same(t, name+": text", s.text, p.Text)
				same(t, name+": size", core.Runes.Count(s.text), p.Size)
				same(t, name+": labels", s.left, citedRanks(p))
				same(t, name+": turns", s.turns, p.DroppedTurns)
				same(t, name+": messages", s.messages, p.DroppedMessages)
				same(t, name+": history", fourTurns[s.messages:], p.Messages[:len(p.Messages)-1][len(p.Messages)-1-(len(fourTurns)-s.messages):])
				for _, out := range p.Arrangement.Dropped {
					if out.Reason != core.OverBudget || slices.Contains(s.left, out.Rank) {
						t.Errorf("%s: %+v was dropped", name, out)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// The words that there are no documents can be longer than a document.
func TestADocumentStaysWhereTheWordsForNoneWouldNotFit(t *testing.T) {
	t.Parallel()
	docs := letters(6)
	in := prompt.Input{Question: "Q"}
	none := "No documents were found.\n\nQuestion: Q"
	for n := 1; n <= 3; n++ {
		want := block(t, prompt.Config{}, docs[:n]) + "\n\nQuestion: Q"
		if len(want) >= len(none) {
			t.Fatalf("%d documents are longer than the words for none", n)
		}
		c := prompt.Config{Budget: len(want), Unit: core.Runes}
		r := mustNew(t, c)
		p, err := prompt.Render(t.Context(), r, mustArranged(t, nil, len(docs)), docs, docView, in)
		if err != nil {
			t.Errorf("budget %d: %v", c.Budget, err)
			continue
		}
		same(t, "text", want, p.Text)
	}
	// Neither fits: the smaller of the two is what is needed.
	r := mustNew(t, prompt.Config{Budget: 5, Unit: core.Runes})
	_, err := prompt.Render(t.Context(), r, mustArranged(t, nil, len(docs)), docs, docView, in)
	same(t, "needed", len("[1] A\n\nQuestion: Q"), mustBe[*prompt.BudgetError](t, err).Needed)
}

func TestRenderKeepsTheOrderOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	docs := letters(6)
	c := prompt.Config{NoDocuments: "-", Unit: core.Runes, Budget: len("[1] A\n\n[3] C\n\n[4] D\n\n[2] B\n\nQuestion: Q")}
	p, err := prompt.Render(t.Context(), mustNew(t, c), mustArranged(t, core.EdgesFirst{Edge: 1}, 6), docs, docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	// The slots hold the ranks 1 3 4 5 6 2, and so A has rank 1 and F rank 2.
	same(t, "text", "1:A 3:B 4:C 2:F Question: Q", slots(p.Text))
	same(t, "labels", []int{0, 1, 2, 3}, citedRanks(p))
}

func TestBlockUnderABudget(t *testing.T) {
	t.Parallel()
	c := prompt.Config{NoDocuments: "-", Unit: core.Runes, Budget: len("[1] A\n\n[2] B")}
	same(t, "block", "1:A 2:B", slots(block(t, c, letters(5))))
	c.Budget = 1
	same(t, "nothing fits", "-", block(t, c, letters(5)))
	c.NoDocuments = "none"
	p, err := prompt.Block(t.Context(), mustNew(t, c), mustArranged(t, nil, 5), letters(5), docView)
	isEmpty(t, p)
	same(t, "needed", 4, mustBe[*prompt.BudgetError](t, err).Needed)
}

func TestReserveIsKept(t *testing.T) {
	t.Parallel()
	full := "[1] A\n\n[2] B\n\nQuestion: Q"
	for _, test := range []struct {
		budget, reserve int
		want            string
	}{
		{len(full), 0, "1:A 2:B Question: Q"},
		{len(full), 1, "1:A Question: Q"},
		{len(full) + 9, 9, "1:A 2:B Question: Q"},
		{len(full) + 9, 10, "1:A Question: Q"},
	} {
		p := build(t, prompt.Config{NoDocuments: "-", Unit: core.Runes, Budget: test.budget, Reserve: test.reserve}, letters(2), prompt.Input{Question: "Q"})
		same(t, fmt.Sprint(test), test.want, slots(p.Text))
	}
}

// The built-in units count what core counts.
func TestUnits(t *testing.T) {
	t.Parallel()
	docs := texts("one two three", "vier fünf sechs")
	in := prompt.Input{Question: "Wörter?"}
	for unit, count := range map[core.Unit]func(string) int{core.Runes: core.Runes.Count, core.Words: core.Words.Count} {
		c := prompt.Config{Unit: unit, Budget: 1000}
		p := build(t, c, docs, in)
		same(t, string(unit), count(p.Text), p.Size)
		c.Budget = p.Size
		same(t, "just enough", p.Text, build(t, c, docs, in).Text)
		c.Budget--
		if less := build(t, c, docs, in); len(less.Arrangement.Labels()) != 1 {
			t.Errorf("%s: one less holds %d documents, want 1", unit, len(less.Arrangement.Labels()))
		}
	}
	same(t, "no budget", 0, build(t, prompt.Config{Unit: core.Runes}, docs, in).Size)
}

// A document over the byte cap goes before anything is counted, and leaves its
// place to the others.
func TestLongTextsGoFirst(t *testing.T) {
	t.Parallel()
	docs := letters(5)
	docs[0].text = strings.Repeat("x", core.DefaultMaxBytes+1)
	docs[3].text = docs[0].text
	longest := 0
	c := prompt.Config{Budget: 100, Count: func(text string) int {
		longest = max(longest, len(text))
		return core.Runes.Count(text)
	}}
	p := build(t, c, docs, prompt.Input{Question: "Q"})
	same(t, "text", "1:B 3:E 2:C Question: Q", slots(p.Text))
	same(t, "labels", []int{1, 2, 4}, citedRanks(p))
	if longest > 100 {
		t.Errorf("a text of %d bytes was counted", longest)
	}
	for _, out := range p.Arrangement.Dropped {
		same(t, "reason", core.OverMaxBytes, out.Reason)
	}
	same(t, "left out", 2, len(p.Arrangement.Dropped))

	docs[0].text = docs[0].text[1:]
	c.Budget = 2 * core.DefaultMaxBytes
	same(t, "at the cap", []int{0, 1, 2, 4}, citedRanks(build(t, c, docs, prompt.Input{Question: "Q"})))
}

// What the arranger left out for its own budget is listed beside what the prompt
// had no room for.
func TestBothBudgets(t *testing.T) {
	t.Parallel()
	a := mustArranger(t, core.Config{Budget: 4, Unit: core.Runes, TopK: 5})
	r := mustNew(t, prompt.Config{NoDocuments: "-", Unit: core.Runes, Budget: len("[1] A\n\n[2] B\n\nQuestion: Q")})
	p, err := prompt.Build(t.Context(), r, a, letters(7), docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "1:A 2:B Question: Q", slots(p.Text))
	same(t, "room", 4, p.Arrangement.Room)
	same(t, "used", 2, p.Arrangement.Used)
	var out []string
	for _, d := range p.Arrangement.Dropped {
		out = append(out, fmt.Sprint(d.Rank, " ", string(d.Reason)))
	}
	same(t, "left out", []string{"2 " + string(core.OverBudget), "3 " + string(core.OverBudget), "4 " + string(core.OverBudget), "5 " + string(core.OverTopK), "6 " + string(core.OverTopK)}, out)
}

// A counter that is called for each halving alone can be slow.
func TestFewCounts(t *testing.T) {
	t.Parallel()
	docs := make([]doc, 1000)
	for i := range docs {
		docs[i].text = fmt.Sprint("document ", i)
	}
	var history []prompt.Message
	for range 200 {
		history = append(history, prompt.Message{Role: prompt.User, Text: "again?"}, prompt.Message{Role: prompt.Assistant, Text: "yes"})
	}
	for _, budget := range []int{100, 1000, 10_000, 20_000, 24_000, 1_000_000} {
		for _, from := range []int{0, 15_000} {
			counts := 0
			c := prompt.Config{Layout: prompt.Bookend, BookendFrom: from, Budget: budget, Count: func(text string) int { counts++; return len(text) }}
			p := build(t, c, docs, prompt.Input{Question: "Q", History: history})
			if p.Size > budget {
				t.Errorf("budget %d: size %d", budget, p.Size)
			}
			if counts > 20 {
				t.Errorf("budget %d: %d counts, want 20 at most", budget, counts)
			}
		}
	}
}

// A tokenizer is not quite monotone: fewer words can have more tokens. The prompt
// fits all the same, and one step less would not.
func TestACounterThatIsNotMonotone(t *testing.T) {
	t.Parallel()
	odd := func(text string) int { return len(text) + len(text)*7919%13 }
	docs := make([]doc, 40)
	for i := range docs {
		docs[i].text = strings.Repeat("x", i%7)
	}
	in := prompt.Input{Question: "Q"}
	ranked := mustArranger(t, core.Config{Placement: core.Choice{Placement: core.RankOrder}})
	free := mustNew(t, prompt.Config{NoDocuments: "-"})
	text := func(n int) string {
		p, err := prompt.Build(t.Context(), free, ranked, docs[:n], docView, in)
		if err != nil {
			t.Fatal(err)
		}
		return p.Text
	}
	for budget := 40; budget < odd(text(40)); budget += 3 {
		r := mustNew(t, prompt.Config{NoDocuments: "-", Budget: budget, Count: odd})
		p, err := prompt.Build(t.Context(), r, ranked, docs, docView, in)
		if err != nil {
			t.Fatal(err)
		}
		n := len(p.Arrangement.Labels())
		if p.Text != text(n) || odd(p.Text) > budget || p.Size != odd(p.Text) {
			t.Errorf("budget %d: size %d, %d documents", budget, p.Size, n)
		}
		if n < len(docs) && odd(text(n+1)) <= budget {
			t.Errorf("budget %d: %d documents, but %d fit", budget, n, n+1)
		}
	}
}
