package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// LineFormat is a line of a question-answer file with the keys that are needed,
// and no other: what to write for questions of your own. "title" may be left out,
// "answers" may be one text, and TextKeys are other names of "text".
const LineFormat = `{"question":"…","answers":["…"],"ctxs":[{"title":"…","text":"…","isgold":true},{"title":"…","text":"…"}]}`

// qaPassage is a passage with the marks that the file gives it; nil where it says
// neither yes nor no.
type qaPassage struct {
	document        Document
	gold, hasAnswer *bool
}

// mark says whether the file marks the passage as one with the answer.
func (p qaPassage) mark() *bool {
	if p.gold != nil {
		return p.gold
	}
	return p.hasAnswer
}

// readPassage reads a passage: an object, or the text alone. origin reads source and
// position, which lists alone have: elsewhere keys of these names are ignored. fault
// says what has a wrong type, textless which keys stand in place of a text.
func readPassage(raw json.RawMessage, origin bool) (p qaPassage, fault, textless string) {
	if json.Unmarshal(raw, &p.document.Text) == nil {
		return p, "", ""
	}
	var f fields
	if json.Unmarshal(raw, &f) != nil {
		return p, wrongType("ctxs", fmt.Appendf(nil, "[%s]", raw), "a list of objects with text, or of texts"), ""
	}
	read := func(want string, into any, keys ...string) {
		if key, value, ok := f.first(keys...); ok && json.Unmarshal(value, into) != nil && fault == "" {
			fault = wrongType("ctxs."+key, value, want)
		}
	}
	var ok bool
	if p.document.ID, ok = asID(f["id"]); !ok {
		fault = wrongType("ctxs.id", f["id"], "a text or a number")
	}
	read("a text", &p.document.Title, "title")
	read("a text", &p.document.Text, TextKeys()...)
	read("true or false", &p.gold, "isgold")
	read("true or false", &p.hasAnswer, "hasanswer", "has_answer")
	if origin {
		read("a text", &p.document.Source, "source")
		read("a number", &p.document.Position, "position")
	}
	if _, _, ok := f.first(TextKeys()...); !ok {
		textless = fmt.Sprintf("a document of \"ctxs\" has %s, and no text: it stands under one of %s", f.names(), strings.Join(TextKeys(), ", "))
	}
	return p, fault, textless
}

// parseQA reads one line that is valid JSON. The reason is empty when the case can
// be used; why tells of a line that is not of the form what is wrong with it.
func parseQA(line []byte, rules Rules) (c Case, answerElsewhere bool, reason Reason, why string) {
	notForm := func(why string) (Case, bool, Reason, string) { return Case{}, false, NotForm, why }
	var f fields
	if json.Unmarshal(line, &f) != nil || f == nil {
		return notForm("it is " + kindOf(line) + ", and an object is needed")
	}
	for _, key := range []string{"question", "answers", "ctxs"} {
		if isNull(f[key]) && (key == "ctxs" || !rules.Lists) {
			return notForm(fmt.Sprintf("it has %s, and %q is missing", f.names(), key))
		}
	}
	var question string // of what was recorded without texts: none
	var answers []string
	if raw := f["question"]; !isNull(raw) && json.Unmarshal(raw, &question) != nil {
		return notForm(wrongType("question", raw, "a text"))
	}
	if raw := f["answers"]; !isNull(raw) {
		var ok bool
		if answers, ok = textOrTexts(raw); !ok {
			return notForm(wrongType("answers", raw, "a list of texts, or one text"))
		}
	}
	group, fault := asCluster(f)
	if fault != "" {
		return notForm(fault)
	}
	var contexts []json.RawMessage
	if json.Unmarshal(f["ctxs"], &contexts) != nil {
		return notForm(wrongType("ctxs", f["ctxs"], "a list of objects with text, or of texts"))
	}
	var asked asked
	if rules.Requests {
		if why := asked.read(f); why != "" {
			return notForm(why)
		}
	}
	c = Case{ID: questionID(question), Time: asked.time, Conversation: asked.conversation, Task: QuestionAnswer, Question: question, Answers: answers, Cluster: group, Documents: make([]Document, len(contexts))}
	marks := make([]*bool, len(c.Documents))
	for i, raw := range contexts {
		p, fault, textless := readPassage(raw, rules.Lists)
		if fault != "" {
			return notForm(fault)
		}
		if why == "" {
			why = textless
		}
		c.Documents[i], marks[i] = p.document, p.mark()
		if p.gold != nil && *p.gold {
			c.Golds = append(c.Golds, i)
		} else if p.hasAnswer != nil && *p.hasAnswer {
			answerElsewhere = true
		}
	}
	if rules.By != "" {
		if c.Kind, fault = kindIn(f, rules.By, len(c.Documents)); fault != "" {
			return notForm(fault)
		}
	}
	reason = c.complete(marks, rules)
	if rules.Lists {
		answerElsewhere = false
	}
	switch {
	case reason == NoGold && !rules.Lists:
		why = `no document of "ctxs" has "isgold": true, which says that it holds the answer`
	case reason == NoAnswer && isNull(f["answers"]) && !isNull(f["answer"]):
		why = `the answer stands under "answer", and must stand under "answers"`
	case reason == NoAnswer && len(c.Answers) > 0:
		why = "nothing but articles and punctuation is in the answers"
	case reason == EmptyQuestion && !isNull(f["question_hash"]):
		why = "it was recorded without texts, which core/record keeps only if it is told to"
	case reason == EmptyQuestion && isNull(f["question"]):
		why = fmt.Sprintf("it has %s, and \"question\" is missing", f.names())
	case reason != EmptyDocument:
		why = ""
	}
	return c, answerElsewhere, reason, why
}

// complete fills in what the rules know of a case, by the marks of its documents, and
// says why it cannot be used; empty where it can.
func (c *Case) complete(marks []*bool, rules Rules) Reason {
	if rules.Lists {
		label := rules.Labels[c.ID]
		if len(c.Answers) == 0 {
			c.Answers = slices.Clone(label.Answers) // the case is the caller's
		}
		if c.Kind == "" {
			c.Kind = label.Fields[rules.By]
		}
		c.Golds = golds(*c, marks, label, rules.Scorer)
	}
	c.Gold = -1
	if len(c.Golds) > 0 {
		c.Gold = c.Golds[0]
	}
	switch {
	case !hasText(c.Question) && !rules.Requests:
		return EmptyQuestion
	case !anyNormalizes(c.Answers) && !rules.Requests:
		return NoAnswer
	case len(c.Documents) < rules.MinDocuments:
		return TooFewDocuments
	case slices.ContainsFunc(c.Documents, func(d Document) bool { return !hasText(d.Text) }):
		return EmptyDocument
	case rules.Lists && !rules.OneGold:
	case len(c.Golds) == 0:
		return NoGold
	case len(c.Golds) > 1:
		return TwoGolds
	case !holdsAnswer(rules.Scorer, c.Documents[c.Gold], c.Answers):
		return AnswerNotInGold
	}
	return ""
}
