package main

import (
	"cmp"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// newModel returns the model that the environment names, or a simulated reader.
func newModel(reader string) (model.Model, string, error) {
	key, url := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key == "" && url == "" {
		m, err := simulated(reader)
		return m, model.SimulatedPrefix + strings.ToLower(reader), err
	}
	name := cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-4o-mini")
	options := []openai.Option{openai.WithModel(name), openai.WithToken(cmp.Or(key, "none"))}
	if url != "" {
		options = append(options, openai.WithBaseURL(url))
	}
	model, err := openai.New(options...)
	return chat{model}, name, err
}

// chat asks a model of langchaingo.
type chat struct{ llms.Model }

var roles = map[prompt.Role]llms.ChatMessageType{
	prompt.System: llms.ChatMessageTypeSystem, prompt.User: llms.ChatMessageTypeHuman, prompt.Assistant: llms.ChatMessageTypeAI,
}

// Ask implements sweep.Model.
func (c chat) Ask(ctx context.Context, p model.Prompt) (model.Answer, error) {
	var messages []llms.MessageContent
	for _, m := range p.Messages {
		messages = append(messages, llms.TextParts(roles[m.Role], m.Text))
	}
	response, err := c.GenerateContent(ctx, messages, llms.WithTemperature(0), llms.WithMaxTokens(model.DefaultMaxTokens))
	if err != nil || len(response.Choices) == 0 {
		return model.Answer{}, &model.Error{Status: statusOf(err), Err: err}
	}
	choice := response.Choices[0]
	return model.Answer{Text: choice.Content, FinishReason: choice.StopReason}, nil
}

var statusCode = regexp.MustCompile(`status code: (\d{3})`)

// statusOf finds the status of HTTP, which langchaingo has in the text of its error
// alone; 0 for none. It tells what is worth another attempt.
func statusOf(err error) int {
	if err == nil {
		return 0
	}
	status := 0
	if found := statusCode.FindStringSubmatch(err.Error()); found != nil {
		status, _ = strconv.Atoi(found[1])
	}
	return status
}

// simulated returns a reader with a known curve. It knows in which slot the answer
// stands, and is right there as often as its curve says. Where no document has the
// answer it is always wrong.
func simulated(name string) (model.Model, error) {
	if _, err := simulate.Accuracy(name, 1); err != nil {
		return nil, err
	}
	return model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		if call.Slot != model.NoSlot {
			reader, err := simulate.NewNamedReader(name, call.Documents, 1)
			if err != nil {
				return model.Answer{}, err
			}
			if reader.Right(call.Index, call.Slot) {
				return model.Answer{Text: call.Answers[0]}, nil
			}
		}
		return model.Answer{Text: "The documents do not say."}, nil
	}), nil
}
