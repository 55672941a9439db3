package published_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/published"
)

func TestPublishedCurvesAreWhole(t *testing.T) {
	t.Parallel()
	curves := published.All()
	points, names := 0, map[string]bool{}
	for _, c := range curves {
		points += len(c.Slots)
		if names[c.Name] || c.Name != strings.ToLower(c.Name) || strings.ContainsAny(c.Name, " ():") {
			t.Errorf("the name %q is taken, or hard to type", c.Name)
		}
		names[c.Name] = true
		if c.Source == "" || c.Model == "" || c.Questions < 100 || len(c.Accuracy) != len(c.Slots) {
			t.Errorf("%+v is not whole", c)
		}
		if !slices.IsSorted(c.Slots) || c.Slots[0] != 0 || c.Slots[len(c.Slots)-1] != c.Documents-1 {
			t.Errorf("%s: slots %v do not ascend from 0 to %d", c.Name, c.Slots, c.Documents-1)
		}
		for i, slot := range c.Slots {
			if p := c.At(c.Documents)[slot]; math.Abs(p-c.Accuracy[i]) > 1e-12 || p <= 0.3 || p >= 0.95 {
				t.Errorf("%s, slot %d: got %g, published %g", c.Name, slot, p, c.Accuracy[i])
			}
		}
	}
	if len(curves) != 40 || points != 236 {
		t.Errorf("got %d curves with %d points, want 40 with 236", len(curves), points)
	}
}

// The value of a placement was worked out elsewhere, over the same curves.
func TestPublishedCurvesEqualTheReference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../worth/testdata/placement-value.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Rows []struct {
			Source, Model          string
			N                      int
			Decay, Ranked, Uniform float64
			HeadTail               float64 `json:"head_tail"`
		}
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	if len(reference.Rows) != 60 {
		t.Fatalf("got %d rows, want 60", len(reference.Rows))
	}
	for _, row := range reference.Rows {
		i := slices.IndexFunc(published.All(), func(c published.Curve) bool {
			return c.Source == row.Source && c.Model == row.Model && c.Documents == row.N
		})
		if i < 0 {
			t.Errorf("%s with %d documents is missing", row.Model, row.N)
			continue
		}
		accuracy := published.All()[i].At(row.N)
		value := func(p core.Placement) float64 {
			order, err := core.Order(p, row.N)
			if err != nil {
				t.Fatal(err)
			}
			sum, weights := 0.0, 0.0
			for slot, rank := range order {
				w := math.Pow(row.Decay, float64(rank))
				sum, weights = sum+w*accuracy[slot], weights+w
			}
			return 100 * sum / weights
		}
		uniform := 0.0
		for _, p := range accuracy {
			uniform += 100 * p / float64(row.N)
		}
		for what, pair := range map[string][2]float64{
			"ranked":    {value(core.RankOrder), row.Ranked},
			"head-tail": {value(core.HeadTail), row.HeadTail},
			"uniform":   {uniform, row.Uniform},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-4 {
				t.Errorf("%s/%d, decay %g, %s: got %.5f, want %.4f", row.Model, row.N, row.Decay, what, pair[0], pair[1])
			}
		}
	}
}

func TestPublishedIsTheCallersToChange(t *testing.T) {
	t.Parallel()
	first := published.All()
	first[0].Slots[1], first[0].Accuracy[0], first[0].Name = 7, 0, "x"
	found, err := published.Lookup("claude-1.3/10", 0)
	if err != nil {
		t.Fatal(err)
	}
	found.Accuracy[1] = 0
	second := published.All()
	want := published.Curve{
		Name: "claude-1.3/10", Source: "Liu et al. 2024 arXiv:2307.03172v3 T5-7", Model: "Claude-1.3",
		Documents: 10, Questions: 2655, Slots: []int{0, 4, 9}, Accuracy: []float64{0.629, 0.583, 0.597},
	}
	for i := range want.Accuracy {
		if !near(second[0].Accuracy[i], want.Accuracy[i]) {
			t.Errorf("accuracy (-want +got)\n-%v\n+%v", want.Accuracy, second[0].Accuracy)
		}
	}
	want.Accuracy = second[0].Accuracy
	if !reflect.DeepEqual(second[0], want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, second[0])
	}
}

