package text

import "strconv"

// Count writes a number of things, such as "1 line" or "2 lines".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
