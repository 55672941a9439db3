// The prompt example lays out one prompt of a support assistant twice: as its parts
// came to hand, and on purpose. It shows both side by side, reads the citations out
// of an answer, and tells what goes first when there is no room for all of it.
//
//	go run ./examples/prompt
//	go run ./examples/prompt -budget 270
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/tiktoken-go/tokenizer"
)

const (
	question = "Can I get a refund after 45 days?"
	rules    = "You are the support assistant of Tarn & Fell. Use only the documents, stay under 80 words, and cite the number of each document that you use."
	reminder = "Remember: only the documents, under 80 words, cite the number."
)

// earlier is what was said before the question. The picture leaves it out.
var earlier = []prompt.Message{
	{Role: prompt.User, Text: "Do you ship to Norway?"},
	{Role: prompt.Assistant, Text: "Yes, in 6 to 9 working days."},
	{Role: prompt.User, Text: "I bought a tent and have not used it."},
	{Role: prompt.Assistant, Text: "What can we do for you?"},
}

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("prompt", flag.ContinueOnError)
	budget := flags.Int("budget", 400, "`tokens` for the whole prompt and the answer")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	if *budget < 1 {
		return fmt.Errorf("-budget is %d: it must be 1 or more", *budget)
	}

	before, err := arrived(ctx)
	if err != nil {
		return err
	}
	after, err := onPurpose(ctx, *budget, nil)
	if err != nil {
		return err
	}
	p := page.New(out, columnWidth)
	p.Printf("%s\n", question)
	moves := "The question moves from above the documents to below them, and the rules are repeated at the end."
	if slot, placed := after.Arrangement.SlotOf(0); placed {
		best, _ := after.Arrangement.IndexOf(0)
		moves = fmt.Sprintf("The best document, [%d], moves from slot %d to slot %d. ", best+1, best+1, slot+1) + moves
	}
	p.Lines(moves)
	p.Printf("\n")
	p.Beside(append([]string{"BEFORE: as the parts came to hand", ""}, picture(before)...),
		append([]string{"AFTER: laid out on purpose", ""}, picture(after)...))
	p.Printf("\nA number says when a document arrived. From best to worst: 3, 2, 4, 5, 1.\n")
	if dropped := numbers(dropped(after)); dropped != "" {
		p.Printf("The budget of %d tokens left out: [%s].\n", *budget, strings.ReplaceAll(dropped, " ", "], ["))
	}
	p.Heading("An answer, made up for this example", "")
	for _, line := range cite(after, "After 30 days you get store credit [3], at once in any shop [2], and cash from the manager [9].") {
		p.Printf("%s\n", line)
	}
	p.Heading("What is cut first", "")
	lines, err := shrink(ctx, *budget)
	if err != nil {
		return err
	}
	for _, line := range lines {
		p.Printf("%s\n", line)
	}
	return p.Err()
}

// arrived is how a prompt grows by itself: the rules were there first, then came
// the question, and then what the searches found.
func arrived(ctx context.Context) (prompt.Prompt, error) {
	r, err := prompt.New(prompt.Config{Layout: "rules,question,documents", Rules: rules, FormatFunc: byNumber})
	if err != nil {
		return prompt.Prompt{}, err
	}
	return prompt.Build(ctx, r, core.Off, documents, view, prompt.Input{Question: question})
}

// onPurpose ranks by score, places the best at both ends, asks the question below
// them, and repeats the rules at the end.
func onPurpose(ctx context.Context, budget int, history []prompt.Message) (prompt.Prompt, error) {
	r, err := prompt.New(prompt.Config{
		Layout:     prompt.Bookend,
		Rules:      rules,
		Reminder:   reminder,
		FormatFunc: byNumber,
		Budget:     budget,
		Count:      tokens,
		Reserve:    answerRoom,
	})
	if err != nil {
		return prompt.Prompt{}, err
	}
	byScore, err := core.New(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	if err != nil {
		return prompt.Prompt{}, err
	}
	return prompt.Build(ctx, r, byScore, documents, view, prompt.Input{Question: question, History: history})
}

// byNumber labels a document by its number of arrival. Without a func of one's own,
// "[1]" is the best match.
func byNumber(d prompt.Document) (string, error) {
	return fmt.Sprintf("[%d] %s", d.Index+1, d.Text), nil
}

// answerRoom is kept for an answer of 80 words.
const answerRoom = 120

// tokens counts as many models do.
func tokens(text string) int {
	n, err := bpe.Count(text)
	if err != nil {
		return -1 // refused as an error of the call
	}
	return n
}

var bpe = func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err) // the vocabulary is embedded: this cannot happen
	}
	return codec
}()

// cite tells for each number that an answer cites whether it exists. Nothing here
// tells whether the document says what the answer claims.
func cite(p prompt.Prompt, answer string) []string {
	lines := append(page.Wrap(answer, lineWidth), "")
	numbered := p.Arrangement // with the numbers that the documents have on the page
	numbered.Slots = slices.Clone(numbered.Slots)
	for slot := range numbered.Slots {
		numbered.Slots[slot].Label = numbered.Slots[slot].Index + 1
	}
	for _, c := range prompt.Citations(answer, numbered) {
		index, exists := p.Arrangement.IndexOf(c.Rank)
		if c.Unread != "" {
			lines = append(lines, fmt.Sprintf("[%s] is not understood", c.Unread))
			continue
		}
		if !exists {
			lines = append(lines, fmt.Sprintf("[%d] is no document of this prompt", c.Label))
			continue
		}
		slot, _ := p.Arrangement.SlotOf(c.Rank)
		lines = append(lines, fmt.Sprintf("[%d] exists: slot %d, rank %d. It says:", c.Label, slot+1, c.Rank+1))
		for _, line := range page.Wrap(documents[index].Text, lineWidth-4) {
			lines = append(lines, "    "+line)
		}
	}
	return append(lines, "", "That a document exists does not mean that it supports the sentence: read both.")
}

// shrink lowers the budget step by step, and tells what is left each time.
func shrink(ctx context.Context, budget int) ([]string, error) {
	lines := append(page.Wrap(fmt.Sprintf("With %d earlier turns, in tokens; %d of each budget are kept for the answer.", len(earlier)/2, answerRoom), lineWidth),
		"", "budget  prompt  earlier turns  slots 1 to 5  cut")
	last := prompt.Prompt{}
	for {
		p, err := onPurpose(ctx, budget, earlier)
		var tooSmall *prompt.BudgetError
		if errors.As(err, &tooSmall) && len(lines) > 2 {
			lines = append(lines, fmt.Sprintf("%6d  no prompt: rules, question and reminder are never cut, and need %d", budget, tooSmall.Needed))
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%6d  %6d  %13d  %-12s  %s", budget, p.Size, len(earlier)/2-p.DroppedTurns, numbers(placed(p)), gone(last, p)), " "))
		last, budget = p, p.Size+answerRoom-1
	}
}

// gone names what the prompt has no more.
func gone(last, p prompt.Prompt) string {
	if last.Text == "" {
		var all []string
		if p.DroppedTurns > 0 {
			all = append(all, fmt.Sprintf("turns: %d", p.DroppedTurns))
		}
		if n := len(p.Arrangement.Dropped); n > 0 {
			all = append(all, fmt.Sprintf("documents: %d", n))
		}
		return strings.Join(all, ", ")
	}
	if p.DroppedTurns > last.DroppedTurns {
		return "the oldest turn"
	}
	d := p.Arrangement.Dropped[0]
	return fmt.Sprintf("document %d, of rank %d", d.Index+1, d.Rank+1)
}
