package model

import "github.com/bookend-rag/bookend/measure/internal/saturate"

// Usage counts tokens as the server reported them; all are 0 when it did not.
type Usage struct {
	Prompt     int `json:"prompt,omitempty"`     // tokens of the prompt, cached ones among them
	Completion int `json:"completion,omitempty"` // tokens of the answer
	Cached     int `json:"cached,omitempty"`     // tokens of the prompt that came from the server's cache
}

// Add adds what another call used. A sum that is too large for an int stays at the
// largest one; what is below 0, as no server counts, adds nothing.
func (u *Usage) Add(o Usage) {
	u.Prompt = saturate.Add(u.Prompt, max(o.Prompt, 0))
	u.Completion = saturate.Add(u.Completion, max(o.Completion, 0))
	u.Cached = saturate.Add(u.Cached, max(o.Cached, 0))
}

// Tokens are those of prompts and answers; the largest int where they are more.
func (u Usage) Tokens() int { return saturate.Add(u.Prompt, u.Completion) }

// Answer is what a model said. An empty text is an answer, too.
type Answer struct {
	Text         string `json:"text"`
	FinishReason string `json:"finish_reason,omitempty"` // as the server gave it
	Usage        Usage  `json:"usage,omitzero"`
}
