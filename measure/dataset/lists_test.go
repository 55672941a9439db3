package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/judge"
)

// list is a line of a retriever with the answer "Rome" and these documents.
func list(question, answers string, documents ...string) string {
	return fmt.Sprintf(`{"question":%q,"answers":%s,"ctxs":[%s]}`, question, answers, strings.Join(documents, ","))
}

func labelled(question string, l Label) Labels { return Labels{questionID(question): l} }

func TestGoldsOfALists(t *testing.T) {
	t.Parallel()
	const rome, milan = `{"id":"r","text":"Rome is big."}`, `{"id":"m","text":"Milan is rich."}`
	marked := func(mark string) string { return `{"id":"x","text":"Milan, too.",` + mark + `}` }
	for name, c := range map[string]struct {
		documents []string
		labels    Labels
		scorer    judge.Scorer
		want      []int
	}{
		"by text":                        {[]string{milan, rome}, nil, nil, []int{1}},
		"by title":                       {[]string{milan, `{"title":"Rome","text":"A city."}`}, nil, nil, []int{1}},
		"by text, several":               {[]string{rome, milan, rome}, nil, nil, []int{0, 2}},
		"by text, none":                  {[]string{milan, milan}, nil, nil, nil},
		"by isgold, against the text":    {[]string{rome, marked(`"isgold":true`)}, nil, nil, []int{1}},
		"by hasanswer, against the text": {[]string{rome, marked(`"hasanswer":true`)}, nil, nil, []int{1}},
		"by isgold, several":             {[]string{marked(`"isgold":true`), rome, marked(`"isgold":true`)}, nil, nil, []int{0, 2}},
		"marked as none by isgold":       {[]string{rome, marked(`"isgold":false`)}, nil, nil, nil},
		"marked as none by hasanswer":    {[]string{rome, marked(`"hasanswer":false`)}, nil, nil, nil},
		"isgold before hasanswer":        {[]string{marked(`"isgold":false,"hasanswer":true`), rome}, nil, nil, nil},
		"a mark that is null is no mark": {[]string{rome, marked(`"isgold":null,"hasanswer":null`)}, nil, nil, []int{0}},
		"by has_answer":                  {[]string{rome, marked(`"has_answer":true`)}, nil, nil, []int{1}},
		"marked as none by has_answer":   {[]string{rome, marked(`"has_answer":false`)}, nil, nil, nil},
		"by label, against marks and text": {
			[]string{rome, marked(`"isgold":true`), milan},
			labelled("q", Label{Answers: []string{"Rome"}, Gold: []string{"m"}}), nil,
			[]int{2},
		},
		"by label, several and an unknown one": {
			[]string{rome, milan}, labelled("q", Label{Answers: []string{"Rome"}, Gold: []string{"m", "?", "r"}}), nil, []int{0, 1},
		},
		"by label, not retrieved": {[]string{rome, milan}, labelled("q", Label{Answers: []string{"Rome"}, Gold: []string{"?"}}), nil, nil},
		"a label without gold":    {[]string{milan, rome}, labelled("q", Label{Answers: []string{"Rome"}}), nil, []int{1}},
		"a label with empty gold": {[]string{milan, rome}, labelled("q", Label{Answers: []string{"Rome"}, Gold: []string{}}), nil, []int{1}},
		"a label of another":      {[]string{milan, rome}, labelled("other", Label{Answers: []string{"Milan"}, Gold: []string{"m"}}), nil, []int{1}},
		"by regexp":               {[]string{milan, rome}, nil, judge.Regexp, []int{1}},
		// One word in common is no answer.
		"token-f1": {[]string{`{"text":"The city of Milan."}`, `{"text":"It is the city of Rome, then."}`}, nil, judge.TokenF1, []int{1}},
	} {
		answers := `["Rome"]`
		if name == "token-f1" {
			answers = `["city of Rome"]`
		}
		d := open(t, Rules{Lists: true, Labels: c.labels, Scorer: c.scorer}, write(t, list("q", answers, c.documents...)))
		got, err := d.Case(0)
		wantGold := -1
		if len(c.want) > 0 {
			wantGold = c.want[0]
		}
		if err != nil || !slices.Equal(got.Golds, c.want) || got.Gold != wantGold {
			t.Errorf("%s: golds (-want +got)\n-%v\n+%v, first %d, %v", name, c.want, got.Golds, got.Gold, err)
		}
		r := d.Report()
		if wantNone, wantMany := len(c.want) == 0, len(c.want) > 1; (r.WithoutGold == 1) != wantNone || (r.ManyGolds == 1) != wantMany || !r.Lists {
			t.Errorf("%s: report %+v", name, r)
		}
	}
}

