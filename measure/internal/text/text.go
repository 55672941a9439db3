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

// More writes a number of further questions, such as "one more question".
func More(questions int) string {
	if questions == 1 {
		return "one more question"
	}
	return strconv.Itoa(questions) + " more questions"
}

// JSON writes a value in one line, or says why it cannot be written.
func JSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
