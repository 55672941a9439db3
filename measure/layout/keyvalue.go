package layout

import (
	"encoding/json"
	"strings"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

// KeyValueName names the key-value layout of Liu et al. in a Manifest.
const KeyValueName = "key-value"

// KeyValueInstruction is the instruction of the key-value layout where a sweep is given
// none, in our own words.
const KeyValueInstruction = "Find the key that is named at the end in the JSON object below and give its value, without anything else."

// KeyValue returns the key-value layout of Liu et al.: the instruction, the
// pairs as a JSON object in their order, the key, and "Corresponding value:".
func KeyValue(instruction string, pairs []dataset.Document, key string) model.Prompt {
	return model.User(instruction + "\n\nJSON data:\n" + object(pairs) + "\n\n" + askFor(key))
}

// KeyAlone asks for a key without pairs: the last two lines of
// KeyValue's layout.
func KeyAlone(key string) model.Prompt { return model.User(askFor(key)) }

func askFor(key string) string { return "Key: " + quoted(key) + "\nCorresponding value:" }

// object writes a JSON object with one pair a line.
func object(pairs []dataset.Document) string {
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
