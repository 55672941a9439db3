package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TextKeys are the keys under which the text of a document may stand: the plain one,
// and those of the frameworks.
func TextKeys() []string {
	return []string{"text", "content", "page_content", "PageContent", "contents"}
}

// fields are the keys of a JSON object with their values, as they are written.
type fields map[string]json.RawMessage

// first returns the first of the keys that has a value that is not null.
func (f fields) first(keys ...string) (key string, value json.RawMessage, ok bool) {
	for _, key := range keys {
		if value, ok := f[key]; ok && !isNull(value) {
			return key, value, true
		}
	}
	return keys[0], nil, false
}

// names lists the keys for people, sorted, ten at most.
func (f fields) names() string {
	if len(f) == 0 {
		return "no keys"
	}
	var all []string
	for key := range f {
		if len(key) > 40 {
			key = strings.ToValidUTF8(key[:40], "") + "…"
		}
		all = append(all, fmt.Sprintf("%q", key))
	}
	slices.Sort(all)
	more := ""
	if n := len(all) - 10; n > 0 {
		all, more = all[:10], fmt.Sprintf(" and %d more", n)
	}
	if len(all) == 1 {
		return "the key " + all[0]
	}
	return "the keys " + strings.Join(all, ", ") + more
}

// wrongType says what a key holds and what it must hold.
func wrongType(key string, value json.RawMessage, want string) string {
	return fmt.Sprintf("%q holds %s and must hold %s", key, kindOf(value), want)
}

// kindOf names the type of a JSON value.
func kindOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(value, &items) == nil && len(items) > 0 && bytes.TrimSpace(items[0])[0] != '[' {
			return "a list that starts with " + kindOf(items[0])
		}
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return string(value)
	case 'n':
		return "null"
	}
	return "a number"
}

func isNull(value json.RawMessage) bool {
	value = bytes.TrimSpace(value)
	return len(value) == 0 || bytes.Equal(value, []byte("null"))
}

// textOrTexts reads one text, or a list of them.
func textOrTexts(value json.RawMessage) (texts []string, ok bool) {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}, true
	}
	var all []*string
	if json.Unmarshal(value, &all) != nil {
		return nil, false
	}
	texts = []string{}
	for _, text := range all {
		if text == nil {
			return nil, false
		}
		texts = append(texts, *text)
	}
	return texts, true
}

// asID reads an ID as it is written: a text, or a number of any size.
func asID(value json.RawMessage) (id string, ok bool) {
	value = bytes.TrimSpace(value)
	switch {
	case isNull(value):
		return "", true
	case value[0] == '"':
		return id, json.Unmarshal(value, &id) == nil
	case value[0] == '-' || value[0] >= '0' && value[0] <= '9':
		return string(value), true
	}
	return "", false
}

// ReadDocument reads a document, a JSON object with its text under one of TextKeys and
// perhaps an id, a text or a number of any size, and a title. It returns every key as
// it is written. The error says what the line holds and what it must hold.
func ReadDocument(line []byte, into *Document) (map[string]json.RawMessage, error) {
	if fault := checkLine(line); fault != nil {
		return nil, errors.New(fault.Rule)
	}
	var f fields
	if json.Unmarshal(line, &f) != nil || f == nil {
		return nil, fmt.Errorf("is %s, and an object is needed", kindOf(line))
	}
	p, fault, textless := readPassage(line, false)
	switch {
	case fault != "":
		return nil, errors.New("is not a document: " + strings.Replace(fault, `"ctxs.`, `"`, 1))
	case textless != "":
		return nil, fmt.Errorf("has %s, and no text: it stands under one of %s", f.names(), strings.Join(TextKeys(), ", "))
	}
	*into = p.document
	return f, nil
}

// texts are one text, or a list of them.
type texts []string

// UnmarshalJSON reads either form.
func (t *texts) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	all, ok := textOrTexts(raw)
	if !ok {
		return errors.New(wrongType("answers", raw, "a list of texts, or one text"))
	}
	*t = all
	return nil
}
