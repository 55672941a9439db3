package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/chatmodel"
	"github.com/bookend-rag/bookend/examples/internal/folder"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

const question = "Can I get a refund after 45 days?"

// list is a retriever that always finds the same documents.
type list []schema.Document

func (l list) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return l, nil
}

// documents are seven, best first. Two try to be templates.
func documents() list {
	texts := []string{
		"r1 the best", `r2 {{ env "HOME" }} {{.question}}`, "r3 {context} {% if %}",
		"r4 Question: who?", "r5 fifth", "r6 sixth", "r7 the worst",
	}
	docs := make(list, len(texts))
	for i, text := range texts {
		docs[i] = schema.Document{PageContent: text, Score: float32(-i)}
	}
	return docs
}

// fakeModel answers nothing of use; the recorder around it keeps the prompt.
type fakeModel struct{ llms.Model }

func (fakeModel) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "an answer"}}}, nil
}

// promptOf returns the prompt that a chain over the retriever sends.
func promptOf(t *testing.T, r schema.Retriever) string {
	t.Helper()
	llm := &recorder{Model: fakeModel{}}
	answer, err := chains.Run(t.Context(), newChain(llm, r), question)
	if err != nil {
		t.Fatal(err)
	}
	if answer != "an answer" || len(llm.sent) != 1 || len(llm.sent[0]) != 1 {
		t.Fatalf("answer %q after %v", answer, llm.sent)
	}
	return chatmodel.Text(llm.sent[0][0])
}

