package prompt_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// prose returns n documents of about 2 KB of words with title and source, as
// retrieved chunks are. Each has a "<" and an "&", and no tag.
func prose(n int) []doc {
	words := strings.Fields("the refund of an order is paid back within thirty days when the goods come back unused and the customer shows a bill; " +
		"later on a manager decides, and he or she may ask for a photo of what is broken.")
	docs := make([]doc, n)
	for i := range docs {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		var text strings.Builder
		for text.Len() < 2048 {
			text.WriteString(words[random.IntN(len(words))])
			text.WriteByte(' ')
		}
		text.WriteString("For small orders (< 10 euros) see our terms & conditions.")
		docs[i] = doc{text.String(), map[string]any{"title": fmt.Sprint("Page ", i), "source": fmt.Sprint("handbook/", i, ".md")}}
	}
	return docs
}

// render lays out docs in a format by head-tail; rendered is the result.
func render(t testing.TB, format prompt.Format, docs []doc) (run func()) {
	t.Helper()
	placed := mustArranged(t, core.HeadTail, len(docs))
	return layOut(t, format, func(r *prompt.Renderer, in prompt.Input) (prompt.Prompt, error) {
		return prompt.Render(t.Context(), r, placed, docs, docView, in)
	})
}

// arrangeAndRender does the same by Build.
func arrangeAndRender(t testing.TB, format prompt.Format, docs []doc) (run func()) {
	t.Helper()
	arranger := mustArranger(t, core.Config{})
	return layOut(t, format, func(r *prompt.Renderer, in prompt.Input) (prompt.Prompt, error) {
		return prompt.Build(t.Context(), r, arranger, docs, docView, in)
	})
}

func layOut(t testing.TB, format prompt.Format, by func(*prompt.Renderer, prompt.Input) (prompt.Prompt, error)) (run func()) {
	t.Helper()
	r := mustNew(t, prompt.Config{Rules: "Be kind.", Instruction: "Be brief.", Format: format})
	in := prompt.Input{Question: "How long does a refund take?"}
	return func() {
		var err error
		if rendered, err = by(r, in); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	rendered   prompt.Prompt
	joinedText string
)

// medianRatio returns the median over pairs of single calls of the time that f takes
// divided by the time that base takes. They come in random order: for texts of megabytes
// the garbage collector's rhythm decides more than what is written, and in a fixed order
// it would meet one of the two alone.
func medianRatio(f, base func()) float64 {
	took := func(f func()) float64 {
		start := time.Now()
		f()
		return float64(time.Since(start))
	}
	random := rand.New(rand.NewPCG(1, 2))
	ratios := make([]float64, 2001)
	for i := range ratios {
		if random.IntN(2) == 0 {
			ratios[i] = took(f) / took(base)
		} else {
			b := took(base)
			ratios[i] = took(f) / b
		}
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// bare writes the documents of a prompt in a format by a plain loop: one pass for the
// size, one that writes label, title and text, and for XML a look for the two signs that
// may have to be escaped. It does nothing that a prompt could do without.
func bare(format prompt.Format, docs []doc, slots []core.Placed) (run func()) {
	return func() {
		var b strings.Builder
		size := 0
		for i := range slots {
			size += len(docs[slots[i].Index].text) + 140
		}
		b.Grow(size)
		var number [20]byte
		for i := range slots {
			d := &docs[slots[i].Index]
			label := strconv.AppendInt(number[:0], int64(slots[i].Label), 10)
			switch format {
			case prompt.Numbered:
				b.WriteString("\n\n[")
				b.Write(label)
				b.WriteString("] ")
			case prompt.XML:
				source, _ := d.meta["source"].(string)
				b.WriteString("\n<document index=\"")
				b.Write(label)
				b.WriteString("\">\n<source>")
				b.WriteString(source)
				b.WriteString("</source>\n<document_content>\n")
			default:
				title, _ := d.meta["title"].(string)
				b.WriteString("\nDocument [")
				b.Write(label)
				b.WriteString("](Title: ")
				b.WriteString(title)
				b.WriteString(") ")
			}
			b.WriteString(d.text)
			if format == prompt.XML {
				b.WriteString("\n</document_content>\n</document>")
				signs += strings.IndexByte(d.text, '<') + strings.IndexByte(d.text, '&')
			}
		}
		joinedText = b.String()
	}
}

var signs int

// BenchmarkRender and BenchmarkBuild report what laying out a prompt costs beside
// strings.Join of the same texts (x-join), and beside a plain loop that writes the same
// (x-bare). "frame" joins the texts in the order of the prompt with what the XML format
// writes around a document, and does nothing else: what is below it cannot be had.
func BenchmarkRender(b *testing.B) {
	docs := prose(1000)
	perm := make([]string, len(docs))
	for slot, p := range mustArranged(b, core.HeadTail, len(docs)).Slots {
		perm[slot] = docs[p.Index].text
	}
	frame := "\n</document_content>\n</document>\n<document index=\"123\">\n<source>handbook/123.md</source>\n<document_content>\n"
	b.Run(fmt.Sprintf("frame/n=%d", len(docs)), func(b *testing.B) {
		run := func() { joinedText = strings.Join(perm, frame) }
		for b.Loop() {
			run()
		}
		b.ReportMetric(medianRatio(run, join(docs)), "x-join")
	})
	benchmarkFormats(b, docs, render)
}

func BenchmarkBuild(b *testing.B) { benchmarkFormats(b, prose(1000), arrangeAndRender) }

func benchmarkFormats(b *testing.B, docs []doc, by func(testing.TB, prompt.Format, []doc) func()) {
	for _, format := range formats {
		run := by(b, format, docs)
		b.Run(fmt.Sprintf("format=%s/n=%d", format, len(docs)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			loop := bare(format, docs, mustArranged(b, core.HeadTail, len(docs)).Slots)
			b.ReportMetric(medianRatio(run, join(docs)), "x-join")
			b.ReportMetric(medianRatio(run, loop), "x-bare")
			b.ReportMetric(medianRatio(loop, join(docs)), "bare-x-join")
			b.ReportMetric(float64(len(rendered.Text)), "text-B")
		})
	}
}

// join joins the texts of docs, and does nothing else.
func join(docs []doc) (run func()) {
	list := make([]string, len(docs))
	for i, d := range docs {
		list[i] = d.text
	}
	return func() { joinedText = strings.Join(list, "\n\n") }
}

// The text costs one allocation: a second one would double the bytes. The other
// allocations are small and their number does not depend on the documents.
func TestTheTextIsOneAllocation(t *testing.T) {
	for _, format := range formats {
		few, many := render(t, format, prose(100)), render(t, format, prose(1000))
		want := testing.AllocsPerRun(5, few)
		if got := testing.AllocsPerRun(5, many); got != want || got > 20 {
			t.Errorf("%s: %v allocations for 100 documents and %v for 1000, want as many and 20 at most", format, want, got)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		many()
		runtime.ReadMemStats(&after)
		// Beside the text: 96 bytes of a Document and 8 of a label for each, and slack.
		size := uint64(len(rendered.Text))
		if got := after.TotalAlloc - before.TotalAlloc; got < size || got > size+200*1000 {
			t.Errorf("%s: %d bytes were allocated for a text of %d", format, got, size)
		}
	}
}
