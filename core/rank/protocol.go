package rank

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
)

// Form is how a request names the texts. Which form an answer has is seen from the
// answer.
type Form string

// The forms. The empty Form means Documents.
const (
	// Documents is {"model", "query", "documents", "top_n"}, which Cohere, Jina, vLLM
	// and llama.cpp take.
	Documents Form = "documents"
	// Texts is {"query", "texts", "truncate": true}, which Hugging Face TEI takes.
	Texts Form = "texts"
)

// reserved are the parameters that Extra may not hold.
var reserved = []string{"model", "query", "documents", "texts", "top_n"}

// parameters are what each request holds beside the query and the texts.
func (c HTTPConfig) parameters() (map[string]json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	if c.Model != "" {
		merged["model"], _ = json.Marshal(c.Model)
	}
	if c.Form == Texts {
		merged["truncate"] = json.RawMessage("true")
	}
	if len(bytes.TrimSpace(c.Extra)) == 0 {
		return merged, nil
	}
	var extra map[string]json.RawMessage
	if err := json.Unmarshal(c.Extra, &extra); err != nil || extra == nil {
		return nil, &core.ConfigError{Field: "Extra", Value: "(not shown)", Rule: `must be one JSON object, such as {"max_tokens_per_doc": 512}`}
	}
	for name, value := range extra {
		switch {
		case slices.Contains(reserved, strings.ToLower(name)):
			return nil, &core.ConfigError{Field: "Extra", Value: strings.ToLower(name), Rule: "this parameter is set by each request"}
		case string(value) == "null":
			delete(merged, name)
		default:
			merged[name] = value
		}
	}
	return merged, nil
}

// body returns the JSON of a request, the same bytes for the same question.
func (h *HTTP) body(query string, texts []string) ([]byte, error) {
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = h.config.cut(text)
	}
	body := map[string]any{"query": query}
	for name, value := range h.parameters {
		body[name] = value
	}
	if h.config.Form == Texts {
		body["texts"] = cut
	} else {
		body["documents"], body["top_n"] = cut, len(cut)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // documents are full of <, > and &
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
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

// result is one entry of an answer, in either shape.
type result struct {
	Index          *int     `json:"index"`
	RelevanceScore *float64 `json:"relevance_score"`
	Score          *float64 `json:"score"`
}

// readScores reads an answer to n texts, of either shape:
//
//	{"results": [{"index": 0, "relevance_score": 0.9}, …]}   Cohere, Jina, vLLM, llama.cpp
//	[{"index": 0, "score": 0.9}, …]                          Hugging Face TEI
//
// Each score goes to the text of its index, whatever the order. What has none, or
// null, gets NaN. An index that is missing, out of range or there twice, and an
// answer without any score, are errors: nobody can tell which score is whose. The
// error holds what the server said, as it is.
func readScores(answer []byte, n int) ([]float64, error) {
	var results []result
	answer = bytes.TrimSpace(answer)
	if len(answer) > 0 && answer[0] == '[' {
		if err := json.Unmarshal(answer, &results); err != nil {
			return nil, err
		}
	} else {
		var object struct{ Results *[]result }
		if err := json.Unmarshal(answer, &object); err != nil {
			return nil, err
		}
		if object.Results == nil {
			return nil, fmt.Errorf("it is no list, and has no %q", "results")
		}
		results = *object.Results
	}
	scores, seen, found := make([]float64, n), make([]bool, n), false
	for i := range scores {
		scores[i] = math.NaN()
	}
	for i, r := range results {
		switch {
		case r.Index == nil:
			return nil, fmt.Errorf("result %d has no index", i)
		case *r.Index < 0 || *r.Index >= n:
			return nil, fmt.Errorf("result %d has index %d, but %d texts were sent", i, *r.Index, n)
		case seen[*r.Index]:
			return nil, fmt.Errorf("index %d is there twice", *r.Index)
		}
		seen[*r.Index] = true
		score := r.RelevanceScore
		if score == nil {
			score = r.Score
		}
		if score != nil {
			scores[*r.Index], found = *score, true
		}
	}
	if !found {
		return nil, fmt.Errorf("it has no score for any of %d texts", n)
	}
	return scores, nil
}
