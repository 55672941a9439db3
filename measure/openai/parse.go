package openai

import (
	"encoding/json"
	"errors"

	"github.com/bookend-rag/bookend/measure/model"
)

// ParseResponse reads the body of a response in OpenAI's form, of chat or of plain
// completion. Content that is null is an empty text, a refusal stands in for it
// with the finish reason "refusal". The error says what the body is not; it quotes
// nothing of it.
func ParseResponse(body []byte) (model.Answer, error) {
	var r struct {
		Choices []struct {
			Text    *string `json:"text"`
			Message *struct {
				Content *string `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
			FinishReason *string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if !json.Valid(body) {
		return model.Answer{}, errors.New("the response is not JSON")
	}
	if err := json.Unmarshal(body, &r); err != nil || len(r.Choices) == 0 {
		return model.Answer{}, errors.New("the response is not a completion in OpenAI's form")
	}
	if r.Usage.Prompt < 0 || r.Usage.Completion < 0 || r.Usage.Details.Cached < 0 {
		return model.Answer{}, errors.New("the response counts less than 0 tokens")
	}
	choice := r.Choices[0]
	a := model.Answer{Usage: model.Usage{r.Usage.Prompt, r.Usage.Completion, r.Usage.Details.Cached}}
	if choice.FinishReason != nil {
		a.FinishReason = *choice.FinishReason
	}
	switch m := choice.Message; {
	case m != nil && m.Content != nil:
		a.Text = *m.Content
	case m != nil && m.Refusal != nil && *m.Refusal != "":
		a.Text, a.FinishReason = *m.Refusal, "refusal"
	case m != nil:
	case choice.Text != nil:
		a.Text = *choice.Text
	default:
		return model.Answer{}, errors.New("the response has a choice without a text")
	}
	return a, nil
}
