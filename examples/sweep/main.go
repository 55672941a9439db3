// The sweep example is the whole experiment as one small program: plant the answer
// in a slot, build the prompt, ask, score, do so for every slot and many questions,
// average, and draw. It needs no network: a simulated reader stands in for the
// model, so that what it draws is no measurement.
//
//	go run ./examples/sweep
//	go run ./examples/sweep -reader recency -questions 100
//
// The command bookend does the same with a real model, a journal and a report.
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
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

const documents = 10

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sweep", flag.ContinueOnError)
	name := flags.String("reader", "u", "simulated `reader`: flat, u, inverted, primacy, recency, gpt-3.5-turbo, …")
	questions := flags.Int("questions", 80, "how many `questions` to ask in each slot")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	reader, err := simulate.NewNamedReader(*name, documents, 1)
	if err != nil {
		return err
	}
	cases, err := dataset.KeyValues(1, *questions, documents)
	if err != nil {
		return err
	}
	slots, right := make([]int, documents), make([][]bool, *questions)
	for q := range *questions {
		c, err := cases.Case(q)
		if err != nil {
			return err
		}
		right[q] = make([]bool, documents)
		for slot := range documents {
			slots[slot] = slot
			text, err := build(ctx, c.WithGoldAt(slot, documents), c.Question) // plant
			if err != nil {
				return err
			}
			score, err := judge.Score(judge.Exact, ask(reader, q, c, text), c.Answers)
			if err != nil {
				return err
			}
			right[q][slot] = score.Full == 1
		}
	}
	outcomes, err := stats.NewOutcomes(documents, slots, right)
	if err != nil {
		return err
	}
	curve, err := shape.Fit(shape.Judge(outcomes), shape.CurveInfo{
		Model: model.SimulatedPrefix + *name, Task: string(dataset.KeyValue),
		Documents: documents, Questions: *questions, Slots: slots, Accuracy: outcomes.Accuracy(),
	})
	if err != nil {
		return err
	}
	return draw(out, curve)
}

// build lays out the documents as they stand, and the question below them.
func build(ctx context.Context, placed []dataset.Document, question string) (string, error) {
	r, err := prompt.New(prompt.Config{Labels: prompt.BySlot, Instruction: "Give the value of that key, and nothing else.", QuestionPrefix: "Key: "})
	if err != nil {
		return "", err
	}
	view := &core.View[dataset.Document]{Text: func(d dataset.Document) string { return d.Title + " = " + d.Text }}
	p, err := prompt.Build(ctx, r, core.Off, placed, view, prompt.Input{Question: question})
	return p.Text, err
}

// ask stands in for a model: it looks in which slot the answer stands, and finds it
// there as often as the simulated reader would. Put your own model here.
func ask(reader *simulate.Reader, question int, c dataset.Case, text string) string {
	before, _, _ := strings.Cut(text, c.Answers[0])
	if slot := strings.Count(before, " = ") - 1; reader.Right(question, slot) {
		return c.Answers[0]
	}
	return "I could not find that key."
}

// draw prints a bar for each slot, and what follows from them.
func draw(out io.Writer, curve *core.Curve) error {
	order, err := core.Order(core.Measured{Curve: curve}, curve.Documents)
	if err != nil {
		return err
	}
	ranks := make([]string, len(order))
	for slot, rank := range order {
		ranks[slot] = fmt.Sprintf("r%d", rank+1)
	}
	show := page.New(out, page.Width/2)
	show.Lines(fmt.Sprintf("SIMULATED, no measurement: in which slot of %d documents does the reader %q find the answer? %d questions were asked in each.",
		curve.Documents, strings.TrimPrefix(curve.Model, model.SimulatedPrefix), curve.Questions))
	show.Printf("\n")
	show.Fields(page.Field{Name: "shape of the curve", Text: string(curve.Shape)}, page.Field{Name: "best order by it", Text: strings.Join(ranks, " ")})
	show.Printf("\n%-6s %8s\n", "slot", "right")
	for i, slot := range curve.Slots {
		show.Printf("%4d   %6.1f %%  %s\n", slot+1, 100*curve.Accuracy[i], strings.Repeat("█", int(50*curve.Accuracy[i]+0.5)))
	}
	show.Printf("\nThe order is that of the placement \"measured\"; r1 is the best match.\n")
	return show.Err()
}
