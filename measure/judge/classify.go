package judge

import (
	"strings"

	"github.com/bookend-rag/bookend/measure/model"
)

// Class says what is unusual about an answer. The zero value is an ordinary
// answer; several may hold at once. They are counted beside the scores.
type Class struct {
	Empty     bool // nothing but white space, or thinking without an answer
	Truncated bool // the model stopped because it reached its limit of tokens
	Refusal   bool // the server says that the model or a filter declined to answer
}

// Classify looks at the text of an answer, behind its thinking (model.AfterThinking),
// and at the reason that the server gave for its end (model.FinishOf). Words decide
// nothing: "I don't know" is an answer.
func Classify(text, finishReason string) Class {
	text, _ = model.AfterThinking(text)
	finish := model.FinishOf(finishReason)
	return Class{
		Empty:     strings.TrimSpace(text) == "",
		Truncated: finish == model.CutOff,
		Refusal:   finish == model.Refused,
	}
}
