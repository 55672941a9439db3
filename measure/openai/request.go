package openai

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

type message struct {
	Role    prompt.Role `json:"role"`
	Content string      `json:"content"`
}

// Body returns the JSON of a request, the same bytes for the same prompt. It holds
// no key. A chat without messages asks Prompt.Text as the user's message. The error
// is a permanent *sweep.ModelError of the kind ErrPrompt.
func (c *Client) Body(p model.Prompt) ([]byte, error) {
	name, value := "messages", any(nil)
	switch {
	case c.config.Completion:
		if p.Text == "" {
			return nil, permanent(0, ErrPrompt, "plain completion needs the prompt's text")
		}
		name, value = "prompt", p.Text
	case len(p.Messages) > 0:
		messages := make([]message, len(p.Messages))
		for i, m := range p.Messages {
			messages[i] = message{Role: m.Role, Content: m.Text}
		}
		value = messages
	case p.Text != "":
		value = []message{{Role: prompt.User, Content: p.Text}}
	default:
		return nil, permanent(0, ErrPrompt, "a chat needs messages or the prompt's text")
	}
	question, err := marshal(value)
	if err != nil {
		return nil, permanent(0, ErrPrompt, c.secrets.Detail(err.Error()))
	}
	body := maps.Clone(c.parameters)
	body[name] = question
	return marshal(body)
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
