package dataset

import (
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestOpenKeyValues(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, write(t, lineK+"\n"))
	want := Case{
		ID: pairID("k2", "v2"), Task: KeyValue, Line: 1, Question: "k2", Answers: []string{"v2"},
		Documents: []Document{{Title: "k1", Text: "v1"}, {Title: "k2", Text: "v2"}, {Title: "k3", Text: "v3"}}, Gold: 1, Golds: []int{1},
	}
	if got, err := d.Case(0); err != nil || d.Task() != KeyValue || !reflect.DeepEqual(got, want) {
		t.Errorf("case 0 (-want +got)\n-%+v\n+%+v\n%v", want, got, err)
	}
}

func TestKeyValuesLeftOut(t *testing.T) {
	t.Parallel()
	line := func(records, key, value string) string {
		return `{"ordered_kv_records":[` + records + `],"key":"` + key + `","value":"` + value + `"}`
	}
	for _, test := range []struct {
		line string
		want Reason
	}{
		{`{"ordered_kv_records":[["k","v"]],"key":"k"}`, NotForm},
		{`{"ordered_kv_records":[["k","v"]],"value":"v"}`, NotForm},
		{`{"key":"k","value":"v"}`, NotForm},
		{line(`["k"]`, "k", "v"), NotForm},
		{line(`["k","v","w"]`, "k", "v"), NotForm},
		{line(`["k",1]`, "k", "v"), NotForm},
		{lineA, NotForm},
		{line(`["k","v"]`, " ", "v"), EmptyQuestion},
		{line(`["k",""]`, "k", ""), NoAnswer},
		{line(``, "k", "v"), TooFewDocuments},
		{line(`["k","v"]`, "K", "v"), NoGold},
		{line(`["k","v"],["k","v"]`, "k", "v"), TwoGolds},
		{line(`["k","w"],["l","v"]`, "k", "v"), AnswerNotInGold},
		{lineK, DuplicateQuestion},
	} {
		d := open(t, Rules{}, write(t, lineK+"\n"+test.line+"\n"))
		want := []LeftOut{{test.want, []int{2}, ""}}
		if r := d.Report(); r.Kept != 1 || !reflect.DeepEqual(withoutWhy(r), want) {
			t.Errorf("%s\nleft out (-want +got)\n-%v\n+%v", test.line, want, r.LeftOut)
		}
	}
	// Another value is another question, and a value that stands twice is reported.
	d := open(t, Rules{}, write(t, lineK+"\n"+line(`["k2","w"],["k3","w"]`, "k2", "w")))
	if r := d.Report(); r.Kept != 2 || !reflect.DeepEqual(r.AnswerElsewhere, []int{2}) {
		t.Errorf("report is %+v", r)
	}
}

// The values were computed by another program from the description of
// generatePair. They must never change: recorded answers depend on them.
func TestGeneratedPairsAreGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed       uint64
		i, r       int
		key, value string
	}{
		{0, 0, 0, "e19cb89c-2f80-4607-8069-cb1fe1ab7ef9", "52e1c66a-561e-4f89-ab0a-7a97960cf126"},
		{0, 0, 1, "60518639-17c8-4ffc-8493-44e692149109", "dce9fd6e-455e-4b84-9dd6-369fa49d90b8"},
		{42, 3, 74, "0967c082-c1fb-4c60-a5d3-1acb8568a9e6", "cbf55aa1-733f-4163-8177-8546038e7e44"},
		{1<<64 - 1, 999999, 0, "76dcf909-3ef3-4830-880a-552533234a19", "107ef9a1-ea65-42a3-8927-b1aa15eee23a"},
	} {
		key, value := generatePair(test.seed, test.i, test.r)
		if key != test.key || value != test.value {
			t.Errorf("seed %d, case %d, pair %d (-want +got)\n-%s %s\n+%s %s",
				test.seed, test.i, test.r, test.key, test.value, key, value)
		}
	}
}

func TestKeyValues(t *testing.T) {
	t.Parallel()
	d, err := KeyValues(42, 5, 75)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if r := d.Report(); d.Len() != 5 || d.Task() != KeyValue || r.MinDocuments != 75 || r.MaxDocuments != 75 || r.Kept != 5 || r.Lines != 5 {
		t.Errorf("report is %+v", r)
	}
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for i := range d.Len() {
		c, err := d.Case(i)
		if err != nil || len(c.Documents) != 75 || c.Task != KeyValue || c.Gold != 0 || c.Line != 0 {
			t.Fatalf("case %d is %+v, %v", i, c, err)
		}
		if gold := c.Documents[0]; c.Question != gold.Title || !reflect.DeepEqual(c.Answers, []string{gold.Text}) || c.ID != pairID(gold.Title, gold.Text) {
			t.Errorf("case %d asks for %q %q, its gold pair is %+v", i, c.Question, c.Answers, gold)
		}
		for _, pair := range c.Documents {
			for _, word := range []string{pair.Title, pair.Text} {
				if !form.MatchString(word) || seen[word] {
					t.Errorf("case %d: %q is not a UUID of version 4, or stands twice", i, word)
				}
				seen[word] = true
			}
		}
		if placed := c.WithGoldAt(74, 75); placed[74] != c.Documents[0] || placed[0] != c.Documents[1] {
			t.Errorf("case %d: the wanted pair is not in the last slot", i)
		}
	}
	if _, err := d.Case(5); !errors.Is(err, ErrNoSuchCase) {
		t.Errorf("Case(5): error is %v", err)
	}
}

func TestLongerPromptsExtendShorterOnes(t *testing.T) {
	t.Parallel()
	short, err := KeyValues(7, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	long, err := KeyValues(7, 4, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		a, _ := short.Case(i)
		b, _ := long.Case(i)
		b.Documents = b.Documents[:3]
		if !reflect.DeepEqual(a, b) {
			t.Errorf("case %d (-short +long)\n-%+v\n+%+v", i, a, b)
		}
	}
}

func TestKeyValuesLimits(t *testing.T) {
	t.Parallel()
	for _, n := range [][2]int{{0, 5}, {5, 0}, {-1, 5}, {maxGenerated + 1, 5}, {5, maxGenerated + 1}} {
		_, err := KeyValues(1, n[0], n[1])
		if e := (*Error)(nil); !errors.As(err, &e) || !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "1 to 1000000") {
			t.Errorf("KeyValues(1, %d, %d): error is %v", n[0], n[1], err)
		}
	}
	if _, err := KeyValues(1, maxGenerated, maxGenerated); err != nil {
		t.Errorf("at the limits: %v", err)
	}
}

func BenchmarkKeyValues(b *testing.B) {
	d, err := KeyValues(1, 1, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Case(0); err != nil {
			b.Fatal(err)
		}
	}
}
