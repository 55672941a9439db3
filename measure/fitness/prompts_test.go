package fitness_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/model"
)

// kinds are texts with how many bytes of each a tokenizer takes for a token, at most and
// at least.
var kinds = map[string]struct {
	words       string
	least, most float64
}{
	"english":  {"the river carries every morning a little more of the bank towards the sea and nobody counts ", 3.6, 5.2},
	"german":   {"Die Donaudampfschifffahrtsgesellschaft verkaufte im vergangenen Jahr ihre letzten Schiffe ", 2.4, 4.5},
	"russian":  {"река каждое утро уносит немного берега к морю и никто этого не считает ", 3, 10},
	"chinese":  {"河流每天早晨把一点河岸带向大海没有人去数它", 2, 6},
	"thai":     {"แม่น้ำพัดพาตลิ่งออกไปสู่ทะเลทีละน้อยทุกเช้าโดยไม่มีใครนับ", 2.5, 12},
	"numbers":  {"4711 0815 2718281828 31415926535 1618033 ", 1, 2.8},
	"code":     {"func (c *Check) add(v float64) error {\n\t\treturn c.mean.Add(v, v)\n}\n", 2.4, 4},
	"json":     {`{"id": "a81bc81b-dead-4e5d-abff-90865d1e13b1", "tags": ["x", "y"], "n": 12},` + "\n", 1.6, 3},
	"indented": {"def f(x):\n                                return x\n", 2, 4.6},
}

// text is some of the words, of about so many bytes.
func text(words string, bytes int) string { return strings.Repeat(words, bytes/len(words)+1) }

// honest is how many tokens a prompt has whose parts have those lengths, for a tokenizer
// of its own rates.
func honest(random *rand.Rand, asked string, least, most float64) int {
	rate := least + (most-least)*random.Float64()
	visible := strings.ReplaceAll(asked, "                                ", " ") // a run is a token
	return 1 + int(float64(len(visible))/rate)
}

func check(c *fitness.Check, asked string, read int) {
	c.Prompt(model.EstimateTokens(asked), model.LeastTokens(asked), read)
}

// What a tokenizer honestly counts is never taken for cut, whatever the texts are.
func TestHonestCountsAreNotCut(t *testing.T) {
	t.Parallel()
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	for seed := range 200 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		var c fitness.Check
		only := names[seed%len(names)]
		for range 100 {
			k := kinds[only]
			if seed%2 == 1 { // all kinds in one run
				k = kinds[names[random.IntN(len(names))]]
			}
			asked := text(k.words, 200+random.IntN(20_000))
			check(&c, asked, honest(random, asked, k.least, k.most))
			if u := c.Answers(); u != nil {
				t.Fatalf("seed %d, %s: %v", seed, only, u)
			}
		}
		if remarks := c.Remarks(false); remarks != nil {
			t.Fatalf("seed %d, %s: %q", seed, only, remarks)
		}
	}
}

// Prompts that are filled up to a number of tokens have nearly one count, and lengths that
// differ by what fills them.
func TestPromptsOfOneBudgetAreNotCut(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	var c fitness.Check
	for i := range 400 {
		rate := []float64{4.4, 2.2, 3}[i%3]
		read := 3900 + random.IntN(100)
		bytes := int(float64(read) * rate)
		c.Prompt(bytes/4, bytes/7, read)
		if u := c.Answers(); u != nil {
			t.Fatalf("after %d: %v", i, u)
		}
	}
}

// Prompts of one length, as those of generated pairs, have one count.
func TestPromptsOfOneLengthAreNotCut(t *testing.T) {
	t.Parallel()
	var c fitness.Check
	for range 100 {
		c.Prompt(60, 34, 100)
		for range 10 {
			c.Prompt(1500, 850, 3000)
		}
	}
	if u := c.Answers(); u != nil {
		t.Error(u)
	}
}

