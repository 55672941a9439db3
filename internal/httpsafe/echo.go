package httpsafe

import "strings"

// An echo is a run of a text that was sent: of at least half of it, but 4 bytes are
// enough for none, and 16 for any.
const (
	leastEcho = 4
	mostEcho  = 16
)

// WithoutEcho masks what a printable text repeats of the texts that were sent, whole
// or in part: servers quote a question in what they say about it. It knows runs of
// the same characters alone; what a server has translated or encoded stays. A text of
// less than four bytes is no secret.
func WithoutEcho(text string, sent ...string) string {
	echoed := make([]bool, len(text))
	found := false
	mark := func(from, to int) {
		found = true
		for i := from; i < to; i++ {
			echoed[i] = true
		}
	}
	whole, isCut := strings.CutSuffix(text, "…")
	for _, s := range sent {
		s = Printable(s)
		least := min(max(len(s)/2, leastEcho), mostEcho)
		for from := 0; from+least <= len(text); from++ {
			if strings.Contains(s, text[from:from+least]) {
				mark(from, from+least)
			}
		}
		for n := min(least, len(s)); isCut && n >= leastEcho; n-- { // an echo that had just begun
			if strings.HasSuffix(whole, s[:n]) {
				mark(len(whole)-n, len(whole))
				break
			}
		}
	}
	if !found {
		return text
	}
	var rest strings.Builder
	for i := range len(text) {
		switch {
		case !echoed[i]:
			rest.WriteByte(text[i])
		case i == 0 || !echoed[i-1]:
			rest.WriteString(mask)
		}
	}
	return Printable(rest.String()) // a run may end within a character
}
