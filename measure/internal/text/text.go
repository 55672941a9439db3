package text

import (
	"encoding/json"
	"strconv"
)

// Count writes a number of things, such as "1 line" or "2 lines".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// JSON writes a value in one line, or says why it cannot be written.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
