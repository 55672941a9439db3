package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{
			"choices": [{"message": {"role": "assistant", "content": "Oslo"}, "finish_reason": "stop"}],
			"usage": {"prompt_tokens": 12, "completion_tokens": 2}
		}`)
	}))
	defer server.Close()

	client, err := openai.New(openai.Config{
		BaseURL: server.URL, // or https://api.openai.com/v1, or http://localhost:11434
		Key:     openai.NewKey(os.Getenv("A_KEY")),
		Model:   "a-model",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdleConnections()

	answer, err := client.Ask(context.Background(), model.Prompt{Text: "The capital of Norway?"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text, answer.FinishReason, answer.Usage.Prompt)
	// Output: Oslo stop 12
}
