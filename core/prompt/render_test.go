package prompt_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// spoken writes messages as "role: text", one after another.
func spoken(messages []prompt.Message) []string {
	var list []string
	for _, m := range messages {
		list = append(list, string(m.Role)+": "+m.Text)
	}
	return list
}

var chat = []prompt.Message{
	{Role: prompt.User, Text: "U1"},
	{Role: prompt.Assistant, Text: "A1"},
	{Role: prompt.Tool, Text: "T1"},
	{Role: prompt.System, Text: "S1"},
}

// The messages are the parts of the text: what stands before the history is the
// system's, what stands after it the user's.
func TestMessages(t *testing.T) {
	t.Parallel()
	all := prompt.Config{Rules: "RULES", Task: "TASK", Instruction: "INSTRUCTION", Reminder: "REMINDER"}
	none := prompt.Config{}
	for _, test := range []struct {
		name    string
		config  prompt.Config
		layout  prompt.Layout
		history []prompt.Message
		text    []string // parts of the text, with a blank line between
		want    []string // system and user
	}{
		{
			"question-last", all, prompt.QuestionLast, chat,
			[]string{"RULES", "HISTORY", "[1] A", "Question: Q", "INSTRUCTION"},
			[]string{"system: RULES", "user: [1] A\n\nQuestion: Q\n\nINSTRUCTION"},
		},
		{
			"bookend", all, prompt.Bookend, chat,
			[]string{"RULES", "TASK", "HISTORY", "[1] A", "Question: Q", "INSTRUCTION", "REMINDER"},
			[]string{"system: RULES\n\nTASK", "user: [1] A\n\nQuestion: Q\n\nINSTRUCTION\n\nREMINDER"},
		},
		{
			"query-aware", all, prompt.QueryAware, chat,
			[]string{"RULES", "HISTORY", "Question: Q", "[1] A", "Question: Q", "INSTRUCTION"},
			[]string{"system: RULES", "user: Question: Q\n\n[1] A\n\nQuestion: Q\n\nINSTRUCTION"},
		},
		{
			"instruction-first", all, prompt.InstructionFirst, chat,
			[]string{"RULES", "HISTORY", "INSTRUCTION", "[1] A", "Question: Q"},
			[]string{"system: RULES", "user: INSTRUCTION\n\n[1] A\n\nQuestion: Q"},
		},
		{
			"no history", all, prompt.Bookend, nil,
			[]string{"RULES", "TASK", "[1] A", "Question: Q", "INSTRUCTION", "REMINDER"},
			[]string{"system: RULES\n\nTASK", "user: [1] A\n\nQuestion: Q\n\nINSTRUCTION\n\nREMINDER"},
		},
		{
			"no system message", none, prompt.Bookend, chat,
			[]string{"HISTORY", "[1] A", "Question: Q"},
			[]string{"user: [1] A\n\nQuestion: Q"},
		},
		{
			"nothing but documents and question", none, prompt.QuestionLast, nil,
			[]string{"[1] A", "Question: Q"},
			[]string{"user: [1] A\n\nQuestion: Q"},
		},
		{
			"rules first, no place for a history", all, "rules,task,documents,question", nil,
			[]string{"RULES", "TASK", "[1] A", "Question: Q"},
			[]string{"system: RULES", "user: TASK\n\n[1] A\n\nQuestion: Q"},
		},
		{
			"rules later, no place for a history", all, "task,rules,documents,question", nil,
			[]string{"TASK", "RULES", "[1] A", "Question: Q"},
			[]string{"user: TASK\n\nRULES\n\n[1] A\n\nQuestion: Q"},
		},
		{
			"rules after the history", all, "history,rules,documents,question", chat,
			[]string{"HISTORY", "RULES", "[1] A", "Question: Q"},
			[]string{"user: RULES\n\n[1] A\n\nQuestion: Q"},
		},
		{
			"other parts before the history", all, "reminder,instruction,history,documents,question,rules", chat,
			[]string{"REMINDER", "INSTRUCTION", "HISTORY", "[1] A", "Question: Q", "RULES"},
			[]string{"system: REMINDER\n\nINSTRUCTION", "user: [1] A\n\nQuestion: Q\n\nRULES"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := test.config
			c.Layout = test.layout
			history := slices.Clone(test.history)
			p := build(t, c, letters(1), prompt.Input{Question: "Q", History: history})
			want := strings.Replace(strings.Join(test.text, "\n\n"), "HISTORY", "User: U1\nAssistant: A1\nTool: T1\nSystem: S1", 1)
			same(t, "text", want, p.Text)

			got := spoken(p.Messages)
			user := len(test.want) - 1
			messages := slices.Concat(test.want[:user], spoken(history), test.want[user:])
			same(t, "messages", messages, got)

			p.Messages[0].Text, p.Messages[len(p.Messages)-1].Text = "", ""
			for i := range p.Messages {
				p.Messages[i].Text = "changed"
			}
			same(t, "history after a change of the messages", test.history, history)
		})
	}
}

