package rank

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
)

// Form is how a request names the question and the texts. Which form an answer has is
// seen from the answer.
type Form string

// The forms. The empty Form means Documents.
const (
	// Documents is {"model", "query", "documents", "top_n"}, which Cohere, Jina,
	// Voyage, vLLM and llama.cpp take. A server that refuses top_n by that name is
	// asked without it from then on.
	Documents Form = "documents"
	// Texts is {"query", "texts", "truncate": true}, which Hugging Face TEI takes.
	Texts Form = "texts"
	// Passages is {"model", "query": {"text"}, "passages": [{"text"}, …], "truncate":
	// "END"}, which NVIDIA NIM takes.
	Passages Form = "passages"
	// Input is {"model", "input": {"query", "documents"}}, which DashScope takes.
	Input Form = "input"
)

// topN is the parameter that says how many results are wanted: all.
const topN = "top_n"

// reserved are the parameters that Extra may not hold.
var reserved = []string{"model", "query", "documents", "texts", "passages", "input", topN}

// parameters are what each request holds beside the question and the texts; nil
// leaves one out.
func (c HTTPConfig) parameters() (map[string]json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	if c.Model != "" {
		merged["model"], _ = json.Marshal(c.Model)
	}
	switch c.Form {
	case Texts:
		merged["truncate"] = json.RawMessage(`true`)
	case Passages:
		merged["truncate"] = json.RawMessage(`"END"`)
	}
	if len(bytes.TrimSpace(c.Extra)) == 0 {
		return merged, nil
	}
	var extra map[string]json.RawMessage
	if err := json.Unmarshal(c.Extra, &extra); err != nil || extra == nil {
		return nil, &core.ConfigError{Field: "Extra", Value: "(not shown)", Rule: `must be one JSON object, such as {"max_tokens_per_doc": 512}`}
	}
	for name, value := range extra {
		isNull := string(value) == "null"
		switch {
		case isNull && name == topN:
			merged[name] = nil
		case slices.Contains(reserved, strings.ToLower(name)):
			return nil, &core.ConfigError{Field: "Extra", Value: strings.ToLower(name), Rule: `this parameter is set by each request; {"top_n": null} leaves that one out`}
		case isNull:
			merged[name] = nil
		default:
			merged[name] = value
		}
	}
	return merged, nil
}

// body returns the JSON of a request, the same bytes for the same question, and
// whether it has a top_n.
func (h *HTTP) body(query string, texts []string) (body []byte, counted bool) {
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = h.config.cut(text)
	}
	type text struct {
		Text string `json:"text"`
	}
	fields := map[string]any{}
	switch h.config.Form {
	case Texts:
		fields["query"], fields["texts"] = query, cut
	case Passages:
		passages := make([]text, len(cut))
		for i := range cut {
			passages[i].Text = cut[i]
		}
		fields["query"], fields["passages"] = text{query}, passages
	case Input:
		fields["input"] = map[string]any{"query": query, "documents": cut}
	default:
		fields["query"], fields["documents"] = query, cut
		if !h.withoutTopN.Load() {
			fields[topN] = len(cut)
		}
	}
	for name, value := range h.parameters {
		if value == nil {
			delete(fields, name)
		} else {
			fields[name] = value
		}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // documents are full of <, > and &
	if err := encoder.Encode(fields); err != nil {
		return nil, false // strings, numbers, and JSON that was read: cannot happen
	}
	_, counted = fields[topN]
	return b.Bytes(), counted
}

// cut shortens a text to the limits, between two characters.
func (c HTTPConfig) cut(text string) string {
	if c.MaxRunes > 0 && len(text) > c.MaxRunes {
		runes := 0
		for at := range text {
			if runes == c.MaxRunes {
				text = text[:at]
				break
			}
			runes++
		}
	}
	if len(text) > c.MaxBytes {
		end := c.MaxBytes
		for end > 0 && c.MaxBytes-end < utf8.UTFMax-1 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return text
}
