// Package twice prints what became of one question that was asked twice: with the
// documents as they were ranked, and with the documents placed. The point comes first:
// the question, which document moved where, and the answers.
package twice

import (
	"fmt"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/measure/published"
)

// Document is one that was found.
type Document struct{ Name, Text string }

// Asked is a question, what was found for it, and what came of it.
type Asked struct {
	Question    string
	Chunks      int        // that were searched
	Ranked      []Document // best first
	Arrangement core.Arrangement
	Answers     []page.Field // by program
	Ways        string       // in which they came, where that is not the order alone
	Model       string
}

// Show prints it.
func (a Asked) Show(p *page.Page) {
	gold, answer, known := a.gold()
	p.Printf("Question: %s\n", page.Printable(a.Question))
	found := fmt.Sprintf("%d of %d chunks were found by BM25; r1 is the best match. ", len(a.Ranked), a.Chunks)
	switch {
	case len(a.Ranked) == 0:
		found = fmt.Sprintf("None of %d chunks has a word of the question: no order of the documents helps.", a.Chunks)
	case !known:
		found += "Where the answer stands is not known for a question of your own."
	case gold < 0:
		found += fmt.Sprintf("The handbook's answer, %q, is in none of them: no order of the documents helps.", answer)
	default:
		found += fmt.Sprintf("*r%d holds the answer.", gold+1)
	}
	p.Lines(found)
	p.Orders(len(a.Ranked), a.Arrangement, gold)
	slot, placed := a.Arrangement.SlotOf(gold)
	moved := known && gold >= 0 && placed && slot != gold
	if moved {
		p.Printf("\n")
		p.Lines(fmt.Sprintf("r%d moves from slot %d, in the %s third, to slot %d, in the %s third.", gold+1, gold+1, third(gold, len(a.Ranked)), slot+1, third(slot, len(a.Arrangement.Slots))))
	} else if known && gold >= 0 && placed {
		p.Printf("\nr%d stays in slot %d, and so the order changes nothing for the answer.\n", gold+1, slot+1)
	} else {
		p.Printf("\n")
	}
	fields := append(page.Same(a.Answers), page.Field{Name: "by", Text: a.Model})
	if a.Ways != "" {
		fields = append(fields, page.Field{Name: "asked", Text: a.Ways})
	}
	p.Fields(fields...)
	if moved && a.Model == reader.Name {
		a.models(p, gold, slot)
	}
	if len(a.Ranked) > 0 {
		p.Heading("The chunks, best first", "")
	}
	for rank, d := range a.Ranked {
		p.Printf("%s\n", page.Cut(fmt.Sprintf("r%-3d %-27s %s", rank+1, page.Printable(d.Name), strings.Join(strings.Fields(page.Printable(d.Text)), " ")), page.Width))
	}
}

// gold is the rank of the document that holds the answer of a handbook question; -1
// where none does. Of any other question it is not known.
func (a Asked) gold() (rank int, answer string, known bool) {
	answer, known = handbook.Answer(a.Question)
	for rank, d := range a.Ranked {
		if known && strings.Contains(d.Text, answer) {
			return rank, answer, true
		}
	}
	return -1, answer, known
}

// third says where among n documents a slot is.
func third(slot, n int) string {
	switch {
	case 3*slot < n:
		return "first"
	case 3*slot >= 2*n:
		return "last"
	}
	return "middle"
}

// families are models of 2023 to 2026 with a published curve of ten documents.
var families = []string{"gpt-3.5-turbo", "claude-1.3", "mpt-30b-instruct", "claude-sonnet-4-6", "gpt-4.1", "gemini-2.5-flash"}

// models says what models made of the two slots.
func (a Asked) models(p *page.Page, from, to int) {
	n := len(a.Ranked)
	p.Heading("And a model?", "")
	p.Lines(fmt.Sprintf("This reader reads every slot alike; a model may not. Published curves say how often a model was right with the answer in that slot of %d:", n))
	p.Printf("\n%-22s %8s %8s\n", "", fmt.Sprint("slot ", from+1), fmt.Sprint("slot ", to+1))
	better, worse := 0, 0
	for _, family := range families {
		c, err := published.Lookup(family, n)
		if err != nil {
			panic(err) // the curves are embedded: a test prints them all
		}
		accuracy := c.At(n) // between the measured slots on a straight line
		before, after := accuracy[from], accuracy[to]
		word, noise := "no difference beyond noise", 2*math.Sqrt((before*(1-before)+after*(1-after))/float64(c.Questions))
		if after-before > noise {
			word, better = "better", better+1
		} else if before-after > noise {
			word, worse = "worse", worse+1
		}
		p.Printf("%-22s %6.1f %% %6.1f %%  %s\n", c.Name, 100*before, 100*after, word)
	}
	p.Printf("\n")
	p.Lines(fmt.Sprintf("With the answer in slot %d, %s of these %d models does better than with it in slot %d, and %s does worse. No order is right for all: measure your own model, with \"bookend sweep\". To ask one here, set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and OPENAI_MODEL.", to+1, count(better), len(families), from+1, count(worse)))
}

func count(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
