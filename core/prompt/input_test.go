package prompt_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

var errBroken = errors.New("broken")

// every calls f for Build and Render of the same input.
func every(t *testing.T, c prompt.Config, docs []doc, in prompt.Input, f func(t *testing.T, err error)) {
	t.Helper()
	r := mustNew(t, c)
	t.Run("Build", func(t *testing.T) {
		p, err := prompt.Build(t.Context(), r, nil, docs, docView, in)
		isEmpty(t, p)
		f(t, err)
	})
	t.Run("Render", func(t *testing.T) {
		p, err := prompt.Render(t.Context(), r, mustArranged(t, nil, len(docs)), docs, docView, in)
		isEmpty(t, p)
		f(t, err)
	})
}

func isEmpty(t *testing.T, p prompt.Prompt) {
	t.Helper()
	if p.Text != "" || p.Messages != nil {
		t.Errorf("an error comes with the prompt %q", p.Text)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	turn := []prompt.Message{{Role: prompt.User, Text: "U"}}
	negative := func(string) int { return -3 }
	for _, test := range []struct {
		name    string
		config  prompt.Config
		in      prompt.Input
		field   string
		value   any
		mention string
	}{
		{"no question", prompt.Config{}, prompt.Input{}, "Question", "", "Block"},
		{"history without a place", prompt.Config{Layout: "rules,documents,question"}, prompt.Input{Question: "Q", History: turn}, "History", "1 messages", "rules,documents,question"},
		{"no role", prompt.Config{}, prompt.Input{Question: "Q", History: []prompt.Message{{Text: "U"}}}, "History[0].Role", "", "assistant"},
		{"unknown role", prompt.Config{}, prompt.Input{Question: "Q", History: append(turn, prompt.Message{Role: "human"})}, "History[1].Role", "human", "system, user, assistant or tool"},
		{"negative count", prompt.Config{Budget: 9, Count: negative}, prompt.Input{Question: "Q"}, "Count", -3, "0 or more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			every(t, test.config, letters(1), test.in, func(t *testing.T, err error) {
				fault := mustBe[*core.ConfigError](t, err)
				same(t, "field", test.field, fault.Field)
				same(t, "value", test.value, fault.Value)
				mustMention(t, err, test.mention)
			})
		})
	}
}

// A counter that goes wrong later than in its first call is found as well.
func TestNegativeCountLater(t *testing.T) {
	t.Parallel()
	for good := range 4 {
		calls := 0
		c := prompt.Config{Budget: 100, Count: func(text string) int {
			if calls++; calls > good {
				return -1
			}
			return core.Runes.Count(text)
		}}
		_, err := prompt.Build(t.Context(), mustNew(t, c), nil, letters(26), docView, prompt.Input{Question: "Q"})
		same(t, "field", "Count", mustBe[*core.ConfigError](t, err).Field)
	}
}

func TestFormatFuncFails(t *testing.T) {
	t.Parallel()
	c := prompt.Config{FormatFunc: func(d prompt.Document) (string, error) {
		if d.Text == "B" {
			return "", errBroken
		}
		return d.Text, nil
	}}
	check := func(t *testing.T, err error) {
		if !errors.Is(err, errBroken) {
			t.Errorf("got error %v, want one of the func's own", err)
		}
		same(t, "label", 2, mustBe[*prompt.FormatError](t, err).Label)
		mustMention(t, err, "[2]", "broken")
	}
	every(t, c, letters(3), prompt.Input{Question: "Q"}, check)
	c.Budget, c.Unit = 10_000, core.Runes
	every(t, c, letters(3), prompt.Input{Question: "Q"}, check)
	p, err := prompt.Block(t.Context(), mustNew(t, c), mustArranged(t, nil, 3), letters(3), docView)
	isEmpty(t, p)
	check(t, err)
}

// A func may fail for what only a smaller prompt shows.
func TestFormatFuncFailsLater(t *testing.T) {
	t.Parallel()
	for good := range 4 {
		calls := 0
		c := prompt.Config{
			Budget: 100, Unit: core.Runes,
			FormatFunc: func(d prompt.Document) (string, error) {
				if d.Slot == 0 {
					calls++
				}
				if calls > good {
					return "", errBroken
				}
				return d.Text + strings.Repeat(".", 10), nil
			},
		}
		_, err := prompt.Build(t.Context(), mustNew(t, c), nil, letters(26), docView, prompt.Input{Question: "Q"})
		if !errors.Is(err, errBroken) {
			t.Errorf("good for %d: got error %v, want one of the func's own", good, err)
		}
	}
}