// What a recorder wrote opens with the labels of a file.
func TestRecordedLists(t *testing.T) {
	t.Parallel()
	const header = `{"record":"bookend 1"}`
	recorded := func(question, text string) string {
		return `{"time":"2026-01-31T00:00:00Z","question":"` + question + `","ctxs":[{"id":"a","text":"` + text + `","score":null,"hash":"00","length":5},{"id":"b","text":"Rome","score":0.5,"length":4}],"arrangement":{},"arm":"configured"}`
	}
	withoutTexts := `{"time":"2026-01-31T00:00:00Z","question_hash":"00","question_length":4,"ctxs":[{"id":"a","score":null,"hash":"00","length":5}],"arrangement":{},"arm":"configured"}`
	labels := Labels{questionID("where"): {Answers: []string{"Rome"}}, questionID("which"): {Answers: []string{"Milan"}, Gold: []string{"a"}}}
	// A file that was joined from two has two headers.
	path := write(t, strings.Join([]string{header, recorded("Where", "Milan"), recorded("nobody", "labels it"), header, recorded("which", "Milan"), withoutTexts, recorded("where", "again")}, "\n"))
	d := open(t, Rules{Lists: true, Labels: labels}, path)
	want := Report{
		Path: path, Task: QuestionAnswer, Lists: true, Lines: 5, Blank: 2, Kept: 2, MinDocuments: 2, MaxDocuments: 2, Labels: labels.sum(),
		LeftOut: []LeftOut{{EmptyQuestion, []int{6}, "it was recorded without texts, which core/record keeps only if it is told to"}, {NoAnswer, []int{3}, ""}, {DuplicateQuestion, []int{7}, ""}},
	}
	if got := d.Report(); !reflect.DeepEqual(got, want) {
		t.Errorf("report (-want +got)\n-%+v\n+%+v", want, got)
	}
	for i, want := range []Case{
		{ID: questionID("where"), Task: QuestionAnswer, Line: 2, Question: "Where", Answers: []string{"Rome"}, Gold: 1, Golds: []int{1}},
		{ID: questionID("which"), Task: QuestionAnswer, Line: 5, Question: "which", Answers: []string{"Milan"}, Gold: 0, Golds: []int{0}},
	} {
		want.Documents = []Document{{ID: "a", Text: "Milan"}, {ID: "b", Text: "Rome"}}
		got, err := d.Case(i)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("case %d (-want +got)\n-%+v\n+%+v\n%v", i, want, got, err)
		}
		got.Answers[0] = "spoiled" // the case is the caller's
		if again, _ := d.Case(i); again.Answers[0] == "spoiled" {
			t.Error("cases share the answers of their label")
		}
	}
	// Without labels there is no answer in the file.
	if _, err := (Rules{Lists: true}).Open(path); !errors.Is(err, ErrNoCase) || !strings.Contains(err.Error(), string(NoAnswer)) {
		t.Errorf("without labels: %v", err)
	}
	// A header is no line of a dataset that is no list, and one with more keys none anywhere.
	if _, err := Open(path); !errors.Is(err, ErrOtherFormat) {
		t.Errorf("not as lists: %v", err)
	}
	if _, err := (Rules{Lists: true}).Open(write(t, `{"record":"bookend 1","x":1}`)); !errors.Is(err, ErrOtherFormat) {
		t.Errorf("a header with another key: %v", err)
	}
	if _, err := (Rules{Lists: true}).Open(write(t, header)); !errors.Is(err, ErrNoCase) {
		t.Errorf("a header alone: %v", err)
	}
	if _, err := (Rules{Lists: true, Labels: labels}).Open(write(t, header+"\n"+withoutTexts)); !errors.Is(err, ErrNoCase) || !strings.Contains(err.Error(), string(EmptyQuestion)) {
		t.Errorf("without texts: %v", err)
	}
}

