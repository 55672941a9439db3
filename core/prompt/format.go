package prompt

import (
	"fmt"
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
// its title, Numbered nothing, and the others its title or else its source. XML contains
// it.
func (c *Config) title(metadata map[string]any) string {
	switch c.Format {
	case Numbered:
		return ""
	case XML:
		source := c.source(metadata)
		if source == "" {
			source = shown(metadata[c.TitleKey], c.MaxShown)
		}
		return Escape(source)
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

// fields returns the metadata that Show lists and a document has, contained in XML.
func (c *Config) fields(meta map[string]any) [][2]string {
	var fields [][2]string
	for _, key := range c.Show {
		if value := shown(meta[key], c.MaxShown); value != "" {
			if c.Format == XML {
				value = Escape(value)
			}
			fields = append(fields, [2]string{key, value})
		}
	}
	return fields
}

// frame is what a format writes around the documents, and around the label, the title
// and the text of each.
type frame struct {
	before, between, after string // around all documents
	opening                string // before the label
	toTitle, toText        string // from the label to the title, and on to the text
	untitled               string // from the label to the text where there is no title
	closing                string // after the text
	size                   int    // a guess of the bytes around a text, title included
}

// frame returns what f writes; FormatFunc is written as Numbered is.
func (f Format) frame() frame {
	switch f {
	case Titled:
		return frame{between: "\n", opening: "Document [", toTitle: "](Title: ", toText: ") ", untitled: "] ", size: 56}
	case XML:
		return frame{
			before: "<documents>\n", between: "\n", after: "\n</documents>",
			opening: "<document index=\"", toTitle: "\">\n<source>", toText: "</source>\n<document_content>\n",
			untitled: "\">\n<document_content>\n", closing: "\n</document_content>\n</document>", size: 144,
		}
	case Markdown:
		return frame{between: "\n\n", after: "\n\n---", opening: "## [", toTitle: "] ", toText: "\n\n", untitled: "]\n\n", size: 48}
	}
	return frame{between: "\n\n", opening: "[", untitled: "] ", size: 16}
}

// withFields returns what stands from the label of a document to its title, and on to its
// text, where the document shows fields.
func (f Format) withFields(titled bool, fields [][2]string) (toTitle, toText string) {
	switch f {
	case Titled:
		if titled {
			return "](Title: ", listed(fields, "; ", ": ", "") + ") "
		}
		return "](", listed(fields, "; ", ": ", "")[len("; "):] + ") "
	case XML:
		tags := listed(fields, "<metadata name=\"", "\">", "</metadata>\n") + "<document_content>\n"
		if titled {
			return "\">\n<source>", "</source>\n" + tags
		}
		return "\">\n", tags
	case Markdown:
		lines := "\n\n" + listed(fields, "- ", ": ", "\n") + "\n"
		if titled {
			return "] ", lines
		}
		return "]", lines
	}
	return "] (", listed(fields, "; ", ": ", "")[len("; "):] + ") "
}

// writeNumber writes a number of 0 or more digit by digit. Out of a buffer it could be
// read only once the text before it has reached the memory.
func writeNumber(b *strings.Builder, n int) {
	if n >= 1000 {
		writeNumber(b, n/1000)
		n %= 1000
		b.WriteByte(byte('0' + n/100))
		b.WriteByte(byte('0' + n/10%10))
	} else {
		if n >= 100 {
			b.WriteByte(byte('0' + n/100))
		}
		if n >= 10 {
			b.WriteByte(byte('0' + n/10%10))
		}
	}
	b.WriteByte(byte('0' + n%10))
}

// listed returns each field with what stands before its name, before its value and after
// that.
func listed(fields [][2]string, before, between, after string) string {
	var b strings.Builder
	for _, field := range fields {
		b.WriteString(before)
		b.WriteString(field[0])
		b.WriteString(between)
		b.WriteString(field[1])
		b.WriteString(after)
	}
	return b.String()
}
