package model

// Usage counts tokens as the server reported them; all are 0 when it did not.
type Usage struct {
	Prompt     int `json:"prompt,omitempty"`     // tokens of the prompt, cached ones among them
	Completion int `json:"completion,omitempty"` // tokens of the answer
	Cached     int `json:"cached,omitempty"`     // tokens of the prompt that came from the server's cache
}

// Answer is what a model said. An empty text is an answer, too. What did not come
// from the model, such as a server's failure, is an Error instead.
type Answer struct {
	Text         string `json:"text"`                    // without thinking; see AfterThinking
	FinishReason string `json:"finish_reason,omitempty"` // as the server gave it; see FinishOf
	Thinking     bool   `json:"thinking,omitempty"`      // the model thought, too, which Text leaves out
	Usage        Usage  `json:"usage,omitzero"`
}