func placed(t *testing.T, config core.Config) *bookend.Retriever {
	t.Helper()
	r, err := bookend.NewRetriever(documents(), bookend.WithConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestThePromptHoldsTheDocumentsSlotBySlot(t *testing.T) {
	t.Parallel()
	docs := documents()
	plain := promptOf(t, docs)
	before, _, _ := strings.Cut(plain, docs[0].PageContent)
	_, after, _ := strings.Cut(plain, docs[6].PageContent)
	if !strings.HasSuffix(before, "\n\n") || !strings.Contains(after, "Question: "+question) {
		t.Fatalf("unexpected prompt:\n%s", plain)
	}
	for name, c := range map[string]struct {
		retriever schema.Retriever
		ranks     []int
	}{
		"plain":       {docs, []int{1, 2, 3, 4, 5, 6, 7}},
		"head-tail":   {placed(t, core.Config{}), []int{1, 3, 5, 7, 6, 4, 2}},
		"edges-first": {placed(t, core.Config{Placement: core.Choice{Placement: core.EdgesFirst{}}}), []int{1, 2, 5, 6, 7, 3, 4}},
		"reversed":    {placed(t, core.Config{Placement: core.Choice{Placement: core.Reversed}}), []int{7, 6, 5, 4, 3, 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := promptOf(t, c.retriever)
			context, found := strings.CutPrefix(sent, before)
			context, found2 := strings.CutSuffix(context, after)
			if !found || !found2 {
				t.Fatalf("what stands around the documents differs from the plain prompt:\n%s", sent)
			}
			slots := strings.Split(context, "\n\n")
			if len(slots) != len(c.ranks) {
				t.Fatalf("%d slots, want %d:\n%s", len(slots), len(c.ranks), context)
			}
			for slot, rank := range c.ranks {
				if want := docs[rank-1].PageContent; slots[slot] != want {
					t.Errorf("slot %d (-want +got)\n-%s\n+%s", slot, want, slots[slot])
				}
			}
		})
	}
}

func TestWithOffThePromptIsThatOfThePlainChain(t *testing.T) {
	t.Parallel()
	off := placed(t, core.Config{
		Placement: core.Choice{Placement: core.Reversed},
		TopK:      2,
		Select:    func(context.Context) *core.Arranger { return core.Off },
	})
	if got, want := promptOf(t, off), promptOf(t, documents()); got != want {
		t.Errorf("prompt (-want +got)\n-%q\n+%q", want, got)
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

func TestRunOverTheHandbook(t *testing.T) {
	for _, c := range []struct {
		args  []string
		name  string
		ranks []int // in the right column
		gold  string
	}{
		{nil, "head-tail", []int{1, 3, 5, 7, 9, 10, 8, 6, 4, 2}, "9, in the last"},
		{[]string{"-placement", "edges_first"}, "edges-first", []int{1, 2, 5, 6, 7, 8, 9, 10, 3, 4}, "10, in the last"},
		{[]string{"-k", "5", "-placement", "reversed"}, "reversed", []int{5, 4, 3, 2, 1}, "2, in the first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := output(t, c.args...)
			if err != nil {
				t.Fatal(err)
			}
			terminal.Fits(t, out)
			// The point stands in the first ten lines.
			first := terminal.First(out)
			for _, want := range []string{
				"Question: " + question + "\n", "*r4 holds the answer.", row("plain", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[:len(c.ranks)]), row(c.name, c.ranks),
				"\nr4 moves from slot 4, in the ", " third, to slot " + c.gold + " third.\n", "store credit instead of money.",
			} {
				if !strings.Contains(first, want) {
					t.Errorf("no %q in the first ten lines:\n%s", want, first)
				}
			}
			for _, want := range []string{reader.Name, "\ngpt-3.5-turbo/10 ", "With -prompt "} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in the output:\n%s", want, out)
				}
			}
			if strings.Contains(out, "[human]") {
				t.Errorf("the prompt is shown unasked:\n%s", out)
			}
			out, err = output(t, append(c.args, "-prompt")...)
			if err != nil {
				t.Fatal(err)
			}
			terminal.Fits(t, out)
			slot := map[string]string{ // one slot of the prompts as sent
				"head-tail":   "\nA place cancelled more than 45 days    │ If a parcel is refused at the door or\n",
				"edges-first": "\nSome people ask for a refund after     │ A customer who asks for deletion gets\n",
			}[c.name]
			if !strings.Contains(out, slot) || !strings.Contains(out, "[human]") {
				t.Errorf("no slot %q in the prompts as sent:\n%s", slot, out)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunOverAFolder(t *testing.T) {
	folder, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(folder, "rent.txt"), "The rent is due on the third.")
	write(t, filepath.Join(folder, "house", "rules.MD"), "# House\n\nQuiet hours start when the rent office closes.")
	write(t, filepath.Join(folder, "scan.png"), "\x89PNG rent BINARY")
	write(t, filepath.Join(folder, "huge.txt"), strings.Repeat("rent HUGE ", 1<<20/10+1))
	write(t, filepath.Join(outside, "secret.txt"), "The rent SECRET.")
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(folder, "link.txt")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "linked")); err != nil {
		t.Fatal(err)
	}

	out, err := output(t, "-docs", folder, "-q", "When is the rent due?")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 2 chunks were found by BM25", "not known for a question of your own", "rent.txt", "house/rules.MD", "\nboth answers  The rent is due on the third.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
	for _, left := range []string{"BINARY", "SECRET", "HUGE", "handbook"} {
		if strings.Contains(out, left) {
			t.Errorf("%q is in the output:\n%s", left, out)
		}
	}
}

func TestTerminalEscapesDoNotReachTheOutput(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a\x1b]0;title\a.md"), "The rent \x1b[31mis due\x1b[0m on\b the \u009b2Jthird.")
	out, err := output(t, "-docs", folder, "-q", "When is the rent due?")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "[31mis due") || !strings.Contains(out, "]0;title") {
		t.Errorf("the text or the name of the file is not shown:\n%q", out)
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Errorf("control characters in %q", line)
		}
	}
}

func TestBadFlags(t *testing.T) {
	empty := t.TempDir()
	write(t, filepath.Join(empty, "photo.jpg"), "no text")
	for _, c := range []struct {
		args []string
		want []string // in the error
	}{
		{[]string{"-k", "0"}, []string{"-k is 0"}},
		{[]string{"-k", "-3"}, []string{"-k is -3"}},
		{[]string{"-k", "many"}, []string{"many", "-k"}},
		{[]string{"-placement", "middle-out"}, append([]string{"middle-out"}, core.PlacementNames()...)},
		{[]string{"-placement", "measured"}, []string{"curve"}},
		{[]string{"-placement", "edges-first=0"}, []string{"edges-first=0"}},
		{[]string{"-docs", empty}, []string{"no text"}},
		{[]string{"-docs", filepath.Join(empty, "missing")}, []string{"-docs is", "missing", "no folder of that name"}},
		{[]string{"-answer"}, []string{"-answer"}},
		{[]string{"refunds"}, []string{"refunds"}},
		{[]string{"-layout", "sandwich"}, []string{"-layout", "sandwich", "question-last", "bookend", "query-aware", "instruction-first"}},
		{[]string{"-q", "a?", "-q", "b?"}, []string{"-q", "-chat"}},
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

func TestNothingFound(t *testing.T) {
	out, err := output(t, "-q", "giraffe?")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"None of 205 chunks has a word of the question", "\nboth answers  " + reader.NoAnswer} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
}

// TestALayout tells what the layout chain sends: the documents by their slots and
// with their labels, whatever their texts hold, and the parts around them.
func TestALayout(t *testing.T) {
	t.Parallel()
	docs := documents()
	const (
		rules    = "You answer customers. Use the documents alone; if they do not say, say so."
		brief    = "Answer the question below."
		full     = "Answer in under 80 words, and cite the number of each document that you use."
		reminder = "Remember: the documents alone, with their numbers."
		asked    = "Question: " + question
	)
	for layout, c := range map[prompt.Layout]struct{ system, before, after []string }{
		prompt.QuestionLast:     {[]string{rules}, nil, []string{asked, full}},
		prompt.Bookend:          {[]string{rules, brief}, nil, []string{asked, full, reminder}},
		prompt.QueryAware:       {[]string{rules}, []string{asked}, []string{asked, full}},
		prompt.InstructionFirst: {[]string{rules}, []string{full}, []string{asked}},
	} {
		t.Run(string(layout), func(t *testing.T) {
			t.Parallel()
			llm := &recorder{Model: fakeModel{}}
			chain, err := newLaidOut(llm, docs, layout, core.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := chains.Run(t.Context(), chain, question); err != nil {
				t.Fatal(err)
			}
			user := c.before
			for _, rank := range []int{1, 3, 5, 7, 6, 4, 2} {
				user = append(user, fmt.Sprintf("[%d] %s", rank, docs[rank-1].PageContent))
			}
			wantSent(t, llm.sent[0],
				page.Message{Role: "system", Text: strings.Join(c.system, "\n\n")},
				page.Message{Role: "human", Text: strings.Join(append(user, c.after...), "\n\n")})
		})
	}
}

func wantSent(t *testing.T, sent []llms.MessageContent, want ...page.Message) {
	t.Helper()
	if got := shown(sent); !slices.Equal(got, want) {
		t.Errorf("messages (-want +got)\n-%q\n+%q", want, got)
	}
}

// TestAConversation has turns, answers and documents that try to be templates.
func TestAConversation(t *testing.T) {
	t.Parallel()
	docs, llm := documents()[:3], &recorder{Model: fakeModel{}}
	var query string
	chain, err := newConversation(llm, joinQuestions, searched{docs, &query}, "rules,history,documents,question", core.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const first, second = `What is {{ env "HOME" }}?`, "And {x}?"
	for turn, c := range []struct{ question, query string }{
		{first, first}, {second, first + " " + second}, {question, second + " " + question},
	} {
		if answer, err := chains.Run(t.Context(), chain, c.question); err != nil || answer != "an answer" {
			t.Fatalf("turn %d: answer %q, error %v", turn+1, answer, err)
		}
		if query != c.query {
			t.Errorf("turn %d: search (-want +got)\n-%s\n+%s", turn+1, c.query, query)
		}
	}
	if len(llm.sent) != 3 {
		t.Fatalf("%d prompts for three turns", len(llm.sent))
	}
	wantSent(t, llm.sent[2],
		page.Message{Role: "system", Text: "You answer customers. Use the documents alone; if they do not say, say so."},
		page.Message{Role: "human", Text: first},
		page.Message{Role: "ai", Text: "an answer"},
		page.Message{Role: "human", Text: second},
		page.Message{Role: "ai", Text: "an answer"},
		page.Message{Role: "human", Text: "[1] r1 the best\n\n[3] r3 {context} {% if %}\n\n[2] r2 {{ env \"HOME\" }} {{.question}}\n\nQuestion: " + question})
}

func TestRunWithALayout(t *testing.T) {
	for layout, want := range map[string][]string{
		"bookend":           {"│ Remember: the documents alone, with\n", "│ Answer the question below.\n"},
		"Query_Aware":       {"│ [system]\n", "│ [8] Approved accounts pay", "│ Question: Can I get a refund after 45\n"},
		"question-last":     {"\nQuestion: Can I get a refund after 45  │ Question: Can I get a refund after 45\n"},
		"instruction-first": {"│ Answer in under 80 words, and cite the\n"},
	} {
		out, err := output(t, "-layout", layout, "-prompt")
		if err != nil {
			t.Fatal(err)
		}
		terminal.Fits(t, out)
		want = append(want, "[human]", "\nplain ", " store credit instead of money.\n", "\nlaid out  From day 31", " store credit instead of money. [4]\n", "plain on the left, head-tail + "+layout, "│ [4] Some people ask")
		for _, want := range want {
			if !strings.Contains(out, want) {
				t.Errorf("-layout %s: no %q in the output:\n%s", layout, want, out)
			}
		}
	}
}

func TestRunAChat(t *testing.T) {
	out, err := output(t, "-chat", "-prompt")
	terminal.Fits(t, out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"search    " + turns[0] + " " + turns[1] + "\n", "slots     r1 r3 r5 r7 r9 r10 r8 r6 r4 r2\n",
		"answer    From day 31 through day 60", " [4]\n", "\n[ai]\n", "\n[human]\n" + turns[1] + "\n", "\n\nQuestion: " + turns[2] + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
	out, err = output(t, "-chat", "-prompt", "-layout", "bookend", "-q", "giraffe?", "-q", "And zebra?")
	if err != nil {
		t.Fatal(err)
	}
	if want := "[human]\ngiraffe?\n\n[ai]\n" + reader.NoAnswer + "\n\n[human]\nNo documents were found.\n\nQuestion: And zebra?\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in the output:\n%s", want, out)
	}
	if _, err := output(t, "-chat", "-layout", "rules,documents,question"); err == nil || !strings.Contains(err.Error(), "history") {
		t.Errorf("a layout without a place for the history: got the error %v", err)
	}
}

// TestAChatWithAModel asks a server of our own, which also makes the question for
// the search.
func TestAChatWithAModel(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		body, _ := io.ReadAll(r.Body)
		answer := "Credit, says the server."
		if strings.Contains(string(body), "standalone question") {
			answer = "What is a tent?"
		}
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": answer}}},
		})
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_MODEL", "our-model")
	var out strings.Builder
	if err := run(t.Context(), []string{"-chat", "-prompt", "-q", "One?", "-q", "Two?"}, &out); err != nil {
		t.Fatal(err)
	}
	if requests != 3 {
		t.Errorf("%d requests, want two answers and one question", requests)
	}
	for _, want := range []string{"search    One?\n", "search    What is a tent?\n", "[ai]\nCredit, says the server.\n", "Question: Two?\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the output:\n%s", want, out.String())
		}
	}
}

