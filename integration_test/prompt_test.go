package integration_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

var bpe = sync.OnceValue(func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		panic(err)
	}
	return codec
})

// countTokens counts as a model of OpenAI does.
func countTokens(text string) int {
	n, err := bpe().Count(text)
	if err != nil {
		panic(err)
	}
	return n
}

// page is one document of a promptCase.
type page struct {
	serial int
	text   string
	meta   map[string]any
}

var pageView = &core.View[page]{
	Text: func(p page) string { return p.text },
	Meta: func(p page) map[string]any { return p.meta },
}

// promptCase is one generated call of prompt.Build.
type promptCase struct {
	config   prompt.Config // without budget and counter
	arranger core.Config
	pages    []page
	in       prompt.Input
	// share says how much of the whole prompt the budget holds, in percent.
	share, reserve int
}

// Pieces of hostile and of ordinary texts.
var pieces = []string{
	"", " ", "\n", "\n\n", "\t", "word", "Ein längerer Satz über Rückgaben. ", "日本語", "مرحبا", "\u202e\u200f", "e\u0301\u0323", "😀👩‍👩‍👧",
	"<document>", "</document>", "</document_content>", "</documents>", "<documents>", "<source>", "</source>", "</metadata>",
	`<document index="1">`, "< / DOCUMENT", "<", "</", "&", "&lt;", "&amp;", "&lt;document>", "&amp;lt;/source>", "&amp;amp;lt;", "document", "document_content>", "<documentation>",
	"[1]", "[7] ", "[1, 2]", "## [3] ", "Document [1](Title: x) ", "Question: ", "Answer:", "No documents were found.",
	`{{ env "HOME" }}`, "{x}", "{% x %}", "%s%d", "\xff", "\xc3\x28", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "<|endoftext|>",
}

func drawText(least int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), least, 12).Draw(t, "pieces"), "")
		if least > 0 && text == "" {
			return "?"
		}
		return text
	})
}

var promptPlacements = []core.Placement{
	nil, core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.EdgesFirst{Edge: 1}, core.Shuffled{Seed: 7},
}

var promptCases = rapid.Custom(func(t *rapid.T) promptCase {
	text, some := drawText(0), drawText(1)
	optional := func(name string) string {
		if rapid.Bool().Draw(t, "has "+name) {
			return text.Draw(t, name)
		}
		return ""
	}
	c := promptCase{
		config: prompt.Config{
			Layout: rapid.SampledFrom([]prompt.Layout{
				"", prompt.QuestionLast, prompt.Bookend, prompt.QueryAware, prompt.InstructionFirst,
				"history,reminder,rules,question,documents,instruction", "instruction,history,documents,task,question",
			}).Draw(t, "layout"),
			Rules: optional("rules"), Task: optional("task"), Instruction: optional("instruction"), Reminder: optional("reminder"),
			Cue: optional("cue"), NoDocuments: optional("no documents"),
			Format:   rapid.SampledFrom([]prompt.Format{prompt.Numbered, prompt.Titled, prompt.XML, prompt.XML, prompt.Markdown}).Draw(t, "format"),
			Labels:   rapid.SampledFrom([]prompt.LabelBy{"", prompt.ByRank, prompt.BySlot}).Draw(t, "labels"),
			Show:     rapid.SampledFrom([][]string{nil, {"note"}, {"note", "missing", "title"}}).Draw(t, "show"),
			MaxShown: rapid.IntRange(0, 30).Draw(t, "max shown"),
		},
		arranger: core.Config{
			Placement:    core.Choice{Placement: rapid.SampledFrom(promptPlacements).Draw(t, "placement")},
			Keys:         core.Keys{Pin: "pin"},
			DropSameText: rapid.Bool().Draw(t, "drop same text"),
			TopK:         rapid.SampledFrom([]int{0, 0, 20}).Draw(t, "top-k"),
		},
		in:      prompt.Input{Question: some.Draw(t, "question")},
		share:   rapid.SampledFrom([]int{5, 20, 40, 60, 80, 95, 99, 100, 120}).Draw(t, "share"),
		reserve: rapid.IntRange(0, 20).Draw(t, "reserve"),
	}
	for range rapid.IntRange(0, 5).Draw(t, "messages") {
		c.in.History = append(c.in.History, prompt.Message{
			Role: rapid.SampledFrom([]prompt.Role{prompt.User, prompt.User, prompt.Assistant, prompt.Tool, prompt.System}).Draw(t, "role"),
			Text: text.Draw(t, "message"),
		})
	}
	n := rapid.IntRange(0, 14).Draw(t, "documents")
	pins := 0
	for i := range n {
		p := page{serial: i, text: text.Draw(t, "text"), meta: map[string]any{"note": optional("note"), "title": optional("title"), "source": optional("source")}}
		if pins < 3 && rapid.IntRange(0, 7).Draw(t, "pin") == 7 {
			p.meta["pin"] = true
			pins++
		} else if rapid.IntRange(0, 30).Draw(t, "too long") == 30 {
			p.text = tooLong
		}
		c.pages = append(c.pages, p)
	}
	c.pages = slices.Grow(c.pages, 1)
	return c
})

