package judge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class says what is unusual about an answer. The zero value is an ordinary
// answer; several may hold at once. They are counted beside the scores and change
// none: a refused or truncated answer that holds the right words is right.
type Class struct {
	Empty     bool // nothing but white space
	Truncated bool // the model stopped because it reached its limit of tokens
	Refusal   bool // it declines to answer, by its opening words or by its finish reason
}

// refusalOpenings are in the form that plainOpening gives. The list is short on
// purpose: it is for counting, and an opening that ordinary answers share would
// count those.
var refusalOpenings = []string{
	"i cannot", "i can't", "i can not", "i could not", "i couldn't",
	"i am unable to", "i'm unable to", "i am not able to", "i'm not able to",
	"i will not", "i won't",
	"i do not know", "i don't know", "i do not have", "i don't have",
	"i'm sorry", "i am sorry", "sorry, but", "sorry, i",
	"i apologize", "i apologise",
	"as an ai", "as a language model",
	"unfortunately, i",
}

// RefusalOpenings returns the openings by which Classify knows a refusal. The
// caller may change the slice.
func RefusalOpenings() []string { return slices.Clone(refusalOpenings) }

// Classify looks at the text of an answer and at the reason that the server gave
// for its end.
//
// Truncated is the finish reason "length" (OpenAI and its kin) or "max_tokens", in
// any case. Refusal is the finish reason "content_filter" or "refusal", or a text
// that opens with one of RefusalOpenings as whole words, whatever the case, the
// form of the apostrophe, and the quotes or white space before it. Other languages
// and refusals further down are not found. It costs O(1) but for leading white
// space.
func Classify(text, finishReason string) Class {
	reason := strings.ToLower(finishReason)
	return Class{
		Empty:     strings.TrimSpace(text) == "",
		Truncated: reason == "length" || reason == "max_tokens",
		Refusal:   reason == "content_filter" || reason == "refusal" || opensAsRefusal(text),
	}
}

func opensAsRefusal(text string) bool {
	text = plainOpening(text)
	return slices.ContainsFunc(refusalOpenings, func(opening string) bool {
		rest, ok := strings.CutPrefix(text, opening)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && !unicode.IsLetter(next) && !unicode.IsNumber(next)
	})
}

// plainOpening returns the first words in lower case, with ASCII apostrophes,
// single spaces, and no quotes or asterisks before them.
func plainOpening(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool {
		return isSpace(r) || strings.ContainsRune("\"'“‘*_>`", r)
	})
	text = text[:min(len(text), 100)]
	text = strings.NewReplacer("’", "'").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}
