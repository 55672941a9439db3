package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/layout"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// mustQuestions opens a dataset of the given lines.
func mustQuestions(t testing.TB, lines ...string) *dataset.Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const threeDocuments = `{"question":"who?","answers":["Ada"],"ctxs":[{"title":"A","text":"one"},{"title":"B","text":"Ada did","isgold":true},{"title":"C","text":"three"}]}`

func mustNewPlan(t testing.TB, d *dataset.Dataset, s Settings) *Plan {
	t.Helper()
	s.Model = "fake"
	p, err := NewPlan(d, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cellOf(c model.Call) string { return fmt.Sprintf("%s %d %d", c.Arm, c.Slot, c.Repeat) }

func TestArmsOfAQuestionStandTogetherInSlotOrder(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, 5, 4, nil)
	all := calls(t, p)
	want := []string{"closed-book -1 0", "oracle -1 0", "slot 0 0", "slot 1 0", "slot 2 0", "slot 3 0", "repeat 2 1"}
	if len(all) != 5*len(want) {
		t.Fatalf("calls: -want %d +got %d", 5*len(want), len(all))
	}
	keys, questions := map[string]bool{}, map[string]bool{}
	for i, c := range all {
		if got := cellOf(c); got != want[i%len(want)] {
			t.Errorf("call %d: (-want +got) -%s +%s", i, want[i%len(want)], got)
		}
		if c.Question != all[i/len(want)*len(want)].Question {
			t.Errorf("call %d is of another question than its neighbours", i)
		}
		if len(c.Key) != 64 || keys[c.Key] {
			t.Errorf("call %d: key %q is not of 64 digits or not its own", i, c.Key)
		}
		keys[c.Key], questions[c.Question] = true, true
	}
	if len(questions) != 5 {
		t.Errorf("questions: -want 5 +got %d", len(questions))
	}
}

func TestSeedShufflesAndPrefixesAgree(t *testing.T) {
	t.Parallel()
	first := func(seed uint64, questions int) (order []string) {
		for _, c := range calls(t, mustPlan(t, 30, 2, func(s *Settings) { s.Seed, s.Questions = seed, questions })) {
			if c.Arm == ArmOracle {
				order = append(order, c.Question)
			}
		}
		return order
	}
	long, short, other := first(1, 0), first(1, 7), first(2, 0)
	if !slices.Equal(long[:7], short) {
		t.Errorf("a shorter plan asks others: (-want +got) -%v +%v", long[:7], short)
	}
	if slices.Equal(long, other) {
		t.Error("two seeds have one order")
	}
	slices.Sort(long)
	slices.Sort(other)
	if !slices.Equal(long, other) {
		t.Error("two seeds have different questions")
	}
}

func TestWithoutLeavesArmsOut(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, 1, 3, func(s *Settings) { s.Without = []string{ArmClosedBook, ArmOracle, ArmRepeat}; s.Slots = []int{0, 2} })
	var got []string
	for _, c := range calls(t, p) {
		got = append(got, cellOf(c))
	}
	if want := []string{"slot 0 0", "slot 2 0"}; !slices.Equal(got, want) {
		t.Errorf("(-want +got) -%v +%v", want, got)
	}
}

func TestPaperPromptOfQuestions(t *testing.T) {
	t.Parallel()
	p := mustNewPlan(t, mustQuestions(t, threeDocuments), Settings{Instruction: "Do.", Without: []string{ArmRepeat}})
	want := []string{
		"Question: who?\nAnswer:",
		"Do.\n\nDocument [1](Title: B) Ada did\n\nQuestion: who?\nAnswer:",
		"Do.\n\nDocument [1](Title: B) Ada did\nDocument [2](Title: A) one\nDocument [3](Title: C) three\n\nQuestion: who?\nAnswer:",
		"Do.\n\nDocument [1](Title: A) one\nDocument [2](Title: B) Ada did\nDocument [3](Title: C) three\n\nQuestion: who?\nAnswer:",
		"Do.\n\nDocument [1](Title: A) one\nDocument [2](Title: C) three\nDocument [3](Title: B) Ada did\n\nQuestion: who?\nAnswer:",
	}
	for i, c := range calls(t, p) {
		if c.Prompt.Text != want[i] {
			t.Errorf("call %d: (-want +got)\n-%q\n+%q", i, want[i], c.Prompt.Text)
		}
		if m := c.Prompt.Messages; len(m) != 1 || m[0].Role != prompt.User || m[0].Text != want[i] {
			t.Errorf("call %d: messages %v are not one of the user with the text", i, m)
		}
		if !slices.Equal(c.Answers, []string{"Ada"}) || c.Tokens != model.EstimateTokens(want[i]) || c.MaxTokens != model.DefaultMaxTokens {
			t.Errorf("call %d: answers %v, tokens %d, most %d", i, c.Answers, c.Tokens, c.MaxTokens)
		}
	}
}

