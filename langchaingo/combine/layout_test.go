package combine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// wire is a model that records what it is sent. It answers "yes", or what answer
// returns.
type wire struct {
	answer func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error)

	mu      sync.Mutex
	prompts [][]llms.MessageContent
	options llms.CallOptions // of the last call
}

func (w *wire) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	w.mu.Lock()
	w.prompts, w.options = append(w.prompts, messages), o
	w.mu.Unlock()
	if w.answer != nil {
		return w.answer(ctx, messages, o)
	}
	return says("yes"), nil
}

func (w *wire) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, w, prompt, options...)
}

func says(text string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text}}}
}

// chat writes messages out, each with its role. A part that is no text shows its
// type.
func chat(messages []llms.MessageContent) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "<%s>", m.Role)
		for _, part := range m.Parts {
			if text, ok := part.(llms.TextContent); ok {
				fmt.Fprintf(&b, "%s|", text.Text)
			} else {
				fmt.Fprintf(&b, "%T|", part)
			}
		}
	}
	return b.String()
}

// wantChat writes out what core/prompt rendered, in langchaingo's roles.
func wantChat(messages []prompt.Message) string {
	var b strings.Builder
	for _, m := range messages {
		role := map[prompt.Role]string{prompt.System: "system", prompt.User: "human", prompt.Assistant: "ai"}[m.Role]
		fmt.Fprintf(&b, "<%s>%s|", role, m.Text)
	}
	return b.String()
}

// only returns the one prompt that the model got.
func (w *wire) only(t *testing.T) string {
	t.Helper()
	if len(w.prompts) != 1 {
		t.Fatalf("the model was asked %d times, want once", len(w.prompts))
	}
	return chat(w.prompts[0])
}

