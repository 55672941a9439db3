package main

import (
	"cmp"
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// newModel returns the model that the environment names, or a simulated reader.
func newModel(reader string) (sweep.Model, string, error) {
	key, url := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key == "" && url == "" {
		model, err := simulated(reader)
		return model, sweep.SimulatedPrefix + strings.ToLower(reader), err
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
func (c chat) Ask(ctx context.Context, p sweep.Prompt) (sweep.Answer, error) {
	var messages []llms.MessageContent
	for _, m := range p.Messages {
		messages = append(messages, llms.TextParts(roles[m.Role], m.Text))
	}
	response, err := c.GenerateContent(ctx, messages, llms.WithTemperature(0), llms.WithMaxTokens(sweep.DefaultMaxTokens))
	if err != nil || len(response.Choices) == 0 {
		return sweep.Answer{}, &sweep.ModelError{Status: statusOf(err), Err: err}
	}
	choice := response.Choices[0]
	return sweep.Answer{Text: choice.Content, FinishReason: choice.StopReason}, nil
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
func simulated(name string) (sweep.Model, error) {
	if _, err := sweep.SimulatedAccuracy(name, 1); err != nil {
		return nil, err
	}
	return sweep.ModelFunc(func(ctx context.Context, _ sweep.Prompt) (sweep.Answer, error) {
		call, _ := sweep.CallFrom(ctx)
		if call.Slot != sweep.NoSlot {
			reader, err := sweep.NewNamedReader(name, call.Documents, 1)
			if err != nil {
				return sweep.Answer{}, err
			}
			if reader.Right(call.Index, call.Slot) {
				return sweep.Answer{Text: call.Answers[0]}, nil
			}
		}
		return sweep.Answer{Text: "The documents do not say."}, nil
	}), nil
}