// The answers of the line come first; those of the label fill in.
func TestAnswersOfLineAndLabel(t *testing.T) {
	t.Parallel()
	labels := labelled("q", Label{Answers: []string{"Rome"}})
	for answers, want := range map[string]string{`["Milan"]`: "Milan", `null`: "Rome", `[]`: "Rome"} {
		d := open(t, Rules{Lists: true, Labels: labels}, write(t, list("q", answers, `{"text":"Rome or Milan"}`)))
		if c, err := d.Case(0); err != nil || !slices.Equal(c.Answers, []string{want}) {
			t.Errorf("answers %s (-want +got)\n-%s\n+%v, %v", answers, want, c.Answers, err)
		}
	}
	// Labels need Lists.
	if _, err := (Rules{Labels: labels}).Open(write(t, lineA+"\n"+`{"question":"q","ctxs":[{"text":"Rome","isgold":true}]}`)); err != nil {
		t.Error(err)
	}
	if _, err := (Rules{Labels: labels}).Open(write(t, `{"question":"q","ctxs":[{"text":"Rome","isgold":true}]}`)); !errors.Is(err, ErrNoCase) {
		t.Errorf("labels without lists: %v", err)
	}
}

func TestListsLeftOut(t *testing.T) {
	t.Parallel()
	rome := `{"text":"Rome"}`
	for _, c := range []struct {
		line string
		want Reason
	}{
		{`{"question":"q","answers":["Rome"]}`, NotForm},
		{list("q", `["Rome"]`, `{"text":"Rome","source":5}`), NotForm},
		{list("q", `["Rome"]`, `{"text":"Rome","position":"5"}`), NotForm},
		{list(" ", `["Rome"]`, rome), EmptyQuestion},
		{list("q", `["the"]`, rome), NoAnswer},
		{list("q", `["Rome"]`), TooFewDocuments},
		{list("q", `["Rome"]`, rome, `{"id":"hash alone"}`), EmptyDocument},
		{list("q", `["Rome"]`, `{"text":"Rome","hasanswer":"yes"}`), NotForm},
		{lineK, NotForm},
	} {
		d := open(t, Rules{Lists: true}, write(t, lineA+"\n"+c.line))
		if got, want := withoutWhy(d.Report()), []LeftOut{{c.want, []int{2}, ""}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n(-want +got)\n-%v\n+%v", c.line, want, got)
		}
	}
	// In a list they are read; elsewhere they are further keys, which are ignored.
	origin := list("q", `["Rome"]`, `{"text":"Rome","isgold":true,"source":"s","position":2}`, `{"text":"x","source":null,"position":null}`)
	position := 2.0
	want := []Document{{Text: "Rome", Source: "s", Position: &position}, {Text: "x"}}
	if c, err := open(t, Rules{Lists: true}, write(t, origin)).Case(0); err != nil || !reflect.DeepEqual(c.Documents, want) {
		t.Errorf("source and position (-want +got)\n-%+v\n+%+v, %v", want, c.Documents, err)
	}
	if _, err := Open(write(t, list("q", `["Rome"]`, `{"text":"Rome","isgold":true,"source":{"page":5},"position":"5"}`))); err != nil {
		t.Errorf("further keys of any type: %v", err)
	}
	if _, err := (Rules{Lists: true}).Open(write(t, lineK)); !errors.Is(err, ErrOtherFormat) || !strings.Contains(err.Error(), "no retriever returned") {
		t.Errorf("a key-value file: %v", err)
	}
}