func newLayoutChain(t *testing.T, llm llms.Model, c combine.LayoutConfig) *combine.LayoutChain {
	t.Helper()
	chain, err := combine.NewLayoutChain(llm, c)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func newPrompter(t *testing.T, c combine.LayoutConfig) *combine.Prompter {
	t.Helper()
	p, err := combine.NewPrompter(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// render lays out the prompt by core/prompt alone.
func render(t *testing.T, c combine.LayoutConfig, docs []schema.Document, question string, history ...prompt.Message) prompt.Prompt {
	t.Helper()
	r, a, err := prompt.Compile(c.Prompt, c.Config, c.Placed, c.History != nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prompt.Build(context.Background(), r, a, docs, bookend.View(),
		prompt.Input{Question: question, History: history, Call: core.Call{Placed: c.Placed}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// parts is a prompt.Config with a text for every part.
func parts() prompt.Config {
	return prompt.Config{
		Rules: "Use the documents alone.", Task: "Answer.", Instruction: "Answer in one line.",
		Reminder: "Documents alone.", Cue: "Answer:",
	}
}

// titled returns documents with metadata and scores, the last one best.
func titled(n int) []schema.Document {
	docs := documents(n)
	for i := range docs {
		docs[i].Score = float32(i)
		docs[i].Metadata = map[string]any{"title": fmt.Sprintf("Title %d", i), "source": fmt.Sprintf("%d.md", i), "year": 2020 + i}
	}
	return docs
}

// anyForm is a format of one's own.
func anyForm(d prompt.Document) (string, error) {
	return fmt.Sprintf("%d. %s %s %s", d.Label, d.Title, d.Source, d.Text), nil
}

// everyForm returns c in every format.
func everyForm(c prompt.Config) map[string]prompt.Config {
	forms := map[string]prompt.Config{}
	for _, f := range []prompt.Format{prompt.Numbered, prompt.Titled, prompt.XML, prompt.Markdown} {
		c.Format = f
		forms[string(f)] = c
	}
	c.Format, c.FormatFunc = "", anyForm
	forms["func"] = c
	return forms
}

// layoutConfigs are the configurations whose prompts are compared.
func layoutConfigs() map[string]combine.LayoutConfig {
	configs := map[string]combine.LayoutConfig{
		"zero":    {},
		"by slot": {Prompt: prompt.Config{Labels: prompt.BySlot}},
		"ranked by score": {
			Prompt: parts(),
			Config: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 3, Placement: core.Choice{Placement: core.TailHead}},
		},
		"under a budget": {Prompt: prompt.Config{Rules: "Short.", Unit: core.Words, Budget: 20, Reserve: 3}},
		"placed":         {Prompt: parts(), Placed: true},
		"off":            {Prompt: parts(), Config: core.Config{Select: func(context.Context) *core.Arranger { return core.Off }}},
	}
	for _, l := range []prompt.Layout{prompt.QuestionLast, prompt.Bookend, prompt.QueryAware, prompt.InstructionFirst, "task,history,question,documents,rules"} {
		p := parts()
		p.Layout, p.Show = l, []string{"year", "title"}
		for form, p := range everyForm(p) {
			configs[string(l)+" "+form] = combine.LayoutConfig{Prompt: p}
		}
	}
	return configs
}

// kept is a history that is there before the first question.
func kept() (*memory.ChatMessageHistory, []prompt.Message) {
	history := memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{
		llms.HumanChatMessage{Content: "who?"},
		llms.AIChatMessage{Content: "us {{.x}}"},
		llms.SystemChatMessage{Content: "be brief"},
	}))
	return history, []prompt.Message{
		{Role: prompt.User, Text: "who?"},
		{Role: prompt.Assistant, Text: "us {{.x}}"},
		{Role: prompt.System, Text: "be brief"},
	}
}

// What the model gets is what core/prompt renders: roles, order, and every byte.
func TestTheModelGetsWhatIsRendered(t *testing.T) {
	t.Parallel()
	for name, c := range layoutConfigs() {
		for _, n := range []int{0, 1, 5} {
			for _, talk := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d documents, history %t", name, n, talk), func(t *testing.T) {
					c := c // its history differs
					var history []prompt.Message
					if talk {
						c.History, history = kept()
					}
					want := wantChat(render(t, c, titled(n), "why?", history...).Messages)
					llm := &wire{}
					out, err := chains.Run(context.Background(), chains.NewRetrievalQA(newLayoutChain(t, llm, c), list(titled(n))), "why?")
					if err != nil {
						t.Fatal(err)
					}
					if out != "yes" {
						t.Errorf("answer %q", out)
					}
					if got := llm.only(t); got != want {
						t.Errorf("(-want +got)\n-%s\n+%s", want, got)
					}
				})
			}
		}
	}
}

// In a conversation the earlier turns stand between the rules and the documents,
// each in its role. The condensed question is the one that is answered.
func TestALaidOutConversation(t *testing.T) {
	t.Parallel()
	buffer := memory.NewConversationBuffer()
	llm := &wire{}
	step := newLayoutChain(t, llm, combine.LayoutConfig{
		Prompt:  prompt.Config{Rules: "Be brief.", Instruction: "Cite."},
		History: buffer.ChatHistory,
	})
	chain := chains.NewConversationalRetrievalQA(step, chains.LoadCondenseQuestionGenerator(&echo{}), list(documents(3)), buffer)
	for range 2 {
		if _, err := chains.Run(context.Background(), chain, "how?"); err != nil {
			t.Fatal(err)
		}
	}
	const placed = "[1] first\n\n[3] third\n\n[2] second\n\nQuestion: "
	want := []string{
		"<system>Be brief.|<human>" + placed + "how?\n\nCite.|",
		"<system>Be brief.|<human>how?|<ai>yes|<human>" + placed + "and why?\n\nCite.|",
	}
	if len(llm.prompts) != len(want) {
		t.Fatalf("%d prompts, want %d", len(llm.prompts), len(want))
	}
	for i, messages := range llm.prompts {
		if got := chat(messages); got != want[i] {
			t.Errorf("turn %d (-want +got)\n-%s\n+%s", i+1, want[i], got)
		}
	}
	if messages, err := buffer.ChatHistory.Messages(context.Background()); err != nil || len(messages) != 4 {
		t.Errorf("%d messages are kept and the error is %v, want two of each turn", len(messages), err)
	}
}

// The oldest turns go before any document does.
func TestAConversationIsTrimmedFromItsStart(t *testing.T) {
	t.Parallel()
	c := combine.LayoutConfig{Prompt: prompt.Config{Unit: core.Words, Budget: 12}}
	history := memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{
		llms.HumanChatMessage{Content: "one two three"},
		llms.AIChatMessage{Content: "four"},
		llms.HumanChatMessage{Content: "who?"},
		llms.AIChatMessage{Content: "us"},
	}))
	c.History = history
	llm := &wire{}
	_, err := chains.Run(context.Background(), chains.NewRetrievalQA(newLayoutChain(t, llm, c), list(documents(3))), "why?")
	if err != nil {
		t.Fatal(err)
	}
	want := "<human>who?|<ai>us|<human>[1] first\n\n[3] third\n\n[2] second\n\nQuestion: why?|"
	if got := llm.only(t); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

