// The evidence example asks whether reordering pays on one retriever: that of the
// langchaingo example, over its handbook and its questions. It records what the
// retriever returns, asks each question with the documents as ranked and folded to
// both ends, and gives the verdict: reorder, keep, or inconclusive.
//
//	go run ./examples/evidence
//	go run ./examples/evidence -reader llama-2-70b-chat-repo -until-decided
//	go run ./examples/evidence -out evidence
//
// Offline a simulated reader stands in for the model, so that its verdict is no
// measurement. With OPENAI_API_KEY or OPENAI_BASE_URL set (and OPENAI_MODEL) it asks
// that model: two calls a question and the controls.
//
// -out keeps the recorded lists and the labels, which the command bookend takes:
//
//	go run ./cmd/bookend compare --data evidence/lists.jsonl --labels evidence/labels.jsonl …
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/folder"
	"github.com/bookend-rag/bookend/examples/internal/page"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

func main() { cli.Main(execute) }

func execute(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("evidence", flag.ContinueOnError)
	k := flags.Int("k", 10, "number of chunks to retrieve")
	reader := flags.String("reader", "gpt-3.5-turbo", "simulated `reader`, where no model is set: u, primacy, recency, llama-2-70b-chat-repo, …")
	until := flags.Bool("until-decided", false, "stop as soon as the answer is known")
	keep := flags.String("out", "", "`folder` for the lists, the labels and the journal (default: one that is removed)")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "bookend-evidence-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, "lists.jsonl")
	if err := recordLists(ctx, path, *k); err != nil {
		return err
	}
	if err := writeLabels(filepath.Join(dir, "labels.jsonl")); err != nil {
		return err
	}
	labels, err := dataset.ReadLabels(filepath.Join(dir, "labels.jsonl"))
	if err != nil {
		return err
	}
	lists, err := dataset.Rules{Lists: true, Labels: labels}.Open(path)
	if err != nil {
		return err
	}
	defer lists.Close()

	m, name, err := newModel(*reader)
	if err != nil {
		return err
	}
	flat := compare.Arm{Name: "ranked", Order: core.Config{Placement: core.Choice{Placement: core.RankOrder}}, Prompt: compare.DefaultPrompt()}
	fold := compare.Arm{Name: "head-tail", Prompt: compare.DefaultPrompt()}
	plan, err := compare.NewPlan(lists, compare.Settings{Model: name, Arms: []compare.Arm{flat, fold}, Seed: 1})
	if err != nil {
		return err
	}
	show := page.New(out, page.Width/2)
	question := fmt.Sprintf("Is head-tail worth more than the retriever's own order? %d questions over lists of %d documents, asked in both orders.", lists.Report().Kept, *k)
	if strings.HasPrefix(name, model.SimulatedPrefix) {
		question = "SIMULATED, no measurement. " + question
	}
	show.Lines(question)
	show.Printf("\n")
	described := compare.Described{Manifest: plan.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}, UntilDecided: *until}
	if have, err := compare.DescriptionOf(filepath.Join(dir, "journal.jsonl")); err == nil && !have.SameComparison(described) {
		return fmt.Errorf("%s holds the comparison of %s: name another folder by -out", dir, have.Model)
	}
	journal, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if _, err := compare.Run(ctx, plan, described, m, journal, run.Limits{MaxFailures: 10}); err != nil {
		return err
	}
	result, err := compare.SummarizeJournal(journal.Path(), nil)
	if err != nil {
		return err
	}
	print(show, result)
	show.Printf("\n")
	show.Lines("The lists: " + lists.Report().String())
	show.Lines(plan.String())
	return show.Err()
}

// recordLists asks the retriever every question of the handbook, with a recorder as
// its observer, as in a running chain.
func recordLists(ctx context.Context, path string, k int) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // a second run would append
	}
	recorder, err := record.Open(path, record.Config{Texts: true})
	if err != nil {
		return err
	}
	ask := func() error {
		store, err := folder.New(ctx, handbook.Docs(), k)
		if err != nil {
			return err
		}
		retriever, err := bookend.NewRetriever(store, bookend.WithConfig(core.Config{Observe: recorder.Observe}))
		if err != nil {
			return err
		}
		questions, err := handbook.Questions()
		if err != nil {
			return err
		}
		for _, q := range questions {
			if _, err := retriever.GetRelevantDocuments(ctx, q.Question); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(ask(), recorder.Close())
}

// writeLabels writes the accepted answers.
func writeLabels(path string) error {
	questions, err := handbook.Questions()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(file)
	for _, q := range questions {
		err = errors.Join(err, lines.Encode(map[string]any{"question": q.Question, "answers": q.Answers}))
	}
	return errors.Join(err, file.Close())
}

func print(show *page.Page, r compare.Result) {
	show.Lines(r.Finding)
	show.Printf("\n")
	show.Lines(fmt.Sprintf("%d of %d questions count, %d left out; %d of %d calls failed.",
		r.Questions.Counted, r.Questions.Planned, r.Questions.Dropped, r.Counts.Failed, r.Counts.Planned))
	show.Printf("\n%-12s %9s %8s  %4s %6s %7s\n", "", "questions", "right", "wins", "losses", "points")
	for _, a := range r.Arms {
		against := ""
		if b := a.Against; b != nil {
			against = fmt.Sprintf("%4d %6d %7s", b.Wins, b.Losses, points(b.Difference))
		}
		show.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%-12s %9d %6.1f %%  %s", a.Name, r.Judged(a).N, 100*r.Judged(a).Accuracy, against), " "))
	}
	show.Printf("Wins, losses and points are those against ranked, over the same questions.\n\n%-26s %9s  %8s %9s\n", "where the answer was", "questions", r.Arms[0].Name, r.Arms[1].Name)
	for _, s := range r.Strata {
		show.Printf("%-26s %9d  %8s %9s\n", s.Name, s.Questions, right(s.Arms[0]), right(s.Arms[1]))
	}
}

// right is the share of right answers; – where there is no answer.
func right(t compare.Tally) string {
	if t.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*t.Accuracy)
}

// points writes a difference as the finding does.
func points(share float64) string {
	text := fmt.Sprintf("%+.1f", 100*share)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}
