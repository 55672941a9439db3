package judge

import (
	"strings"
	"unicode"

	"github.com/bookend-rag/bookend/measure/model"
)

// Class says what is unusual about an answer. The zero value is an ordinary
// answer; several may hold at once. They are counted beside the scores.
type Class struct {
	Empty     bool // nothing that can be seen, or thinking without an answer
	Truncated bool // the model stopped because it reached its limit of tokens
	Refusal   bool // the server says that the model or a filter declined to answer
	// Unfinished is an empty answer that was on its way: the model thought, or reached
	// its limit of tokens.
	Unfinished bool
}

// Classify looks at the text of an answer, behind its thinking (model.AfterThinking),
// and at the reason that the server gave for its end (model.FinishOf). Words decide
// nothing: "I don't know" is an answer.
func Classify(a model.Answer) Class {
	text, thinking := model.AfterThinking(a.Text)
	finish := model.FinishOf(a.FinishReason)
	c := Class{
		Empty:     strings.TrimFunc(text, unseen) == "",
		Truncated: finish == model.CutOff,
		Refusal:   finish == model.Refused,
	}
	c.Unfinished = c.Empty && !c.Refusal && (c.Truncated || thinking || a.Thinking)
	return c
}

// unseen says that a character shows nothing: white space, a control, or one without
// width, such as a byte order mark.
func unseen(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) }
