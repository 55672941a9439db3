package model

import "github.com/bookend-rag/bookend/core/prompt"

// Prompt is what a model is asked: the same words as one text, for plain
// completion, and as messages, for a chat.
type Prompt struct {
	Text     string
	Messages []prompt.Message
}

// User returns the prompt of a single message of the user.
func User(text string) Prompt {
	return Prompt{Text: text, Messages: []prompt.Message{{Role: prompt.User, Text: text}}}
}
