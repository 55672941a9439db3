// The kinds example chooses the order of each call by a value that is known when serving,
// here the language of the user: by the settings that a comparison by language wrote, in
// both frameworks.
//
//	go run ./examples/kinds
//	go run ./examples/kinds -file out/settings.json
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/core"
	bookendeino "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/cloudwego/eino/components/retriever"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/schema"
)

//go:embed settings.json
var measured []byte

func main() {
	cli.Main(run)
}

type languageKey struct{}

// withLanguage is what a program does where it knows its user.
func withLanguage(ctx context.Context, language string) context.Context {
	return context.WithValue(ctx, languageKey{}, language)
}

func languageOf(ctx context.Context) string {
	language, _ := ctx.Value(languageKey{}).(string)
	return language
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("kinds", flag.ContinueOnError)
	path := flags.String("file", "", "settings.json of a comparison by kind; without it, that of the example")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	text := measured
	if *path != "" {
		var err error
		if text, err = os.ReadFile(*path); err != nil {
			return err
		}
	}
	var settled compare.Settled
	err := json.Unmarshal(text, &settled)
	if err != nil {
		return err
	}
	order := settled.Order
	if order.Select, err = settled.Select(languageOf); err != nil { // the one line
		return err
	}
	fmt.Fprint(out, "The order of the documents for each language, as settings.json says. \"first\" is\nthe best match.\n\n")
	for _, framework := range []struct {
		name string
		find func(context.Context, core.Config) ([]string, error)
	}{{"langchaingo", findLangchain}, {"eino", findEino}} {
		for _, language := range []string{"de", "en", "it", "nl"} {
			found, err := framework.find(withLanguage(ctx, language), order)
			if err != nil {
				return fmt.Errorf("%s: %w", framework.name, err)
			}
			fmt.Fprintf(out, "%-11s  %s  %s\n", framework.name, language, strings.Join(found, " "))
		}
	}
	return nil
}

// titles stand for what a store holds on the question, best first.
var titles = []string{"first", "second", "third", "fourth"}

type langchainStore struct{}

func (langchainStore) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	var found []schema.Document
	for _, title := range titles {
		found = append(found, schema.Document{PageContent: title})
	}
	return found, nil
}

func findLangchain(ctx context.Context, order core.Config) (texts []string, err error) {
	r, err := bookend.NewRetriever(langchainStore{}, bookend.WithConfig(order))
	if err != nil {
		return nil, err
	}
	found, err := r.GetRelevantDocuments(ctx, "How long does a refund take?")
	for _, d := range found {
		texts = append(texts, d.PageContent)
	}
	return texts, err
}

type einoStore struct{}

func (einoStore) Retrieve(context.Context, string, ...retriever.Option) ([]*einoschema.Document, error) {
	var found []*einoschema.Document
	for _, title := range titles {
		found = append(found, &einoschema.Document{ID: title, Content: title})
	}
	return found, nil
}

func findEino(ctx context.Context, order core.Config) (texts []string, err error) {
	r, err := bookendeino.NewRetriever(ctx, &bookendeino.RetrieverConfig{Retriever: einoStore{}, Config: order})
	if err != nil {
		return nil, err
	}
	found, err := r.Retrieve(ctx, "How long does a refund take?")
	for _, d := range found {
		texts = append(texts, d.Content)
	}
	return texts, err
}
