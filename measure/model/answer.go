package model

// Usage counts tokens as the server reported them; all are 0 when it did not.
type Usage struct {
	Prompt     int `json:"prompt,omitempty"`     // tokens of the prompt, cached ones among them
	Completion int `json:"completion,omitempty"` // tokens of the answer
	Cached     int `json:"cached,omitempty"`     // tokens of the prompt that came from the server's cache
}

// Answer is what a model said. An empty text is an answer, too.
type Answer struct {
	Text         string `json:"text"`
	FinishReason string `json:"finish_reason,omitempty"` // as the server gave it
	Usage        Usage  `json:"usage,omitzero"`
}
