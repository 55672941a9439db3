package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Where servers put their words, in the order in which they are joined. "input", which
// repeats the question, is none of them.
var complaintKeys = []string{
	"message", "msg", "error_message", "error_msg", "errormessage", "status_msg", "error", "errors", "reason",
	"description", "error_description", "title", "detail", "details", "metadata", "raw", "cause",
	"innererror", "inner_error", "base_resp",
}

// Limits of what is looked at in a complaint, whose sender is not trusted.
const (
	maxComplaintDepth = 6
	maxComplaintWords = 4
)

// code is what a server calls its error: a number or a word.
type code string

// complaint returns a server's own words, wherever it puts them, its code, and the
// parameter of the request that it names. All are empty for what is not JSON or has
// none.
//
//	{"error": {"message": "…", "code": "…", "param": "…"}}       OpenAI, vLLM, llama.cpp
//	{"error": {"message": "…", "metadata": {"raw": "…"}}}        a gateway, with what it was told
//	{"error": "…"}, {"message": "…"}, {"detail": "…"}            Ollama, older vLLM, FastAPI
//	{"detail": [{"loc": ["body", "…"], "msg": "…"}]}             FastAPI, of a refused request
//	{"base_resp": {"status_code": 1002, "status_msg": "…"}}      MiniMax
func complaint(body []byte) (text string, c code, parameter string) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return "", "", ""
	}
	var w complaintWords
	w.collect(value, 0)
	return strings.Join(w.words, ": "), w.code, w.parameter
}

type complaintWords struct {
	words     []string
	code      code
	parameter string
}

func (w *complaintWords) collect(value any, depth int) {
	if depth > maxComplaintDepth || len(w.words) >= maxComplaintWords {
		return
	}
	switch v := value.(type) {
	case string:
		var inner map[string]any
		if json.Unmarshal([]byte(v), &inner) == nil { // a gateway passes on what it was told
			w.collect(inner, depth+1)
			return
		}
		v = strings.TrimSpace(v)
		if v != "" && depth > 0 && !slices.ContainsFunc(w.words, func(known string) bool { return strings.Contains(known, v) }) {
			w.words = append(w.words, v)
		}
	case []any:
		for _, one := range v[:min(len(v), maxComplaintWords)] {
			w.collect(one, depth+1)
		}
	case map[string]any:
		w.collectObject(v, depth)
	}
}

func (w *complaintWords) collectObject(object map[string]any, depth int) {
	fields := map[string]any{}
	for name, value := range object {
		fields[strings.ToLower(name)] = value
	}
	for _, name := range []string{"code", "status_code", "type"} {
		switch v := fields[name].(type) {
		case string:
			if w.code == "" {
				w.code = code(v)
			}
		case float64:
			if w.code == "" && v != 0 {
				w.code = code(strconv.FormatFloat(v, 'f', -1, 64))
			}
		}
	}
	if name, _ := fields["param"].(string); w.parameter == "" {
		w.parameter = name
	}
	if place, ok := fields["loc"].([]any); ok { // FastAPI
		path := make([]string, len(place))
		for i, part := range place {
			path[i] = fmt.Sprint(part)
		}
		if w.parameter == "" && len(path) > 0 {
			w.parameter = path[len(path)-1]
		}
		if said, ok := fields["msg"].(string); ok {
			fields["msg"] = strings.Join(path, ".") + ": " + said
		}
	}
	for _, name := range complaintKeys {
		if value, ok := fields[name]; ok {
			w.collect(value, depth+1)
		}
	}
}

// status is the status of HTTP that a code is; else the one that came.
func (c code) status(came int) int {
	if n, err := strconv.Atoi(string(c)); err == nil && n >= 400 && n <= 599 {
		return n
	}
	return came
}

// permanent says that the same request will fail again although its status does not
// say so.
func (c code) permanent(status int) bool {
	word := strings.ToLower(string(c))
	switch {
	case status == http.StatusTooManyRequests:
		return word == "insufficient_quota" || word == "billing_hard_limit_reached"
	case status < 300:
		return strings.HasPrefix(word, "invalid_") || strings.HasPrefix(word, "unsupported_") ||
			word == "authentication_error" || word == "permission_error" || word == "model_not_found"
	}
	return false
}

// removable are the parameters that a request has by itself and can do without.
var removable = []string{"max_tokens", "temperature", "stream", "seed", "stop"}

var (
	parameterName = regexp.MustCompile("['\"`]([A-Za-z_]+)['\"`]|\\b(max_(?:completion_)?tokens)\\b")
	notTaken      = regexp.MustCompile(`(?i)not support|unsupported|not permitted|not allowed|not accept|unknown|unrecogni[sz]ed|unexpected|deprecated|\bextra\b`)
)

// hint says how to take out the parameter that the server does not take, if it is one
// of ours.
func hint(parameter, text string) string {
	if !notTaken.MatchString(text) {
		return ""
	}
	names := []string{parameter}
	for _, found := range parameterName.FindAllStringSubmatch(text, 20) {
		names = append(names, found[1]+found[2])
	}
	for _, name := range names {
		if !slices.Contains(removable, name) {
			continue
		}
		instead := ""
		if name == "max_tokens" && slices.Contains(names, "max_completion_tokens") {
			instead = fmt.Sprintf(`, "max_completion_tokens": %d`, DefaultMaxTokens)
		}
		return fmt.Sprintf(`to take it out: --params '{"%s": null%s}'`, name, instead)
	}
	return ""
}
