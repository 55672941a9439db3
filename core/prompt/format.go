package prompt

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/bookend-rag/bookend/internal/meta"
)

// Format is the form in which a document stands in the prompt. Texts are copied
// byte for byte. Titles, sources and shown metadata are put on one line, control
// characters becoming spaces, and cut to Config.MaxShown characters. As a string
// it has every codec; names are case-insensitive. The empty Format means Numbered.
//
// Numbered, Titled and Markdown promise no containment: a text may hold a line
// that looks like the start of another document.
type Format string

const (
	// Numbered writes "[1] text", a blank line between documents. Shown metadata
	// stands between label and text: "[1] (date: 2026-01-31) text".
	Numbered Format = "numbered"
	// Titled writes "Document [1](Title: T) text", one newline between documents,
	// as Liu et al. do. A document without a title shows its source in its place;
	// one without either has no parentheses.
	Titled Format = "titled"
	// XML writes nested tags, documents, document with an index, source and
	// document_content, as Anthropic's guide to long contexts advises. A document
	// without a source shows its title as such. A document cannot end its own
	// block: see Escape.
	XML Format = "xml"
	// Markdown writes a heading "## [1] title" and the text below it, and a rule
	// below the last one. A document without a title shows its source.
	Markdown Format = "markdown"
)

func (f Format) canonical() Format {
	switch l := Format(strings.ToLower(strings.TrimSpace(string(f)))); l {
	case "":
		return Numbered
	case Numbered, Titled, XML, Markdown:
		return l
	}
	return ""
}

// Document is what a FormatFunc sees of one document.
type Document struct {
	Label int    // the number that the model cites
	Rank  int    // 0 is the best of all that came in
	Slot  int    // its place among the documents of the prompt, from 0
	Index int    // its place in the input, from 0
	Text  string // unchanged
	Title string // on one line, cut to MaxShown, as are the next two
	// Source names what the document was cut from.
	Source string
	// Shown holds the metadata fields that Config.Show lists and the document
	// has, as pairs of name and value.
	Shown [][2]string
}

// FormatError says that a FormatFunc failed; errors.Is and errors.As find its
// error.
type FormatError struct {
	Label int // of the document
	Err   error
}

// Error names the document and the error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("bookend: FormatFunc failed for document [%d]: %v", e.Label, e.Err)
}

// Unwrap returns the func's own error.
func (e *FormatError) Unwrap() error { return e.Err }

// shown puts a value on one line and cuts it to limit characters.
func shown(value any, limit int) string {
	switch text := value.(type) {
	case nil:
		return ""
	case string:
		return shownText(text, limit)
	}
	return shownText(fmt.Sprint(value), limit)
}

func shownText(text string, limit int) string {
	plain := true
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7F {
			plain = false
			break
		}
	}
	if !plain {
		text = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(text, "\uFFFD"))
	}
	if len(text) <= limit {
		return strings.TrimSpace(text)
	}
	for i := range text {
		if limit == 0 {
			return strings.TrimSpace(text[:i])
		}
		limit--
	}
	return strings.TrimSpace(text)
}

// readHead reads title and source, as far as the format shows them: Numbered shows
// none, XML the title only for want of a source, the others the source only for
// want of a title.
func (d *Document) readHead(c *Config, fields map[string]any) {
	own := c.FormatFunc != nil
	if own || c.Format == XML {
		d.Source = shownText(meta.Source(fields, c.SourceKey), c.MaxShown)
	}
	if own || c.Format != Numbered && d.Source == "" {
		d.Title = shown(fields[c.TitleKey], c.MaxShown)
	}
	if !own && c.Format != Numbered && c.Format != XML && d.Title == "" {
		d.Source = shownText(meta.Source(fields, c.SourceKey), c.MaxShown)
	}
}

// write appends a document in the given format.
func (f Format) write(w *writer, d *Document) {
	label := func() {
		w.str("[")
		w.number(d.Label)
		w.str("]")
	}
	switch f {
	case Numbered:
		label()
		w.str(" ")
		if len(d.Shown) > 0 {
			w.fields(d.Shown)
			w.str(" ")
		}
		w.str(d.Text)
	case Titled:
		w.str("Document ")
		label()
		fields := d.Shown
		if title := cmp.Or(d.Title, d.Source); title != "" {
			fields = append([][2]string{{"Title", title}}, fields...)
		}
		w.fields(fields)
		w.str(" ")
		w.str(d.Text)
	case XML:
		w.str("<document index=\"")
		w.number(d.Label)
		w.str("\">\n")
		if source := cmp.Or(d.Source, d.Title); source != "" {
			w.str("<source>")
			w.contained(source)
			w.str("</source>\n")
		}
		for _, field := range d.Shown {
			w.str("<metadata name=\"")
			w.str(field[0])
			w.str("\">")
			w.contained(field[1])
			w.str("</metadata>\n")
		}
		w.str("<document_content>\n")
		w.contained(d.Text)
		w.str("\n</document_content>\n</document>")
	case Markdown:
		w.str("## ")
		label()
		if title := cmp.Or(d.Title, d.Source); title != "" {
			w.str(" ")
			w.str(title)
		}
		w.str("\n\n")
		for i, field := range d.Shown {
			w.str("- ")
			w.str(field[0])
			w.str(": ")
			w.str(field[1])
			w.str("\n")
			if i == len(d.Shown)-1 {
				w.str("\n")
			}
		}
		w.str(d.Text)
	}
}

// fields writes "(name: value; name: value)", or nothing for no field.
func (w *writer) fields(fields [][2]string) {
	for i, field := range fields {
		if i == 0 {
			w.str("(")
		} else {
			w.str("; ")
		}
		w.str(field[0])
		w.str(": ")
		w.str(field[1])
	}
	if len(fields) > 0 {
		w.str(")")
	}
}

// around returns what stands before, between and after the documents.
func (f Format) around() (before, between, after string) {
	switch f {
	case Titled:
		return "", "\n", ""
	case XML:
		return "<documents>\n", "\n", "\n</documents>"
	case Markdown:
		return "", "\n\n", "\n\n---"
	}
	return "", "\n\n", ""
}

// writer measures a text in a first pass and writes it in a second, so that the
// text costs one allocation.
type writer struct {
	text    strings.Builder
	writing bool
	size    int
	// calm says that no document needs escaping, or that all are escaped already;
	// tagged, that one was written which does.
	calm, tagged bool
}

// startWriting ends the measuring pass.
func (w *writer) startWriting() {
	w.text.Grow(w.size)
	w.writing, w.size = true, 0
}

func (w *writer) str(s string) {
	if w.writing {
		w.text.WriteString(s)
	}
	w.size += len(s)
}

// contained writes a text that must not hold one of our own tags, and notes if it
// does, which is rare. It looks after the copy, which has brought the text into the
// cache.
func (w *writer) contained(s string) {
	w.str(s)
	if w.writing && !w.calm && len(Escape(s)) != len(s) {
		w.tagged = true
	}
}

// escapeAll escapes what the XML format shows of a document.
func escapeAll(d *Document) {
	d.Text, d.Source, d.Title = Escape(d.Text), Escape(d.Source), Escape(d.Title)
	for i := range d.Shown {
		d.Shown[i][1] = Escape(d.Shown[i][1])
	}
}

func (w *writer) number(n int) {
	var digits [20]byte
	s := strconv.AppendInt(digits[:0], int64(n), 10)
	if w.writing {
		w.text.Write(s)
	}
	w.size += len(s)
}
