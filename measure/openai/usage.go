package openai

import (
	"encoding/json"

	"github.com/bookend-rag/bookend/measure/model"
)

// maxTokens is beyond any count that is true.
const maxTokens = 1 << 30

// usage reads what the server counted; counted says that it did. What cannot be read
// counts as none: it is no reason to lose an answer. What llama.cpp says that it
// processed (prompt_n) is preferred to what it says that it reused.
func (g response) usage() (u model.Usage, counted bool) {
	var tokens struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
		Total      json.RawMessage `json:"total_tokens"`
		Details    json.RawMessage `json:"prompt_tokens_details"`
	}
	var details struct {
		Cached json.RawMessage `json:"cached_tokens"`
	}
	if !isNull(g.Usage) && json.Unmarshal(g.Usage, &tokens) == nil {
		prompt, known := count(tokens.Prompt)
		completion, also := count(tokens.Completion)
		if counted = known || also; counted {
			u.Prompt, u.Completion = prompt, completion
			_ = json.Unmarshal(tokens.Details, &details)
			u.Cached, _ = count(details.Cached)
		}
		// Counted apart, the prompt's tokens are those that were not cached: the cached
		// ones are more, or the sum needs both.
		if total, _ := count(tokens.Total); u.Cached > u.Prompt || u.Cached > 0 && known && also && total == u.Prompt+u.Cached+u.Completion {
			u.Prompt = min(u.Prompt+u.Cached, maxTokens)
		}
	}
	var timings struct {
		Cached    json.RawMessage `json:"cache_n"`
		Processed json.RawMessage `json:"prompt_n"`
		Predicted json.RawMessage `json:"predicted_n"`
	}
	_ = json.Unmarshal(g.Timings, &timings)
	if processed, ok := count(timings.Processed); ok {
		if !counted {
			cached, _ := count(timings.Cached)
			predicted, _ := count(timings.Predicted)
			u, counted = model.Usage{Prompt: min(cached+processed, maxTokens), Completion: predicted}, true
		}
		u.Cached = max(0, u.Prompt-processed)
	}
	return u, counted
}

// count reads a number of tokens.
func count(raw json.RawMessage) (n int, ok bool) {
	var f *float64
	if json.Unmarshal(raw, &f) != nil || f == nil || !(*f >= 0 && *f <= maxTokens) || *f != float64(int(*f)) {
		return 0, false
	}
	return int(*f), true
}