// TestTheEnvironmentNamesTheModel asks a server of our own, once for each chain.
func TestTheEnvironmentNamesTheModel(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.URL.Path+string(body))
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": "Credit, says the server."}}},
		})
	}))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
	t.Setenv("OPENAI_MODEL", "our-model")

	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	if len(bodies) != 2 {
		t.Fatalf("%d requests, want one for each chain", len(bodies))
	}
	for _, body := range bodies {
		for _, want := range []string{"/v1/chat/completions", `"our-model"`, question} {
			if !strings.Contains(body, want) {
				t.Errorf("no %q in the request %s", want, body)
			}
		}
	}
	if !strings.Contains(out.String(), "\nboth answers  Credit, says the server.\n") || strings.Contains(out.String(), reader.Name) {
		t.Errorf("unexpected output:\n%s", out.String())
	}
}

func TestMostAnswersAreAmongTheTenBestChunks(t *testing.T) {
	t.Parallel()
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	store, err := folder.New(t.Context(), handbook.Docs(), 10)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, q := range questions {
		docs, err := store.GetRelevantDocuments(t.Context(), q.Question)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(docs, func(d schema.Document) bool {
			return d.Metadata["source"] == q.Contexts[0].ID && strings.Contains(d.PageContent, q.Answers[0])
		}) {
			found++
		} else {
			t.Logf("not found: %s", q.Question)
		}
	}
	t.Logf("the chunk with the answer is among the 10 best for %d of %d questions", found, len(questions))
	if 10*found <= 8*len(questions) {
		t.Errorf("found for %d of %d questions, want more than 80 %%", found, len(questions))
	}
}
