package grade

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

const promptFile = "Question: {{question}}\nRight: {{ references }}\nAnswer: {{answer}}\n{{documents}}\nScore?"

// says is a model that always says the same.
func says(answer model.Answer) model.Model {
	return model.Func(func(context.Context, model.Prompt) (model.Answer, error) { return answer, nil })
}

func TestModel(t *testing.T) {
	var asked string
	g, err := New(Model{Name: "j", Prompt: promptFile, Model: model.Func(func(_ context.Context, p model.Prompt) (model.Answer, error) {
		asked = p.Text
		return model.Answer{Text: "It names her.\nScore: 0.5", Usage: model.Usage{Prompt: 7}}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	q := judge.Query{Question: "Who?", Answer: "Ada, {{references}} {{question}}", References: []string{"Ada", "Lovelace"}, Documents: []model.Document{{Text: "one"}, {Title: "T", Text: "two"}}}
	call, err := g.Call(q)
	if err != nil || call.Tokens == 0 || call.MaxTokens != DefaultMaxTokens {
		t.Fatal(call, err)
	}
	score, words, err := g.Grade(t.Context(), call.Prompt)
	if score != 0.5 || err != nil || words.Usage.Prompt != 7 {
		t.Error(score, words, err)
	}
	want := "Question: Who?\nRight: Ada\nLovelace\nAnswer: Ada, {{references}} {{question}}\nDocument [1] one\nDocument [2](Title: T) two\nScore?"
	if asked != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, asked)
	}
	q.Documents = nil
	if other, _ := g.Call(q); other.Key == call.Key {
		t.Error("another prompt has the same key")
	}
}

func TestModelWithoutScore(t *testing.T) {
	for _, c := range []struct {
		answer model.Answer
		want   string
	}{
		{model.Answer{Text: "Right!\nI give it 8/10"}, `the model "j" ended with "I give it 8/10", which is not a score of 0 to 1`},
		{model.Answer{}, "answered nothing"},
		{model.Answer{Text: "Score: 0.", FinishReason: "length"}, "was cut off at the limit of 500 tokens"},
		{model.Answer{Text: "no", FinishReason: "content_filter"}, "refused"},
	} {
		g, err := New(Model{Name: "j", Prompt: "{{answer}}", Model: says(c.answer)})
		if err != nil {
			t.Fatal(err)
		}
		score, _, err := g.Grade(t.Context(), model.User("x"))
		if score != 0 || err == nil || !strings.Contains(err.Error(), c.want) || model.Retryable(err) {
			t.Errorf("%+v: %v, %v", c.answer, score, err)
		}
	}
}

func TestScore(t *testing.T) {
	for words, want := range map[string]float64{
		"1": 1, "0": 0, " 0.25 \n": 0.25, ".5": 0.5, "1.": 1, "1.0": 1, "Score: 1": 1, "score = 0.5": 0.5, "**Score:** 0.75": 0.75, "**Score: 0.75**": 0.75,
		"It says 0.3 of it.\n\nSCORE: 0.9.": 0.9, `{"score": 0.4}`: 0.4, "```json\n{\"why\":\"x\",\"score\":1}\n```": 1, "Well:\n```\n{\"score\":0}\n```": 0,
		"<think>\nScore: 0\n</think>\nScore: 1": 1, "```\n1\n```": 1,
	} {
		if got, ok := Score(words); !ok || got != want {
			t.Errorf("%q: %v %v, want %v", words, got, ok, want)
		}
	}
	for _, words := range []string{
		"", " \n", "right", "2", "-0.5", "1.5", "8/10", "80 %", "80%", "Score: 8/10", "The score is 1", "I give 0.5 out of 1", "Score: 1 of 1", "0.5 or 1",
		"NaN", "1e400", "Score:", `{"score":"1"}`, `{"score":2}`, `{"mark":1}`, `{"score":1} and more`, "<think>Score: 1", "Score: 1\nThat is right.", "0,5", "1 0", "٠", "Score: 1\n```",
	} {
		if got, ok := Score(words); ok {
			t.Errorf("%q is read as %v", words, got)
		}
	}
}

func FuzzScore(f *testing.F) {
	for _, seed := range []string{"Score: 1", "```json\n{\"score\":1}\n```", "**0.5**", "<think>", "{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if score, ok := Score(words); ok && !(score >= 0 && score <= 1) {
			t.Errorf("%q: %v", words, score)
		}
	})
}

func TestModelIsChecked(t *testing.T) {
	good := Model{Name: "j", Prompt: "{{answer}}", Model: says(model.Answer{})}
	for want, change := range map[string]func(*Model){
		"{{answer}}: the answer that is judged": func(m *Model) { m.Prompt = "{{question}}" },
		"is not a placeholder":                  func(m *Model) { m.Prompt = "{{answer}} {{anwser}}" },
		"must name the model":                   func(m *Model) { m.Name = "" },
		"must be a model to ask":                func(m *Model) { m.Model = nil },
		"must be 0 to":                          func(m *Model) { m.Params.MaxTokens = -1 },
		"asked by chat":                         func(m *Model) { m.Params.Completion = true },
	} {
		m := good
		change(&m)
		if _, err := New(m); !errors.As(err, new(*core.ConfigError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("(-want +got)\n-%s\n+%v", want, err)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}
