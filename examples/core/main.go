// The core example uses no framework: documents are of a type of its own. It
// admits what fits into a budget of tokens, counted by a BPE tokenizer, pins one
// document that always has to be in the prompt, lets the answer cite documents
// by label, and finds the source of a citation.
//
//	go run ./examples/core
//	go run ./examples/core -budget 300 -prompt
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/tiktoken-go/tokenizer"
)

// passage is this program's own type. Bookend asks nothing of it.
type passage struct {
	ID    string // "refunds.md#2"
	Text  string
	Score float64
}

// view tells Bookend how to read a passage.
var view = &core.View[passage]{
	ID:    func(p passage) string { return p.ID },
	Text:  func(p passage) string { return p.Text },
	Score: func(p passage) (float64, bool) { return p.Score, p.Score > 0 }, // the house rule has none
}

// houseRule has to stand in every prompt, found or not.
var houseRule = passage{ID: "house-rule", Text: "If a customer is ill or in danger, do not argue: hand over to a person at once."}

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("core", flag.ContinueOnError)
	question := flags.String("q", "Can I get a refund after 45 days?", "`question` to ask")
	showPrompt := flags.Bool("prompt", false, "also show the prompt")
	budget := flags.Int("budget", 450, "tokens that the documents may take (0: no limit)")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}

	found, err := find(ctx, *question, 10)
	if err != nil {
		return err
	}
	found = append(found, houseRule) // the last rank; its pin lets it in

	tokens, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	arranger, err := core.New(core.Config{
		Pins:   []string{houseRule.ID},
		Budget: *budget,
		Count: func(text string) int {
			n, err := tokens.Count(text)
			if err != nil {
				return -1 // refused as a *core.ConfigError
			}
			return n
		},
	})
	if err != nil {
		return err
	}
	arrangement, err := core.Arrange(ctx, arranger, found, view, core.Call{})
	if err != nil {
		return err
	}
	placed, err := core.Apply(arrangement, found)
	if err != nil {
		return err
	}

	text := layOut(arrangement, placed, *question)
	answer := reader.Answer(text) // stands in for a model
	show := page.New(out, page.Width/2)
	show.Fields(page.Field{Name: "Question", Text: *question}, page.Field{Name: "Answer", Text: answer}, page.Field{Name: "by", Text: reader.Name})
	for _, source := range sources(arrangement, found, answer) {
		show.Lines(source)
	}
	show.Printf("\n")
	show.Lines(fmt.Sprintf("%d of %d documents enter the prompt. %s is pinned: it enters whether it was found or not.", len(placed), len(found), houseRule.ID))
	show.Printf("\n%v\n", arrangement)
	show.Lines("Slot 1 is the top of the prompt, r1 the best match. An answer cites by label.")
	if !*showPrompt {
		show.Printf("\nWith -prompt the prompt is shown.\n")
		return show.Err()
	}
	show.Heading("The prompt", "")
	show.Lines(text)
	return show.Err()
}

// find returns the k best passages of the handbook, best first.
func find(ctx context.Context, question string, k int) ([]passage, error) {
	chunks, index, err := search.Handbook()
	if err != nil {
		return nil, err
	}
	hits, err := index.Search(ctx, question, k)
	if err != nil {
		return nil, err
	}
	found := make([]passage, len(hits))
	for i, h := range hits {
		found[i] = passage{chunks[h.Index].ID(), chunks[h.Index].Text, h.Score}
	}
	return found, nil
}

// layOut writes the prompt. The label goes by rank: [1] is the best match,
// wherever it stands.
func layOut(a core.Arrangement, placed []passage, question string) string {
	var b strings.Builder
	b.WriteString("Answer from these documents and cite them by their number.\n\n")
	for slot, p := range placed {
		fmt.Fprintf(&b, "[%d]\n%s\n\n", a.Slots[slot].Label, p.Text)
	}
	return b.String() + "Question: " + question
}

// sources says which document each citation of an answer means. A label leads to
// a rank, and the rank to the place in what was found.
func sources(a core.Arrangement, found []passage, answer string) []string {
	var lines []string
	for _, c := range prompt.Citations(answer, a) {
		if c.Unread != "" {
			lines = append(lines, fmt.Sprintf("[%s] is not understood", c.Unread))
		} else if index, placed := a.IndexOf(c.Rank); placed {
			slot, _ := a.SlotOf(c.Rank)
			lines = append(lines, fmt.Sprintf("[%d] is %s, in slot %d of %d", c.Label, found[index].ID, slot+1, len(a.Slots)))
		} else {
			lines = append(lines, fmt.Sprintf("[%d] is no document of this prompt", c.Label))
		}
	}
	return lines
}
