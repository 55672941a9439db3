package combine_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// arms are the ways in which five documents can be arranged before they are cited.
func arms() map[string]core.Config {
	curve := core.Curve{
		Format: core.CurveFormat, Model: "m", Documents: 5, Shape: core.ShapeInverted,
		Slots: []int{0, 2, 4}, Accuracy: []float64{0.2, 0.9, 0.4}, Fitted: []float64{0.2, 0.9, 0.4},
	}
	arms := map[string]core.Config{
		"off":             {Select: func(context.Context) *core.Arranger { return core.Off }},
		"fewer than most": {MinDocuments: 6},
		"top-k":           {TopK: 4},
		"groups":          {Groups: true, Placement: core.Choice{Placement: core.Reversed}},
	}
	for _, p := range []core.Placement{
		core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
		core.EdgesFirst{Edge: 1},
		core.Shuffled{Seed: 3},
		core.Measured{Curve: &curve},
	} {
		arms[fmt.Sprint(p)] = core.Config{Placement: core.Choice{Placement: p}}
	}
	return arms
}

// chapters are five documents, best first, that were cut from two sources.
func chapters() []schema.Document {
	docs := documents(5)
	for i := range docs {
		docs[i].Metadata = map[string]any{"source": []string{"a", "b"}[i%2], "position": 9 - i}
	}
	return docs
}

// cited returns the text that each of the labels 1, 2 and so on leads to, by an
// arrangement of docs.
func cited(t *testing.T, a core.Arrangement, docs []schema.Document) []string {
	t.Helper()
	var texts []string
	for _, c := range prompt.Citations("[1, 2, 3, 4, 5]", a) {
		if index, placed := a.IndexOf(c.Rank); c.Exists && placed {
			texts = append(texts, docs[index].PageContent)
		}
	}
	if missing := prompt.Citations("[0], [6]", a); len(missing) != 2 || missing[0].Exists || missing[1].Exists {
		t.Errorf("labels that are not there: %v", missing)
	}
	return texts
}

// shown returns the text that stands behind each of the labels 1, 2 and so on in a
// prompt.
func shown(messages []llms.MessageContent) []string {
	texts := make([]string, 5)
	n := 0
	for line := range strings.Lines(chat(messages)) {
		var label int
		var text string
		line = strings.TrimPrefix(line, "<human>")
		if _, err := fmt.Sscanf(line, "[%d] %s", &label, &text); err == nil && 1 <= label && label <= 5 {
			texts[label-1], n = text, n+1
		}
	}
	return texts[:n]
}

// However the documents are arranged, and by which part: a label that the answer cites
// leads to the document that bore it in the prompt. It is the rank, but for documents
// that come placed without a trace: there it is the slot.
func TestLabelsLeadToTheirDocuments(t *testing.T) {
	t.Parallel()
	ranked := strings.Fields("first second third fourth fifth")
	for name, config := range arms() {
		for _, way := range []struct {
			name           string
			placed, traced bool
			chain          bool // the prompt of a LayoutChain, not of a Prompter
		}{
			{"layout chain", false, false, true},
			{"layout chain, traced", false, true, true},
			{"prompter", false, false, false},
			{"retriever and layout chain", true, false, true},
			{"retriever and layout chain, traced", true, true, true},
			{"retriever and prompter", true, true, false}, // a prompt gets no context
		} {
			t.Run(name+", "+way.name, func(t *testing.T) {
				var observed core.Event
				layout := combine.LayoutConfig{Placed: way.placed, Config: config}
				var retriever schema.Retriever = list(chapters())
				if way.placed {
					layout.Config = core.Config{}
					r, err := bookend.NewRetriever(retriever, bookend.WithConfig(config))
					if err != nil {
						t.Fatal(err)
					}
					retriever = r
				}
				layout.Config.Observe = func(_ context.Context, e core.Event) { observed = e }
				llm := &wire{}
				var step chains.Chain = chains.NewLLMChain(llm, newPrompter(t, layout))
				if way.chain {
					step = newLayoutChain(t, llm, layout)
				}
				qa := chains.NewRetrievalQA(step, retriever)
				qa.ReturnSourceDocuments = true
				ctx := context.Background()
				var trace *core.Trace
				if way.traced {
					ctx, trace = core.WithTrace(ctx)
				}
				out, err := chains.Call(ctx, qa, map[string]any{"query": "why?"})
				if err != nil {
					t.Fatal(err)
				}
				read := out["source_documents"].([]schema.Document)
				want := shown(llm.prompts[0])
				if got := cited(t, observed.Arrangement, read); !slices.Equal(got, want) {
					t.Errorf("cited by the event (-want +got)\n-%s\n+%s", want, got)
				}
				if byRank := ranked[:len(want)]; (!way.placed || way.traced && way.chain) && !slices.Equal(want, byRank) {
					t.Errorf("labels by rank (-want +got)\n-%s\n+%s", byRank, want)
				}
				if bySlot := strings.Fields(texts(read)); way.placed && !(way.traced && way.chain) && !slices.Equal(want, bySlot) {
					t.Errorf("labels by slot (-want +got)\n-%s\n+%s", bySlot, want)
				}
				if !way.chain {
					return
				}
				if got := out[combine.ArrangementKey]; !reflect.DeepEqual(got, observed.Arrangement) {
					t.Errorf("the arrangement of the outputs (-want +got)\n-%v\n+%v", observed.Arrangement, got)
				}
				if way.traced && !reflect.DeepEqual(trace.Arrangement(), observed.Arrangement) {
					t.Errorf("the arrangement of the trace (-want +got)\n-%v\n+%v", observed.Arrangement, trace.Arrangement())
				}
			})
		}
	}
}

