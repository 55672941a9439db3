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
	if name == "" {
		return nil, nil
	}
	if !slices.Contains(Tokenizers(), name) {
		return nil, &core.ConfigError{Field: "tokenizer", Value: name, Rule: "use " + strings.Join(Tokenizers(), ", ") + nearest.Hint(name, Tokenizers())}
	}
	codec, err := tokenizer.Get(tokenizer.Encoding(name))
	if err != nil {
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