func TestLookupPublished(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"gpt-3.5-turbo/20":      "gpt-3.5-turbo/20",
		"GPT-3.5-Turbo/20":      "gpt-3.5-turbo/20",
		" gpt-3.5-turbo ":       "gpt-3.5-turbo/20",
		"gpt-3.5-turbo-16k/30":  "gpt-3.5-turbo-16k/30",
		"deepseek-chat/500":     "deepseek-chat/500",
		"llama-2-70b-chat-repo": "llama-2-70b-chat-repo/20",
		"longchat-13b-16k/10":   "longchat-13b-16k/10",
		"claude-sonnet-4-6":     "claude-sonnet-4-6/20",
	} {
		if c, err := published.Lookup(given, 0); err != nil || c.Name != want {
			t.Errorf("%q: got %q (%v), want %q", given, c.Name, err, want)
		}
	}
	for _, c := range []struct {
		name      string
		documents int
		want      string
	}{
		{"gpt-3.5-turbo", 10, "gpt-3.5-turbo/10"},
		{"gpt-3.5-turbo", 1, "gpt-3.5-turbo/10"},
		{"gpt-3.5-turbo", 15, "gpt-3.5-turbo/10"}, // as near to 20
		{"gpt-3.5-turbo", 16, "gpt-3.5-turbo/20"},
		{"gpt-3.5-turbo", 100_000, "gpt-3.5-turbo/20"},
		{"gpt-3.5-turbo/20", 10, "gpt-3.5-turbo/20"}, // as named
		{"llama-2-70b-chat-repo", 10, "llama-2-70b-chat-repo/20"},
		{"deepseek-chat", 90, "deepseek-chat/100"},
	} {
		if got, err := published.Lookup(c.name, c.documents); err != nil || got.Name != c.want {
			t.Errorf("%q for %d documents: got %q (%v), want %q", c.name, c.documents, got.Name, err, c.want)
		}
	}
	for given, want := range map[string]string{
		"": "known: claude-1.3/10|20|30, ", "gpt": "gpt-4.1/10|20|30|100|200", "flat": "known: claude",
		"gpt-3.5-turbo/21": "there are gpt-3.5-turbo/10, /20", "gpt-35-turbo": "did you mean gpt-3.5-turbo?", "gpt-35-turbo/20": "did you mean gpt-3.5-turbo/20?",
	} {
		_, err := published.Lookup(given, 0)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want a *core.ConfigError with %q", given, err, want)
		}
	}
}

func TestAtNeedsADocument(t *testing.T) {
	t.Parallel()
	c := published.All()[0]
	for _, documents := range []int{0, -3} {
		if got := c.At(documents); got != nil {
			t.Errorf("%d documents: got %v, want nil", documents, got)
		}
	}
}

func ExampleAll() {
	for _, c := range published.All() {
		if c.Documents == 10 {
			fmt.Printf("%-22s slot 0: %.2f, last slot: %.2f\n", c.Name, c.Accuracy[0], c.Accuracy[len(c.Accuracy)-1])
		}
	}
	// Output:
	// claude-1.3/10          slot 0: 0.63, last slot: 0.60
	// claude-1.3-100k/10     slot 0: 0.63, last slot: 0.60
	// gpt-3.5-turbo/10       slot 0: 0.77, last slot: 0.62
	// gpt-3.5-turbo-16k/10   slot 0: 0.77, last slot: 0.62
	// mpt-30b-instruct/10    slot 0: 0.60, last slot: 0.60
	// longchat-13b-16k/10    slot 0: 0.72, last slot: 0.58
	// claude-sonnet-4-6/10   slot 0: 0.81, last slot: 0.78
	// deepseek-chat/10       slot 0: 0.83, last slot: 0.76
	// gemini-2.5-flash/10    slot 0: 0.81, last slot: 0.78
	// gpt-4.1/10             slot 0: 0.83, last slot: 0.77
}

func ExampleLookup() {
	c, err := published.Lookup("GPT-3.5-Turbo/20", 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	fmt.Printf("slots %v: %.3f\n", c.Slots, c.Accuracy)
	// Output:
	// gpt-3.5-turbo/20 (GPT-3.5-Turbo, 20 documents, 2655 questions; Liu et al. 2024 arXiv:2307.03172v3 T5-7)
	// slots [0 4 9 14 19]: [0.758 0.572 0.538 0.554 0.632]
}
