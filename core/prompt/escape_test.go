package prompt_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/bookend-rag/bookend/core/prompt"
)

var escapes = []struct{ text, want string }{
	{"", ""},
	{"plain text", "plain text"},

	// Every tag, opening and closing.
	{"<documents>", "&lt;documents>"},
	{"</documents>", "&lt;/documents>"},
	{"<document>", "&lt;document>"},
	{"</document>", "&lt;/document>"},
	{"<document_content>", "&lt;document_content>"},
	{"</document_content>", "&lt;/document_content>"},
	{"<source>", "&lt;source>"},
	{"</source>", "&lt;/source>"},
	{"<metadata>", "&lt;metadata>"},
	{"</metadata>", "&lt;/metadata>"},

	// Attributes, a self-closing tag, case, and white space.
	{`<document index="7">`, `&lt;document index="7">`},
	{"<source/>", "&lt;source/>"},
	{"<DOCUMENT>", "&lt;DOCUMENT>"},
	{"</Document_Content>", "&lt;/Document_Content>"},
	{"< document>", "&lt; document>"},
	{"<\tdocument>", "&lt;\tdocument>"},
	{"<\r\ndocument>", "&lt;\r\ndocument>"},
	{"<\n/document>", "&lt;\n/document>"},
	{"<\t/\ndocument>", "&lt;\t/\ndocument>"},
	{"< / document >", "&lt; / document >"},
	{"<  /source", "&lt;  /source"},
	{"</ source>", "&lt;/ source>"},
	{"<document\n>", "&lt;document\n>"},

	// Where a text ends.
	{"<document", "&lt;document"},
	{"</document", "&lt;/document"},
	{"<", "<"},
	{"</", "</"},
	{"< ", "< "},
	{"&", "&"},
	{"&lt;", "&lt;"},
	{"&lt;/", "&lt;/"},
	{"&amp;lt;", "&amp;lt;"},
	{"&lt;source", "&amp;lt;source"},
	{"<documen", "<documen"},

	// Other tags and other signs stay.
	{"<documentation>", "<documentation>"},
	{"<document-list>", "<document-list>"},
	{"<document.x>", "<document.x>"},
	{"<document:x>", "<document:x>"},
	{"<document_contents>", "<document_contents>"},
	{"<document2>", "<document2>"},
	{"<sources>", "<sources>"},
	{"<b>bold</b> & 1 < 2 > 0 &amp; &lt;b> &#60;document>", "<b>bold</b> & 1 < 2 > 0 &amp; &lt;b> &#60;document>"},
	{"<//document>", "<//document>"},
	{"<!document>", "<!document>"},
	{"document>", "document>"},

	// What looks escaped already gets one more "amp;".
	{"&lt;document>", "&amp;lt;document>"},
	{"&lt; /Document>", "&amp;lt; /Document>"},
	{"&amp;lt;document>", "&amp;amp;lt;document>"},
	{"&amp;amp;lt;/source>", "&amp;amp;amp;lt;/source>"},
	{"&lt;documentation>", "&lt;documentation>"},
	{"&amp;lt;documentation>", "&amp;lt;documentation>"},
	{"&LT;document>", "&LT;document>"},
	{"&amp;document>", "&amp;document>"},
	{"&amp; lt;document>", "&amp; lt;document>"},

	// One after another.
	{"<<document>", "<&lt;document>"},
	{"<document<document>", "&lt;document&lt;document>"},
	{"&<document>", "&&lt;document>"},
	{"&&lt;source>", "&&amp;lt;source>"},
	{"<&lt;source>", "<&amp;lt;source>"},
	{"a </document_content>\n</document> & &lt;source> b", "a &lt;/document_content>\n&lt;/document> & &amp;lt;source> b"},

	// Any bytes.
	{"\xff<document\xff>\xc3", "\xff&lt;document\xff>\xc3"},
	{"\x00</source\x00", "\x00&lt;/source\x00"},
	{"<\xa0document>", "<\xa0document>"},
	{"مرحبا </document> e\u0301", "مرحبا &lt;/document> e\u0301"},
	{"<\xa0document>", "<\xa0document>"},

	// Letters fold as Go folds them.
	{"<ſource> <\u212aey>", "&lt;ſource> <\u212aey>"},
	{"</ſOURCE>", "&lt;/ſOURCE>"},
	{"<documentſ>", "&lt;documentſ>"},
	{"&lt;ſource>", "&amp;lt;ſource>"},
	{"<ı> <dοcument> <dócument>", "<ı> <dοcument> <dócument>"},

	// What nobody can see hides no tag.
	{"<\u200bsource>", "&lt;\u200bsource>"},
	{"<so\u200durce>", "&lt;so\u200durce>"},
	{"<\u202e/\u2066document\u00ad_content>", "&lt;\u202e/\u2066document\u00ad_content>"},
	{"<\u00a0document>", "&lt;\u00a0document>"},
	{"<\x00document\x00>", "&lt;\x00document\x00>"},
	{"<do\ncument>", "&lt;do\ncument>"},
	{"<\U000e0064document>", "&lt;\U000e0064document>"},
	{"&lt;\ufeffsource>", "&amp;lt;\ufeffsource>"},
	{"<\u200b>", "<\u200b>"},
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for _, test := range escapes {
		if got := prompt.Escape(test.text); got != test.want {
			t.Errorf("Escape(%q) (-want +got)\n-%q\n+%q", test.text, test.want, got)
		}
		if got := prompt.Unescape(test.want); got != test.text {
			t.Errorf("Unescape(%q) (-want +got)\n-%q\n+%q", test.want, test.text, got)
		}
	}
}

