// Package handbook holds the corpus of the examples: the handbook of an invented
// outdoor shop, Tarn & Fell, and questions whose answers stand in one place only.
package handbook

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed docs
var docs embed.FS

//go:embed questions.jsonl
var questions []byte

// Docs returns the handbook as a folder of Markdown and text files.
func Docs() fs.FS {
	folder, err := fs.Sub(docs, "docs")
	if err != nil {
		panic(err) // the folder is embedded: this cannot happen
	}
	return folder
}

// Question is one line of questions.jsonl: a question, its accepted answers, and
// the paragraph that holds them.
type Question struct {
	Question string    `json:"question"`
	Answers  []string  `json:"answers"`
	Contexts []Context `json:"ctxs"`
}

// Context is a passage given with a question.
type Context struct {
	ID        string `json:"id"` // the file's name
	Title     string `json:"title"`
	Text      string `json:"text"`
	IsGold    bool   `json:"isgold"`
	HasAnswer bool   `json:"hasanswer"`
}

// Questions returns all questions, grouped by the document that answers them.
func Questions() ([]Question, error) {
	var all []Question
	lines := bufio.NewScanner(bytes.NewReader(questions))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("questions.jsonl, line %d: %w", len(all)+1, err)
		}
		all = append(all, q)
	}
	return all, lines.Err()
}

// Answer returns the accepted answer of a question of the handbook; false for any
// other question.
func Answer(question string) (string, bool) {
	all, err := Questions()
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	for _, q := range all {
		if q.Question == question {
			return q.Answers[0], true
		}
	}
	return "", false
}

// Chunk is one paragraph of the handbook, its heading on top.
type Chunk struct {
	Source   string // the file's name
	Position int    // its place in the file, from 0
	Text     string
}

// ID names the chunk, as in "refunds.md#2".
func (c Chunk) ID() string { return fmt.Sprintf("%s#%d", c.Source, c.Position) }

// Chunks cuts the handbook into paragraphs, in the order of the files.
func Chunks() ([]Chunk, error) {
	var chunks []Chunk
	err := fs.WalkDir(Docs(), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Docs(), file)
		if err != nil {
			return err
		}
		heading, position := "", 0
		for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
			block = strings.TrimSpace(block)
			if position == 0 && heading == "" || strings.HasPrefix(block, "#") {
				heading = strings.TrimLeft(block, "# ")
				continue
			}
			chunks = append(chunks, Chunk{path.Base(file), position, heading + "\n" + block})
			position++
		}
		return nil
	})
	return chunks, err
}