func TestOneGold(t *testing.T) {
	t.Parallel()
	path := write(t, strings.Join([]string{
		list("none", `["Rome"]`, `{"text":"Milan"}`, `{"text":"Turin"}`),
		list("one", `["Rome"]`, `{"text":"Milan"}`, `{"text":"Rome"}`),
		list("two", `["Rome"]`, `{"text":"Rome"}`, `{"text":"Rome, too"}`),
		list("not there", `["Rome"]`, `{"text":"Milan","isgold":true}`, `{"text":"Turin"}`),
	}, "\n"))
	all := open(t, Rules{Lists: true}, path)
	if r := all.Report(); r.Kept != 4 || r.WithoutGold != 1 || r.ManyGolds != 1 {
		t.Errorf("all: %+v", r)
	}
	one := open(t, Rules{Lists: true, OneGold: true}, path)
	want := []LeftOut{{NoGold, []int{1}, ""}, {TwoGolds, []int{3}, ""}, {AnswerNotInGold, []int{4}, ""}}
	if r := one.Report(); r.Kept != 1 || r.WithoutGold+r.ManyGolds != 0 || !reflect.DeepEqual(withoutWhy(r), want) {
		t.Errorf("with one gold (-want +got)\n-%v\n+%+v", want, r)
	}
}

// Two splits share no question, and together they are the file.
func TestChooseSplits(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 200 {
		lines = append(lines, list(fmt.Sprint("question ", i), `["Rome"]`, `{"text":"Rome"}`))
	}
	path := write(t, strings.Join(lines, "\n"))
	wanted := func(id string) bool { return core.SeedFor(7, id)%5 < 2 }
	ids := func(choose func(string) bool) (ids []string, left int) {
		d := open(t, Rules{Lists: true, Choose: choose}, path)
		for i := range d.Len() {
			c, err := d.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			if !choose(c.ID) {
				t.Errorf("%s is not wanted", c.Question)
			}
			ids = append(ids, c.ID)
		}
		for _, l := range d.Report().LeftOut {
			if l.Reason != NotChosen {
				t.Errorf("left out: %s", l.Reason)
			}
			left += len(l.Lines)
		}
		return ids, left
	}
	first, notFirst := ids(wanted)
	second, notSecond := ids(func(id string) bool { return !wanted(id) })
	if len(first) != notSecond || len(second) != notFirst || len(first)+len(second) != 200 || len(first) < 50 || len(second) < 80 {
		t.Errorf("%d and %d questions, %d and %d left out", len(first), len(second), notFirst, notSecond)
	}
	for _, id := range first {
		if slices.Contains(second, id) {
			t.Errorf("%s is in both", id)
		}
	}
	if _, err := (Rules{Choose: func(string) bool { return false }}).Open(write(t, lineA)); !errors.Is(err, ErrNoCase) || !strings.Contains(err.Error(), string(NotChosen)) {
		t.Errorf("nothing chosen: %v", err)
	}
}

