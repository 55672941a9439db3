package openai

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

// Path is the path of a request as batch files name it, for plain completion or for a
// chat.
func Path(completion bool) string {
	if completion {
		return "/v1/completions"
	}
	return "/v1/chat/completions"
}

// RequestBody returns the JSON of a request, as a batch file holds it: equal input
// gives equal bytes. A null in model.Params.Extra takes the parameter of that name out. The
// error is that of Client.Body, or of parameters that JSON cannot express.
func RequestBody(name string, p model.Params, ask model.Prompt) ([]byte, error) {
	parameters := map[string]any{"model": name, "temperature": p.Temperature}
	if p.MaxTokens > 0 {
		parameters["max_tokens"] = p.MaxTokens
	}
	if p.Seed != nil {
		parameters["seed"] = *p.Seed
	}
	if len(p.Stop) > 0 {
		parameters["stop"] = p.Stop
	}
	maps.Copy(parameters, p.Extra)
	maps.DeleteFunc(parameters, func(_ string, value any) bool { return value == nil })
	field, question, err := questionOf(ask, p.Completion)
	if err != nil {
		return nil, err
	}
	if _, set := p.Extra[field]; !set {
		parameters[field] = question
	}
	return marshal(parameters)
}

type message struct {
	Role    prompt.Role `json:"role"`
	Content string      `json:"content"`
}

// questionOf returns the field of a body that asks, and its value.
func questionOf(p model.Prompt, completion bool) (field string, value any, err error) {
	switch {
	case completion && p.Text == "":
		return "", nil, permanent(0, ErrPrompt, "plain completion needs the prompt's text")
	case completion:
		return "prompt", p.Text, nil
	case len(p.Messages) > 0:
		messages := make([]message, len(p.Messages))
		for i, m := range p.Messages {
			messages[i] = message{Role: m.Role, Content: m.Text}
		}
		return "messages", messages, nil
	case p.Text != "":
		return "messages", []message{{Role: prompt.User, Content: p.Text}}, nil
	}
	return "", nil, permanent(0, ErrPrompt, "a chat needs messages or the prompt's text")
}

// marshal leaves <, > and & as they are: documents are full of them.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
