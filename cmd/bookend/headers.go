package main

import (
	"strings"

	"github.com/bookend-rag/bookend/measure/openai"
)

const maxHeader = 64 << 10 // bytes of a file with a value

// parseHeaders reads the values of --header or its like, which stay out of errors.
func parseHeaders(s streams, flag string, all []string) (map[string]openai.Key, error) {
	headers := map[string]openai.Key{}
	for _, given := range all {
		name, value, ok := strings.Cut(given, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usage("--%s is NAME=VALUE, such as api-key=env:AZURE_KEY or api-key=@FILE", flag)
		}
		if variable, ok := strings.CutPrefix(value, "env:"); ok {
			if value = strings.TrimSpace(s.getenv(variable)); value == "" {
				return nil, usage("--%s %s: the variable %s is not set, or empty", flag, name, variable)
			}
		}
		if path, ok := strings.CutPrefix(value, "@"); ok {
			text, err := readFlagFile(flag, path, maxHeader)
			if err != nil {
				return nil, err
			}
			value = strings.TrimSpace(string(text))
		}
		headers[name] = openai.NewKey(value)
	}
	return headers, nil
}
