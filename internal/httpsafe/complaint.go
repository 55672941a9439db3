package httpsafe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Complaint finds the message in the forms that servers use, and returns what has
// none of them as it is: it may hold anything. Escaped characters of JSON are
// resolved, so that what repeats a text reads like it.
func Complaint(body []byte) (text, code string) {
	if text, code, found := Words(body); found {
		return text, code
	}
	var value any
	if !bytes.Contains(body, []byte(`\u`)) || json.Unmarshal(body, &value) != nil {
		return string(body), ""
	}
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return string(body), ""
	}
	return plain.String(), ""
}

// Words finds the message, and the code beside it, in the forms that servers use:
//
//	{"error": {"message": "…", "code": "…"}}    OpenAI, vLLM, llama.cpp
//	{"error": "…"}                              Ollama
//	{"message": "…"}                            older vLLM
//	{"detail": "…"}                             FastAPI
//	{"detail": [{"loc": […], "msg": "…"}, …]}   FastAPI, of a request that it refuses
//
// The last repeats what was sent as "input", which is left out.
func Words(body []byte) (text, code string, found bool) {
	var outer struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", "", false
	}
	var inner struct {
		Message    string
		Code, Type any
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		code, _ = inner.Code.(string)
		if kind, _ := inner.Type.(string); code == "" {
			code = kind
		}
		return inner.Message, code, true
	}
	for _, raw := range []json.RawMessage{outer.Error, outer.Message, outer.Detail} {
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text, "", true
		}
	}
	text = refusals(outer.Detail)
	return text, "", text != ""
}

// refusals reads FastAPI's list of what is wrong with a request.
func refusals(detail json.RawMessage) string {
	var faults []struct {
		Loc []any
		Msg string
	}
	if json.Unmarshal(detail, &faults) != nil {
		return ""
	}
	var lines []string
	for _, f := range faults {
		if f.Msg == "" {
			continue
		}
		path := make([]string, len(f.Loc))
		for i, part := range f.Loc {
			path[i] = fmt.Sprint(part)
		}
		lines = append(lines, strings.TrimPrefix(strings.Join(path, ".")+": "+f.Msg, ": "))
	}
	return strings.Join(lines, "; ")
}
