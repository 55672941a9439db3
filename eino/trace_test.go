package eino_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// says returns a chat model that answers with the text, streaming it in two pieces.
func says(text string) citing {
	half := len(text) / 2
	return citing{pieces: []*schema.Message{schema.AssistantMessage(text[:half], nil), schema.AssistantMessage(text[half:], nil)}}
}

// asking is a program of a retriever, a template and a chat model.
func asking(t *testing.T, r retriever.Retriever, template prompt.ChatTemplate, llm model.BaseChatModel, options ...compose.GraphCompileOption) compose.Runnable[string, *schema.Message] {
	t.Helper()
	g := compose.NewGraph[string, *schema.Message]()
	for _, err := range []error{
		g.AddRetrieverNode("retrieve", r, compose.WithOutputKey("documents")),
		g.AddPassthroughNode("ask", compose.WithOutputKey("question")),
		g.AddChatTemplateNode("prompt", template),
		g.AddChatModelNode("model", llm),
		g.AddEdge(compose.START, "retrieve"), g.AddEdge("retrieve", "prompt"),
		g.AddEdge(compose.START, "ask"), g.AddEdge("ask", "prompt"),
		g.AddEdge("prompt", "model"), g.AddEdge("model", compose.END),
	} {
		check(t, err)
	}
	run, err := g.Compile(context.Background(), append(options, compose.WithNodeTriggerMode(compose.AllPredecessor))...)
	check(t, err)
	return run
}

// everyPlacement returns each placement that has a name, one of a measured curve too.
func everyPlacement(t *testing.T) map[string]core.Choice {
	t.Helper()
	all := map[string]core.Choice{}
	for _, name := range core.PlacementNames() {
		if name == "measured" {
			shares := []float64{0.2, 0.5, 0.9, 0.4, 0.3}
			all[name] = core.Choice{Placement: core.Measured{Curve: &core.Curve{
				Format: core.CurveFormat, Documents: 5, Shape: core.ShapeInverted,
				Slots: []int{0, 1, 2, 3, 4}, Accuracy: shares, Fitted: shares,
			}}}
			continue
		}
		p, err := core.ParsePlacement(name)
		check(t, err)
		all[name] = core.Choice{Placement: p}
	}
	return all
}

// read returns what stands beside each label in the prompt of a wire, from the first slot
// on, as in "[1] first".
func read(t *testing.T, llm *wire) []string {
	t.Helper()
	if len(llm.prompts) != 1 {
		t.Fatalf("%d prompts, want 1", len(llm.prompts))
	}
	blocks := strings.Split(llm.prompts[0][0].Content, "\n\n")
	return blocks[:len(blocks)-1] // without the question
}

// The label of a document is its rank, wherever it stands, and whichever part placed it: a
// step behind another one has that from the trace. Without a trace the labels go by slot.
// Either way a citation leads to the document that bears the label.
func TestLabels(t *testing.T) {
	t.Parallel()
	found := documents(5)
	for i, d := range found {
		d.MetaData = map[string]any{"source": "book", "position": 10 - i}
	}
	off := func(context.Context) *core.Arranger { return core.Off }
	selected := func(c *core.Config) { c.Select = off }
	for name, placement := range everyPlacement(t) {
		for _, arm := range []struct {
			name    string
			change  func(*core.Config)
			offCall bool
		}{
			{"alone", func(*core.Config) {}, false},
			{"off by Select", selected, false},
			{"off by the call", func(*core.Config) {}, true},
			{"too few documents", func(c *core.Config) { c.MinDocuments = 6 }, false},
			{"trimmed", func(c *core.Config) { c.TopK = 3 }, false},
		} {
			config := core.Config{Placement: placement}
			arm.change(&config)
			transformer := newTransformer(t, &config)
			var options []compose.Option
			order, err := transformer.Transform(context.Background(), found)
			if arm.offCall {
				options = append(options, compose.WithRetrieverOption(bookend.RetrieveWith(core.Off)),
					compose.WithDocumentTransformerOption(bookend.TransformWith(core.Off)))
				order, err = transformer.Transform(context.Background(), found, bookend.TransformWith(core.Off))
			}
			check(t, err)
			var byRank, bySlot []string
			for slot, d := range order {
				byRank = append(byRank, fmt.Sprintf("[%d] %s", 1+slices.Index(found, d), d.Content))
				bySlot = append(bySlot, fmt.Sprintf("[%d] %s", 1+slot, d.Content))
			}

			var event core.Event
			observe := func(_ context.Context, e core.Event) { event = e }
			template := bookend.ChatTemplateConfig{Placed: true, Config: core.Config{Observe: observe}}
			programs := map[string]func(*wire) compose.Runnable[string, *schema.Message]{
				"retriever, template": func(llm *wire) compose.Runnable[string, *schema.Message] {
					r := newRetriever(t, &bookend.RetrieverConfig{Retriever: list(found), Config: config})
					return asking(t, r, newTemplate(t, template), llm)
				},
				"transformer, template": func(llm *wire) compose.Runnable[string, *schema.Message] {
					return promptGraph(t, llm, found, transformer, newTemplate(t, template), compose.AllPredecessor)
				},
			}
			if !arm.offCall {
				programs["template alone"] = func(llm *wire) compose.Runnable[string, *schema.Message] {
					config := config
					config.Observe = observe
					return asking(t, list(found), newTemplate(t, bookend.ChatTemplateConfig{Config: config}), llm)
				}
			}
			for program, build := range programs {
				for _, traced := range []bool{true, false} {
					ctx, trace := context.Background(), (*core.Trace)(nil)
					if traced {
						ctx, trace = core.WithTrace(ctx)
					}
					at := fmt.Sprintf("%s, %s, %s, traced %t", name, arm.name, program, traced)
					llm, want := &wire{}, bySlot
					if traced || program == "template alone" {
						want = byRank
					}
					_, err := build(llm).Invoke(ctx, question, options...)
					check(t, err)
					shown := read(t, llm)
					if !slices.Equal(shown, want) {
						t.Errorf("%s (-want +got)\n-%q\n+%q", at, want, shown)
					}
					arrangement := bookend.ArrangementOf(llm.prompts[0][0].Extra)
					for _, text := range shown {
						c := layout.Citations(text, arrangement)[0]
						if got := fmt.Sprintf("[%d] %s", c.Label, event.Text(c.Rank)); got != text {
							t.Errorf("%s: a citation of %q leads to %q", at, text, got)
						}
					}
					if traced && trace.Arrangement().String() != arrangement.String() {
						t.Errorf("%s (-message +trace)\n-%v\n+%v", at, arrangement, trace.Arrangement())
					}
				}
			}
		}
	}
}

