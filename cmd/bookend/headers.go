package main

import (
	"strings"

	"github.com/bookend-rag/bookend/measure/openai"
)

const maxHeader = 64 << 10 // bytes of a file with a value

// headers reads the values of --header, which stay out of errors.
func (e *experiment) headers(s streams) (map[string]openai.Key, error) {
	headers := map[string]openai.Key{}
	for _, given := range e.Header {
		name, value, ok := strings.Cut(given, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usage("--header is NAME=VALUE, such as api-key=env:AZURE_KEY or api-key=@FILE")
		}
		if variable, ok := strings.CutPrefix(value, "env:"); ok {
			if value = strings.TrimSpace(s.getenv(variable)); value == "" {
				return nil, usage("--header %s: the variable %s is not set, or empty", name, variable)
			}
		}
		if path, ok := strings.CutPrefix(value, "@"); ok {
			text, err := readFlagFile("header", path, maxHeader)
			if err != nil {
				return nil, err
			}
			value = strings.TrimSpace(string(text))
		}
		headers[name] = openai.NewKey(value)
	}
	return headers, nil
}