func TestCallOptionsReachTheModel(t *testing.T) {
	t.Parallel()
	llm := &wire{}
	chain := chains.NewRetrievalQA(newLayoutChain(t, llm, combine.LayoutConfig{}), list(documents(1)))
	_, err := chains.Run(context.Background(), chain, "why?",
		chains.WithModel("m"), chains.WithMaxTokens(7), chains.WithTemperature(0.5), chains.WithStopWords([]string{"stop"}),
		chains.WithTopK(3), chains.WithTopP(0.9), chains.WithSeed(17), chains.WithMinLength(1), chains.WithMaxLength(9),
		chains.WithRepetitionPenalty(1.1))
	if err != nil {
		t.Fatal(err)
	}
	want := llms.CallOptions{
		Model: "m", MaxTokens: 7, Temperature: 0.5, StopWords: []string{"stop"},
		TopK: 3, TopP: 0.9, Seed: 17, MinLength: 1, MaxLength: 9, RepetitionPenalty: 1.1,
	}
	if !reflect.DeepEqual(llm.options, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, llm.options)
	}
}

// streaming returns a model that streams one token, and the second when release is
// closed.
func streaming(release <-chan struct{}) *wire {
	return &wire{answer: func(ctx context.Context, _ []llms.MessageContent, o llms.CallOptions) (*llms.ContentResponse, error) {
		if o.StreamingFunc == nil {
			return nil, errors.New("the streaming func did not arrive")
		}
		if err := o.StreamingFunc(ctx, []byte("yes")); err != nil {
			return nil, err
		}
		select {
		case <-release:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return says("yes, indeed"), o.StreamingFunc(ctx, []byte(", indeed"))
	}}
}

// heardTokens is a handler that passes on the tokens that it hears.
type heardTokens struct {
	callbacks.SimpleHandler
	tokens chan<- string
}

func (h heardTokens) HandleStreamingFunc(_ context.Context, chunk []byte) { h.tokens <- string(chunk) }

// The first token reaches the user before the model has finished.
func TestTokensArriveBeforeTheModelHasFinished(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(llms.Model) chains.Chain{
		"layout chain": func(llm llms.Model) chains.Chain {
			return chains.NewRetrievalQA(newLayoutChain(t, llm, combine.LayoutConfig{}), list(documents(2)))
		},
		"conversation": func(llm llms.Model) chains.Chain {
			step := newLayoutChain(t, llm, combine.LayoutConfig{})
			return chains.NewConversationalRetrievalQA(step, chains.LoadCondenseQuestionGenerator(llm), list(documents(2)), memory.NewConversationBuffer())
		},
		"prompter": func(llm llms.Model) chains.Chain {
			return chains.NewRetrievalQA(chains.NewLLMChain(llm, newPrompter(t, combine.LayoutConfig{})), list(documents(2)))
		},
	} {
		for _, how := range []string{"func", "callback"} {
			t.Run(name+" by "+how, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				defer cancel()
				tokens, release, done := make(chan string, 2), make(chan struct{}), make(chan error, 1)
				option := chains.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
					tokens <- string(chunk)
					return nil
				})
				if how == "callback" {
					option = chains.WithCallback(heardTokens{tokens: tokens})
				}
				chain := build(streaming(release))
				var answer string
				go func() {
					var err error
					answer, err = chains.Run(ctx, chain, "why?", option)
					done <- err
				}()
				select {
				case token := <-tokens:
					if token != "yes" {
						t.Errorf("first token %q", token)
					}
				case err := <-done:
					t.Fatalf("the chain ended before the first token: %v", err)
				}
				close(release)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
				if token := <-tokens; token != ", indeed" || answer != "yes, indeed" {
					t.Errorf("second token %q, answer %q", token, answer)
				}
			})
		}
	}
}

const hostileText = `{{ env "HOME" }} {{.context}} {x} {% x %} {{`

// hostile returns documents whose text, title and source look like templates.
func hostile() []schema.Document {
	return []schema.Document{
		{PageContent: "text " + hostileText, Metadata: map[string]any{"title": "title " + hostileText, "source": "source " + hostileText}},
		{PageContent: "next " + hostileText},
	}
}

