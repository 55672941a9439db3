package model

import (
	"unicode"
	"unicode/utf8"
)

// DefaultMaxTokens is what Params take for zero.
const DefaultMaxTokens = 100

// MaxTokens bounds the tokens of one prompt and of one answer. No model comes near it,
// and a million calls of that size can still be added up.
const MaxTokens = 1 << 30

// Params are the parameters of a model that determine its answer.
type Params struct {
	// Completion asks by plain completion, as base models need; else by chat.
	Completion  bool    `json:"completion,omitempty"`
	Temperature float64 `json:"temperature"`
	// MaxTokens bounds an answer. 0: DefaultMaxTokens; negative: the server's own
	// bound, which no cap can foresee. model.MaxTokens at most.
	MaxTokens int      `json:"max_tokens,omitempty"`
	Seed      *int64   `json:"seed,omitempty"`
	Stop      []string `json:"stop,omitempty"`
	// Extra goes into the body of the request as it is, over anything of that name.
	Extra map[string]any `json:"extra,omitempty"`
}

// EstimateTokens guesses the number of tokens of a text without a tokenizer: one
// for four bytes, which is a little much for English prose and too little for
// numbers and UUIDs.
func EstimateTokens(text string) int { return (len(text) + 3) / 4 }

// LeastTokens returns fewer tokens than any common tokenizer makes of a text, so that a
// server which read fewer did not read all. Tokenizers split at white space and
// punctuation and know no token of more than 20 bytes or so, whatever the language: it
// counts four fifths of the words of two bytes or more, where each 20 bytes more count as
// a word, and a character that repeats counts once. For English prose that is about six
// in ten of the real tokens, for IDs and numbers far fewer. It costs one pass.
func LeastTokens(text string) int {
	words, length := 0, 0
	last := rune(-1)
	end := func() {
		if length > 1 {
			words += 1 + (length-1)/20
		}
		length = 0
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if r != last {
				length += utf8.RuneLen(r)
			}
		case r == '\'' || r == '’': // one tokenizer takes don't for a token
		default:
			end()
		}
		last = r
	}
	end()
	return words * 4 / 5
}
