package sweep

import (
	"bytes"
	"encoding/json"
)

// LineFormat is a line of a question-answer file with the keys that are needed,
// and no other: what to write for questions of your own. "title" may be left out.
const LineFormat = `{"question":"…","answers":["…"],"ctxs":[{"title":"…","text":"…","isgold":true},{"title":"…","text":"…"}]}`

// qaLine is a question-answer line in the form of Liu et al. Pointers tell a
// missing key from an empty value. Further keys are ignored.
type qaLine struct {
	Question *string      `json:"question"`
	Answers  *[]string    `json:"answers"`
	Contexts *[]qaPassage `json:"ctxs"`
}

type qaPassage struct {
	ID        json.RawMessage `json:"id"` // a string or a number
	Title     string          `json:"title"`
	Text      string          `json:"text"`
	IsGold    bool            `json:"isgold"`
	HasAnswer json.RawMessage `json:"hasanswer"`
}

// parseQA reads one line that is valid JSON. The reason is empty when the case can
// be used.
func parseQA(line []byte, rules Rules) (c Case, answerElsewhere bool, reason Reason) {
	var l qaLine
	if json.Unmarshal(line, &l) != nil || l.Question == nil || l.Answers == nil || l.Contexts == nil {
		return Case{}, false, NotForm
	}
	c = Case{
		ID: questionID(*l.Question), Task: QuestionAnswer, Question: *l.Question, Answers: *l.Answers,
		Documents: make([]Document, len(*l.Contexts)),
	}
	golds, empty := 0, false
	for i, p := range *l.Contexts {
		c.Documents[i] = Document{ID: passageID(p.ID), Title: p.Title, Text: p.Text}
		empty = empty || !hasText(p.Text)
		if p.IsGold {
			c.Gold = i
			golds++
		} else if bytes.Equal(p.HasAnswer, []byte("true")) {
			answerElsewhere = true
		}
	}
	switch {
	case !hasText(c.Question):
		reason = EmptyQuestion
	case !anyNormalizes(c.Answers):
		reason = NoAnswer
	case len(c.Documents) < rules.MinDocuments:
		reason = TooFewDocuments
	case empty:
		reason = EmptyDocument
	case golds == 0:
		reason = NoGold
	case golds > 1:
		reason = TwoGolds
	case !holdsAnswer(rules.Scorer, c.Documents[c.Gold], c.Answers):
		reason = AnswerNotInGold
	}
	return c, answerElsewhere, reason
}

// passageID takes a number as it is written.
func passageID(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s // null leaves it empty
	}
	return string(raw)
}