// No text of a document is ever run, on any path.
func TestTemplatesInDocumentsArriveLiterally(t *testing.T) {
	t.Setenv("HOME", "a-secret-of-the-machine")
	c := parts()
	c.Show = []string{"title", "source"}
	c.Rules, c.Instruction = "rules "+hostileText, "instruction "+hostileText
	question := "question " + hostileText
	placed, err := bookend.NewRetriever(list(hostile()))
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, llm *wire, chain chains.Chain, want ...string) {
		t.Helper()
		if _, err := chains.Run(context.Background(), chain, question); err != nil {
			t.Fatal(err)
		}
		got := llm.only(t)
		for _, w := range append(want, "text", "next", "question") {
			if !strings.Contains(got, w+" "+hostileText) {
				t.Errorf("the %s is not as it was:\n%s", w, got)
			}
		}
		if strings.Contains(got, os.Getenv("HOME")) {
			t.Errorf("a template was run:\n%s", got)
		}
	}
	t.Run("retriever and stuff chain", func(t *testing.T) {
		llm := &wire{}
		run(t, llm, chains.NewRetrievalQA(chains.LoadStuffQA(llm), placed))
	})
	t.Run("wrapped stuff chain", func(t *testing.T) {
		llm := &wire{}
		run(t, llm, chains.NewRetrievalQA(wrap(t, chains.LoadStuffQA(llm), core.Config{}), list(hostile())))
	})
	for form, c := range everyForm(c) {
		want := []string{"title", "source", "rules", "instruction"}
		t.Run("layout chain, "+form, func(t *testing.T) {
			llm := &wire{}
			run(t, llm, chains.NewRetrievalQA(newLayoutChain(t, llm, combine.LayoutConfig{Prompt: c}), list(hostile())), want...)
		})
		t.Run("retriever and layout chain, "+form, func(t *testing.T) {
			llm := &wire{}
			step := newLayoutChain(t, llm, combine.LayoutConfig{Prompt: c, Placed: true})
			run(t, llm, chains.NewRetrievalQA(step, placed), want...)
		})
		t.Run("conversation, "+form, func(t *testing.T) {
			llm, buffer := &wire{}, memory.NewConversationBuffer()
			step := newLayoutChain(t, llm, combine.LayoutConfig{Prompt: c, History: buffer.ChatHistory})
			run(t, llm, chains.NewConversationalRetrievalQA(step, chains.LoadCondenseQuestionGenerator(llm), list(hostile()), buffer), want...)
		})
		t.Run("prompter, "+form, func(t *testing.T) {
			llm := &wire{}
			step := chains.NewLLMChain(llm, newPrompter(t, combine.LayoutConfig{Prompt: c}))
			run(t, llm, chains.NewRetrievalQA(step, list(hostile())), want...)
		})
	}
}

// stepsOf builds each kind of step that lays out.
var stepsOf = map[string]func(*testing.T, llms.Model, combine.LayoutConfig) chains.Chain{
	"layout chain": func(t *testing.T, llm llms.Model, c combine.LayoutConfig) chains.Chain {
		return newLayoutChain(t, llm, c)
	},
	"prompter": func(t *testing.T, llm llms.Model, c combine.LayoutConfig) chains.Chain {
		return chains.NewLLMChain(llm, newPrompter(t, c))
	},
}

