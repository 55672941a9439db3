package prompt_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// hit is what a search of one's own returns, best first.
type hit struct{ title, path, text string }

var hitView = &core.View[hit]{
	Text: func(h hit) string { return h.text },
	Meta: func(h hit) map[string]any { return map[string]any{"title": h.title, "source": h.path} },
}

var hits = []hit{
	{"Refunds", "refunds.md", "Refunds are paid within 30 days."},
	{"Plus", "plus.md", "Plus members have 60 days."},
	{"Gift cards", "cards.md", "Gift cards are not refunded."},
}

// From hits to a prompt and from an answer back to its sources.
func Example() {
	ctx := context.Background()
	r, err := prompt.New(prompt.Config{
		Rules:       "Answer from the documents alone, and cite the number.",
		Instruction: "Answer in under 80 words.",
		Budget:      45, Unit: core.Words, Reserve: 5,
	})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Build(ctx, r, nil, hits, hitView, prompt.Input{Question: "Can I get a refund after 45 days?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Text)
	fmt.Println("--")
	for _, c := range p.Citations("Plus members can [2]. Gift cards are another matter [3].") {
		index, placed := p.Arrangement.IndexOf(c.Rank)
		if !c.Exists || !placed {
			fmt.Printf("[%d] does not exist\n", c.Label)
			continue
		}
		fmt.Printf("[%d] is %s\n", c.Label, hits[index].path)
	}
	// Output:
	// Answer from the documents alone, and cite the number.
	//
	// [1] Refunds are paid within 30 days.
	//
	// [2] Plus members have 60 days.
	//
	// Question: Can I get a refund after 45 days?
	//
	// Answer in under 80 words.
	// --
	// [2] is plus.md
	// [3] does not exist
}

// The same parts as a chat, with the turns before the question.
func ExampleBuild() {
	r, err := prompt.New(prompt.Config{
		Layout:   prompt.Bookend,
		Rules:    "Use the documents alone.",
		Task:     "Answer the question in one sentence.",
		Reminder: "Remember: the documents alone.",
	})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Build(context.Background(), r, nil, hits, hitView, prompt.Input{
		Question: "And for members?",
		History: []prompt.Message{
			{Role: prompt.User, Text: "How long do refunds take?"},
			{Role: prompt.Assistant, Text: "30 days [1]."},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range p.Messages {
		fmt.Printf("%s: %s\n\n", strings.ToUpper(string(m.Role)), m.Text)
	}
	// Output:
	// SYSTEM: Use the documents alone.
	//
	// Answer the question in one sentence.
	//
	// USER: How long do refunds take?
	//
	// ASSISTANT: 30 days [1].
	//
	// USER: [1] Refunds are paid within 30 days.
	//
	// [3] Gift cards are not refunded.
	//
	// [2] Plus members have 60 days.
	//
	// Question: And for members?
	//
	// Answer the question in one sentence.
	//
	// Remember: the documents alone.
}

// Documents that were arranged before are laid out as they stand.
func ExampleRender() {
	arrangement, err := core.Arrange(context.Background(), nil, hits, hitView, core.Call{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := prompt.New(prompt.Config{Format: prompt.Titled, Cue: "Answer:"})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Render(context.Background(), r, arrangement, hits, hitView, prompt.Input{Question: "How long?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Text)
	// Output:
	// Document [1](Title: Refunds) Refunds are paid within 30 days.
	// Document [3](Title: Gift cards) Gift cards are not refunded.
	// Document [2](Title: Plus) Plus members have 60 days.
	//
	// Question: How long?
	// Answer:
}

// The documents alone are what a search tool of an agent returns.
func ExampleBlock() {
	arrangement, err := core.Arrange(context.Background(), core.Off, hits, hitView, core.Call{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := prompt.New(prompt.Config{Format: prompt.XML, Budget: 30, Unit: core.Words})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Block(context.Background(), r, arrangement, hits, hitView)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Text)
	// Output:
	// <documents>
	// <document index="1">
	// <source>refunds.md</source>
	// <document_content>
	// Refunds are paid within 30 days.
	// </document_content>
	// </document>
	// <document index="2">
	// <source>plus.md</source>
	// <document_content>
	// Plus members have 60 days.
	// </document_content>
	// </document>
	// </documents>
}

// Every fault of a configuration is reported, each with its remedy.
func ExampleNew() {
	_, err := prompt.New(prompt.Config{Format: "html", Budget: 4000})
	fmt.Println(err)
	// Output:
	// bookend: Format is "html": use numbered, titled, xml or markdown; or leave it out, and set a FormatFunc
	// bookend: Budget is 4000: needs a counter: set Unit to "runes" or "words", or set Count
}

// An order of one's own is a list of parts.
func ExampleLayout() {
	r, err := prompt.New(prompt.Config{
		Layout:   "rules, documents, reminder, question",
		Rules:    "Use the documents alone.",
		Reminder: "What follows is from a customer.",
	})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Build(context.Background(), r, nil, hits[:1], hitView, prompt.Input{Question: "How long?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Text)
	_, err = prompt.Layout("rules, question").Parts()
	fmt.Println("--")
	fmt.Println(err)
	// Output:
	// Use the documents alone.
	//
	// [1] Refunds are paid within 30 days.
	//
	// What follows is from a customer.
	//
	// Question: How long?
	// --
	// bookend: Layout is "rules, question": lacks the part documents: a layout needs documents and question
}

// A document's form can be a func of one's own.
func ExampleConfig_formatFunc() {
	r, err := prompt.New(prompt.Config{FormatFunc: func(d prompt.Document) (string, error) {
		return fmt.Sprintf("=== %d: %s (%s)\n%s", d.Label, d.Title, d.Source, d.Text), nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := prompt.Build(context.Background(), r, nil, hits[:2], hitView, prompt.Input{Question: "How long?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Text)
	// Output:
	// === 1: Refunds (refunds.md)
	// Refunds are paid within 30 days.
	//
	// === 2: Plus (plus.md)
	// Plus members have 60 days.
	//
	// Question: How long?
}

// A text cannot end its own block, and can be read back.
func ExampleEscape() {
	text := "The end.</document_content></document> 1 < 2 & <b>bold</b>"
	escaped := prompt.Escape(text)
	fmt.Println(escaped)
	fmt.Println(prompt.Unescape(escaped) == text)
	// Output:
	// The end.&lt;/document_content>&lt;/document> 1 < 2 & <b>bold</b>
	// true
}

// An answer may cite what was never there.
func ExampleCitations() {
	ctx, trace := core.WithTrace(context.Background())
	if _, err := prompt.Build(ctx, nil, nil, hits, hitView, prompt.Input{Question: "How long?"}); err != nil {
		log.Fatal(err)
	}
	for _, c := range prompt.Citations("Members have 60 days [2], others fewer [1, 9].", trace.Arrangement()) {
		fmt.Println(c.Label, c.Exists, c.Rank)
	}
	// Output:
	// 2 true 1
	// 1 true 0
	// 9 false -1
}
