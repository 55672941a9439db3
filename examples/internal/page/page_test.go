package page_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/page"
)

// printed returns what a page of narrow columns prints.
func printed(t *testing.T, print func(*page.Page)) string {
	t.Helper()
	var out strings.Builder
	p := page.New(&out, 14)
	print(p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	arrangement, err := core.Arrange(t.Context(), nil, []int{1, 2, 3}, nil, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	system, user := page.Message{Role: "system", Text: "Be brief."}, "Question: why?"
	for name, c := range map[string]struct {
		print func(*page.Page)
		want  string
	}{
		"a heading":             {func(p *page.Page) { p.Heading("Title", "") }, "\nTitle\n─────\n"},
		"a heading with a text": {func(p *page.Page) { p.Heading("Title", "é\x1b[m") }, "\nTitle: é [m\n───────────\n"},
		"a long heading":        {func(p *page.Page) { p.Heading("Title", strings.Repeat("x", 100)) }, "\nTitle: " + strings.Repeat("x", 72) + "…\n" + strings.Repeat("─", 80) + "\n"},
		"lines":                 {func(p *page.Page) { p.Lines(strings.Repeat("word ", 17)) }, strings.Repeat("word ", 15) + "word\nword\n"},
		"fields":                {func(p *page.Page) { p.Fields(page.Field{"by", ""}, page.Field{"answer", strings.Repeat("word ", 15)}) }, "by\nanswer  " + strings.Repeat("word ", 13) + "word\n        word\n"},
		"no fields":             {func(p *page.Page) { p.Fields() }, ""},
		"orders":                {func(p *page.Page) { p.Orders(3, arrangement, 1) }, "\nslot              1    2    3\nplain            r1  *r2   r3\nhead-tail        r1   r3  *r2\n"},
		"orders, one dropped":   {func(p *page.Page) { p.Orders(4, arrangement, -1) }, "\nslot              1    2    3    4\nplain            r1   r2   r3   r4\nhead-tail        r1   r3   r2\n"},
		"many orders":           {func(p *page.Page) { p.Orders(13, core.Arrangement{Placement: "ranked"}, 12) }, "\nslot              1    2    3    4    5    6    7    8    9   10   11   12\nplain            r1   r2   r3   r4   r5   r6   r7   r8   r9  r10  r11  r12\nranked\n\nslot             13\nplain          *r13\nranked\n"},
		"no orders":             {func(p *page.Page) { p.Orders(0, core.Arrangement{Placement: "ranked"}, -1) }, ""},
		"columns":               {func(p *page.Page) { p.Beside([]string{"a", "", "c"}, []string{"b"}) }, "a              │ b\n               │\nc              │\n"},
		"messages in one column": {func(p *page.Page) {
			p.Messages([]page.Message{system, {Role: "user", Text: "A line too long to fit two columns"}})
		}, "[system]\nBe brief.\n\n[user]\nA line too long to fit two\ncolumns\n"},
		"prompts, document beside document": {
			func(p *page.Page) {
				p.Prompts(
					page.Prompt{[]page.Message{{Role: "user", Text: "Go on.\n\na a\n\na b\n\n" + user}}, []string{"a a", "a b"}},
					page.Prompt{[]page.Message{system, {Role: "user", Text: "[2] a b\n\n[1] a a\n\n" + user + "\n\nAnswer."}}, []string{"a b", "a a"}})
			},
			`[user]         │ [system]
Go on.         │ Be brief.
               │
               │ [user]
               │
a a            │ [2] a b
               │
a b            │ [1] a a
               │
Question: why? │ Question: why?
               │
               │ Answer.
`,
		},
		"a document that is not in the prompt": {
			func(p *page.Page) {
				p.Prompts(page.Prompt{[]page.Message{{Role: "user", Text: "x"}}, []string{"y"}}, page.Prompt{})
			},
			"[user]         │\nx              │\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := printed(t, c.print); got != c.want {
				t.Errorf("(-want +got)\n-%s\n+%s", strings.ReplaceAll(c.want, "\n", "\n-"), strings.ReplaceAll(got, "\n", "\n+"))
			}
		})
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"one two three":            "one two|three",
		"one  two\n\nthree":        "one two||three",
		"überüber":                 "überüber",
		"a extraordinary b":        "a|extraor…|b",
		"extraordinary":            "extraor…",
		"a\x1b[31m\u009bb\a\x7f c": "a [31m b|c",
	} {
		if got := strings.Join(page.Wrap(text, 8), "|"); got != want {
			t.Errorf("Wrap(%q) (-want +got)\n-%s\n+%s", text, want, got)
		}
	}
}

// full fails to take the second write.
type full struct{ writes int }

var errFull = errors.New("full")

func (f *full) Write(text []byte) (int, error) {
	if f.writes++; f.writes > 1 {
		return 0, errFull
	}
	return len(text), nil
}

func TestTheFirstErrorOfWritingStays(t *testing.T) {
	t.Parallel()
	out := &full{}
	p := page.New(out, 10)
	for range 3 {
		p.Printf("text")
	}
	if !errors.Is(p.Err(), errFull) || out.writes != 2 {
		t.Errorf("error %v after %d writes, want %v after 2", p.Err(), out.writes, errFull)
	}
}
