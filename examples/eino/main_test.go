package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
	"github.com/cloudwego/eino/components/document"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

const question = "Can I get a refund after 45 days?"

// list is a retriever that always finds the same documents.
type list []*schema.Document

func (l list) Retrieve(context.Context, string, ...retriever.Option) ([]*schema.Document, error) {
	return l, nil
}

// documents are seven, best first. Some try to be templates.
func documents() list {
	texts := []string{
		"r1 the best", `r2 {{ .question }} {{ env "HOME" }}`, "r3 {documents} {question}",
		"r4 {% for x in y %} {{x}}", "r5 Question: who?", "r6 %s %d", "r7 the worst",
	}
	docs := make(list, len(texts))
	for i, text := range texts {
		docs[i] = &schema.Document{ID: fmt.Sprint(i), Content: text}
	}
	return docs
}

// fakeModel answers nothing of use, in two pieces where it streams.
type fakeModel struct{}

func (fakeModel) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage("an answer", nil), nil
}

func (fakeModel) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return schema.StreamReaderFromArray([]*schema.Message{
		schema.AssistantMessage("an ", nil), schema.AssistantMessage("answer", nil),
	}), nil
}

// forms are the four ways to ask.
var forms = []struct {
	name  string
	build func(context.Context, retriever.Retriever, prompt.ChatTemplate, model.BaseChatModel, document.Transformer) (program, error)
	ask   func(context.Context, program, string) (string, error)
}{
	{"graph, invoked", newGraph, invoke},
	{"graph, streamed", newGraph, stream},
	{"chain, invoked", newChain, invoke},
	{"chain, streamed", newChain, stream},
}

func node(t *testing.T, config *bookend.Config) document.Transformer {
	t.Helper()
	reorder, err := bookend.NewTransformer(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return reorder
}

// sent returns the messages that reach the model in one of the forms.
func sent(t *testing.T, form int, order layout.Layout, reorder document.Transformer) []*schema.Message {
	t.Helper()
	f, chat := forms[form], &recorder{BaseChatModel: fakeModel{}}
	template, err := newTemplate(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.build(t.Context(), documents(), template, chat, reorder)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := f.ask(t.Context(), p, question)
	if err != nil {
		t.Fatal(err)
	}
	if answer != "an answer" || len(chat.sent) != 1 {
		t.Fatalf("answer %q after %d calls of the model", answer, len(chat.sent))
	}
	return chat.sent[0]
}

func TestTheMessagesHoldTheDocumentsSlotBySlot(t *testing.T) {
	t.Parallel()
	docs := documents()
	for name, c := range map[string]struct {
		reorder document.Transformer
		ranks   []int
	}{
		"plain":       {nil, []int{1, 2, 3, 4, 5, 6, 7}},
		"head-tail":   {node(t, nil), []int{1, 3, 5, 7, 6, 4, 2}},
		"edges-first": {node(t, &bookend.Config{Placement: core.Choice{Placement: core.EdgesFirst{}}}), []int{1, 2, 5, 6, 7, 3, 4}},
		"reversed":    {node(t, &bookend.Config{Placement: core.Choice{Placement: core.Reversed}}), []int{7, 6, 5, 4, 3, 2, 1}},
	} {
		for form, f := range forms {
			t.Run(name+", "+f.name, func(t *testing.T) {
				t.Parallel()
				wantSent(t, sent(t, form, layout.Bookend, c.reorder),
					page.Message{Role: "system", Text: rules + "\n\nAnswer the question below."},
					page.Message{Role: "user", Text: numbered(docs, c.ranks) + "\n\n" + asked + "\n\n" + full + "\n\nRemember: the documents alone, with their numbers."})
			})
		}
	}
}

// The parts of the template.
const (
	rules = "You answer customers. Use the documents alone; if they do not say, say so."
	full  = "Answer in under 80 words, and cite the number of each document that you use."
	asked = "Question: " + question
)

func numbered(docs list, ranks []int) string {
	texts := make([]string, len(ranks))
	for slot, rank := range ranks {
		texts[slot] = fmt.Sprintf("[%d] %s", rank, docs[rank-1].Content)
	}
	return strings.Join(texts, "\n\n")
}

func wantSent(t *testing.T, sent []*schema.Message, want ...page.Message) {
	t.Helper()
	if got := shown(sent); !slices.Equal(got, want) {
		t.Errorf("messages (-want +got)\n-%q\n+%q", want, got)
	}
}

func TestTheLayouts(t *testing.T) {
	t.Parallel()
	docs := numbered(documents(), []int{1, 3, 5, 7, 6, 4, 2})
	for order, want := range map[layout.Layout]string{
		layout.QuestionLast:     docs + "\n\n" + asked + "\n\n" + full,
		layout.QueryAware:       asked + "\n\n" + docs + "\n\n" + asked + "\n\n" + full,
		layout.InstructionFirst: full + "\n\n" + docs + "\n\n" + asked,
	} {
		t.Run(string(order), func(t *testing.T) {
			t.Parallel()
			wantSent(t, sent(t, 0, order, node(t, nil)),
				page.Message{Role: "system", Text: rules}, page.Message{Role: "user", Text: want})
		})
	}
}

func TestWithOffTheMessagesAreThoseOfThePlainProgram(t *testing.T) {
	t.Parallel()
	off := node(t, &bookend.Config{
		Placement: core.Choice{Placement: core.Reversed},
		TopK:      2,
		Select:    func(context.Context) *core.Arranger { return core.Off },
	})
	for form, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			// What else a message carries, Bookend's arrangement, is not sent.
			wantSent(t, sent(t, form, layout.QuestionLast, off), shown(sent(t, form, layout.QuestionLast, nil))...)
		})
	}
}

