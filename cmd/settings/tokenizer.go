package settings

import (
	"slices"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

var encodings = []tokenizer.Encoding{
	tokenizer.O200kBase, tokenizer.Cl100kBase, tokenizer.P50kBase, tokenizer.P50kEdit, tokenizer.R50kBase,
}

// Tokenizers returns the names of the tokenizers, those of OpenAI's encodings:
// o200k_base for GPT-4o and later, cl100k_base for GPT-4 and GPT-3.5. For other
// models they are an estimate.
func Tokenizers() []string {
	names := make([]string, len(encodings))
	for i, e := range encodings {
		names[i] = string(e)
	}
	return names
}

// Counter returns what counts the tokens of a text, which is safe for concurrent
// use, and nil for the empty name. Another name is a *core.ConfigError. A text that
// cannot be encoded counts one a byte, which is never too few.
func Counter(name string) (func(string) int, error) {
	codec, err := codec(name)
	if codec == nil {
		return nil, err
	}
	return func(text string) int {
		n, err := codec.Count(text)
		if err != nil {
			return len(text)
		}
		return n
	}, nil
}

// Tokenizer returns what turns a text into the numbers of its tokens, which is safe for
// concurrent use, and nil for the empty name. Another name is a *core.ConfigError. A
// text that cannot be encoded becomes one token a byte.
func Tokenizer(name string) (func(string) []uint32, error) {
	codec, err := codec(name)
	if codec == nil {
		return nil, err
	}
	return func(text string) []uint32 {
		numbers, _, err := codec.Encode(text)
		if err != nil {
			numbers = numbers[:0]
			for i := range len(text) {
				numbers = append(numbers, uint(text[i]))
			}
		}
		tokens := make([]uint32, len(numbers))
		for i, number := range numbers {
			tokens[i] = uint32(number)
		}
		return tokens
	}, nil
}

// codec returns nil for the empty name.
func codec(name string) (tokenizer.Codec, error) {
	if name == "" {
		return nil, nil
	}
	if !slices.Contains(Tokenizers(), name) {
		return nil, &core.ConfigError{Field: "tokenizer", Value: name, Rule: "use " + strings.Join(Tokenizers(), ", ") + nearest.Hint(name, Tokenizers())}
	}
	return tokenizer.Get(tokenizer.Encoding(name))
}