// Observe is called once, with what the model gets in the end.
func TestObserveGetsTheLabelsOfThePrompt(t *testing.T) {
	t.Parallel()
	words := prompt.Config{Unit: core.Words, Budget: 8}
	for _, c := range []struct {
		name    string
		config  combine.LayoutConfig
		prompt  string
		ranks   []int
		labels  []int // the rank that each cites, from label 1 on
		dropped int
	}{
		{"arranged", combine.LayoutConfig{}, "[1] first [3] third [5] fifth [4] fourth [2] second", []int{0, 2, 4, 3, 1}, []int{0, 1, 2, 3, 4}, 0},
		{"by slot", combine.LayoutConfig{Prompt: prompt.Config{Labels: prompt.BySlot}}, "[1] first [2] third [3] fifth [4] fourth [5] second", []int{0, 2, 4, 3, 1}, []int{0, 2, 4, 3, 1}, 0},
		{"trimmed", combine.LayoutConfig{Prompt: words}, "[1] first [3] third [2] second", []int{0, 2, 1}, []int{0, 1, 2}, 2},
		{"placed", combine.LayoutConfig{Placed: true}, "[1] first [2] second [3] third [4] fourth [5] fifth", []int{0, 1, 2, 3, 4}, []int{0, 1, 2, 3, 4}, 0},
		{"placed and trimmed", combine.LayoutConfig{Prompt: words, Placed: true}, "[1] first [2] second [3] third", []int{0, 1, 2}, []int{0, 1, 2}, 2},
	} {
		for kind, build := range stepsOf {
			t.Run(kind+", "+c.name, func(t *testing.T) {
				var events []core.Event
				c.config.Config.Observe = func(_ context.Context, e core.Event) { events = append(events, e) }
				llm := &wire{}
				step := build(t, llm, c.config)
				if _, err := chains.Run(context.Background(), chains.NewRetrievalQA(step, list(documents(5))), "why?"); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(strings.Fields(llm.only(t)), " "); got != "<human>"+c.prompt+" Question: why?|" {
					t.Errorf("prompt %s", got)
				}
				if len(events) != 1 {
					t.Fatalf("%d events, want 1", len(events))
				}
				e := events[0]
				if e.Query != "why?" || e.Err != nil || !maps.Equal(e.Arrangement.Labels(), numbered(c.labels)) {
					t.Errorf("query %q, error %v, labels %v, want labels %v", e.Query, e.Err, e.Arrangement.Labels(), c.labels)
				}
				if got := e.Arrangement; got.N != 5 || !slices.Equal(got.Ranks(), c.ranks) || len(got.Dropped) != c.dropped {
					t.Errorf("arrangement %v, want ranks %v and %d dropped of 5", got, c.ranks, c.dropped)
				}
			})
		}
	}
}

// configErrors returns the fields that an error names, sorted.
func configErrors(err error) []string {
	var fields []string
	var walk func(error)
	walk = func(err error) {
		if e, ok := err.(*core.ConfigError); ok {
			fields = append(fields, e.Field)
		}
		switch e := err.(type) {
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				walk(inner)
			}
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		}
	}
	walk(err)
	slices.Sort(fields)
	return fields
}

func TestEveryFaultOfALayoutComesAtOnce(t *testing.T) {
	t.Parallel()
	observe := func(context.Context, core.Event) {}
	faulty := combine.LayoutConfig{
		Prompt: prompt.Config{Layout: "documents,documents", Reserve: -1},
		Config: core.Config{TopK: -1, Unit: "miles"},
	}
	placed := func(c core.Config) combine.LayoutConfig {
		return combine.LayoutConfig{Placed: true, Config: c}
	}
	threshold := 0.5
	for _, c := range []struct {
		name   string
		llm    llms.Model
		config combine.LayoutConfig
		want   []string // without the model's
	}{
		{"none", &wire{}, combine.LayoutConfig{}, nil},
		{"no model", nil, combine.LayoutConfig{}, nil},
		{"a nil pointer as model", (*wire)(nil), combine.LayoutConfig{}, nil},
		{"all", nil, faulty, []string{"Layout", "Reserve", "TopK", "Unit"}},
		{"an unknown format", &wire{}, combine.LayoutConfig{Prompt: prompt.Config{Format: "numbred"}}, []string{"Format"}},
		{"placed and observed", &wire{}, placed(core.Config{Observe: observe}), nil},
		{"placed, ranked", &wire{}, placed(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}), []string{"Config"}},
		{"placed, placement", &wire{}, placed(core.Config{Placement: core.Choice{Placement: core.HeadTail}, Observe: observe}), []string{"Config.Placement"}},
		{"placed, placement of one's own", &wire{}, placed(core.Config{Placement: core.Choice{Placement: core.PlacementFunc(func([]int, func(int) core.Origin) error { return nil })}}), []string{"Config.Placement"}},
		{"placed, top k", &wire{}, placed(core.Config{TopK: 3}), []string{"Config"}},
		{"placed, threshold", &wire{}, placed(core.Config{Threshold: &threshold, Direction: core.HigherIsBetter}), []string{"Config"}},
		{"placed, budget", &wire{}, placed(core.Config{Budget: 3, Unit: core.Words}), []string{"Config"}},
		{"placed, counter", &wire{}, placed(core.Config{Count: core.Words.Count}), []string{"Config.Count"}},
		{"placed, selected", &wire{}, placed(core.Config{Select: func(context.Context) *core.Arranger { return nil }}), []string{"Config.Select"}},
		{"history without a place", &wire{}, combine.LayoutConfig{Prompt: prompt.Config{Layout: "rules,documents,question"}, History: memory.NewChatMessageHistory()}, []string{"History"}},
		{"nil pointers", &wire{}, combine.LayoutConfig{History: (*memory.ChatMessageHistory)(nil), Callbacks: (*listener)(nil)}, []string{"LayoutConfig", "LayoutConfig"}},
		{"placed, layout", nil, combine.LayoutConfig{Prompt: prompt.Config{Layout: "x"}, Placed: true, Config: core.Config{TopK: 1}}, []string{"Config", "Layout"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain, err := combine.NewLayoutChain(c.llm, c.config)
			want := slices.Clone(c.want)
			if c.llm == nil || c.llm == llms.Model((*wire)(nil)) {
				want = append(want, "llm")
			}
			if got := configErrors(err); !slices.Equal(got, want) || (chain == nil) != (err != nil) {
				t.Errorf("NewLayoutChain: faults (-want +got)\n-%v\n+%v: %v", want, got, err)
			}
			p, err := combine.NewPrompter(c.config)
			if got := configErrors(err); !slices.Equal(got, c.want) || (p == nil) != (err != nil) {
				t.Errorf("NewPrompter: faults (-want +got)\n-%v\n+%v: %v", c.want, got, err)
			}
		})
	}
}

var errDown = errors.New("it is down")

// broken is a history that cannot be read.
type broken struct{ schema.ChatMessageHistory }

func (broken) Messages(context.Context) ([]llms.ChatMessage, error) { return nil, errDown }

// What fails before the model is asked, fails in both steps.
func TestErrorsOfTheLayout(t *testing.T) {
	t.Parallel()
	good := map[string]any{"input_documents": documents(2), "question": "why?"}
	with := func(key string, value any) map[string]any {
		values := maps.Clone(good)
		values[key] = value
		return values
	}
	wrongType := []error{chains.ErrInvalidInputValues, chains.ErrInputValuesWrongType}
	calling := memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{
		llms.AIChatMessage{ToolCalls: []llms.ToolCall{{ID: "1"}}},
	}))
	tool := memory.NewChatMessageHistory(memory.WithPreviousMessages([]llms.ChatMessage{
		llms.HumanChatMessage{Content: "who?"}, llms.ToolChatMessage{Content: "us"},
	}))
	for _, c := range []struct {
		name   string
		config combine.LayoutConfig
		values map[string]any
		is     []error
		words  []string
	}{
		{"documents of another type", combine.LayoutConfig{}, with("input_documents", "first"), wrongType, []string{"input_documents", "string", "[]schema.Document"}},
		{"pointers to documents", combine.LayoutConfig{}, with("input_documents", []*schema.Document{}), wrongType, []string{"input_documents", "[]*schema.Document"}},
		{"nil documents", combine.LayoutConfig{}, with("input_documents", nil), wrongType, []string{"input_documents", "nil"}},
		{"a question of another type", combine.LayoutConfig{}, with("question", 7), wrongType, []string{"question", "int"}},
		{"an empty question", combine.LayoutConfig{}, with("question", ""), nil, []string{"Question"}},
		{"no documents at all", combine.LayoutConfig{}, map[string]any{"question": "why?"}, []error{chains.ErrMissingInputValues}, []string{"input_documents"}},
		{"no question at all", combine.LayoutConfig{}, map[string]any{"input_documents": documents(1)}, []error{chains.ErrMissingInputValues}, []string{"question"}},
		{"a history that fails", combine.LayoutConfig{History: broken{}}, good, []error{errDown}, nil},
		{"a history with a tool", combine.LayoutConfig{History: tool}, good, nil, []string{"History[1]", `"tool"`}},
		{"a history with a call of a tool", combine.LayoutConfig{History: calling}, good, nil, []string{"History[0]", `"ai"`}},
		{"a format that fails", combine.LayoutConfig{Prompt: prompt.Config{FormatFunc: func(prompt.Document) (string, error) { return "", errDown }}}, good, []error{errDown}, []string{"[1]"}},
		{"too small a budget", combine.LayoutConfig{Prompt: prompt.Config{Unit: core.Words, Budget: 4, Reserve: 3}}, good, nil, []string{"needs", "3", "4"}},
	} {
		for kind, build := range stepsOf {
			t.Run(kind+", "+c.name, func(t *testing.T) {
				llm := &wire{}
				_, err := chains.Call(context.Background(), build(t, llm, c.config), c.values)
				if err == nil {
					t.Fatal("no error")
				}
				for _, target := range c.is {
					if !errors.Is(err, target) {
						t.Errorf("%v is not %v", err, target)
					}
				}
				for _, word := range c.words {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%q does not name %s", err, word)
					}
				}
				if len(llm.prompts) != 0 {
					t.Error("the model was asked")
				}
			})
		}
	}
}