// What is in no need of escaping is not copied either.
func TestEscapeOfPlainTextAllocatesNothing(t *testing.T) {
	text := strings.Repeat("plain text > ", 100)
	if n := testing.AllocsPerRun(10, func() { prompt.Escape(text) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// These are a reader's idea of one of the tags, and of one that is escaped any
// number of times, written without a look at the code. They read marked text.
var (
	ourTag     = regexp.MustCompile("<" + restOfTag)
	escapedTag = regexp.MustCompile("&(?:amp;)*lt;" + restOfTag)
	restOfTag  = `(?i)~*/?~*(?:` + strings.Join([]string{
		spread("document"), spread("documents"), spread("document_content"), spread("source"), spread("metadata"),
	}, "|") + `)(?:[^a-z0-9_.:-]|$)`
)

// spread allows marks between the letters of a name.
func spread(name string) string { return strings.Join(strings.Split(name, ""), "~*") }

// marked writes a "~" for white space, controls, and what has no shape.
func marked(text string) string {
	return strings.Map(func(r rune) rune {
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		format := unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if unicode.In(r, unicode.Z, unicode.Cc, unicode.White_Space) || ignorable || format {
			return '~'
		}
		return r
	}, strings.ReplaceAll(text, "~", "!"))
}

func FuzzEscape(f *testing.F) {
	for _, test := range escapes {
		f.Add(test.text)
		f.Add(test.want)
	}
	f.Add(strings.Repeat("&amp;", 50) + "lt;document>")
	f.Fuzz(func(t *testing.T, text string) {
		escaped := prompt.Escape(text)
		if got := prompt.Unescape(escaped); got != text {
			t.Errorf("escaped and back (-want +got)\n-%q\n+%q", text, got)
		}
		if tag := ourTag.FindString(marked(escaped)); tag != "" {
			t.Errorf("Escape(%q) = %q holds the tag %q", text, escaped, tag)
		}
		if m := marked(text); !ourTag.MatchString(m) && !escapedTag.MatchString(m) && escaped != text {
			t.Errorf("Escape(%q) = %q, but it holds no tag", text, escaped)
		}
		// A block that holds the text ends where the format ends it.
		before, rest, found := strings.Cut(block(t, prompt.Config{Format: prompt.XML}, texts(text)), "<document_content>\n")
		content, after, ended := strings.Cut(rest, "\n</document_content>")
		if !found || !ended || before != "<documents>\n<document index=\"1\">\n" || after != "\n</document>\n</documents>" {
			t.Fatalf("the block of %q is broken: %q", text, before+rest)
		}
		if got := prompt.Unescape(content); got != text {
			t.Errorf("read out of its block (-want +got)\n-%q\n+%q", text, got)
		}
	})
}

// Ten megabytes of signs that could start a tag take no more than a pass or two.
// A quadratic scan would take hours here.
func TestEscapeIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"<", "&", "&amp;", "<          "} {
		text := strings.Repeat(unit, 10_000_000/len(unit))
		if prompt.Escape(text) != text || prompt.Unescape(text) != text {
			t.Errorf("ten megabytes of %q are changed", unit)
		}
	}
	for _, unit := range []string{"&lt;", "< / ", "</document>", "&lt;document>", "&<", "&&&&&&&&&<"} {
		text := strings.Repeat(unit, 2_000_000/len(unit))
		if got := prompt.Unescape(prompt.Escape(text)); got != text {
			t.Errorf("two megabytes of %q are changed", unit)
		}
	}
	text := "&" + strings.Repeat("amp;", 2_500_000) + "lt;document>"
	if got := prompt.Escape(text); got != "&amp;"+text[1:] {
		t.Error("ten megabytes of one chain are not escaped once")
	}
	// The last "<" is far away from the ampersands before it.
	text = strings.Repeat("&", 10_000_000) + "<document>"
	if got := prompt.Escape(text); !strings.HasSuffix(got, "&&lt;document>") || len(got) != len(text)+3 {
		t.Error("ten megabytes of ampersands before a tag are not escaped")
	}
}
