package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// talk is a conversation over documents, whose turns have so many words each.
type talk struct {
	turns, words int
}

// text is so many words that no other text has.
func (talk) text(name string, words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "%s-%d ", name, i)
	}
	return b.String()
}

// run asks one question more after each turn, and returns the words that a server which
// keeps all earlier prompts of the conversation has to read, and the turns that were kept.
func (c talk) run(t *testing.T, config prompt.Config) (processed, kept int) {
	t.Helper()
	r := mustNew(t, config)
	var history []prompt.Message
	var earlier [][]string
	for turn := range c.turns {
		docs := make([]doc, 5)
		for i := range docs {
			docs[i] = doc{text: c.text(fmt.Sprintf("doc-%d-%d", turn, i), 150+(turn*37+i*61)%101)}
		}
		question := c.text(fmt.Sprint("question-", turn), 25)
		p, err := prompt.Build(t.Context(), r, nil, docs, docView, prompt.Input{Question: question, History: history})
		if err != nil {
			t.Fatal(err)
		}
		if p.Size > config.Budget || core.Words.Count(p.Text) != p.Size {
			t.Fatalf("turn %d: size %d, budget %d", turn, p.Size, config.Budget)
		}
		block := max(config.DropTurns, 1)
		if p.DroppedTurns%block != 0 {
			t.Errorf("turn %d: %d turns were left out, in blocks of %d", turn, p.DroppedTurns, block)
		}
		kept += turn - p.DroppedTurns
		words, common := strings.Fields(p.Text), 0
		for _, before := range earlier {
			n := 0
			for n < len(words) && n < len(before) && words[n] == before[n] {
				n++
			}
			common = max(common, n)
		}
		processed += len(words) - common
		earlier = append(earlier, words)
		history = append(history,
			prompt.Message{Role: prompt.User, Text: question},
			prompt.Message{Role: prompt.Assistant, Text: c.text(fmt.Sprint("answer-", turn), c.words-25-(turn*53)%41+20)})
	}
	return processed, kept
}

// Blocks of eight turns spare a server a third of what it reads, at a fifth of the turns.
// Short turns gain less.
func TestDropTurnsInBlocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		words     int
		processed float64 // at most
		kept      float64 // at least
	}{{175, 0.68, 0.78}, {100, 0.85, 0.80}} {
		config := prompt.Config{Rules: talk{}.text("rule", 300), Budget: 4_000, Unit: core.Words}
		var processed, kept [2]int
		for _, turns := range []int{20, 30, 40, 50, 60} {
			for i, block := range []int{1, 8} {
				config.DropTurns = block
				p, k := talk{turns, test.words}.run(t, config)
				processed[i] += p
				kept[i] += k
			}
		}
		read, left := float64(processed[1])/float64(processed[0]), float64(kept[1])/float64(kept[0])
		t.Logf("turns of %d words: %.3f of the words are read, %.3f of the turns are kept", test.words, read, left)
		if read > test.processed || left < test.kept {
			t.Errorf("turns of %d words: %.3f of the words are read, want at most %v; %.3f of the turns are kept, want at least %v", test.words, read, test.processed, left, test.kept)
		}
	}
}