// Under a budget the worst goes, wherever it stands, where a trace saw the placing; the
// labels that are left go by rank.
func TestPlacedDocumentsAreTrimmedByRank(t *testing.T) {
	t.Parallel()
	retriever, err := bookend.NewRetriever(list(documents(5)), bookend.WithConfig(core.Config{Placement: core.Choice{Placement: core.Reversed}}))
	if err != nil {
		t.Fatal(err)
	}
	llm := &wire{}
	step := newLayoutChain(t, llm, combine.LayoutConfig{Placed: true, Prompt: prompt.Config{Unit: core.Words, Budget: 8}})
	ctx, _ := core.WithTrace(context.Background())
	if _, err := chains.Run(ctx, chains.NewRetrievalQA(step, retriever), "why?"); err != nil {
		t.Fatal(err)
	}
	want := "<human>[3] third\n\n[2] second\n\n[1] first\n\nQuestion: why?|"
	if got := llm.only(t); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

// A conversation passes the answer on alone, streamed or not: its citations lead by the
// trace of the turn to the documents of that turn.
func TestCitationsInAConversation(t *testing.T) {
	t.Parallel()
	for _, streamed := range []bool{false, true} {
		for _, placed := range []bool{false, true} {
			t.Run(fmt.Sprintf("streamed %t, placed %t", streamed, placed), func(t *testing.T) {
				found := documents(5)
				var retriever schema.Retriever = list(found)
				if placed {
					r, err := bookend.NewRetriever(retriever)
					if err != nil {
						t.Fatal(err)
					}
					retriever = r
				}
				var pieces []string
				var options []chains.ChainCallOption
				if streamed {
					options = append(options, chains.WithStreamingFunc(func(_ context.Context, piece []byte) error {
						pieces = append(pieces, string(piece))
						return nil
					}))
				}
				buffer := memory.NewConversationBuffer()
				step := newLayoutChain(t, citing{}, combine.LayoutConfig{Placed: placed, History: buffer.ChatHistory})
				chain := chains.NewConversationalRetrievalQA(step, chains.LoadCondenseQuestionGenerator(&echo{}), retriever, buffer)
				chain.ReturnSourceDocuments = true
				buffer.OutputKey = "text"
				for turn := range 2 {
					slices.Reverse(found[1:]) // so that each turn finds another second best
					ctx, trace := core.WithTrace(context.Background())
					out, err := chains.Call(ctx, chain, map[string]any{"question": "how?"}, options...)
					if err != nil {
						t.Fatal(err)
					}
					a, read := trace.Arrangement(), out["source_documents"].([]schema.Document)
					citations := prompt.Citations(out["text"].(string), a)
					if len(citations) != 1 || citations[0] != (prompt.Citation{Label: 2, Exists: true, Rank: 1}) {
						t.Fatalf("turn %d: citations %v", turn+1, citations)
					}
					index, _ := a.IndexOf(citations[0].Rank)
					if got, want := read[index].PageContent, []string{"fifth", "second"}[turn]; got != want {
						t.Errorf("turn %d: [2] leads to %s, want %s", turn+1, got, want)
					}
				}
				if got := strings.Join(pieces, ""); streamed && got != "So it is [2].So it is [2]." {
					t.Errorf("streamed %q", got)
				}
			})
		}
	}
}
