package prompt

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/internal/meta"
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

// title returns what a format shows as the title of a document: XML its source or else
// its title, Numbered nothing, and the others its title or else its source.
func (c *Config) title(metadata map[string]any) string {
	switch c.Format {
	case Numbered:
		return ""
	case XML:
		if source := c.source(metadata); source != "" {
			return source
		}
		return shown(metadata[c.TitleKey], c.MaxShown)
	}
	if title := shown(metadata[c.TitleKey], c.MaxShown); title != "" {
		return title
	}
	return c.source(metadata)
}

func (c *Config) source(metadata map[string]any) string {
	if c.SourceKey == "" { // the first of the defaults in short, since every document is asked
		if text, ok := metadata[meta.SourceKeys[0]].(string); ok && text != "" {
			return shownText(text, c.MaxShown)
		}
	}
	return shownText(meta.Source(metadata, c.SourceKey), c.MaxShown)
}

// fields returns the metadata that Show lists and a document has.
func (c *Config) fields(meta map[string]any) [][2]string {
	var fields [][2]string
	for _, key := range c.Show {
		if value := shown(meta[key], c.MaxShown); value != "" {
			fields = append(fields, [2]string{key, value})
		}
	}
	return fields
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

// open appends what stands before the text of a document, escaped where the format
// contains it.
func (f Format) open(b []byte, label int, title string, fields [][2]string) []byte {
	switch f {
	case Numbered:
		b = appendLabel(b, label)
		b = append(b, ' ')
		if len(fields) > 0 {
			b = appendFields(b, "", fields)
			b = append(b, ' ')
		}
	case Titled:
		b = append(b, "Document "...)
		b = appendLabel(b, label)
		b = appendFields(b, title, fields)
		b = append(b, ' ')
	case XML:
		b = append(b, "<document index=\""...)
		b = strconv.AppendInt(b, int64(label), 10)
		b = append(b, "\">\n"...)
		if title != "" {
			if hasTag(title) {
				title = Escape(title)
			}
			b = append(b, "<source>"...)
			b = append(b, title...)
			b = append(b, "</source>\n"...)
		}
		for _, field := range fields {
			b = append(b, "<metadata name=\""...)
			b = append(b, field[0]...)
			b = append(b, "\">"...)
			b = append(b, Escape(field[1])...)
			b = append(b, "</metadata>\n"...)
		}
		b = append(b, "<document_content>\n"...)
	case Markdown:
		b = append(b, "## "...)
		b = appendLabel(b, label)
		if title != "" {
			b = append(b, ' ')
			b = append(b, title...)
		}
		b = append(b, "\n\n"...)
		for _, field := range fields {
			b = append(b, "- "...)
			b = append(b, field[0]...)
			b = append(b, ": "...)
			b = append(b, field[1]...)
			b = append(b, '\n')
		}
		if len(fields) > 0 {
			b = append(b, '\n')
		}
	}
	return b
}

// closing stands after the text of a document.
func (f Format) closing() string {
	if f == XML {
		return "\n</document_content>\n</document>"
	}
	return ""
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

func appendLabel(b []byte, label int) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(label), 10)
	return append(b, ']')
}

// appendFields appends "(Title: title; name: value; name: value)", or nothing for no
// field.
func appendFields(b []byte, title string, fields [][2]string) []byte {
	opening := "("
	if title != "" {
		b = append(b, "(Title: "...)
		b = append(b, title...)
		opening = "; "
	}
	for _, field := range fields {
		b = append(b, opening...)
		b = append(b, field[0]...)
		b = append(b, ": "...)
		b = append(b, field[1]...)
		opening = "; "
	}
	if opening == "; " {
		b = append(b, ')')
	}
	return b
}