// A trace knows the arrangement when the first piece of a streamed answer arrives, and the
// user's message brings it to the model.
func TestCitationsOfAStream(t *testing.T) {
	t.Parallel()
	for name, template := range map[string]bookend.ChatTemplateConfig{
		"arranging": {}, "placed": {Placed: true},
		"observed": {Config: core.Config{Observe: func(context.Context, core.Event) {}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var inner retriever.Retriever = list(documents(5))
			if template.Placed {
				inner = newRetriever(t, &bookend.RetrieverConfig{Retriever: inner})
			}
			ctx, trace := core.WithTrace(context.Background())
			stream, err := asking(t, inner, newTemplate(t, template), says("So it is [2], [9].")).Stream(ctx, question)
			check(t, err)
			first, err := stream.Recv()
			check(t, err)
			if got := trace.Arrangement().Order(); got != "r1 r3 r5 r4 r2" {
				t.Errorf("the order is %q when the answer begins", got)
			}
			rest, err := schema.ConcatMessageStream(stream)
			check(t, err)
			cited := fmt.Sprint(layout.Citations(first.Content+rest.Content, trace.Arrangement()))
			if want := fmt.Sprint([]layout.Citation{{Label: 2, Exists: true, Rank: 1}, {Label: 9, Rank: -1}}); cited != want {
				t.Errorf("cited (-want +got)\n-%s\n+%s", want, cited)
			}

			llm := &wire{}
			stream, err = asking(t, inner, newTemplate(t, template), llm).Stream(ctx, question)
			check(t, err)
			stream.Close()
			if got := bookend.ArrangementOf(llm.prompts[0][0].Extra); got.String() != trace.Arrangement().String() {
				t.Errorf("of the message (-want +got)\n-%v\n+%v", trace.Arrangement(), got)
			}
		})
	}
}

// kept is a store of checkpoints.
type kept map[string][]byte

func (k kept) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, ok := k[id]
	return data, ok, nil
}

func (k kept) Set(_ context.Context, id string, data []byte) error {
	k[id] = slices.Clone(data)
	return nil
}

// A request that is interrupted before the model and taken up by another process finds the
// arrangement in the user's message.
func TestACheckpointKeepsTheArrangement(t *testing.T) {
	t.Parallel()
	store, llm := kept{}, &wire{}
	threshold := 0.5
	found := documents(5)
	for i, d := range found {
		d.WithScore(1 - float64(i)/10)
	}
	var want core.Arrangement
	template := bookend.ChatTemplateConfig{Prompt: parts(), Config: core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, Threshold: &threshold, TopK: 4,
		Observe: func(_ context.Context, e core.Event) { want = e.Arrangement },
	}}
	for i := range 2 {
		run := asking(t, list(found), newTemplate(t, template), llm,
			compose.WithCheckPointStore(store), compose.WithInterruptBeforeNodes([]string{"model"}))
		_, err := run.Invoke(context.Background(), question, compose.WithCheckPointID("1"))
		if _, interrupted := compose.ExtractInterruptInfo(err); interrupted != (i == 0) || i == 1 && err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if len(llm.prompts) != 1 || len(store) != 1 {
		t.Fatalf("%d prompts and %d checkpoints, want one each", len(llm.prompts), len(store))
	}
	messages := llm.prompts[0]
	got := bookend.ArrangementOf(messages[len(messages)-1].Extra)
	if len(want.Slots) != 4 || got.String() != want.String() {
		t.Errorf("arrangement (-want +got)\n-%v\n+%v", want, got)
	}
}

// What stands in an Extra may come from outside: only an arrangement is one.
func TestArrangementOfSomethingElse(t *testing.T) {
	t.Parallel()
	for name, held := range map[string]any{
		"nothing":             nil,
		"a number":            7,
		"no JSON":             "{",
		"a document twice":    `{"n":2,"slots":[{"index":0,"rank":0,"label":1},{"index":0,"rank":1,"label":2}]}`,
		"a document too many": `{"n":1,"slots":[{"index":0,"rank":0,"label":1},{"index":1,"rank":1,"label":2}]}`,
		"a rank out of range": `{"n":1,"slots":[{"index":0,"rank":5,"label":1}]}`,
		"less than nothing":   `{"n":-1,"slots":[]}`,
		"more than there are": `{"n":9000000000000000000,"slots":[]}`,
	} {
		extra := map[string]any{bookend.EventKey: held}
		before := maps.Clone(extra)
		if got := bookend.ArrangementOf(extra); got.N != 0 || got.Slots != nil {
			t.Errorf("%s: %v", name, got)
		}
		if !maps.Equal(extra, before) {
			t.Errorf("%s: the Extra was written to", name)
		}
	}
	if got := bookend.ArrangementOf(nil); got.N != 0 || got.Slots != nil {
		t.Errorf("no Extra: %v", got)
	}
}