func TestCutPrompts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read   func(bytes int) int // of an English text
		within int                 // prompts; 0: never unfit
		says   string
	}{
		"at 2,048 tokens":       {func(n int) int { return min(n/4, 2048) }, 60, "the same number of tokens, 2048, of "},
		"at 100 tokens":         {func(n int) int { return min(n/4, 100) }, 20, ""},
		"at 4,000 characters":   {func(n int) int { return min(n, 3900+n%200) / 4 }, 60, ""},
		"at 15,000 characters":  {func(n int) int { return min(n, 14_900+n%200) / 4 }, 0, ""}, // as if filled up
		"at 9,000 characters":   {func(n int) int { return min(n, 8900+n%200) / 4 }, 200, ""}, // a fifth of the prompts is far longer
		"to a tenth":            {func(n int) int { return n/40 + 1 }, 20, "less than all of "},
		"one count for all":     {func(int) int { return 17 }, 20, ""},
		"no count":              {func(int) int { return 0 }, 0, ""},
		"no prompt is cut":      {func(n int) int { return n / 4 }, 0, ""},
		"a count as of bytes":   {func(n int) int { return n }, 0, ""},
		"the longest tenth cut": {func(n int) int { return min(n/4, 4500) }, 0, ""},
	} {
		random := rand.New(rand.NewPCG(3, 1))
		var check fitness.Check
		n := 0
		var u *fitness.Unfit
		for n = 1; n <= 200 && u == nil; n++ {
			asked := text(kinds["english"].words, 400+random.IntN(19_600))
			check.Prompt(model.EstimateTokens(asked), model.LeastTokens(asked), c.read(len(asked)))
			u = check.Answers()
		}
		switch {
		case c.within == 0 && u != nil:
			t.Errorf("%s: %v", name, u)
		case c.within > 0 && (u == nil || u.Rule != fitness.PromptsCut || n-1 > c.within):
			t.Errorf("%s: after %d prompts %+v, want unfit within %d", name, n-1, u, c.within)
		case u != nil && !strings.Contains(u.Reason, c.says):
			t.Errorf("%s: %q does not say %q", name, u.Reason, c.says)
		}
	}
}

// A few prompts that are cut are told, and decide nothing.
func TestCutSaysWhichPrompts(t *testing.T) {
	t.Parallel()
	var c fitness.Check
	if remarks := c.Remarks(false); remarks != nil {
		t.Errorf("before there are any: %q", remarks)
	}
	for i := range 40 {
		c.Prompt(1000+i, 500, 1000+i)
	}
	c.Prompt(9000, 5000, 4096)
	c.Prompt(0, 0, 4096) // an estimate that is not known
	c.Prompt(9000, 5000, 0)
	if remarks := c.Remarks(false); len(remarks) != 1 || !strings.Contains(remarks[0], "did not read 1 prompt of 41 whole; of one of about 9000 tokens it read 4096") {
		t.Errorf("%q", remarks)
	}
	if u := c.Answers(); u != nil {
		t.Error(u)
	}
}

// Where a server counts nothing, it is said that a cut would not be noticed.
func TestUncountedPromptsAreTold(t *testing.T) {
	t.Parallel()
	var c fitness.Check
	c.Prompt(9000, 5000, 0)
	if measured, simulated := c.Remarks(false), c.Remarks(true); len(measured) != 1 || !strings.Contains(measured[0], "not known whether it read the prompts whole") || simulated != nil {
		t.Errorf("%q, simulated %q", measured, simulated)
	}
	c.Prompt(1000, 500, 1000)
	if remarks := c.Remarks(false); remarks != nil {
		t.Errorf("some are counted: %q", remarks)
	}
}

// Looking after every question costs little, however long the run.
func BenchmarkCheck(b *testing.B) {
	for _, questions := range []int{100, 1000, 10_000} {
		b.Run("questions="+strconv.Itoa(questions), func(b *testing.B) {
			for b.Loop() {
				var c fitness.Check
				for i := range questions {
					for range 12 {
						c.Prompt(1000+i%700, 500, 990+i%650)
					}
					c.Add(question(12, i%12/11, 0, 0, 6))
					_ = c.Sweep()
				}
			}
		})
	}
}

// Prompts of one length tell nothing by themselves; what short ones have says what they
// must have.
func TestPromptsOfOneLength(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rate, template float64 // tokens for one that is estimated, and of the template
		most           int     // what the server reads at most
		unfit          bool
	}{
		"whole":                       {1, 12, 100_000, false},
		"whole, few tokens":           {0.4, 30, 100_000, false},
		"cut":                         {1, 12, 1024, true},
		"cut, few tokens":             {0.4, 30, 500, true},
		"cut a little":                {1, 12, 1500, false},
		"the short ones are cut, too": {1, 12, 40, true},
	} {
		var check fitness.Check
		read := func(estimated int) int { return min(c.most, int(c.rate*float64(estimated)+c.template)) }
		for i := range 12 {
			alone, single := 20+i%5, 150+i%7
			check.Scale(alone, read(alone), single, read(single))
			for range 6 {
				check.Prompt(2000, 0, read(2000))
			}
		}
		u := check.Answers()
		if got := u != nil && u.Rule == fitness.PromptsCut; got != c.unfit {
			t.Errorf("%s: %v", name, u)
		}
	}
}
