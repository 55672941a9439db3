package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TestForms holds lines as people have them, all of one case.
func TestForms(t *testing.T) {
	t.Parallel()
	marked := `{"question":"where","answers":["Rome"],"ctxs":[{"text":"Far away."},{"text":"Rome, a city.","isgold":true}]}`
	want := Case{
		ID: questionID("where"), Task: QuestionAnswer, Line: 1, Question: "where", Answers: []string{"Rome"},
		Documents: []Document{{Text: "Far away."}, {Text: "Rome, a city."}}, Gold: 1, Golds: []int{1},
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte("["+marked+"]"), "", "\t"); err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"as it is":          marked,
		"one answer":        strings.Replace(marked, `["Rome"]`, `"Rome"`, 1),
		"an array":          "[" + marked + "]",
		"an array in lines": "\xEF\xBB\xBF" + strings.ReplaceAll(indented.String(), "\n", "\r\n") + "\n\n",
		"an array, gzipped": zip(t, "["+marked+"]"),
	}
	for _, key := range TextKeys() {
		forms["text under "+key] = strings.ReplaceAll(marked, `"text"`, `"`+key+`"`)
	}
	for name, content := range forms {
		d := open(t, Rules{}, write(t, content))
		got, err := d.Case(0)
		if err != nil || d.Len() != 1 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s (-want +got)\n-%+v\n+%+v\n%v", name, want, got, err)
		}
	}
	lists := map[string]string{
		"texts":      `{"question":"where","answers":"Rome","ctxs":["Far away.","Rome, a city."]}`,
		"has_answer": `{"question":"where","answers":["Rome"],"ctxs":[{"text":"Far away.","has_answer":false},{"text":"Rome, a city.","has_answer":true}]}`,
		"hasanswer":  `{"question":"where","answers":["Rome"],"ctxs":[{"text":"Far away.","hasanswer":false},{"text":"Rome, a city.","hasanswer":true}]}`,
	}
	for name, content := range lists {
		got, err := open(t, Rules{Lists: true}, write(t, content)).Case(0)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s (-want +got)\n-%+v\n+%+v\n%v", name, want, got, err)
		}
	}
}

func TestArrayOfSeveral(t *testing.T) {
	t.Parallel()
	odd := `{"question":"brackets ],[ and one quote \" , then \\","answers":["Rome"],"ctxs":[{"text":"Rome, {too}","isgold":true}]}`
	d := open(t, Rules{}, write(t, "[\n"+lineA+" ,\n"+odd+",\n"+lineB+"\n]"))
	if d.Len() != 3 {
		t.Fatalf("%v", d.Report())
	}
	if c, err := d.Case(1); err != nil || c.Question != `brackets ],[ and one quote " , then \` || c.Line != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestIDsOfAnySize(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{Lists: true}, write(t, `{"question":"q","answers":"x","ctxs":[{"id":449152000000000001,"text":"a"},{"id":449152000000000002,"text":"b"},{"id":"7","text":"c"},{"id":null,"text":"d"},{"id":1e3,"text":"e"}]}`))
	c, err := d.Case(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"449152000000000001", "449152000000000002", "7", "", "1e3"} {
		if got := c.Documents[i].ID; got != want {
			t.Errorf("ID %d: %q, want %q", i, got, want)
		}
	}
}

// A line that cannot be used says what it has and what would do.
func TestFaultsOfForms(t *testing.T) {
	t.Parallel()
	with := func(answers, ctxs string) string {
		return `{"question":"q","answers":` + answers + `,"ctxs":` + ctxs + `}`
	}
	for _, test := range []struct {
		line  string
		lists bool
		want  string
	}{
		{`{"prompt":"q","completion":"a"}`, false, `has the keys "completion", "prompt"; a line is such as ` + LineFormat},
		{`{"prompt":"q"}`, true, `has the key "prompt"; a line of lists is such as ` + ListFormat},
		{`{}`, true, `has no keys; a line of lists`},
		{`"q"`, false, `is a text; a line is such as`},
		{`{"_id":"1","question":"q","answer":"a","context":[],"supporting_facts":[]}`, true, `"bookend data hotpotqa FILE" converts`},
		{`{"query_id":1,"query":"q","answers":[],"passages":[]}`, true, `"bookend data msmarco FILE" converts`},
		{`{"user_input":"q","retrieved_contexts":[],"reference":"a"}`, true, `"bookend data ragas FILE" converts`},
		{`{"question":"q","contexts":[],"ground_truth":"a"}`, false, `"bookend data ragas FILE" converts`},
		{`{"_id":"d1","title":"t","text":"x"}`, true, `"bookend data beir CORPUS QUERIES QRELS RUN" converts`},
		{with(`5`, `["x"]`), true, `line 1: "answers" holds a number and must hold a list of texts, or one text`},
		{with(`[5]`, `["x"]`), true, `"answers" holds a list that starts with a number and must hold a list of texts`},
		{with(`"x"`, `"x"`), true, `"ctxs" holds a text and must hold a list of objects with text, or of texts`},
		{with(`"x"`, `[7]`), true, `"ctxs" holds a list that starts with a number and must hold`},
		{with(`"x"`, `[{"text":["x"]}]`), true, `"ctxs.text" holds a list that starts with a text and must hold a text`},
		{with(`"x"`, `[{"text":"x","isgold":1}]`), false, `"ctxs.isgold" holds a number and must hold true or false`},
		{with(`"x"`, `[{"text":"x","has_answer":"yes"}]`), true, `"ctxs.has_answer" holds a text and must hold true or false`},
		{with(`"x"`, `[{"text":"x","id":{}}]`), true, `"ctxs.id" holds an object and must hold a text or a number`},
		{with(`"x"`, `[{"body":"x","url":"y"}]`), true, `a document of "ctxs" has the keys "body", "url", and no text: it stands under one of text, content, page_content, PageContent, contents`},
		{`{"question":["q"],"answers":"a","ctxs":["x"]}`, true, `"question" holds a list that starts with a text and must hold a text`},
		{with(`"x"`, `["x"]`), false, `no document of "ctxs" has "isgold": true, which says that it holds the answer`},
		{`{"question":"q","ctxs":["x"]}`, false, `it has the keys "ctxs", "question", and "answers" is missing`},
	} {
		_, err := Rules{Lists: test.lists}.Open(write(t, test.line))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: (-want +got)\n-%s\n+%v", test.line, test.want, err)
		}
	}
}

// A large array costs no more memory than its longest item: it is read as a stream.
func TestArrayIsAStream(t *testing.T) {
	t.Parallel()
	plain, _, err := plainLines(strings.NewReader("["+strings.Repeat(" ", 1<<20)+strings.Repeat("x", 1<<20)), 1)
	if err != nil {
		t.Fatal(err)
	}
	lines := newLineReader(plain, 1<<10)
	if _, _, err := lines.read(); !errors.Is(err, ErrLimit) {
		t.Errorf("an endless item: %v", err)
	}
}
