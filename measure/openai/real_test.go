package openai_test

import (
	"cmp"
	"os"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

// TestRealServer asks the server at BOOKEND_MODEL_URL one short question twice, by
// chat, or by completion if BOOKEND_MODEL_COMPLETION is set. BOOKEND_MODEL names the
// model, for servers that have several.
func TestRealServer(t *testing.T) {
	url := os.Getenv("BOOKEND_MODEL_URL")
	if url == "" {
		t.Skip("BOOKEND_MODEL_URL is not set")
	}
	c := client(t, url, func(c *openai.Config) {
		c.Key, c.Model, c.MaxTokens = openai.Key{}, cmp.Or(os.Getenv("BOOKEND_MODEL"), "any"), 8
		c.Completion = os.Getenv("BOOKEND_MODEL_COMPLETION") != ""
		c.Timeout = 0
	})
	p := model.Prompt{Text: "The capital of France is"}
	var usage [2]model.Usage
	for i := range usage {
		answer, err := c.Ask(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %+v", c, answer)
		if answer.Text == "" || answer.FinishReason == "" || answer.Usage.Prompt < 4 || answer.Usage.Completion < 1 || answer.Usage.Completion > 8 {
			t.Errorf("answer %+v", answer)
		}
		usage[i] = answer.Usage
	}
	if usage[0].Prompt != usage[1].Prompt || usage[1].Cached < usage[0].Cached {
		t.Errorf("the same prompt used %+v, then %+v", usage[0], usage[1])
	}
}