func TestKeyValueLayout(t *testing.T) {
	t.Parallel()
	d := mustQuestions(t, `{"ordered_kv_records":[["a","1"],["b<","2\""],["c","3"]],"key":"b<","value":"2\""}`)
	p := mustNewPlan(t, d, Settings{Instruction: "Do.", Slots: []int{0}, Without: []string{ArmRepeat}})
	want := []string{
		"Key: \"b<\"\nCorresponding value:",
		"Do.\n\nJSON data:\n{\"b<\": \"2\\\"\"}\n\nKey: \"b<\"\nCorresponding value:",
		"Do.\n\nJSON data:\n{\"b<\": \"2\\\"\",\n \"a\": \"1\",\n \"c\": \"3\"}\n\nKey: \"b<\"\nCorresponding value:",
	}
	for i, c := range calls(t, p) {
		if c.Prompt.Text != want[i] {
			t.Errorf("call %d: (-want +got)\n-%q\n+%q", i, want[i], c.Prompt.Text)
		}
	}
	if got := p.Describe().Layout; got != layout.KeyValueName {
		t.Errorf("layout: -want %s +got %s", layout.KeyValueName, got)
	}
}

func TestAnyLayoutAndFormat(t *testing.T) {
	t.Parallel()
	config := prompt.Config{Layout: prompt.QueryAware, Format: prompt.XML, Rules: "Be kind.", Labels: prompt.ByRank, TitleKey: "name"}
	p := mustNewPlan(t, mustQuestions(t, threeDocuments), Settings{Prompt: &config, Slots: []int{2}, Without: []string{ArmRepeat, ArmClosedBook}})
	c := calls(t, p)[1]
	if got := c.Prompt.Text; !strings.Contains(got, "<document index=\"3\">\n<source>B</source>\n<document_content>\nAda did") || strings.Count(got, "who?") != 2 {
		t.Errorf("the gold document is not the third of a query-aware prompt in XML: %q", got)
	}
	if m := c.Prompt.Messages; len(m) != 2 || m[0].Text != "Be kind." {
		t.Errorf("messages: %v", m)
	}
	if got, want := p.Describe().Layout, "query-aware/xml"; got != want {
		t.Errorf("layout: -want %s +got %s", want, got)
	}
}

