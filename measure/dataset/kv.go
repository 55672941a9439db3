package dataset

import "encoding/json"

// kvLine is a key-value line in the form of Liu et al.
type kvLine struct {
	Records *[][]string `json:"ordered_kv_records"`
	Key     *string     `json:"key"`
	Value   *string     `json:"value"`
}

// parseKV reads one line that is valid JSON. The reason is empty when the case can
// be used; why tells of a line that is not of the form what is wrong with it.
func parseKV(line []byte, rules Rules) (c Case, answerElsewhere bool, reason Reason, why string) {
	const form = "it must hold ordered_kv_records, a list of pairs of texts, and key and value, two texts"
	var l kvLine
	if json.Unmarshal(line, &l) != nil || l.Records == nil || l.Key == nil || l.Value == nil {
		return Case{}, false, NotForm, form
	}
	c = Case{
		ID: pairID(*l.Key, *l.Value), Task: KeyValue, Question: *l.Key, Answers: []string{*l.Value},
		Documents: make([]Document, len(*l.Records)),
	}
	golds := 0
	for i, record := range *l.Records {
		if len(record) != 2 {
			return Case{}, false, NotForm, form
		}
		c.Documents[i] = Document{Title: record[0], Text: record[1]}
		if record[0] == *l.Key {
			c.Gold = i
			golds++
		} else if record[1] == *l.Value {
			answerElsewhere = true
		}
	}
	c.Golds = []int{c.Gold}
	switch {
	case !hasText(c.Question):
		reason = EmptyQuestion
	case !hasText(*l.Value):
		reason = NoAnswer
	case len(c.Documents) < rules.MinDocuments:
		reason = TooFewDocuments
	case golds == 0:
		reason = NoGold
	case golds > 1:
		reason = TwoGolds
	case c.Documents[c.Gold].Text != *l.Value:
		reason = AnswerNotInGold
	}
	return c, answerElsewhere, reason, ""
}