func TestTheStoreHeedsTopK(t *testing.T) {
	t.Parallel()
	s, err := newStore(10)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := s.Retrieve(t.Context(), question, retriever.WithTopK(3))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != 3 || docs[0].Score() < docs[1].Score() || docs[1].Score() < docs[2].Score() {
		t.Errorf("want three documents, best first, got %v", docs)
	}
	if d := docs[0]; d.ID != fmt.Sprintf("%s#%d", d.MetaData["source"], d.MetaData["position"]) {
		t.Errorf("ID %q, metadata %v", d.ID, d.MetaData)
	}
}

// output runs the program without a configured model.
func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"} {
		t.Setenv(name, "")
	}
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// row is the line of an order, in which r4 is marked.
func row(name string, ranks []int) string {
	line := fmt.Sprintf("%-14s", name)
	for _, rank := range ranks {
		cell := fmt.Sprintf("r%d", rank)
		if rank == 4 {
			cell = "*r4"
		}
		line += fmt.Sprintf(" %4s", cell)
	}
	return "\n" + line + "\n"
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args  []string
		name  string
		ranks []int // in the right column
	}{
		{nil, "head-tail", []int{1, 3, 5, 7, 9, 10, 8, 6, 4, 2}},
		{[]string{"-placement", "EDGES_FIRST"}, "edges-first", []int{1, 2, 5, 6, 7, 8, 9, 10, 3, 4}},
		{[]string{"-k", "5", "-placement", "reversed"}, "reversed", []int{5, 4, 3, 2, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := output(t, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			terminal.Fits(t, out)
			// The point stands in the first ten lines. All five programs cite the document
			// by its rank, wherever it stands.
			first := terminal.First(out)
			for _, want := range []string{
				"Question: " + question + "\n", "*r4 holds the answer.", row("plain", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[:len(c.ranks)]), row(c.name, c.ranks),
				"\nr4 moves from slot 4, in the ", fmt.Sprintf(" third, to slot %d, in the ", 1+slices.Index(c.ranks, 4)),
				"\nall 5 answers  From day 31 through day 60", "store credit instead of money. [4]\n",
			} {
				if !strings.Contains(first, want) {
					t.Errorf("no %q in the first ten lines:\n%s", want, first)
				}
			}
			for _, want := range []string{reader.Name, "With -prompt "} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in the output:\n%s", want, out)
				}
			}
			out, err = output(t, append(c.args, "-prompt")...)
			if err != nil {
				t.Fatal(err)
			}
			terminal.Fits(t, out)
			if slot := "\n[2] Cancelling a place                 │ [3] What we cannot send abroad\n"; c.name == "head-tail" && !strings.Contains(out, slot) {
				t.Errorf("no slot %q in the messages as sent:\n%s", slot, out)
			}
		})
	}
}

func TestBadFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string // in the error
	}{
		{[]string{"-k", "0"}, []string{"-k is 0"}},
		{[]string{"-k", "-1"}, []string{"-k is -1"}},
		{[]string{"-placement", "middle-out"}, append([]string{"middle-out"}, core.PlacementNames()...)},
		{[]string{"-answer"}, []string{"-answer"}},
		{[]string{"-layout", "sandwich"}, []string{"-layout", "sandwich", "question-last", "bookend", "query-aware", "instruction-first"}},
		{[]string{"-k", "3", "refunds"}, []string{"refunds"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			out, err := output(t, c.args...)
			if err == nil {
				t.Fatalf("no error, but:\n%s", out)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in the error %q", want, err)
				}
			}
			if out != "" {
				t.Errorf("output beside the error:\n%s", out)
			}
		})
	}
}

// TestTheEnvironmentNamesTheModel asks a server of our own, which answers with a
// terminal escape.
func TestTheEnvironmentNamesTheModel(t *testing.T) {
	var streamed []bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, want := range []string{"/v1/chat/completions", `"our-model"`, question} {
			if !strings.Contains(r.URL.Path+string(body), want) {
				t.Errorf("no %q in the request %s", want, body)
			}
		}
		var request struct{ Stream bool }
		if err := json.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		streamed = append(streamed, request.Stream)
		if !request.Stream {
			io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"Credit, says \u001b[31mthe server."}}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{`Credit, says `, `\u001b[31mthe server.`} {
			fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"%s\"}}]}\n\n", piece)
		}
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_MODEL", "our-model")

	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	if want := []bool{false, false, true, false, true}; !slices.Equal(streamed, want) {
		t.Errorf("streamed requests (-want +got)\n-%v\n+%v", want, streamed)
	}
	if !strings.Contains(out.String(), "\nall 5 answers  Credit, says [31mthe server.\n") {
		t.Errorf("not five times the answer of the server:\n%q", out.String())
	}
	if strings.Contains(out.String(), reader.Name) {
		t.Errorf("the reader is named:\n%s", out.String())
	}
}

// TestNoAnswerIsCutWhenTheContextEnds asks with a context that has ended.
func TestNoAnswerIsCutWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		t.Setenv(name, "")
	}
	var out strings.Builder
	if err := run(ctx, nil, &out); err == nil || out.Len() > 0 {
		t.Errorf("want an error and no output, got %v and:\n%s", err, out.String())
	}
}
