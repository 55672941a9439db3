package model

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// NoSlot is the slot of a call in an arm that has none.
const NoSlot = -1

// Call is one request of a plan, and a cell of its result.
type Call struct {
	// Key is the SHA-256, in 64 hexadecimal digits, of everything that determines
	// the answer: model, parameters, prompt and repeat number. Neither arm nor slot
	// count, so that a prompt that another plan asked already is known.
	Key      string
	Question string // dataset.Case.ID
	Cluster  string // dataset.Case.Cluster
	Index    int    // of the case in its dataset
	Arm      string
	Slot     int // NoSlot in an arm without one
	// Repeat tells calls of one prompt apart: 0 for the first. Where another document
	// has the very words of the gold one, neighbouring slots have one prompt, and
	// each is a repeat of its own.
	Repeat    int
	Documents int // in the prompt
	// Asked is the question in words, Shown what the prompt shows, in the order of the
	// slots: for those who judge the answer.
	Asked   string
	Shown   []Document
	Prompt  Prompt
	Answers []string // what is accepted
	// Tokens is the estimated size of the prompt, MaxTokens the bound of the answer;
	// 0 for one that is not known. Least is the fewest tokens that the prompt can have,
	// by LeastTokens.
	Tokens, MaxTokens, Least int
}

// Document is a passage, or a pair with its key as the title, that a prompt shows.
type Document struct {
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
}

// CallKey returns the key of a call; see Call.Key. A map in p.Extra counts by its
// content, not by its order.
func CallKey(model string, p Params, ask Prompt, repeat int) (string, error) {
	asked := struct {
		Version  int              `json:"version"`
		Model    string           `json:"model"`
		Params   Params           `json:"params"`
		Text     *string          `json:"text,omitempty"`
		Messages []prompt.Message `json:"messages,omitempty"`
		Repeat   int              `json:"repeat"`
	}{Version: 1, Model: model, Params: p, Repeat: repeat}
	if p.Completion {
		asked.Text = &ask.Text
	} else {
		asked.Messages = ask.Messages
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return "", &core.ConfigError{Field: "Params", Value: fmt.Sprint(p), Rule: fmt.Sprintf("must be what JSON can express: %v", err)}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

type callKey struct{}

// CallFrom returns the call that run.Run is making, for models that need to know more
// than the prompt: a simulated reader, a log. Outside of a run it is false.
func CallFrom(ctx context.Context) (Call, bool) {
	call, ok := ctx.Value(callKey{}).(Call)
	return call, ok
}

// WithCall returns a context that says which call is made, as run.Run makes it: for
// asking a simulated reader outside of a run.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}
