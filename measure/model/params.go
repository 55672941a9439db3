package model

import "unicode/utf8"

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

// LeastTokens returns fewer tokens than any common tokenizer makes of a text: one for
// seven bytes of ASCII and for fifteen others, where a run of one character counts once. A
// server that read less did not read all.
func LeastTokens(text string) int {
	ascii, other := 0, 0
	last := rune(-1)
	for _, r := range text {
		switch {
		case r == last || isSpace(r) && isSpace(last):
		case r < utf8.RuneSelf:
			ascii++
		default:
			other += utf8.RuneLen(r)
		}
		last = r
	}
	return ascii/7 + other/15
}

func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }
