// The config example builds the chains of both frameworks from one settings file.
//
//	go run ./examples/config                        the file of the example
//	go run ./examples/config -file rag.yaml         one of your own
//	BOOKEND_ORDER_PLACEMENT=ranked go run ./examples/config
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
)

//go:embed rag.yaml
var rag []byte

const question = "Can I get a refund after 45 days?"

func main() {
	cli.Main(func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, os.Environ(), out)
	})
}

func run(ctx context.Context, args, environ []string, out io.Writer) error {
	flags := flag.NewFlagSet("config", flag.ContinueOnError)
	path := flags.String("file", "", "settings `file`, YAML or JSON; without it, that of the example")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	order, layout, err := load(*path, environ)
	if err != nil {
		return err
	}
	show := page.New(out, page.Width/2)
	show.Printf("Question: %s\nOne settings file, read for a chain of each framework.\n\n", question)
	var fields []page.Field
	for _, framework := range []struct {
		name string
		ask  func(context.Context, core.Config, prompt.Config, string) (string, error)
	}{{"langchaingo", askLangchain}, {"eino", askEino}} {
		placed := ""
		order.Observe = func(_ context.Context, e core.Event) { placed = e.Arrangement.Order() }
		answer, err := framework.ask(ctx, order, layout, question)
		if err != nil {
			return fmt.Errorf("%s: %w", framework.name, err)
		}
		fields = append(fields, page.Field{Name: framework.name, Text: "slots " + placed + "\n" + answer})
	}
	show.Fields(append(fields, page.Field{Name: "by", Text: reader.Name})...)
	return show.Err()
}

// load reads the settings of a file, or those of the example. The environment wins.
func load(path string, environ []string) (core.Config, prompt.Config, error) {
	s, err := settings.Parse("rag.yaml", rag, environ)
	if path != "" {
		s, err = settings.Load(path, environ)
	}
	if err != nil {
		return core.Config{}, prompt.Config{}, err
	}
	return s.Configs()
}
