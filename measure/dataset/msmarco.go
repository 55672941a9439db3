package dataset

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

const marcoForm = `MS MARCO has {"query":"…","answers":["…"],"passages":[{"is_selected":1,"passage_text":"…","url":"…"},…]}`

// noMarcoAnswer stands in place of an answer where there is none.
const noMarcoAnswer = "No Answer Present."

// FromMSMARCO writes the questions of MS MARCO's question answering, one a line or with
// the passages in columns as Hugging Face has them, as lines for Rules.Lists, one at a
// time: passages that are selected are gold.
func FromMSMARCO(to io.Writer, from io.Reader) (Converted, error) {
	return convert(to, from, func(f fields) (converted, *Error) {
		var line converted
		var answers texts
		var passages json.RawMessage
		r := reading{fields: f, form: marcoForm}
		if query := f["query"]; !isNull(query) && kindOf(query) == "an object" {
			r.fail(`holds a whole file in columns, {"query":{"0":"…"},…}: write one question a line first, as with pandas.read_json(FILE).to_json(OUT, orient="records", lines=True)`)
			return line, r.fault
		}
		r.need("a text", &line.Question, "query", "question")
		r.may("a list of texts", &answers, "answers")
		r.need("a list", &passages, "passages")
		if r.fault != nil {
			return line, r.fault
		}
		line.Answers = slices.DeleteFunc(answers, func(a string) bool { return strings.TrimSpace(a) == noMarcoAnswer })
		var ok bool
		if line.Contexts, ok = marcoPassages(passages); !ok {
			r.fail(wrongType("passages", passages, "a list of objects with passage_text") + ": " + marcoForm)
		}
		return line, r.fault
	})
}

// marcoPassages reads a list of passages, or their columns.
func marcoPassages(raw json.RawMessage) (documents []convertedDocument, ok bool) {
	var columns struct {
		Selected []int    `json:"is_selected"`
		Text     []string `json:"passage_text"`
	}
	if raw[0] == '{' {
		if json.Unmarshal(raw, &columns) != nil || columns.Text == nil || columns.Selected != nil && len(columns.Selected) != len(columns.Text) {
			return nil, false
		}
		for i, text := range columns.Text {
			d := convertedDocument{Text: text}
			if columns.Selected != nil {
				gold := columns.Selected[i] != 0
				d.IsGold = &gold
			}
			documents = append(documents, d)
		}
		return documents, true
	}
	var list []struct {
		Selected *int    `json:"is_selected"`
		Text     *string `json:"passage_text"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for _, p := range list {
		if p.Text == nil {
			return nil, false
		}
		d := convertedDocument{Text: *p.Text}
		if p.Selected != nil {
			gold := *p.Selected != 0
			d.IsGold = &gold
		}
		documents = append(documents, d)
	}
	return documents, true
}