// An observer hears of the error, too, and can read the documents by their rank.
func TestObserveGetsAnErrorOfTheLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]prompt.Config{
		"a format that fails": {FormatFunc: func(prompt.Document) (string, error) { return "", errDown }},
		"too small a budget":  {Unit: core.Words, Budget: 1},
	} {
		for kind, build := range stepsOf {
			t.Run(kind+", "+name, func(t *testing.T) {
				var heard []error
				var second string
				step := build(t, &wire{}, combine.LayoutConfig{Prompt: c, Config: core.Config{
					Observe: func(_ context.Context, e core.Event) { heard, second = append(heard, e.Err), e.Text(1) },
				}})
				_, err := chains.Call(context.Background(), step, map[string]any{"input_documents": documents(2), "question": "why?"})
				if err == nil || len(heard) != 1 || !errors.Is(err, heard[0]) {
					t.Errorf("heard %v and got %v, want the same once", heard, err)
				}
				if second != "second" {
					t.Errorf("the document of rank 1 is %q", second)
				}
			})
		}
	}
}

func TestErrorsOfTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		answer *llms.ContentResponse
		err    error
		want   string
	}{
		{"an error", nil, errDown, errDown.Error()},
		{"an answer beside an error", says("yes"), errDown, errDown.Error()},
		{"no choice", &llms.ContentResponse{}, nil, "bookend: the model answered without any choice"},
		{"nothing at all", nil, nil, "bookend: the model answered without any choice"},
		{"a nil choice", &llms.ContentResponse{Choices: []*llms.ContentChoice{nil}}, nil, "bookend: the model answered without any choice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &listener{}
			llm := &wire{answer: func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
				return c.answer, c.err
			}}
			chain := newLayoutChain(t, llm, combine.LayoutConfig{Callbacks: h})
			out, err := chains.Call(context.Background(), chain, map[string]any{"input_documents": documents(2), "question": "why?"})
			if err == nil || err.Error() != c.want || c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("got the error %v, want %s", err, c.want)
			}
			if out != nil {
				t.Errorf("got %v beside the error", out)
			}
			if want := []string{"start", "error"}; !slices.Equal(h.heard, want) {
				t.Errorf("events (-want +got)\n-%v\n+%v", want, h.heard)
			}
		})
	}
}

func TestACancelledContextAsksNoModel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	llm := &wire{}
	_, err := newLayoutChain(t, llm, combine.LayoutConfig{}).Call(ctx, map[string]any{"input_documents": documents(2), "question": "why?"})
	if !errors.Is(err, context.Canceled) || len(llm.prompts) != 0 {
		t.Errorf("got the error %v and %d prompts", err, len(llm.prompts))
	}
}

// The context of the call reaches Observe, Select and the model.
func TestTheContextOfACallArrives(t *testing.T) {
	t.Parallel()
	var observed string
	llm := &wire{answer: func(ctx context.Context, _ []llms.MessageContent, _ llms.CallOptions) (*llms.ContentResponse, error) {
		return says(core.RequestID(ctx)), nil
	}}
	step := newLayoutChain(t, llm, combine.LayoutConfig{Config: core.Config{
		Observe: func(_ context.Context, e core.Event) { observed = e.RequestID },
		Select: func(ctx context.Context) *core.Arranger {
			if core.RequestID(ctx) == "control" {
				return core.Off
			}
			return nil
		},
	}})
	chain := chains.NewRetrievalQA(step, list(documents(3)))
	for id, want := range map[string]string{
		"treatment": "<human>[1] first\n\n[3] third\n\n[2] second\n\nQuestion: why?|",
		"control":   "<human>[1] first\n\n[2] second\n\n[3] third\n\nQuestion: why?|",
	} {
		answer, err := chains.Run(core.WithRequestID(context.Background(), id), chain, "why?")
		if err != nil {
			t.Fatal(err)
		}
		if answer != id || observed != id {
			t.Errorf("the model saw the ID %q and the observer %q, want %q", answer, observed, id)
		}
		if got := chat(llm.prompts[len(llm.prompts)-1]); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", id, want, got)
		}
	}
}

