package layout

import (
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

// questionInstruction is in our own words.
const questionInstruction = "Some search results follow, and only a part of them may help. Use them to answer the question in as few words as you can."

// Paper returns the layout of Liu et al. for questions, in our own words:
// the instruction, the documents as "Document [1](Title: T) text", the question,
// and "Answer:".
func Paper() prompt.Config {
	return prompt.Config{
		Layout: prompt.InstructionFirst, Format: prompt.Titled, Labels: prompt.BySlot,
		Instruction: questionInstruction, Cue: "Answer:",
	}
}

// QuestionAlone asks a question without documents: the last two lines of the layout
// of Liu et al. c is what prompt.Renderer.Config returns, defaults filled in.
func QuestionAlone(c prompt.Config, question string) model.Prompt {
	text := c.QuestionPrefix + question
	if c.Cue != "" {
		text += "\n" + c.Cue
	}
	return model.User(text)
}
