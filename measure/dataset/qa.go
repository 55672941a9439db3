package dataset

import (
	"bytes"
	"encoding/json"
	"slices"
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
	Source    json.RawMessage `json:"source"`   // of a list: a string
	Position  json.RawMessage `json:"position"` // of a list: a number
	IsGold    *bool           `json:"isgold"`
	HasAnswer json.RawMessage `json:"hasanswer"`
}

// mark says whether the file marks the passage as one with the answer; nil where it
// says neither.
func (p qaPassage) mark() *bool {
	switch {
	case p.IsGold != nil:
		return p.IsGold
	case bytes.Equal(p.HasAnswer, []byte("true")), bytes.Equal(p.HasAnswer, []byte("false")):
		has := p.HasAnswer[0] == 't'
		return &has
	}
	return nil
}

// origin reads source and position, which lists alone have: elsewhere keys of these
// names are ignored, whatever they hold. It returns false for one of another type.
func (p qaPassage) origin(d *Document) bool {
	return (p.Source == nil || json.Unmarshal(p.Source, &d.Source) == nil) &&
		(p.Position == nil || json.Unmarshal(p.Position, &d.Position) == nil)
}

// parseQA reads one line that is valid JSON. The reason is empty when the case can
// be used.
func parseQA(line []byte, rules Rules) (c Case, answerElsewhere bool, reason Reason) {
	var l qaLine
	err := json.Unmarshal(line, &l)
	if rules.Lists && l.Question == nil {
		l.Question = new(string) // recorded without texts
	}
	if err != nil || l.Question == nil || l.Contexts == nil || l.Answers == nil && !rules.Lists {
		return Case{}, false, NotForm
	}
	label := rules.Labels[questionID(*l.Question)]
	if rules.Lists && (l.Answers == nil || len(*l.Answers) == 0) {
		answers := slices.Clone(label.Answers) // the case is the caller's
		l.Answers = &answers
	}
	c = Case{
		ID: questionID(*l.Question), Task: QuestionAnswer, Question: *l.Question, Answers: *l.Answers,
		Documents: make([]Document, len(*l.Contexts)),
	}
	empty, marks := false, make([]*bool, len(c.Documents))
	for i, p := range *l.Contexts {
		c.Documents[i] = Document{ID: passageID(p.ID), Title: p.Title, Text: p.Text}
		if rules.Lists && !p.origin(&c.Documents[i]) {
			return Case{}, false, NotForm
		}
		empty = empty || !hasText(p.Text)
		marks[i] = p.mark()
		if p.IsGold != nil && *p.IsGold {
			c.Golds = append(c.Golds, i)
		} else if bytes.Equal(p.HasAnswer, []byte("true")) {
			answerElsewhere = true
		}
	}
	if rules.Lists {
		answerElsewhere = false
		c.Golds = golds(c, marks, label, rules.Scorer)
	}
	c.Gold = -1
	if len(c.Golds) > 0 {
		c.Gold = c.Golds[0]
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
	case rules.Lists && !rules.OneGold:
	case len(c.Golds) == 0:
		reason = NoGold
	case len(c.Golds) > 1:
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