// A document with the words of the gold one makes neighbouring slots one prompt.
func TestAlikePromptsAreRepeatsOfTheirOwn(t *testing.T) {
	t.Parallel()
	d := mustQuestions(t, `{"question":"who?","answers":["Ada"],"ctxs":[{"text":"one"},{"text":"Ada"},{"text":"Ada","isgold":true},{"text":"four"}]}`)
	p := mustNewPlan(t, d, Settings{Without: []string{ArmClosedBook, ArmOracle}})
	var got []string
	prompts := map[string]map[string]bool{}
	for _, c := range calls(t, p) {
		got = append(got, cellOf(c))
		if prompts[c.Prompt.Text] == nil {
			prompts[c.Prompt.Text] = map[string]bool{}
		}
		if prompts[c.Prompt.Text][c.Key] {
			t.Errorf("%s has the key of another cell", cellOf(c))
		}
		prompts[c.Prompt.Text][c.Key] = true
	}
	want := []string{"slot 0 0", "slot 1 0", "slot 2 1", "slot 3 0", "repeat 2 2"}
	if !slices.Equal(got, want) {
		t.Errorf("(-want +got) -%v +%v", want, got)
	}
	if len(prompts) != 3 {
		t.Errorf("prompts: -want 3 +got %d", len(prompts))
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	d := mustQuestions(t, threeDocuments)
	for field, s := range map[string]Settings{
		"Model":              {},
		"Documents":          {Model: "m", Documents: 4},
		"slots":              {Model: "m", Slots: []int{0, 3}},
		"Questions":          {Model: "m", Questions: -1},
		"Repeats":            {Model: "m", Repeats: -1},
		"Without":            {Model: "m", Without: []string{"slot"}},
		"Params.Temperature": {Model: "m", Params: model.Params{Temperature: -1}},
		"Params.MaxTokens":   {Model: "m", Params: model.Params{MaxTokens: model.MaxTokens + 1}},
		"Params":             {Model: "m", Params: model.Params{Extra: map[string]any{"f": func() {}}}},
		"Prompt.Budget":      {Model: "m", Prompt: &prompt.Config{Budget: 5, Unit: core.Words}},
		"Format":             {Model: "m", Prompt: &prompt.Config{Format: "poem"}},
	} {
		_, err := NewPlan(d, s)
		e := (*core.ConfigError)(nil)
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	p := mustNewPlan(t, d, Settings{})
	for _, i := range []int{-1, p.Len()} {
		if _, err := p.Call(i); err == nil {
			t.Errorf("call %d: no error", i)
		}
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, 3, 4, func(s *Settings) {
		s.Params.MaxTokens = 10
		s.Count = func(text string) int { return strings.Count(text, "\"") / 2 } // keys and values
	})
	// A question: 1 key closed-book, 3 oracle, 9 in each of 4 slots and the repeat.
	want := run.Estimate{Calls: 21, Questions: 3, Read: 3, Usage: model.Usage{Prompt: 3 * (1 + 3 + 5*9), Completion: 210}, Cost: 0.000147*2 + 0.00021*4, Priced: true}
	got, err := p.Estimate(t.Context(), model.Prices{Prompt: 2, Completion: 4})
	if err != nil {
		t.Fatal(err)
	}
	if diff := got.Cost - want.Cost; diff < -1e-12 || diff > 1e-12 {
		t.Errorf("cost: -want %v +got %v", want.Cost, got.Cost)
	}
	if got.Cost = want.Cost; got != want {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	long := mustPlan(t, estimateQuestions*10, 2, nil)
	if got, err = long.Estimate(t.Context(), model.Prices{}); err != nil || got.Read != estimateQuestions {
		t.Errorf("a long plan: %+v, %v", got, err)
	}
	exact := 0
	for _, c := range calls(t, long) {
		exact += c.Tokens
	}
	if got.Usage.Prompt != exact { // all cases are of one size
		t.Errorf("extrapolated tokens: -want %d +got %d", exact, got.Usage.Prompt)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Estimate(cancelled, model.Prices{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := p.Estimate(t.Context(), model.Prices{Prompt: -1}); err == nil {
		t.Error("a negative price is accepted")
	}
}

func TestDenseSlots(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 60; n++ {
		for k := 2; k <= n; k++ {
			slots, err := DenseSlots(n, k)
			if err != nil || len(slots) != k || slots[0] != 0 || slots[k-1] != n-1 || slot.Check(n, slots) != nil {
				t.Fatalf("DenseSlots(%d, %d) = %v, %v", n, k, slots, err)
			}
			middle := false
			for i, slot := range slots {
				if k%2 == 0 && slots[k-1-i] != n-1-slot {
					t.Errorf("DenseSlots(%d, %d) = %v is not symmetric", n, k, slots)
				}
				middle = middle || 4*slot >= n-1 && 4*slot <= 3*(n-1)
			}
			if k >= 3 && !middle {
				t.Errorf("DenseSlots(%d, %d) = %v has none in the middle half", n, k, slots)
			}
		}
	}
	for k, want := range map[int][]int{5: {0, 3, 9, 16, 19}, 9: {0, 1, 3, 6, 9, 13, 16, 18, 19}} {
		if got, _ := DenseSlots(20, k); !slices.Equal(got, want) {
			t.Errorf("DenseSlots(20, %d): (-want +got) -%v +%v", k, want, got)
		}
	}
	for _, k := range []int{-1, 0, 1, 11} {
		if _, err := DenseSlots(10, k); err == nil {
			t.Errorf("DenseSlots(10, %d): no error", k)
		}
	}
}

func TestParseSlots(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"": {0, 1, 2, 3}, "All": {0, 1, 2, 3}, "2": {0, 3}, "1, 3": {0, 2}, "2,": {1}, "4,": {3},
		"x": nil, "1,x": nil, "3,1": nil, "0,4": nil, "1,5": nil, "2,2": nil, "9": nil, ",": nil,
	} {
		got, err := ParseSlots(text, 4)
		if want == nil != (err != nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q: (-want +got) -%v +%v, %v", text, want, got, err)
		}
	}
}

func TestManifestSurvivesJSON(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	p := mustNewPlan(t, mustQuestions(t, threeDocuments), Settings{Repeats: 2, Seed: 3})
	j := fake.Journal(t, path)
	for range 2 {
		if err := j.Describe(p.Manifest()); err != nil {
			t.Fatal(err)
		}
	}
	_, reading := fake.Read(t, path)
	if len(reading.Manifest) != 1 {
		t.Fatalf("manifests: -want 1 +got %d", len(reading.Manifest))
	}
	var got Manifest
	if err := json.Unmarshal(reading.Manifest[0], &got); err != nil {
		t.Fatal(err)
	}
	if want := p.Describe(); !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	if got.Repeats != 2 || got.Calls != 7 || got.Prompt.Cue != "Answer:" || got.Instruction == "" {
		t.Errorf("manifest: %+v", got)
	}
}

// A sweep moves the one gold document of a case.
func TestListsNeedOneGold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	lines := []string{
		`{"question":"none","answers":["Rome"],"ctxs":[{"text":"Milan"},{"text":"Turin"}]}`,
		`{"question":"one","answers":["Rome"],"ctxs":[{"text":"Milan"},{"text":"Rome"}]}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, one := range []bool{false, true} {
		lists, err := dataset.Rules{Lists: true, OneGold: one}.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer lists.Close()
		_, err = NewPlan(lists, Settings{Model: "m"})
		e := (*core.ConfigError)(nil)
		if one && err != nil || !one && (!errors.As(err, &e) || e.Field != "dataset") {
			t.Errorf("with one gold document alone %t: %v", one, err)
		}
	}
}