func TestCueAndQuestionPrefix(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Why?"}
	for _, test := range []struct {
		name   string
		config prompt.Config
		want   string
	}{
		{"a cue after the question", prompt.Config{Cue: "Answer:"}, "[1] A\n\nQuestion: Why?\nAnswer:"},
		{"a cue after the last part", prompt.Config{Cue: "Answer:", Reminder: "Be brief.", Layout: prompt.Bookend}, "[1] A\n\nQuestion: Why?\n\nBe brief.\nAnswer:"},
		{"a cue where the documents are last", prompt.Config{Cue: "Answer:", Layout: "question,documents"}, "Question: Why?\n\n[1] A\nAnswer:"},
		{"another prefix", prompt.Config{QuestionPrefix: "Frage: "}, "[1] A\n\nFrage: Why?"},
		{"another prefix, twice", prompt.Config{QuestionPrefix: "? ", Layout: prompt.QueryAware}, "? Why?\n\n[1] A\n\n? Why?"},
	} {
		p := build(t, test.config, letters(1), in)
		same(t, test.name, test.want, p.Text)
		same(t, test.name+": message", test.want, p.Messages[len(p.Messages)-1].Text)
	}
}

func TestNoDocuments(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		for _, docs := range [][]doc{nil, {}} {
			p := build(t, prompt.Config{Format: f}, docs, prompt.Input{Question: "Q"})
			same(t, string(f), "No documents were found.\n\nQuestion: Q", p.Text)
			same(t, "labels", 0, len(p.Arrangement.Labels()))
		}
	}
	c := prompt.Config{NoDocuments: "Nichts gefunden."}
	same(t, "own words", "Nichts gefunden.\n\nQuestion: Q", build(t, c, nil, prompt.Input{Question: "Q"}).Text)
	same(t, "block", "Nichts gefunden.", block(t, c, nil))
	c.FormatFunc = func(prompt.Document) (string, error) { return "", errors.New("nothing to format") }
	same(t, "own format", "Nichts gefunden.\n\nQuestion: Q", build(t, c, nil, prompt.Input{Question: "Q"}).Text)
}

// An empty text is a document all the same.
func TestEmptyTexts(t *testing.T) {
	t.Parallel()
	for format, want := range map[prompt.Format]string{
		prompt.Numbered: "[1] \n\n[2] B",
		prompt.Titled:   "Document [1] \nDocument [2] B",
		prompt.Markdown: "## [1]\n\n\n\n## [2]\n\nB\n\n---",
		prompt.XML: lines("<documents>", `<document index="1">`, "<document_content>", "", "</document_content>", "</document>",
			`<document index="2">`, "<document_content>", "B", "</document_content>", "</document>", "</documents>"),
	} {
		same(t, string(format), want, block(t, prompt.Config{Format: format}, texts("", "B")))
	}
}

// slots writes a block of numbered letters as "1:A 3:C 2:B".
func slots(text string) string {
	return strings.ReplaceAll(strings.NewReplacer("[", "", "] ", ":").Replace(text), "\n\n", " ")
}