func TestReadLabels(t *testing.T) {
	t.Parallel()
	got, err := ReadLabels(write(t, "\xEF\xBB\xBF"+`{"question":"Where  is it","answers":["Rome","Roma"],"more":1}`+"\r\n\n"+`{"question":"who","answers":["the","Ada"],"gold":["7"]}`))
	want := Labels{
		questionID("where is it"): {Answers: []string{"Rome", "Roma"}, Fields: map[string]string{"more": "1"}},
		questionID("who"):         {Answers: []string{"the", "Ada"}, Gold: []string{"7"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%v\n+%v, %v", want, got, err)
	}
	if _, err := ReadLabels(write(t, LabelFormat)); err != nil {
		t.Errorf("the format that is shown: %v", err)
	}
}

func TestReadLabelsFaults(t *testing.T) {
	t.Parallel()
	const good = `{"question":"who","answers":["Ada"]}` + "\n"
	for name, c := range map[string]struct {
		content string
		line    int
		want    error
	}{
		"not JSON":            {good + "\nwho,Ada", 3, ErrNotJSON},
		"not UTF-8":           {good + "{\"question\":\"\xe4\",\"answers\":[\"a\"]}", 2, ErrNotJSON},
		"deep":                {good + strings.Repeat("[", 1000), 2, ErrLimit},
		"no object":           {good + `["who"]`, 2, ErrOtherFormat},
		"no question":         {good + `{"answers":["Ada"]}`, 2, ErrOtherFormat},
		"a blank question":    {good + `{"question":" ","answers":["Ada"]}`, 2, ErrOtherFormat},
		"no answers":          {good + `{"question":"q"}`, 2, ErrOtherFormat},
		"empty answers":       {good + `{"question":"q","answers":[]}`, 2, ErrOtherFormat},
		"articles alone":      {good + `{"question":"q","answers":["The","-"]}`, 2, ErrOtherFormat},
		"answers of a number": {good + `{"question":"q","answers":5}`, 2, ErrOtherFormat},
		"twice":               {good + good, 2, ErrOtherFormat},
		"twice, in capital":   {good + strings.Replace(good, "who", " WHO", 1), 2, ErrOtherFormat},
		"too long a line":     {good + strings.Repeat("x", DefaultMaxLine+1), 2, ErrLimit},
		"empty":               {"", 0, ErrNoCase},
		"blank":               {"\n \n", 0, ErrNoCase},
		"recorded lists":      {`{"record":"bookend 1"}`, 1, ErrOtherFormat},
	} {
		path := write(t, c.content)
		labels, err := ReadLabels(path)
		e := (*Error)(nil)
		if labels != nil || !errors.As(err, &e) || !errors.Is(err, c.want) || e.Line != c.line || e.Path != path {
			t.Errorf("%s: error is %v, want %v in line %d", name, err, c.want, c.line)
		}
	}
	folder := t.TempDir()
	if _, err := ReadLabels(folder); !errors.Is(err, ErrOtherFormat) {
		t.Errorf("a folder: %v", err)
	}
	missing := filepath.Join(folder, "missing")
	if _, err := ReadLabels(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestSimulatedLists(t *testing.T) {
	t.Parallel()
	const cases, documents = 4000, 6
	for _, decay := range []float64{0.3, 0.5, 1} {
		d, err := SimulatedLists(1, cases, documents, decay)
		if err != nil {
			t.Fatal(err)
		}
		again, err := SimulatedLists(1, 10, documents, decay)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]float64, documents)
		ids := map[string]bool{}
		for i := range cases {
			c, err := d.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			counts[c.Gold]++
			ids[c.ID] = true
			if len(c.Documents) != documents || !slices.Equal(c.Golds, []int{c.Gold}) || !holdsAnswer(judge.BestSubspan, c.Documents[c.Gold], c.Answers) {
				t.Fatalf("case %d: %+v", i, c)
			}
			if i < 10 { // it depends on seed and case alone
				if other, err := again.Case(i); err != nil || !reflect.DeepEqual(other, c) {
					t.Errorf("case %d (-want +got)\n-%+v\n+%+v, %v", i, c, other, err)
				}
			}
		}
		want, err := DecayingRanks(documents, decay)
		if err != nil {
			t.Fatal(err)
		}
		for rank, p := range want {
			if sd := math.Sqrt(p * (1 - p) / cases); math.Abs(counts[rank]/cases-p) > 4*sd {
				t.Errorf("decay %g: rank %d has the answer in %.4f of the cases, want %.4f ± %.4f", decay, rank, counts[rank]/cases, p, 4*sd)
			}
		}
		if len(ids) != cases {
			t.Errorf("%d IDs of %d questions", len(ids), cases)
		}
		if r := d.Report(); !r.Lists || r.Kept != cases || r.MinDocuments != documents || r.MaxDocuments != documents {
			t.Errorf("report: %+v", r)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	one, _ := SimulatedLists(1, 50, 20, 1)
	two, _ := SimulatedLists(2, 50, 20, 1)
	differ := 0
	for i := range 50 {
		a, _ := one.Case(i)
		b, _ := two.Case(i)
		if a.Gold != b.Gold {
			differ++
		}
	}
	if differ < 30 {
		t.Errorf("another seed moves the answer in %d of 50 cases", differ)
	}
	for _, c := range []struct {
		cases, documents int
		decay            float64
		config           bool
	}{
		{0, 5, 0.5, false},
		{-1, 5, 0.5, false},
		{5, 0, 0.5, false},
		{1_000_001, 5, 0.5, false},
		{5, 1_000_001, 0.5, false},
		{5, 5, 0, true},
		{5, 5, 1.1, true},
		{5, 5, math.NaN(), true},
	} {
		d, err := SimulatedLists(1, c.cases, c.documents, c.decay)
		if d != nil || err == nil || errors.Is(err, ErrLimit) == c.config || errors.As(err, new(*core.ConfigError)) != c.config {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := one.Case(50); !errors.Is(err, ErrNoSuchCase) {
		t.Errorf("case 50 of 50: %v", err)
	}
}

func FuzzReadLabels(f *testing.F) {
	for _, s := range []string{
		"", LabelFormat, `{"question":"q","answers":["a"]}` + "\n" + `{"question":"Q","answers":["a"]}`, `{"question":"q","answers":["the"]}`,
		`{"question":5}`, "\xEF\xBB\xBF{}", `{"question":"q","answers":["a"],"gold":[]}`, `{"question":"q","answers":null,"gold":null}`, "[[[[",
	} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "labels")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		labels, err := ReadLabels(path)
		if err != nil {
			if e := (*Error)(nil); labels != nil || !errors.As(err, &e) || e.Rule == "" {
				t.Fatalf("error is %#v with %v", err, labels)
			}
			return
		}
		if len(labels) == 0 {
			t.Fatal("no label and no error")
		}
		for id, l := range labels {
			if len(id) != 16 || !anyNormalizes(l.Answers) {
				t.Fatalf("%s: %+v", id, l)
			}
		}
	})
}

func FuzzLists(f *testing.F) {
	for _, s := range []string{
		ListFormat, `{"record":"bookend 1"}` + "\n" + ListFormat, lineA, lineB, lineK,
		list("q", "null", `{"id":1,"text":"a","isgold":false}`, `{"id":"b","text":"b","source":"s","position":1e9}`),
		list("labelled", "[]", `{"id":"g","text":"x"}`, `{"id":"g","text":"x"}`), `{"ctxs":[{"id":"a"}]}`, `{"ctxs":null}`, `{"record":1}`,
	} {
		f.Add([]byte(s), true, false)
		f.Add([]byte(s), false, true)
	}
	path := filepath.Join(f.TempDir(), "lists")
	labels := labelled("labelled", Label{Answers: []string{"x"}, Gold: []string{"g"}})
	f.Fuzz(func(t *testing.T, data []byte, one, token bool) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		rules := Rules{Lists: true, OneGold: one, Labels: labels, MaxLine: 1 << 16, MaxUnpacked: 1 << 20, MaxLines: 1000}
		if token {
			rules.Scorer = judge.TokenF1
		}
		d, err := rules.Open(path)
		if err != nil {
			if e := (*Error)(nil); d != nil || !errors.As(err, &e) || e.Rule == "" {
				t.Fatalf("error is %#v with dataset %v", err, d)
			}
			return
		}
		defer d.Close()
		r, none, many := d.Report(), 0, 0
		for i := range d.Len() {
			c, err := d.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			first := -1
			for j, g := range c.Golds {
				if g < 0 || g >= len(c.Documents) || j > 0 && g <= c.Golds[j-1] {
					t.Fatalf("golds %v of %d documents", c.Golds, len(c.Documents))
				}
			}
			if len(c.Golds) > 0 {
				first = c.Golds[0]
			} else {
				none++
			}
			if len(c.Golds) > 1 {
				many++
			}
			if c.Gold != first || one && len(c.Golds) != 1 || !hasText(c.Question) || !anyNormalizes(c.Answers) {
				t.Fatalf("case %d breaks a rule: %+v", i, c)
			}
		}
		if none != r.WithoutGold || many != r.ManyGolds || !r.Lists {
			t.Fatalf("%d without gold and %d with several: %+v", none, many, r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDecayingRanks(t *testing.T) {
	t.Parallel()
	for _, decay := range []float64{0, -1, 1.1, math.NaN()} {
		if got, err := DecayingRanks(3, decay); err == nil {
			t.Errorf("decay %v: %v", decay, got)
		}
	}
	if got, err := DecayingRanks(3, 1); err != nil || math.Abs(got[2]-1.0/3) > 1e-12 {
		t.Errorf("decay 1: %v, %v", got, err)
	}
}
