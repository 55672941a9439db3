// Package reader stands in for a language model where none is configured. It
// understands nothing: it returns the sentence of the prompt that shares most
// with the question. It reads every slot alike, so that the order of the
// documents does not change its answer.
package reader

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// Name is what the examples print where an answer comes from this reader.
const Name = "extractive reader (no model: it copies the sentence that shares most with the question)"

// NoAnswer is the answer when no sentence shares a word with the question.
const NoAnswer = "The documents do not say."

var sentenceEnd = regexp.MustCompile(`([.!?])\s+|\n+`)

// Answer answers the last question of the prompt from the text before it. A
// sentence scores by the words, and by the pairs of neighbouring words, that it
// shares with the question; rare ones count more.
func Answer(prompt string) string {
	context, question := split(prompt)
	wanted := terms(question)
	sentences := strings.Split(sentenceEnd.ReplaceAllString(context, "$1\n"), "\n")

	frequency := map[string]int{}
	for _, s := range sentences {
		for t := range terms(s) {
			frequency[t]++
		}
	}
	best, bestScore := NoAnswer, 0.0
	for _, s := range sentences {
		own, score := terms(s), 0.0
		for t := range wanted {
			if own[t] {
				score += math.Log(1 + float64(len(sentences))/float64(frequency[t]))
			}
		}
		// A long sentence shares more by chance.
		score /= math.Sqrt(16 + float64(len(own)))
		if score > bestScore {
			best, bestScore = strings.TrimSpace(s), score
		}
	}
	return best
}

// split cuts the prompt at its last line that asks something. A prompt may label
// that line "Question:".
func split(prompt string) (context, question string) {
	lines := strings.Split(prompt, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasSuffix(strings.TrimSpace(lines[i]), "?") || strings.HasPrefix(lines[i], "Question:") {
			return strings.Join(lines[:i], "\n"), strings.TrimPrefix(lines[i], "Question:")
		}
	}
	return prompt, prompt
}

// terms returns the words of a text that carry meaning, cut to a crude stem, and
// the pairs of them that stand side by side.
func terms(text string) map[string]bool {
	found := map[string]bool{}
	last := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if stopWords[w] {
			continue
		}
		w = strings.TrimSuffix(w, "s")
		found[w] = true
		if last != "" {
			found[last+" "+w] = true
		}
		last = w
	}
	return found
}

var stopWords = func() map[string]bool {
	stop := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be by can do does for from has have how i if in is it its long many may me much my of on or our so that the their them there they this to was we what when where which who will with you your") {
		stop[w] = true
	}
	return stop
}()