func TestALayoutChainIsACombineDocumentsChain(t *testing.T) {
	t.Parallel()
	h := &listener{}
	chain := newLayoutChain(t, &wire{}, combine.LayoutConfig{Callbacks: h})
	if got, want := chain.GetInputKeys(), []string{"input_documents", "question"}; !slices.Equal(got, want) {
		t.Errorf("input keys (-want +got)\n-%v\n+%v", want, got)
	}
	if got, want := chain.GetOutputKeys(), []string{"text"}; !slices.Equal(got, want) {
		t.Errorf("output keys (-want +got)\n-%v\n+%v", want, got)
	}
	if vars := chain.GetMemory().MemoryVariables(context.Background()); len(vars) != 0 {
		t.Errorf("the memory holds %v", vars)
	}
	if newLayoutChain(t, &wire{}, combine.LayoutConfig{}).GetCallbackHandler() != nil {
		t.Error("a handler where none was configured")
	}
	qa := chains.NewRetrievalQA(chain, list(documents(5)))
	qa.ReturnSourceDocuments = true
	out, err := chains.Call(context.Background(), qa, map[string]any{"query": "why?"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sourceTexts(out), "first second third fourth fifth"; got != want {
		t.Errorf("source_documents (-want +got)\n-%s\n+%s", want, got)
	}
	if want := []string{"start", "end"}; !slices.Equal(h.heard, want) {
		t.Errorf("events (-want +got)\n-%v\n+%v", want, h.heard)
	}
}

// A Config is copied, and the values of a call are not written to.
func TestALayoutKeepsItsHandsOff(t *testing.T) {
	t.Parallel()
	for kind, build := range stepsOf {
		t.Run(kind, func(t *testing.T) {
			history, earlier := kept()
			c := combine.LayoutConfig{Prompt: parts(), History: history}
			c.Prompt.Show = []string{"year"}
			want := render(t, c, titled(3), "why?", earlier...)
			llm := &wire{}
			step := build(t, llm, c)
			c.Prompt.Show[0] = "title"
			values := map[string]any{"input_documents": titled(3), "question": "why?", "other": 1}
			if _, err := step.Call(context.Background(), values); err != nil {
				t.Fatal(err)
			}
			if want := map[string]any{"input_documents": titled(3), "question": "why?", "other": 1}; !reflect.DeepEqual(values, want) {
				t.Errorf("values (-want +got)\n-%v\n+%v", want, values)
			}
			wantSent := wantChat(want.Messages)
			if kind == "prompter" {
				wantSent = "<human>" + want.Text + "|"
			}
			if got := llm.only(t); got != wantSent {
				t.Errorf("prompt (-want +got)\n-%s\n+%s", wantSent, got)
			}
			if messages, err := history.Messages(context.Background()); err != nil || len(messages) != len(earlier) {
				t.Errorf("%d messages are kept and the error is %v", len(messages), err)
			}
		})
	}
}

// One step serves many goroutines, over the same documents.
func TestALayoutIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	docs := titled(5)
	for kind, build := range stepsOf {
		t.Run(kind, func(t *testing.T) {
			c := combine.LayoutConfig{Prompt: parts(), Config: core.Config{TopK: 4}}
			c.Prompt.Unit, c.Prompt.Budget = core.Words, 34
			history, earlier := kept()
			c.History = history
			llm := &wire{answer: func(_ context.Context, messages []llms.MessageContent, _ llms.CallOptions) (*llms.ContentResponse, error) {
				return says(chat(messages)), nil
			}}
			chain := chains.NewRetrievalQA(build(t, llm, c), list(docs))
			var wg sync.WaitGroup
			for i := range 8 {
				question := strings.Repeat("why ", 1+i)
				p := render(t, c, titled(5), question, earlier...)
				want := wantChat(p.Messages)
				if kind == "prompter" {
					want = "<human>" + p.Text + "|"
				}
				wg.Add(1)
				go func() {
					defer wg.Done()
					for range 5 {
						got, err := chains.Run(context.Background(), chain, question)
						if err != nil || got != want {
							t.Errorf("error %v (-want +got)\n-%s\n+%s", err, want, got)
						}
					}
				}()
			}
			wg.Wait()
		})
	}
}
