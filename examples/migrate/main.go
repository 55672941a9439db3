// The migrate example is for those who come from another reorderer: LangChain's or
// LlamaIndex's LongContextReorder, Haystack's LostInTheMiddleRanker, or
// eino-ext's score reranker. Each has a file here, with the old line in a comment
// and the new one below it. The program prints how the orders compare.
//
//	go run ./examples/migrate
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	eino "github.com/cloudwego/eino/schema"
	langchaingo "github.com/tmc/langchaingo/schema"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	if err := cli.Parse(flag.NewFlagSet("migrate", flag.ContinueOnError), args, out); err != nil {
		return err
	}
	fmt.Fprint(out, `Which placement gives the order of your old reorderer?

long-context  LangChain's and LlamaIndex's LongContextReorder
head-tail     Haystack's LostInTheMiddleRanker, eino-ext's score reranker;
              Bookend's default
tail-head     the mirror image of head-tail: the best match last

The orders of n documents, first slot to last; r1 is the best match:

`)
	fmt.Fprintf(out, "%-3s%-22s%-22s%s\n", "n", "long-context", "head-tail", "tail-head")
	for n := 2; n <= 7; n++ {
		fmt.Fprintf(out, "%-3d", n)
		for _, p := range []core.Placement{core.LongContext, core.HeadTail} {
			fmt.Fprintf(out, "%-22s", order(p, n))
		}
		fmt.Fprintln(out, order(core.TailHead, n))
	}
	fmt.Fprint(out, `
With an odd number of documents long-context is head-tail, with an even number
it is tail-head: one document more or less moves the best match from one end of
the prompt to the other.

The four programs of this example:

from        given                   placed
`)
	for _, example := range []func(context.Context) (string, error){langChainLine, llamaIndexLine, haystackLine, einoExtLine} {
		line, err := example(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, line)
	}
	_, err := fmt.Fprint(out, `
Say which scores are better: with a distance that is core.LowerIsBetter. Of the
negative scores of a reranker -1 beats -3, and a document without a score ranks
last, not as 0.
`)
	return err
}

// order writes the ranks in their slots, as in "r1 r3 r2".
func order(p core.Placement, n int) string {
	ranks, err := core.Order(p, n)
	if err != nil {
		return err.Error()
	}
	names := make([]string, n)
	for slot, rank := range ranks {
		names[slot] = fmt.Sprintf("r%d", rank+1)
	}
	return strings.Join(names, " ")
}

func langChainLine(ctx context.Context) (string, error) {
	placed, err := fromLangChain(ctx, []langchaingo.Document{
		{PageContent: "r1"}, {PageContent: "r2"}, {PageContent: "r3"}, {PageContent: "r4"},
	})
	return line("LangChain", "4 documents", placed, func(d langchaingo.Document) string { return d.PageContent }), err
}

func llamaIndexLine(ctx context.Context) (string, error) {
	placed, err := fromLlamaIndex(ctx, []node{{"r3", 0.3}, {"r1", 0.9}, {"r4", 0.1}, {"r2", 0.6}})
	return line("LlamaIndex", "scores .3 .9 .1 .6", placed, func(n node) string { return n.Text }), err
}

func haystackLine(ctx context.Context) (string, error) {
	placed, err := fromHaystack(ctx, []passage{
		{"a", "r1 has three"}, {"b", "r2 has three"}, {"a", "r3 is a"}, {"c", "r4 two"}, {"d", "r5 too many"},
	})
	return line("Haystack", "budget 8; r3 copies r1", placed, func(p passage) string { return p.Text[:2] }), err
}

func einoExtLine(ctx context.Context) (string, error) {
	doc := func(name string, meta map[string]any) *eino.Document {
		return &eino.Document{Content: name, MetaData: meta}
	}
	placed, err := fromEinoExt(ctx, []*eino.Document{
		doc("r2", map[string]any{"relevance": -3.0}), doc("r3", nil), doc("r1", map[string]any{"relevance": -1.0}),
	})
	return line("eino-ext", "scores -3, none, -1", placed, func(d *eino.Document) string { return d.Content }), err
}

// line tells what came out of one program.
func line[E any](from, given string, placed []E, name func(E) string) string {
	names := make([]string, len(placed))
	for i, p := range placed {
		names[i] = name(p)
	}
	return fmt.Sprintf("%-12s%-24s%s", from, given, strings.Join(names, " "))
}
