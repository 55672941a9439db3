package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/judge"
)

// clustered is a line with a question and a cluster, which is JSON; empty for none.
func clustered(question, cluster string) string {
	if cluster != "" {
		cluster = `"cluster":` + cluster + ","
	}
	return fmt.Sprintf(`{%s"question":%q,"answers":["yes"],"ctxs":[{"text":"yes","isgold":true},{"text":"no"}]}`, cluster, question)
}

// groups lists which cases have one cluster, in the order of the file.
func groups(t *testing.T, d *Dataset) (groups [][]int) {
	t.Helper()
	at := map[string]int{}
	for i := range d.Len() {
		c, err := d.Case(i)
		if err != nil {
			t.Fatal(err)
		}
		if c.Cluster == "" {
			groups = append(groups, []int{i})
			continue
		}
		if _, known := at[c.Cluster]; !known {
			at[c.Cluster] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[c.Cluster]] = append(groups[at[c.Cluster]], i)
	}
	return groups
}

func TestClusters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"all different": {[]string{clustered("a b?", ""), clustered("b c?", ""), clustered("c d?", "")}, "[[0] [1] [2]]"},
		"capitals, punctuation, articles, white space": {
			[]string{clustered("Who won the cup?", ""), clustered("who  won cup", ""), clustered("WHO WON A CUP!!", ""), clustered("Who lost the cup?", "")},
			"[[0 1 2] [3]]",
		},
		"named by a text":            {[]string{clustered("a b?", `"x"`), clustered("b c?", `"y"`), clustered("c d?", `"x"`)}, "[[0 2] [1]]"},
		"by a number, and by text":   {[]string{clustered("a b?", `7`), clustered("b c?", `"7"`), clustered("c d?", `7.0`)}, "[[0 1] [2]]"},
		"numbers of any size":        {[]string{clustered("a b?", `90071992547409931`), clustered("b c?", `90071992547409932`)}, "[[0] [1]]"},
		"no name is none":            {[]string{clustered("a b?", `""`), clustered("b c?", `null`), clustered("c d?", `""`)}, "[[0] [1] [2]]"},
		"one text under two names":   {[]string{clustered("a b?", `"x"`), clustered("A B", `"y"`), clustered("b c?", `"y"`), clustered("c d?", ``)}, "[[0 1 2] [3]]"},
		"through others, afterwards": {[]string{clustered("a b?", `1`), clustered("b c?", `2`), clustered("c d?", `3`), clustered("A b", `3`), clustered("B c", `3`)}, "[[0 1 2 3 4]]"},
		"a name that is a question":  {[]string{clustered("a b?", `"asks b c"`), clustered("b c?", ``)}, "[[0] [1]]"},
		"nothing but punctuation":    {[]string{clustered("???", ``), clustered("!!!", ``), clustered("a?", ``), clustered("the?", ``)}, "[[0] [1] [2] [3]]"},
	} {
		d := open(t, Rules{}, write(t, strings.Join(c.lines, "\n")))
		got := groups(t, d)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
		r := d.Report()
		if want := len(got); len(got) == d.Len() && r.Clusters != 0 || len(got) < d.Len() && r.Clusters != want {
			t.Errorf("%s: the report has %d clusters, want %d of %d", name, r.Clusters, want, d.Len())
		}
		if says := fmt.Sprintf("questions that hang together count as one, which makes %d", len(got)); strings.Contains(r.String(), says) != (len(got) < d.Len()) {
			t.Errorf("%s: %s", name, r)
		}
		// In memory it is the same.
		var cases []Case
		for i, line := range c.lines {
			parsed, _, _, _ := parseQA([]byte(line), Rules{Scorer: judge.BestSubspan})
			kept, err := d.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			kept.Cluster = parsed.Cluster
			cases = append(cases, kept)
		}
		memory, err := New(cases...)
		if err != nil {
			t.Fatal(err)
		}
		if again := groups(t, memory); !slices.EqualFunc(again, got, slices.Equal) {
			t.Errorf("%s, in memory: %v, want %v", name, again, got)
		}
	}
}

func TestAClusterOfAnotherTypeIsNone(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{`true`, `["x"]`, `{"id":1}`} {
		d := open(t, Rules{}, write(t, clustered("a b?", "")+"\n"+clustered("b c?", cluster)))
		r := d.Report()
		if d.Len() != 1 || len(r.LeftOut) != 1 || r.LeftOut[0].Reason != NotForm || !strings.Contains(r.LeftOut[0].Why, `"cluster"`) || !strings.Contains(r.LeftOut[0].Why, "a text or a number") {
			t.Errorf("%s: %s", cluster, r)
		}
	}
}

// Order is a permutation that keeps clusters together, the same for the same seed.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, copies := range []int{1, 2, 3, 10} {
		var lines []string
		for i := range 120 {
			lines = append(lines, clustered(fmt.Sprintf("question %d?", i), fmt.Sprint(i%(120/copies))))
		}
		d := open(t, Rules{}, write(t, strings.Join(lines, "\n")))
		first := d.Order(1)
		if !slices.Equal(first, d.Order(1)) {
			t.Fatalf("clusters of %d: the order varies", copies)
		}
		if slices.Equal(first, d.Order(2)) {
			t.Errorf("clusters of %d: two seeds give one order", copies)
		}
		for seed := range uint64(20) {
			order := d.Order(seed)
			if sorted := slices.Sorted(slices.Values(order)); len(sorted) != 120 || sorted[0] != 0 || len(slices.Compact(sorted)) != 120 {
				t.Fatalf("clusters of %d, seed %d: no permutation: %v", copies, seed, order)
			}
			for i, c := range order {
				if i%copies > 0 && c%(120/copies) != order[i-1]%(120/copies) {
					t.Fatalf("clusters of %d, seed %d: a cluster is torn apart: %v", copies, seed, order)
				}
			}
		}
	}
	// What has no clusters is asked in the order in which it always was.
	values, err := KeyValues(1, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := values.Order(0); !slices.Equal(got, orderBefore) {
		t.Errorf("the order of seed 0 is %v, want %v", got, orderBefore)
	}
}

// orderBefore is the order of five questions by seed 0 since the first version.
var orderBefore = []int{4, 0, 2, 1, 3}

// Ordering costs little for a hundred thousand questions in clusters of five.
func BenchmarkOrder(b *testing.B) {
	var c clusters
	for i := range 100_000 {
		c.add(Case{Question: fmt.Sprintf("question %d", i), Cluster: fmt.Sprint(i / 5)})
	}
	d := &Dataset{report: Report{Kept: 100_000}}
	c.seal()
	d.clusters = c
	for b.Loop() {
		d.Order(1)
	}
}
