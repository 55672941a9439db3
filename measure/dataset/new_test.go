package dataset

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func rome() Case {
	return Case{Question: "where", Answers: []string{"Rome"}, Documents: []Document{{Text: "Far away."}, {Text: "Rome, a city."}}, Gold: 1}
}

// A dataset in memory is the one that a file with the same lines gives.
func TestNewIsLikeAFile(t *testing.T) {
	t.Parallel()
	other := Case{Question: "who", Answers: []string{"Lisa"}, Documents: []Document{{Text: "Lisa."}, {Text: "Nobody."}}}
	given := []Case{rome(), other, rome()}
	made, err := New(given...)
	if err != nil {
		t.Fatal(err)
	}
	given[0].Documents[0].Text, given[0].Answers[0] = "spoiled", "spoiled"
	read := open(t, Rules{}, write(t, strings.Join([]string{
		`{"question":"where","answers":["Rome"],"ctxs":[{"text":"Far away."},{"text":"Rome, a city.","isgold":true}]}`,
		`{"question":"who","answers":["Lisa"],"ctxs":[{"text":"Lisa.","isgold":true},{"text":"Nobody."}]}`,
		`{"question":"where","answers":["Rome"],"ctxs":[{"text":"Far away."},{"text":"Rome, a city.","isgold":true}]}`,
	}, "\n")))
	if made.Len() != 2 || made.Report().String() != read.Report().String() {
		t.Errorf("(-want +got)\n-%v\n+%v", read.Report(), made.Report())
	}
	for i := range 2 {
		want, _ := read.Case(i)
		got, err := made.Case(i)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("(-want +got)\n-%+v\n+%+v, %v", want, got, err)
		}
		got.Documents[0].Text, got.Answers[0], got.Golds[0] = "spoiled", "spoiled", 9
		if again, _ := made.Case(i); !reflect.DeepEqual(again, want) {
			t.Errorf("a caller changed case %d: %+v", i, again)
		}
	}
	if _, err := made.Case(2); !errors.Is(err, ErrNoSuchCase) {
		t.Errorf("error %v", err)
	}
	if err := made.Close(); err != nil {
		t.Error(err)
	}
}

func TestNewOfLists(t *testing.T) {
	t.Parallel()
	found := rome()
	marked := rome()
	marked.Question, marked.Golds = "which", []int{0}
	none := rome()
	none.Question, none.Golds = "none", []int{}
	d, err := Rules{Lists: true}.New(found, marked, none)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]int{{1}, {0}, nil} {
		if c, err := d.Case(i); err != nil || fmt.Sprint(c.Golds) != fmt.Sprint(want) {
			t.Errorf("case %d: %v, want %v, %v", i, c.Golds, want, err)
		}
	}
	if r := d.Report(); !r.Lists || r.WithoutGold != 1 {
		t.Errorf("%+v", r)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	out := rome()
	out.Gold = 2
	absent := rome()
	absent.Gold = 0
	for name, c := range map[string]struct {
		rules Rules
		cases []Case
		want  error
	}{
		"nothing":               {Rules{}, nil, ErrNoCase},
		"no such gold document": {Rules{}, []Case{out}, ErrOtherFormat},
		"not in gold":           {Rules{}, []Case{absent}, ErrNoCase},
		"an empty case":         {Rules{}, []Case{{Gold: -1}}, ErrNoCase},
		"too many":              {Rules{MaxLines: 1}, []Case{rome(), rome()}, ErrLimit},
		"bad rules":             {Rules{MinDocuments: -1}, []Case{rome()}, ErrLimit},
	} {
		if d, err := c.rules.New(c.cases...); d != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func ExampleNew() {
	d, err := New(Case{
		Question: "What is the capital of Norway?", Answers: []string{"Oslo"},
		Documents: []Document{{Text: "Bergen has rain."}, {Text: "Oslo is the capital."}}, Gold: 1,
	})
	fmt.Println(d.Len(), d.Report(), err)
	// Output: 1 1 line, 1 kept <nil>
}
