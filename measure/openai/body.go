package openai

import (
	"encoding/json"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

// The addresses of OpenAI's interface, below its base URL.
const (
	ChatPath       = "/v1/chat/completions"
	CompletionPath = "/v1/completions"
)

// RequestBody returns the JSON of one request in OpenAI's form, for chat or, with
// Params.Completion, for plain completion. A null in Params.Extra takes the parameter
// of that name out. Equal input gives equal bytes.
func RequestBody(model string, p model.Params, ask model.Prompt) ([]byte, error) {
	body := map[string]any{"model": model, "temperature": p.Temperature}
	if p.MaxTokens > 0 {
		body["max_tokens"] = p.MaxTokens
	}
	if p.Seed != nil {
		body["seed"] = *p.Seed
	}
	if len(p.Stop) > 0 {
		body["stop"] = p.Stop
	}
	if p.Completion {
		body["prompt"] = ask.Text
	} else {
		type message struct {
			Role    prompt.Role `json:"role"`
			Content string      `json:"content"`
		}
		messages := make([]message, len(ask.Messages))
		for i, m := range ask.Messages {
			messages[i] = message{m.Role, m.Text}
		}
		body["messages"] = messages
	}
	for name, value := range p.Extra {
		if body[name] = value; value == nil { // null takes a parameter out
			delete(body, name)
		}
	}
	return json.Marshal(body)
}
