package dataset

import (
	"io"
	"slices"
)

const ragasForm = `RAGAS has {"user_input":"…","retrieved_contexts":["…",…],"reference":"…"}, or question, contexts and ground_truth in older versions`

// FromRAGAS writes the samples of a RAGAS test set, of the present or the older names,
// as lines for Rules.Lists, one at a time. Where there are reference contexts, a
// retrieved one that is among them is gold. A reference is a whole sentence mostly,
// which judge.TokenF1 judges.
func FromRAGAS(to io.Writer, from io.Reader) (Converted, error) {
	return convert(to, from, func(f fields) (converted, *Error) {
		var line converted
		var answers texts
		var contexts, references []string
		r := reading{fields: f, form: ragasForm}
		if question := f["question"]; kindOf(question) != "a text" && !isNull(question) {
			r.fail(`holds a whole file in columns, {"question":["…",…],…}: write one sample a line first, as with Dataset.to_json`)
			return line, r.fault
		}
		r.need("a text", &line.Question, "user_input", "question")
		r.may("a text, or a list of texts", &answers, "reference", "ground_truth", "ground_truths")
		r.need("a list of texts", &contexts, "retrieved_contexts", "contexts", "reference_contexts")
		r.may("a list of texts", &references, "reference_contexts")
		line.Answers = answers
		for _, text := range contexts {
			d := convertedDocument{Text: text}
			if len(references) > 0 {
				gold := slices.Contains(references, text)
				d.IsGold = &gold
			}
			line.Contexts = append(line.Contexts, d)
		}
		return line, r.fault
	})
}
