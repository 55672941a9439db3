// The langchaingo example asks one question of a folder of documents twice: by a
// plain RetrievalQA chain, and by the same chain over a Bookend retriever. It
// shows which rank stands in which slot and both answers, with -prompt also both
// prompts as they were sent.
//
//	go run ./examples/langchaingo
//	go run ./examples/langchaingo -prompt
//	go run ./examples/langchaingo -docs ~/notes -q "When is the rent due?" -k 8
//
// With a layout, Bookend lays out the whole prompt, and not the documents alone.
// A chat asks several questions in a row; the earlier turns keep their roles.
//
//	go run ./examples/langchaingo -layout bookend
//	go run ./examples/langchaingo -chat
//
// It works offline over the handbook of an invented company. With OPENAI_API_KEY
// or OPENAI_BASE_URL set (and OPENAI_MODEL) it asks that model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/chatmodel"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/folder"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("langchaingo", flag.ContinueOnError)
	docs := flags.String("docs", "", "`folder` of .md and .txt files (default: the handbook that comes with the example)")
	k := flags.Int("k", 10, "number of chunks to retrieve")
	prompts := flags.Bool("prompt", false, "also show both prompts as they were sent, side by side; of a chat the last one")
	chat := flags.Bool("chat", false, "hold a conversation, one turn for each -q")
	var questions []string
	flags.Func("q", "`question` to ask; a chat takes several (default \""+turns[0]+"\")", func(q string) error {
		questions = append(questions, q)
		return nil
	})
	var placement core.Choice
	flags.Var(&placement, "placement", "`name`, one of "+strings.Join(core.PlacementNames(), ", ")+" (default head-tail)")
	var layout prompt.Layout
	flags.Func("layout", "`name`, one of question-last, bookend, query-aware, instruction-first (default: langchaingo's\nown prompt; for a chat question-last)", func(name string) error {
		layout = prompt.Layout(name)
		_, err := layout.Parts()
		return err
	})
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	if *k < 1 {
		return fmt.Errorf("-k is %d: it must be 1 or more", *k)
	}
	if len(questions) > 1 && !*chat {
		return errors.New("-q is given more than once: only a -chat takes several questions")
	}

	documents := handbook.Docs()
	if *docs != "" {
		if info, err := os.Stat(*docs); err != nil || !info.IsDir() {
			return fmt.Errorf("-docs is %q, and there is no folder of that name: name a folder of .md or .txt files", *docs)
		}
		documents = os.DirFS(*docs)
	}
	store, err := folder.New(ctx, documents, *k)
	if err != nil {
		return err
	}
	model, modelName, err := chatmodel.New()
	if err != nil {
		return err
	}
	p := program{store, &recorder{Model: model}, modelName, placement, layout, *prompts, out}
	if *chat {
		if questions == nil {
			questions = turns
		}
		return p.chat(ctx, questions)
	}
	if questions == nil {
		questions = turns[:1]
	}
	return p.compare(ctx, questions[0])
}

// program is what the flags ask for.
type program struct {
	store     *folder.Retriever
	llm       *recorder
	modelName string
	placement core.Choice
	layout    prompt.Layout // "": langchaingo's own prompt
	prompts   bool          // show them
	out       io.Writer
}
