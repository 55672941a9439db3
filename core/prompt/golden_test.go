package prompt_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bookend-rag/bookend/core/prompt"
)

var update = flag.Bool("update", false, "write the golden files anew; read them afterwards")

var (
	layouts = []prompt.Layout{prompt.QuestionLast, prompt.Bookend, prompt.QueryAware, prompt.InstructionFirst, prompt.DocumentsFirst}
	formats = []prompt.Format{prompt.Numbered, prompt.Titled, prompt.XML, prompt.Markdown}
)

// support is the configuration of a support assistant, with every part.
func support() prompt.Config {
	return prompt.Config{
		Rules:       "You are the support assistant of a shop. Use the documents alone, and cite their numbers, as in [1].",
		Task:        "Answer the customer's question from the documents below.",
		Instruction: "Answer the question in under 80 words. If the documents do not hold the answer, say so.",
		Reminder:    "Remember: the documents alone, under 80 words, cite the numbers.",
	}
}

// conversation is a question with two turns before it.
func conversation() prompt.Input {
	return prompt.Input{
		Question: "Can I get a refund after 45 days?",
		History: []prompt.Message{
			{Role: prompt.User, Text: "Hello, I bought a lamp from you."},
			{Role: prompt.Assistant, Text: "Welcome! How can I help?"},
			{Role: prompt.User, Text: "It came in March.\nI am a Plus member."},
			{Role: prompt.Assistant, Text: "Thank you, I see the order."},
		},
	}
}

// Every layout in every format with 0, 1, 5 and 40 documents, placed by
// head-tail. A golden file is the text of the prompt and one newline.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, layout := range layouts {
		for _, format := range formats {
			for _, n := range []int{0, 1, 5, 40} {
				path := filepath.Join("testdata", "golden", string(layout), fmt.Sprintf("%s-%d.txt", format, n))
				t.Run(path, func(t *testing.T) {
					t.Parallel()
					c := support()
					c.Layout, c.Format = layout, format
					got := build(t, c, handbook(t, n), conversation()).Text + "\n"
					if *update {
						if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
							t.Fatal(err)
						}
						return
					}
					want, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if got != string(want) {
						t.Errorf("%s (-want +got)\n-%s\n+%s", path, want, got)
					}
				})
			}
		}
	}
}
