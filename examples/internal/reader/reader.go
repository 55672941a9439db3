// Package reader stands in for a language model where none is configured. It
// understands nothing: it returns the sentence of the prompt that shares most
// with the question, and cites the document in which it stands, if that has a
// number. It reads every slot alike, so that the order of the documents does not
// change the sentence.
package reader

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Name is what the examples print where an answer comes from this reader.
const Name = "extractive reader (no model): the sentence most like the question"

// NoAnswer is the answer when no sentence shares a word with the question.
const NoAnswer = "The documents do not say."

// Hint follows the answers of this reader.
const Hint = `This reader reads every slot alike, and a model may not. To ask one, set
OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and OPENAI_MODEL.`

var sentenceEnd = regexp.MustCompile(`([.!?])\s+|\n+`)

// Answer answers the last question of the prompt, from the text before it or else
// from the text after it. A sentence scores by the words, and by the pairs of
// neighbouring words, that it shares with the question; rare ones count more.
func Answer(prompt string) string {
	before, question, after := split(prompt)
	if answer := bestSentence(before, question); answer != "" {
		return answer
	}
	if answer := bestSentence(after, question); answer != "" {
		return answer
	}
	return NoAnswer
}

// label is the number of a document, before its text or on a line of its own.
var label = regexp.MustCompile(`^\[\d+\](?:\s|$)`)

func bestSentence(context, question string) string {
	sentences := strings.Split(sentenceEnd.ReplaceAllString(context, "$1\n"), "\n")
	cites, cite := make([]string, len(sentences)), ""
	for i, s := range sentences {
		if number := label.FindString(s); number != "" {
			cite, sentences[i] = strings.TrimSpace(number), s[len(number):]
		}
		cites[i] = cite
	}
	best, bestScore := "", 0.0
	for i, score := range Shared(question, sentences) {
		if score > bestScore {
			best, bestScore = strings.TrimSpace(strings.TrimSpace(sentences[i])+" "+cites[i]), score
		}
	}
	return best
}

// Shared returns how much each text shares with a question: the words, and the pairs
// of neighbouring words, that both have. Those that few of the texts have count more.
func Shared(question string, texts []string) []float64 {
	wanted := slices.Sorted(maps.Keys(terms(question))) // a sum depends on the order of its parts
	frequency := map[string]int{}
	owns := make([]map[string]bool, len(texts))
	for i, text := range texts {
		owns[i] = terms(text)
		for t := range owns[i] {
			frequency[t]++
		}
	}
	scores := make([]float64, len(texts))
	for i, own := range owns {
		for _, t := range wanted {
			if own[t] {
				scores[i] += math.Log(1 + float64(len(texts))/float64(frequency[t]))
			}
		}
		scores[i] /= math.Sqrt(16 + float64(len(own))) // a long text shares more by chance
	}
	return scores
}

// split cuts the prompt at its last line that is labelled "Question:", or else at
// its last line that ends in a question mark. A prompt may ask twice: the question
// does not stay in the text before it.
func split(prompt string) (before, question, after string) {
	lines := strings.Split(prompt, "\n")
	at := last(lines, func(line string) bool { return strings.HasPrefix(line, questionLabel) })
	if at < 0 {
		at = last(lines, func(line string) bool { return strings.HasSuffix(strings.TrimSpace(line), "?") })
	}
	if at < 0 {
		return prompt, prompt, ""
	}
	asked := lines[at]
	earlier := slices.DeleteFunc(slices.Clone(lines[:at]), func(line string) bool { return line == asked })
	return strings.Join(earlier, "\n"), strings.TrimPrefix(asked, questionLabel), strings.Join(lines[at+1:], "\n")
}

const questionLabel = "Question:"

func last(lines []string, is func(string) bool) int {
	for i, line := range slices.Backward(lines) {
		if is(line) {
			return i
		}
	}
	return -1
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