func (c promptCase) clone() promptCase {
	c.pages, c.in.History = slices.Clone(c.pages), slices.Clone(c.in.History)
	for i, p := range c.pages {
		meta := map[string]any{}
		for key, value := range p.meta {
			meta[key] = value
		}
		c.pages[i].meta = meta
	}
	return c
}

func newRenderer(t *rapid.T, c prompt.Config) *prompt.Renderer {
	r, err := prompt.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// admit returns what may enter at all, best first, without a budget: what the
// arranger admits, texts over the byte cap left out. Each keeps its serial.
func (c promptCase) admit(t *rapid.T) []page {
	a, err := core.New(c.arranger)
	if err != nil {
		t.Fatal(err)
	}
	arrangement, err := core.Arrange(background, a, c.pages, pageView, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	var admitted []page
	for _, rank := range slices.Sorted(slices.Values(arrangement.Ranks())) {
		index, _ := arrangement.IndexOf(rank)
		if len(c.pages[index].text) <= core.DefaultMaxBytes {
			admitted = append(admitted, c.pages[index])
		}
	}
	return admitted
}

// free lays out pages, all of them, with the history from a message on and no
// budget.
func (c promptCase) free(t *rapid.T, pages []page, message int) prompt.Prompt {
	a, err := core.New(core.Config{Placement: c.arranger.Placement})
	if err != nil {
		t.Fatal(err)
	}
	in := c.in
	in.History = in.History[message:]
	p, err := prompt.Build(background, newRenderer(t, c.config), a, pages, pageView, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// turns returns where each turn of the history starts.
func (c promptCase) turns() []int {
	var starts []int
	for i, m := range c.in.History {
		if i == 0 || m.Role == prompt.User {
			starts = append(starts, i)
		}
	}
	return starts
}

func unpinnedPages(pages []page) (list []page) {
	for _, p := range pages {
		if p.meta["pin"] != true {
			list = append(list, p)
		}
	}
	return list
}

// promptRun is a case that was laid out under its budget.
type promptRun struct {
	promptCase
	config   prompt.Config // with the budget
	admitted []page        // what may enter at all, best first
	got      prompt.Prompt
	short    bool // the budget cannot hold what must not be cut
	err      error
	counts   int
	events   []core.Event
}

var promptRuns = rapid.Custom(func(t *rapid.T) *promptRun {
	run := &promptRun{promptCase: promptCases.Draw(t, "case")}
	c := run.promptCase
	run.admitted = c.admit(t)
	whole := c.free(t, run.admitted, 0)
	run.config = c.config
	run.config.Reserve = c.reserve
	run.config.Budget = max(1, countTokens(whole.Text)*c.share/100+c.reserve)
	run.config.Count = func(text string) int { run.counts++; return countTokens(text) }
	arranger := c.arranger
	arranger.Observe = func(_ context.Context, e core.Event) { run.events = append(run.events, e) }
	a, err := core.New(arranger)
	if err != nil {
		t.Fatal(err)
	}
	before := c.clone()
	run.got, run.err = prompt.Build(background, newRenderer(t, run.config), a, c.pages, pageView, c.in)
	for what, d := range map[string]string{
		"documents": cmp.Diff(before.pages, c.pages, cmp.AllowUnexported(page{})),
		"history":   cmp.Diff(before.in.History, c.in.History),
	} {
		if d != "" {
			t.Errorf("the %s were changed (-before +after)\n%s", what, d)
		}
	}
	if run.err != nil {
		run.short = true
		run.needsMoreThanTheBudget(t)
	}
	return run
})

// needsMoreThanTheBudget checks that an error is one of the budget, and right.
func (run *promptRun) needsMoreThanTheBudget(t *rapid.T) {
	var short *prompt.BudgetError
	if !errors.As(run.err, &short) {
		t.Fatal(run.err)
	}
	room := run.config.Budget - run.config.Reserve
	pinned := slices.DeleteFunc(slices.Clone(run.admitted), func(p page) bool { return p.meta["pin"] != true })
	least := countTokens(run.free(t, pinned, len(run.in.History)).Text)
	if short.Budget != run.config.Budget || short.Reserve != run.config.Reserve || short.Needed > least || short.Needed <= room {
		t.Errorf("the error is %+v, but the least is %d of %d", *short, least, room)
	}
	if len(pinned) == 0 && len(run.admitted) > 0 {
		if size := countTokens(run.free(t, run.admitted[:1], len(run.in.History)).Text); size <= room {
			t.Errorf("the best document alone makes a prompt of %d, which fits into %d", size, room)
		}
	}
}

// left returns the pages of the prompt, best first.
func (run *promptRun) left() []page {
	var pages []page
	for _, rank := range slices.Sorted(slices.Values(run.got.Arrangement.Ranks())) {
		index, _ := run.got.Arrangement.IndexOf(rank)
		pages = append(pages, run.pages[index])
	}
	return pages
}

func pageSerials(pages []page) []int {
	list := []int{}
	for _, p := range pages {
		list = append(list, p.serial)
	}
	return list
}

// The whole prompt fits with the room for the answer, and holds the question and
// the other parts whole.
func (run *promptRun) fitsAndKeepsItsParts(t *rapid.T) {
	p, c := run.got, run.config
	size := countTokens(p.Text)
	if size+c.Reserve > c.Budget || size != p.Size {
		t.Errorf("%d tokens (Size says %d) and %d for the answer, but the budget is %d", size, p.Size, c.Reserve, c.Budget)
	}
	if run.counts > 20 {
		t.Errorf("%d counts", run.counts)
	}
	layout := c.Layout
	if layout == "" {
		layout = prompt.QuestionLast
	}
	parts, err := layout.Parts()
	if err != nil {
		t.Fatal(err)
	}
	instruction := c.Instruction
	if instruction == "" {
		instruction = c.Task
	}
	question := run.in.Question
	if c.Format == prompt.XML {
		question = prompt.Escape(question)
	}
	words := map[prompt.Part]string{
		prompt.PartRules: c.Rules, prompt.PartTask: c.Task, prompt.PartInstruction: instruction,
		prompt.PartReminder: c.Reminder, prompt.PartQuestion: "Question: " + question,
	}
	rest := p.Text // the parts stand in their order, none of them cut
	for _, part := range parts {
		at := strings.Index(rest, words[part])
		if at < 0 {
			t.Fatalf("the %s %q is not in what follows: %q", part, words[part], rest)
		}
		rest = rest[at+len(words[part]):]
	}
	if c.Cue != "" && !strings.HasSuffix(p.Text, "\n"+c.Cue) {
		t.Errorf("the prompt ends in %q, want the cue %q", p.Text, c.Cue)
	}
}

// The text is that of a call without a budget which is given no more than what is
// left: so the documents are placed again after trimming, and labelled as if no
// others had come in.
func (run *promptRun) isThatOfWhatIsLeft(t *rapid.T) {
	left := run.left()
	want := run.free(t, left, run.got.DroppedMessages)
	if d := cmp.Diff(want.Text, run.got.Text); d != "" {
		t.Errorf("text (-want +got)\n%s", d)
	}
	if d := cmp.Diff(want.Messages, run.got.Messages); d != "" {
		t.Errorf("messages (-want +got)\n%s", d)
	}
	order, err := core.Order(run.arranger.Placement, len(left))
	if err != nil {
		t.Fatal(err)
	}
	var placed, slots []int
	for _, i := range order {
		placed = append(placed, left[i].serial)
	}
	for _, s := range run.got.Arrangement.Slots {
		slots = append(slots, s.Index)
	}
	if d := cmp.Diff(placed, slots); d != "" {
		t.Errorf("documents by slot (-want +got)\n%s", d)
	}
	if len(run.got.Arrangement.Labels()) != len(left) {
		t.Fatalf("%d labels for %d documents", len(run.got.Arrangement.Labels()), len(left))
	}
	for label, rank := range run.got.Arrangement.Labels() {
		at := left[label-1].serial // by rank
		if run.config.Labels == prompt.BySlot {
			at = slots[label-1]
		}
		if index, ok := run.got.Arrangement.IndexOf(rank); !ok || index != at {
			t.Errorf("[%d] cites document %d, want %d", label, index, at)
		}
	}
}

// What was dropped are the oldest turns, and once no history is left the worst
// documents that are not pinned; and one step less would not fit.
func (run *promptRun) dropsTheLeastAndTheWorst(t *rapid.T) {
	p := run.got
	starts := append(run.turns(), len(run.in.History))
	if p.DroppedMessages != starts[p.DroppedTurns] {
		t.Errorf("%d messages of %d turns were dropped, want %d", p.DroppedMessages, p.DroppedTurns, starts[p.DroppedTurns])
	}
	candidates := unpinnedPages(run.admitted)
	kept := unpinnedPages(run.left())
	dropped := len(candidates) - len(kept)
	if d := cmp.Diff(pageSerials(candidates[:len(kept)]), pageSerials(kept)); d != "" {
		t.Fatalf("unpinned documents that are left (-want +got)\n%s", d)
	}
	if pins := len(run.admitted) - len(candidates); len(run.left())-len(kept) != pins {
		t.Errorf("%d pinned documents are left of %d", len(run.left())-len(kept), pins)
	}
	if dropped > 0 && p.DroppedMessages != len(run.in.History) {
		t.Errorf("%d documents were dropped while messages from %d on were kept", dropped, p.DroppedMessages)
	}
	for _, out := range p.Arrangement.Dropped {
		if i := slices.IndexFunc(candidates, func(c page) bool { return c.serial == out.Index }); i >= 0 && out.Reason != core.OverBudget {
			t.Errorf("document %d was dropped for %q, want %q", out.Index, out.Reason, core.OverBudget)
		}
	}

	var more prompt.Prompt // one step less
	switch {
	case dropped > 0:
		back := candidates[len(kept)].serial
		pages := slices.DeleteFunc(slices.Clone(run.admitted), func(a page) bool {
			return a.serial != back && !slices.ContainsFunc(run.left(), func(l page) bool { return l.serial == a.serial })
		})
		more = run.free(t, pages, len(run.in.History))
	case p.DroppedTurns > 0:
		more = run.free(t, run.left(), starts[p.DroppedTurns-1])
	default:
		return
	}
	if size := countTokens(more.Text); size+run.config.Reserve <= run.config.Budget {
		t.Errorf("one step less has %d tokens and fits into %d - %d", size, run.config.Budget, run.config.Reserve)
	}
}

func (run *promptRun) isObservedOnce(t *rapid.T) {
	if len(run.events) != 1 {
		t.Fatalf("%d events, want 1", len(run.events))
	}
	e := run.events[0]
	if run.short {
		if !errors.Is(e.Err, run.err) {
			t.Errorf("the observer was told %v, want %v", e.Err, run.err)
		}
		return
	}
	if d := cmp.Diff(run.got.Arrangement.String(), e.Arrangement.String()); d != "" {
		t.Errorf("arrangement (-want +got)\n%s", d)
	}
	if d := cmp.Diff(run.got.Arrangement.Labels(), e.Arrangement.Labels()); d != "" || e.Query != run.in.Question || e.Err != nil {
		t.Errorf("labels (-want +got)\n%s\nquery %q, error %v", d, e.Query, e.Err)
	}
}

func (run *promptRun) isDeterministic(t *rapid.T) {
	a, err := core.New(run.arranger)
	if err != nil {
		t.Fatal(err)
	}
	again, err := prompt.Build(background, newRenderer(t, run.config), a, run.clone().pages, pageView, run.in)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run.got.Text, again.Text); d != "" {
		t.Errorf("text (-first +second)\n%s", d)
	}
}

// A reader of the XML form that knows nothing of how it was written: white space
// is allowed anywhere in a tag, as is any case, so that a text that could pass for
// a tag would lead it astray.
var (
	xmlOpen  = regexp.MustCompile(`^<document index="(\d+)">\n(?:<source>([^\n]*)</source>\n)?((?:<metadata name="[a-z]+">[^\n]*</metadata>\n)*)<document_content>\n`)
	xmlTag   = regexp.MustCompile(`(?i)<[ \t\r\n]*/?[ \t\r\n]*(?:documents?|document_content|source|metadata)(?:[^a-z0-9_.:-]|$)`)
	xmlClose = "\n</document_content>\n</document>"
)

type xmlDocument struct {
	label        int
	source, text string
}

func readXML(block string) ([]xmlDocument, error) {
	rest, ok := strings.CutPrefix(block, "<documents>\n")
	if !ok {
		return nil, fmt.Errorf("no start: %q", block)
	}
	var list []xmlDocument
	for {
		head := xmlOpen.FindStringSubmatch(rest)
		if head == nil {
			return nil, fmt.Errorf("no document starts at %q", rest)
		}
		if n := len(xmlTag.FindAllString(head[2], -1)); n > 0 {
			return nil, fmt.Errorf("the source %q holds a tag", head[2])
		}
		if n := strings.Count(head[3], "\n"); len(xmlTag.FindAllString(head[3], -1)) != 2*n {
			return nil, fmt.Errorf("the metadata %q holds a tag", head[3])
		}
		rest = rest[len(head[0]):]
		at := xmlTag.FindStringIndex(rest)
		if at == nil || at[0] == 0 || !strings.HasPrefix(rest[at[0]-1:], xmlClose) {
			return nil, fmt.Errorf("the content does not end by its own tag: %q", rest)
		}
		label, _ := strconv.Atoi(head[1])
		list = append(list, xmlDocument{label, prompt.Unescape(head[2]), prompt.Unescape(rest[:at[0]-1])})
		rest = rest[at[0]-1+len(xmlClose):]
		if rest == "\n</documents>" {
			return list, nil
		}
		if rest, ok = strings.CutPrefix(rest, "\n"); !ok {
			return nil, fmt.Errorf("no next document at %q", rest)
		}
	}
}

// A reader of the XML form gets back the admitted texts in the order of the slots.
func (run *promptRun) givesBackTheTextsFromXML(t *rapid.T) {
	if run.config.Format != prompt.XML {
		return
	}
	block, err := prompt.Block(context.Background(), newRenderer(t, run.promptCase.config), run.got.Arrangement, run.pages, pageView)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(run.got.Text, block.Text) {
		t.Errorf("the block %q is not in the prompt %q", block.Text, run.got.Text)
	}
	if len(run.left()) == 0 {
		return
	}
	read, err := readXML(block.Text)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, s := range run.got.Arrangement.Slots {
		want = append(want, run.pages[s.Index].text)
	}
	for i, d := range read {
		got = append(got, d.text)
		if d.label < 1 || d.label > len(run.got.Arrangement.Labels()) || run.got.Arrangement.Labels()[d.label] != run.got.Arrangement.Slots[i].Rank {
			t.Errorf("slot %d has the label %d", i, d.label)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("texts by slot (-want +got)\n%s", d)
	}
}

// Whatever the parts, the documents and the budget are, a prompt that is laid out
// holds to all of this.
func TestPromptUnderABudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := promptRuns.Draw(t, "run")
		run.isObservedOnce(t)
		if run.short {
			return
		}
		run.fitsAndKeepsItsParts(t)
		run.isThatOfWhatIsLeft(t)
		run.dropsTheLeastAndTheWorst(t)
		run.isDeterministic(t)
		run.givesBackTheTextsFromXML(t)
	})
}

// The draws above would prove little if they never reached a rule. Examples are
// the same in every run.
func TestGeneratedPromptsReachEveryRule(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{"short": true, "whole": true, "turns": true, "documents": true, "none left": true, "pins": true, "too long": true, "tags in XML": true}
	for i := range 150 {
		run := promptRuns.Example(i)
		if run.short {
			delete(missing, "short")
			continue
		}
		left := run.left()
		for _, reached := range []struct {
			name string
			yes  bool
		}{
			{"whole", len(left) == len(run.admitted) && run.got.DroppedTurns == 0},
			{"turns", run.got.DroppedTurns > 0 && run.got.DroppedMessages < len(run.in.History)},
			{"documents", len(left) > 0 && len(left) < len(run.admitted)},
			{"none left", len(left) == 0 && len(run.admitted) > 0},
			{"pins", len(unpinnedPages(left)) < len(left) && len(left) < len(run.admitted)},
			{"too long", slices.ContainsFunc(run.got.Arrangement.Dropped, func(d core.Dropped) bool { return d.Reason == core.OverMaxBytes })},
			{"tags in XML", run.config.Format == prompt.XML && slices.ContainsFunc(left, func(p page) bool { return xmlTag.MatchString(p.text) })},
		} {
			if reached.yes {
				delete(missing, reached.name)
			}
		}
		if len(missing) == 0 {
			return
		}
	}
	t.Errorf("no draw reached %v", missing)
}

// A thousand documents cost at most twenty counts of a whole prompt.
func TestPromptOfAThousandDocumentsCountsSeldom(t *testing.T) {
	t.Parallel()
	pages := make([]page, 1000)
	for i := range pages {
		pages[i] = page{serial: i, text: fmt.Sprintf("Page %d says that order %d is paid back.", i, i*i)}
	}
	var history []prompt.Message
	for i := range 50 {
		history = append(history, prompt.Message{Role: prompt.User, Text: fmt.Sprint("And order ", i, "?")}, prompt.Message{Role: prompt.Assistant, Text: "Yes."})
	}
	for _, budget := range []int{50, 5_000, 12_000} {
		counts := 0
		r, err := prompt.New(prompt.Config{Format: prompt.Numbered, Budget: budget, Count: func(text string) int { counts++; return countTokens(text) }})
		if err != nil {
			t.Fatal(err)
		}
		p, err := prompt.Build(background, r, nil, pages, pageView, prompt.Input{Question: "Which order is paid back?", History: history})
		if err != nil {
			t.Fatal(err)
		}
		if counts > 20 || p.Size > budget || len(p.Arrangement.Labels()) == 0 || len(p.Arrangement.Labels()) == len(pages) {
			t.Errorf("budget %d: %d counts, size %d, %d documents", budget, counts, p.Size, len(p.Arrangement.Labels()))
		}
	}
}
