package openai

import (
	"encoding/json"
	"strings"

	"github.com/bookend-rag/bookend/measure/model"
)

// answerMessage is a message of a chat. Servers put thinking into fields of several
// names.
type answerMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Refusal   json.RawMessage `json:"refusal"`
	Reasoning json.RawMessage `json:"reasoning"`
	Reasoned  json.RawMessage `json:"reasoning_content"`
	Thinking  json.RawMessage `json:"thinking"`
}

// words are what a choice says.
type words struct {
	text, reason string
	thinking     bool // there was some, beside the text
}

// words returns the text behind the thinking, and the finish reason. A chat's content
// may be null: the model said nothing, or refused in a field of its own, which becomes
// the text with the finish reason "refusal".
func (c choice) words(completion bool) (w words, ok bool) {
	w.reason = textOf(c.FinishReason)
	if completion {
		if c.Text == nil {
			return w, false
		}
		w.text, w.thinking = model.AfterThinking(*c.Text)
		return w, true
	}
	m := c.Message
	if m == nil {
		return w, false
	}
	content, ok := readContent(m.Content)
	if refusal := textOf(m.Refusal); refusal != "" {
		content.refusal = refusal
	}
	thought := told(m.Reasoning) || told(m.Reasoned) || told(m.Thinking)
	if !ok || m.Role == "" && m.Content == nil && content.refusal == "" && !thought {
		return w, false
	}
	w.text, w.thinking = model.AfterThinking(content.text)
	w.thinking = w.thinking || content.thinking || thought
	if content.refusal != "" {
		w.reason = "refusal"
		if w.text == "" {
			w.text = content.refusal
		}
	}
	return w, true
}

// content is a message's content, its parts joined.
type content struct {
	text, refusal string
	thinking      bool
}

// readContent reads a text, null, or parts: a list of texts and of objects with a
// type, or one such object. Parts that are neither text, thinking nor a refusal, such
// as an image, are left out.
func readContent(raw json.RawMessage) (c content, ok bool) {
	if isNull(raw) {
		return c, true
	}
	if json.Unmarshal(raw, &c.text) == nil {
		return c, true
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		if raw[0] != '{' {
			return c, false
		}
		parts = []json.RawMessage{raw}
	}
	for _, part := range parts {
		var text string
		if json.Unmarshal(part, &text) == nil {
			c.text += text
			continue
		}
		var p struct {
			Type    string          `json:"type"`
			Text    json.RawMessage `json:"text"`
			Refusal string          `json:"refusal"`
		}
		if json.Unmarshal(part, &p) != nil {
			return c, false
		}
		switch kind := strings.ToLower(p.Type); {
		case strings.Contains(kind, "think"), strings.Contains(kind, "reason"), strings.Contains(kind, "thought"):
			c.thinking = true
		case kind == "refusal":
			c.refusal += p.Refusal
		default:
			c.text += textOf(p.Text)
		}
	}
	return c, true
}

// textOf reads a string; anything else is no text.
func textOf(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text)
	return text
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// told says that an optional field holds something.
func told(raw json.RawMessage) bool {
	switch strings.TrimSpace(string(raw)) {
	case "", "null", `""`, "{}", "[]", "false", "0":
		return false
	}
	return true
}
