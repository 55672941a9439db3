package prompt

import (
	"strconv"
	"strings"
)

// writer collects a text in one pass and copies each document's text once, into the
// single allocation of the whole. What stands around those texts is short and is kept
// apart until then.
type writer struct {
	short []byte
	texts []placedText
	long  int // bytes of texts
}

// placedText is a text that follows the first at bytes of writer.short.
type placedText struct {
	at   int
	text string
}

func (w *writer) str(s string) { w.short = append(w.short, s...) }

func (w *writer) number(n int) { w.short = strconv.AppendInt(w.short, int64(n), 10) }

// document writes the text of a document, which is not copied yet.
func (w *writer) document(text string) {
	w.texts = append(w.texts, placedText{len(w.short), text})
	w.long += len(text)
}

func (w *writer) size() int { return len(w.short) + w.long }

// join returns what was written. contained escapes the tags of the XML format in
// documents' texts, which few texts need: it looks for them right after the copy, when
// the text is in the processor's cache, and joins again if there was one.
func (w *writer) join(contained bool) string {
	var b strings.Builder
	b.Grow(w.size())
	done, tagged := 0, false
	for i := range w.texts {
		t := &w.texts[i]
		b.Write(w.short[done:t.at])
		b.WriteString(t.text)
		done = t.at
		if contained && !tagged {
			tagged = hasTag(t.text)
		}
	}
	b.Write(w.short[done:])
	if !tagged {
		return b.String()
	}
	w.long = 0
	for i := range w.texts {
		w.texts[i].text = Escape(w.texts[i].text)
		w.long += len(w.texts[i].text)
	}
	return w.join(false)
}
