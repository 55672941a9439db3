package openai_test

import (
	"fmt"

	"github.com/bookend-rag/bookend/measure/openai"
)

func ExampleParseResponse() {
	answer, err := openai.ParseResponse(200, []byte(`{"choices":[{"text":" Ada","finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":1}}`))
	fmt.Printf("%q %s %d %v\n", answer.Text, answer.FinishReason, answer.Usage.Prompt, err)
	// Output: " Ada" stop 12 <nil>
}
