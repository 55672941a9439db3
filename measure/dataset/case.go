package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/judge"
)

// Task says what a case asks for.
type Task string

// The tasks.
const (
	QuestionAnswer Task = "question-answer" // a question, and passages, one of which answers it
	KeyValue       Task = "key-value"       // a key, and pairs, one of which has its value
)

// Document is one passage or one pair. In a key-value case Title is the key, Text
// the value, and ID is empty.
type Document struct {
	ID, Title, Text string
	Source          string   // the text that the passage was cut from; empty: none known
	Position        *float64 // where in it; nil: not known
}

// Case is one question with its documents, exactly one of which is the gold one.
// A case from a Dataset obeys these rules, but for Rules.Lists; one made by hand
// should.
type Case struct {
	// ID names the question: 16 hexadecimal digits of the SHA-256 of its text,
	// white space collapsed and letters lowered. The same question has the same ID
	// in every file, whatever documents stand beside it. In a key-value case the
	// value counts as well, and both count as they are written.
	ID   string
	Task Task
	Line int // the line of the file, from 1; 0 when the case was generated

	Question string   // as in the file; the key of a key-value case
	Answers  []string // one or more; the value of a key-value case

	// Cluster is the same for questions that hang together, such as copies in other
	// words, questions about one text or of one user: what they say counts as one. A
	// file names it under "cluster"; questions that differ in capitals, punctuation,
	// articles and white space alone hang together whatever it says. As a Dataset
	// returns it, it is a hash, and empty for a question alone.
	Cluster string

	// Kind is the value of the field Rules.By; empty where there is none.
	Kind string

	Documents []Document // one or more, in the order of the file: best first in a list
	Gold      int        // the index of the gold document in Documents; -1: none, in a list
	// Time and Conversation tell when a question was asked and of which conversation it
	// is a turn, where the line has time and conversation; else they are zero. Lists of
	// Rules.Requests alone have them.
	Time         time.Time
	Conversation string
	// Golds are the indices of all gold documents, ascending: one, or any number in
	// the list of a retriever. It may be nil where a case was made by hand.
	Golds []int
}

// WithGoldAt returns the n documents of a prompt whose slot, from 0, holds the
// gold document. Only the gold document moves: the others are the first n-1 of
// them and keep their order, so that two slots differ by one move. The case is not
// written to, and the result is a new slice. It costs O(n).
//
// Like an index, it panics unless 0 <= slot < n <= len(c.Documents) and c.Gold is
// an index of c.Documents; Rules.MinDocuments leaves out the cases that are too
// short.
func (c Case) WithGoldAt(slot, n int) []Document {
	if c.Gold < 0 || c.Gold >= len(c.Documents) || slot < 0 || slot >= n || n > len(c.Documents) {
		panic(fmt.Sprintf("dataset: gold document %d at slot %d of %d, in a case of %d documents",
			c.Gold, slot, n, len(c.Documents)))
	}
	placed := make([]Document, 0, n)
	for i, document := range c.Documents {
		if len(placed) == slot {
			placed = append(placed, c.Documents[c.Gold])
		}
		if len(placed) == n {
			break
		}
		if i != c.Gold {
			placed = append(placed, document)
		}
	}
	if len(placed) < n { // the last slot of all
		placed = append(placed, c.Documents[c.Gold])
	}
	return placed
}

// holdsAnswer tells whether the scorer finds an answer in the text or the title.
func holdsAnswer(scorer judge.Scorer, d Document, answers []string) bool {
	return scorer.Score(d.Text, answers) > 0 || scorer.Score(d.Title, answers) > 0
}

// questionID gives a question its ID, which ignores case and white space.
func questionID(question string) string {
	return hashID(strings.ToLower(strings.Join(strings.Fields(question), " ")))
}

// pairID gives a pair its ID. Equal keys with other values are other questions.
func pairID(key, value string) string {
	return hashID(fmt.Sprintf("%d:%s%s", len(key), key, value))
}

func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func hasText(s string) bool { return strings.TrimSpace(s) != "" }

func anyNormalizes(answers []string) bool {
	return slices.ContainsFunc(answers, func(a string) bool { return judge.Normalize(a) != "" })
}
