// Package nearest finds the name that a misspelled one was probably meant to be.
package nearest

import "strings"

// Of returns the name that takes the fewest changes to get from word, where a
// change puts in, takes out or replaces a letter, or swaps two neighbours; letter
// case, hyphens and underscores are all one. It is "" where more than a third of
// the word would change. It costs O(len(word)) for each letter of the names; words
// of more than 64 bytes have no nearest name.
func Of(word string, names []string) string {
	plain := strings.NewReplacer("_", "", "-", "")
	word = plain.Replace(strings.ToLower(word))
	if len(word) > 64 {
		return ""
	}
	best, least := "", 1+max(len(word)/3, 1)
	for _, name := range names {
		if d := distance(word, plain.Replace(strings.ToLower(name))); d < least {
			best, least = name, d
		}
	}
	return best
}

// Hint asks whether the nearest name was meant, as in "; did you mean head-tail?". It
// is "" where there is none, so that it can follow a complaint about word in any case.
func Hint(word string, names []string) string {
	if near := Of(word, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// distance counts changes from a to b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
