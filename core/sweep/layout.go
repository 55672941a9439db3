package sweep

import (
	"encoding/json"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
)

// questionInstruction is in our own words.
const questionInstruction = "Some search results follow, and only a part of them may help. Use them to answer the question in as few words as you can."

// PaperPrompt returns the layout of Liu et al. for questions, in our own words:
// the instruction, the documents as "Document [1](Title: T) text", the question,
// and "Answer:".
func PaperPrompt() prompt.Config {
	return prompt.Config{
		Layout: prompt.InstructionFirst, Format: prompt.Titled, Labels: prompt.BySlot,
		Instruction: questionInstruction, Cue: "Answer:",
	}
}

// QuestionAlone asks a question without documents: the last two lines of the layout
// of Liu et al.
func QuestionAlone(c prompt.Config, question string) Prompt {
	text := c.QuestionPrefix + question
	if c.Cue != "" {
		text += "\n" + c.Cue
	}
	return User(text)
}

// KeyValueLayout names the key-value layout of Liu et al. in a Manifest.
const KeyValueLayout = "key-value"

// KeyValueInstruction is that of KeyValuePrompt where none is given, in our own words.
const KeyValueInstruction = "Find the key that is named at the end in the JSON object below and give its value, without anything else."

// KeyValuePrompt returns the key-value layout of Liu et al.: the instruction, the
// pairs as a JSON object in their order, the key, and "Corresponding value:".
func KeyValuePrompt(instruction string, pairs []Document, key string) Prompt {
	return User(instruction + "\n\nJSON data:\n" + object(pairs) + "\n\n" + askFor(key))
}

// KeyAlone asks for a key without pairs: the last two lines of that layout.
func KeyAlone(key string) Prompt { return User(askFor(key)) }

func askFor(key string) string { return "Key: " + quoted(key) + "\nCorresponding value:" }

// object writes a JSON object with one pair a line.
func object(pairs []Document) string {
	var b strings.Builder
	for i, d := range pairs {
		b.WriteString(map[bool]string{true: "{", false: ",\n "}[i == 0])
		b.WriteString(quoted(d.Title))
		b.WriteString(": ")
		b.WriteString(quoted(d.Text))
	}
	b.WriteString("}")
	return b.String()
}

// quoted writes a JSON string that leaves "<", ">" and "&" as they are.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}