func TestLabels(t *testing.T) {
	t.Parallel()
	docs := letters(5)
	for _, test := range []struct {
		labels    prompt.LabelBy
		placement core.Placement
		want      string
		ranks     []int // by label
	}{
		{"", nil, "1:A 3:C 5:E 4:D 2:B", []int{0, 1, 2, 3, 4}},
		{prompt.ByRank, core.Reversed, "5:E 4:D 3:C 2:B 1:A", []int{0, 1, 2, 3, 4}},
		{prompt.BySlot, nil, "1:A 2:C 3:E 4:D 5:B", []int{0, 2, 4, 3, 1}},
		{prompt.BySlot, core.Reversed, "1:E 2:D 3:C 4:B 5:A", []int{4, 3, 2, 1, 0}},
	} {
		a := mustArranger(t, core.Config{Placement: core.Choice{Placement: test.placement}})
		p, err := prompt.Build(t.Context(), mustNew(t, prompt.Config{Labels: test.labels}), a, docs, docView, prompt.Input{Question: "Q"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(test.labels)+" text", test.want+" Question: Q", slots(p.Text))
		same(t, string(test.labels)+" labels", test.ranks, citedRanks(p))
	}
}

// Labels have no gap where a document was left out, and cite ranks among all that
// came in.
func TestLabelsOfWhatWasAdmitted(t *testing.T) {
	t.Parallel()
	docs := texts("A", "A", "B", "A", "C")
	a := mustArranger(t, core.Config{DropSameText: true})
	for labels, want := range map[prompt.LabelBy][]int{prompt.ByRank: {0, 2, 4}, prompt.BySlot: {0, 4, 2}} {
		p, err := prompt.Build(t.Context(), mustNew(t, prompt.Config{Labels: labels}), a, docs, docView, prompt.Input{Question: "Q"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(labels), want, citedRanks(p))
	}
}

func TestDocumentsThatComePlaced(t *testing.T) {
	t.Parallel()
	docs := letters(5)
	var events []core.Event
	var read []string
	a := mustArranger(t, core.Config{TopK: 1, Observe: func(_ context.Context, e core.Event) {
		events = append(events, e)
		for rank := range docs {
			read = append(read, e.Text(rank))
		}
	}})
	r := mustNew(t, prompt.Config{})
	ctx, headTail := placedBy(t, core.HeadTail, docs)
	p, err := prompt.Build(ctx, r, a, headTail, docView, placed("Q"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "1:A 3:C 5:E 4:D 2:B Question: Q", slots(p.Text))
	same(t, "labels", []int{0, 1, 2, 3, 4}, citedRanks(p))
	same(t, "ranks", []int{0, 2, 4, 3, 1}, p.Arrangement.Ranks())
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	same(t, "observed order", "r1 r3 r5 r4 r2", events[0].Arrangement.Order())
	same(t, "observed texts by rank", []string{"A", "B", "C", "D", "E"}, read)

	p, err = prompt.Build(t.Context(), r, nil, docs, docView, placed("Q"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "nobody knows how", "1:A 2:B 3:C 4:D 5:E Question: Q", slots(p.Text))

	// What is left after trimming keeps its order.
	ctx, reversed := placedBy(t, core.Reversed, docs)
	short := mustNew(t, prompt.Config{NoDocuments: "-", Unit: core.Runes, Budget: len("[3] C\n\n[2] B\n\n[1] A\n\nQuestion: Q")})
	for _, placement := range []core.Placement{core.RankOrder, core.TailHead} {
		other := mustArranger(t, core.Config{Placement: core.Choice{Placement: placement}, Observe: func(context.Context, core.Event) {}})
		for _, arranger := range []*core.Arranger{nil, other} {
			p, err = prompt.Build(ctx, short, arranger, reversed, docView, placed("Q"))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "trimmed", "3:C 2:B 1:A Question: Q", slots(p.Text))
		}
	}
}

// A setting that placed documents do not need asks nothing of them.
func TestPlacedDocumentsAreNotArranged(t *testing.T) {
	t.Parallel()
	a := mustArranger(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	p, err := prompt.Build(t.Context(), nil, a, letters(2), docView, placed("Q"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "1:A 2:B Question: Q", slots(p.Text))
}

func TestOffKeepsTheInputOrder(t *testing.T) {
	t.Parallel()
	p, err := prompt.Build(t.Context(), nil, core.Off, letters(4), docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "1:A 2:B 3:C 4:D Question: Q", slots(p.Text))
}

func TestRenderLaysOutWhatIsArranged(t *testing.T) {
	t.Parallel()
	docs := letters(4)
	a, err := core.Arrange(t.Context(), mustArranger(t, core.Config{TopK: 3}), docs, docView, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := prompt.Render(t.Context(), mustNew(t, prompt.Config{Rules: "RULES"}), a, docs, docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "RULES 1:A 3:C 2:B Question: Q", slots(p.Text))
	same(t, "arrangement", a.String(), p.Arrangement.String())
	same(t, "layout", prompt.QuestionLast, p.Layout)
}

func TestBlockIsTheDocumentsAlone(t *testing.T) {
	t.Parallel()
	c := support()
	c.Cue, c.Format = "Answer:", prompt.Titled
	docs := letters(3)
	p, err := prompt.Block(t.Context(), mustNew(t, c), mustArranged(t, core.HeadTail, 3), docs, docView)
	if err != nil {
		t.Fatal(err)
	}
	want := lines("Document [1] A", "Document [3] B", "Document [2] C")
	same(t, "text", want, p.Text)
	same(t, "messages", []string{"user: " + want}, spoken(p.Messages))
	same(t, "labels", []int{0, 1, 2}, citedRanks(p))

	p, err = prompt.Block(t.Context(), nil, mustArranged(t, nil, 1), docs[:1], docView)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "nil renderer", "[1] A", p.Text)

	c = prompt.Config{Layout: prompt.Bookend, Rules: "RULES", Unit: core.Runes}
	for _, c.BookendFrom = range []int{1, 1000} {
		same(t, "block of a layout by length", "[1] A", block(t, c, docs[:1]))
	}
}

// A prompt shows texts: a view that reads none is refused, whatever there is to show.
func TestViewWithoutText(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Q"}
	for name, v := range map[string]*core.View[doc]{"nil": nil, "empty": {}, "others": {Meta: docView.Meta}} {
		for _, c := range []prompt.Config{{}, {Unit: core.Runes, Budget: 30}, {FormatFunc: format}} {
			for _, docs := range [][]doc{letters(2), nil} {
				r := mustNew(t, c)
				a := mustArranged(t, nil, len(docs))
				_, build := prompt.Build(t.Context(), r, nil, docs, v, in)
				_, render := prompt.Render(t.Context(), r, a, docs, v, in)
				_, block := prompt.Block(t.Context(), r, a, docs, v)
				for _, err := range []error{build, render, block} {
					same(t, name, "View.Text", mustBe[*core.ConfigError](t, err).Field)
				}
			}
		}
	}
}

func TestBookendFrom(t *testing.T) {
	t.Parallel()
	c := prompt.Config{Rules: "RULES", Task: "TASK", Instruction: "INSTRUCTION", Reminder: "REMINDER", Unit: core.Runes}
	in := prompt.Input{Question: "Q", History: chat[:1]}
	c.Layout = prompt.QuestionLast
	short := build(t, c, letters(3), in)
	c.Layout = prompt.Bookend
	long := build(t, c, letters(3), in)
	size := core.Runes.Count(short.Text)
	for _, test := range []struct {
		from int
		want prompt.Prompt
	}{
		{0, long}, {1, long}, {size - 1, long}, {size, long}, {size + 1, short}, {1 << 30, short},
	} {
		c.BookendFrom = test.from
		p := build(t, c, letters(3), in)
		same(t, "text", test.want.Text, p.Text)
		same(t, "messages", test.want.Messages, p.Messages)
		same(t, "layout", test.want.Layout, p.Layout)

		// The whole decides, before anything is trimmed.
		if test.from <= 1<<20 {
			trimmed := c
			trimmed.Budget = core.Runes.Count(long.Text) - 1
			if len(test.want.Text) == len(short.Text) {
				trimmed.Budget = size - 1
			}
			p := build(t, trimmed, letters(3), in)
			same(t, "layout of a trimmed prompt", test.want.Layout, p.Layout)
			if p.DroppedTurns != 1 {
				t.Errorf("%d turns were left out, want 1", p.DroppedTurns)
			}
		}
	}

	c.BookendFrom = 5
	c.Unit, c.Count = "", func(string) int { return -1 }
	_, err := prompt.Build(t.Context(), mustNew(t, c), nil, letters(1), docView, in)
	same(t, "field", "Count", mustBe[*core.ConfigError](t, err).Field)

	c.Count = core.Runes.Count
	c.FormatFunc = func(prompt.Document) (string, error) { return "", errBroken }
	if _, err = prompt.Build(t.Context(), mustNew(t, c), nil, letters(1), docView, in); !errors.Is(err, errBroken) {
		t.Errorf("got error %v, want %v", err, errBroken)
	}
}

// A counter alone limits nothing: what is long stays.
func TestLongTextsStayWithoutABudget(t *testing.T) {
	t.Parallel()
	docs := texts(strings.Repeat("x", core.DefaultMaxBytes+1), "B")
	p := build(t, prompt.Config{Unit: core.Runes}, docs, prompt.Input{Question: "Q"})
	same(t, "labels", []int{0, 1}, citedRanks(p))
	same(t, "left out", 0, len(p.Arrangement.Dropped))
}

func TestInputIsUnchanged(t *testing.T) {
	t.Parallel()
	docs := slices.Grow(handbook(t, 7), 3)
	wantDocs := slices.Clone(docs)
	for i := range wantDocs {
		wantDocs[i].meta = maps.Clone(docs[i].meta)
	}
	in := conversation()
	wantHistory := slices.Clone(in.History)
	in.Call.TopK = 6
	c := support()
	c.Budget, c.Unit = 60, core.Words
	p, err := prompt.Build(t.Context(), mustNew(t, c), nil, docs, docView, in)
	if err != nil {
		t.Fatal(err)
	}
	if p.DroppedTurns == 0 || len(p.Arrangement.Dropped) == 0 {
		t.Fatal("the budget drops nothing: the test proves little")
	}
	same(t, "documents", wantDocs, docs)
	same(t, "history", wantHistory, in.History)
	if in.Call.Query != "" || in.Call.Refine != nil {
		t.Error("the caller's Call was written to")
	}
}

func TestBuildTellsTheObserver(t *testing.T) {
	t.Parallel()
	var events []core.Event
	second := ""
	observe := func(_ context.Context, e core.Event) {
		events = append(events, e)
		second = e.Text(1)
	}
	a := mustArranger(t, core.Config{Observe: observe})
	in := prompt.Input{Question: "Why?"}
	ctx := core.WithRequestID(t.Context(), "id-7")

	c := prompt.Config{Labels: prompt.BySlot, Budget: 40, Unit: core.Runes, NoDocuments: "none"}
	p, err := prompt.Build(ctx, mustNew(t, c), a, letters(6), docView, in)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 1 {
		t.Fatalf("%d events, want 1", len(events))
	}
	e := events[0]
	if len(p.Arrangement.Dropped) == 0 {
		t.Fatal("the budget drops nothing: the test proves little")
	}
	same(t, "arrangement", p.Arrangement.String(), e.Arrangement.String())
	same(t, "labels", p.Arrangement.Labels(), e.Arrangement.Labels())
	same(t, "query", "Why?", e.Query)
	same(t, "request ID", "id-7", e.RequestID)

	events = nil
	c.Budget = 1
	_, err = prompt.Build(ctx, mustNew(t, c), a, letters(6), docView, in)
	mustBe[*prompt.BudgetError](t, err)
	if len(events) != 1 || !reflect.DeepEqual(events[0].Err, err) {
		t.Errorf("got events %v, want one with the error %v", events, err)
	}
	same(t, "second-best document, read although the call fails", "B", second)

	// The Observe of the caller's Call is told, too, and its query gives way to the question.
	var notified []core.Event
	in.Call = core.Call{Query: "other", Observe: func(_ context.Context, e core.Event) { notified = append(notified, e) }}
	if _, err = prompt.Build(ctx, nil, nil, letters(2), docView, in); err != nil {
		t.Fatal(err)
	}
	if len(notified) != 1 || notified[0].Query != "Why?" {
		t.Errorf("got %v, want one event with the question", notified)
	}
}

func TestSelectChoosesForTheWholeCall(t *testing.T) {
	t.Parallel()
	reversed := mustArranger(t, core.Config{Placement: core.Choice{Placement: core.Reversed}})
	asked := 0
	a := mustArranger(t, core.Config{Select: func(context.Context) *core.Arranger { asked++; return reversed }})
	c := prompt.Config{Budget: 30, Unit: core.Runes, NoDocuments: "none"}
	p, err := prompt.Build(t.Context(), mustNew(t, c), a, letters(6), docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", "2:B 1:A Question: Q", slots(p.Text))
	same(t, "times asked", 1, asked)
}

func TestBuildIsDeterministic(t *testing.T) {
	t.Parallel()
	c := support()
	c.Format, c.Budget, c.Unit, c.Show = prompt.XML, 200, core.Words, []string{"title", "source"}
	first := build(t, c, handbook(t, 40), conversation())
	for range 5 {
		if next := build(t, c, handbook(t, 40), conversation()); next.Text != first.Text {
			t.Fatalf("two prompts of one input differ (-first +next)\n-%s\n+%s", first.Text, next.Text)
		}
	}
}