func TestBudgetErrorGivesBothNumbers(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Why?", History: chat}
	c := prompt.Config{Rules: "RULES", NoDocuments: "none", Unit: core.Runes, Budget: 30, Reserve: 5}
	needed := len("RULES\n\nnone\n\nQuestion: Why?")
	docs := texts("a long text of a document", "another long text")
	every(t, c, docs, in, func(t *testing.T, err error) {
		same(t, "error", &prompt.BudgetError{Needed: needed, Reserve: 5, Budget: 30}, mustBe[*prompt.BudgetError](t, err))
		mustMention(t, err, "needs 27", "5 are kept", "budget is 30", "raise Budget")
	})

	// One more would have been enough, and a reserve above the budget never is.
	c.Budget = needed + 5
	p := build(t, c, docs, in)
	same(t, "size", needed, p.Size)
	c.Reserve = c.Budget + 1
	every(t, c, docs, in, func(t *testing.T, err error) {
		same(t, "error", &prompt.BudgetError{Needed: needed, Reserve: c.Reserve, Budget: c.Budget}, mustBe[*prompt.BudgetError](t, err))
	})
}

func TestPinnedDocumentAboveTheCap(t *testing.T) {
	t.Parallel()
	docs := letters(3)
	docs[1] = doc{text: strings.Repeat("x", core.DefaultMaxBytes+1), meta: map[string]any{"pin": true}}
	a := mustArranger(t, core.Config{Keys: core.Keys{Pin: "pin"}})
	r := mustNew(t, prompt.Config{Budget: 50, Unit: core.Runes})
	_, err := prompt.Build(t.Context(), r, a, docs, docView, prompt.Input{Question: "Q"})
	same(t, "error", &core.PinError{Limit: "MaxBytes", Max: core.DefaultMaxBytes, Got: core.DefaultMaxBytes + 1, Rank: 1}, mustBe[*core.PinError](t, err))
}

func TestForeignArrangement(t *testing.T) {
	t.Parallel()
	docs := letters(2)
	for name, a := range map[string]core.Arrangement{
		"of other documents": mustArranged(t, nil, 3),
		"index out of range": {N: 2, Slots: []core.Placed{{Index: 2, Rank: 0, Label: 1}}},
		"negative index":     {N: 2, Slots: []core.Placed{{Index: -1, Rank: 0, Label: 1}}},
		"index twice":        {N: 2, Slots: []core.Placed{{Index: 0, Rank: 0, Label: 1}, {Index: 0, Rank: 1, Label: 2}}},
		"rank twice":         {N: 2, Slots: []core.Placed{{Index: 0, Rank: 1, Label: 1}, {Index: 1, Rank: 1, Label: 2}}},
		"rank out of range":  {N: 2, Slots: []core.Placed{{Index: 0, Rank: 2, Label: 1}}},
		"no label":           {N: 2, Slots: []core.Placed{{Index: 0, Rank: 0}}},
		"label out of range": {N: 2, Slots: []core.Placed{{Index: 0, Rank: 0, Label: 2}}},
		"label twice":        {N: 2, Slots: []core.Placed{{Index: 0, Rank: 0, Label: 1}, {Index: 1, Rank: 1, Label: 1}}},
		"left out and kept":  {N: 2, Slots: []core.Placed{{Index: 0, Rank: 0, Label: 1}}, Dropped: []core.Dropped{{Index: 0, Rank: 1}}},
	} {
		for format, c := range map[string]prompt.Config{"plain": {}, "budget": {Budget: 20, Unit: core.Runes}} {
			r := mustNew(t, c)
			_, err := prompt.Render(t.Context(), r, a, docs, docView, prompt.Input{Question: "Q"})
			var foreign *core.ConfigError
			if !errors.As(err, &foreign) {
				t.Errorf("%s, %s: Render gives error %T (%v)", name, format, err, err)
			}
			if _, err = prompt.Block(t.Context(), r, a, docs, docView); !errors.As(err, &foreign) {
				t.Errorf("%s, %s: Block gives error %T (%v)", name, format, err, err)
			}
		}
	}
}

func TestErrorsOfArranging(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Q"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := prompt.Build(ctx, nil, nil, letters(1), docView, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
	}
	lost := core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error { slots[0] = 1; return nil })
	a := mustArranger(t, core.Config{Placement: core.Choice{Placement: lost}})
	_, err := prompt.Build(t.Context(), nil, a, letters(3), docView, in)
	mustBe[*core.PlacementError](t, err)
	negative := in
	negative.Call.TopK = -1
	_, err = prompt.Build(t.Context(), nil, nil, letters(3), docView, negative)
	same(t, "field", "TopK", mustBe[*core.ConfigError](t, err).Field)

	// A placement may fail for fewer documents than came in.
	small := core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
		if len(slots) < 5 {
			return errBroken
		}
		return nil
	})
	a = mustArranger(t, core.Config{Placement: core.Choice{Placement: small}})
	docs := append(letters(4), doc{text: strings.Repeat("x", core.DefaultMaxBytes+1)})
	for _, budget := range []int{20, 50_000, 500_000} {
		r := mustNew(t, prompt.Config{Budget: budget, Unit: core.Runes})
		if _, err = prompt.Build(t.Context(), r, a, docs, docView, in); !errors.Is(err, errBroken) {
			t.Errorf("budget %d: got error %v, want that of the placement", budget, err)
		}
		if _, err = prompt.Build(t.Context(), r, a, letters(9), docView, in); budget == 20 && !errors.Is(err, errBroken) {
			t.Errorf("budget %d: got error %v, want that of the placement", budget, err)
		}
	}
}
