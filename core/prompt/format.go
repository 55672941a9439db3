package prompt

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// Format is the form in which a document stands in the prompt. Texts are copied
// byte for byte. Titles, sources and shown metadata are put on one line, control
// characters becoming spaces and characters that no person can see taken out, and cut to
// Config.MaxShown characters. As a string
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

// readHead reads title and source, as far as the format shows them: Numbered shows
// none, XML the title only for want of a source, the others the source only for
// want of a title.
func (d *Document) readHead(c *Config, meta map[string]any) {
	own := c.FormatFunc != nil
	if own || c.Format == XML {
		d.Source = shownText(core.SourceOf(meta, c.SourceKey), c.MaxShown)
	}
	if own || c.Format != Numbered && d.Source == "" {
		d.Title = shown(meta[c.TitleKey], c.MaxShown)
	}
	if !own && c.Format != Numbered && c.Format != XML && d.Title == "" {
		d.Source = shownText(core.SourceOf(meta, c.SourceKey), c.MaxShown)
	}
}

// write appends a document in the given format. In the XML format what the document
// holds is escaped.
func (f Format) write(w *writer, d *Document) {
	switch f {
	case Numbered:
		w.label(d.Label)
		w.str(" ")
		if len(d.Shown) > 0 {
			w.fields("", d.Shown)
			w.str(" ")
		}
		w.str(d.Text)
	case Titled:
		w.str("Document ")
		w.label(d.Label)
		w.fields(cmp.Or(d.Title, d.Source), d.Shown)
		w.str(" ")
		w.str(d.Text)
	case XML:
		w.str("<document index=\"")
		w.number(d.Label)
		w.str("\">\n")
		if source := cmp.Or(d.Source, d.Title); source != "" {
			w.str("<source>")
			w.str(Escape(source))
			w.str("</source>\n")
		}
		for _, field := range d.Shown {
			w.str("<metadata name=\"")
			w.str(field[0])
			w.str("\">")
			w.str(Escape(field[1]))
			w.str("</metadata>\n")
		}
		w.str("<document_content>\n")
		w.str(Escape(d.Text))
		w.str("\n</document_content>\n</document>")
	case Markdown:
		w.str("## ")
		w.label(d.Label)
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

func (w *writer) label(n int) {
	w.str("[")
	w.number(n)
	w.str("]")
}

// fields writes "(Title: title; name: value; name: value)", or nothing for no field.
func (w *writer) fields(title string, fields [][2]string) {
	opening := "("
	if title != "" {
		w.str("(Title: ")
		w.str(title)
		opening = "; "
	}
	for _, field := range fields {
		w.str(opening)
		w.str(field[0])
		w.str(": ")
		w.str(field[1])
		opening = "; "
	}
	if opening == "; " {
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

// frame guesses how many bytes stand around the text of a document.
func (f Format) frame() int {
	switch f {
	case Titled:
		return 56
	case XML:
		return 144
	case Markdown:
		return 48
	}
	return 16
}
