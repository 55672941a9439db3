package httpsafe

import "encoding/json"

// Complaint finds the message in the forms that servers use:
//
//	{"error": {"message": "…", "code": "…"}}   OpenAI, vLLM, llama.cpp
//	{"error": "…"}                             Ollama
//	{"message": "…"}                           older vLLM
//	{"detail": "…"}                            FastAPI
//
// What has none of them is returned as it is: it may hold anything.
func Complaint(body []byte) (text, code string) {
	var outer struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &outer) != nil {
		return string(body), ""
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
		return inner.Message, code
	}
	for _, raw := range []json.RawMessage{outer.Error, outer.Message, outer.Detail} {
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text, ""
		}
	}
	return string(body), ""
}
