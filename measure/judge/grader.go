package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/measure/model"
)

// Grader is a scorer that has to be asked: a program of one's own, a model, a person.
// It may fail, and it may cost. run.Run journals, limits and retries what it is asked,
// so that it should do none of that. It must be safe for concurrent use. Package grade
// has two.
type Grader interface {
	// Describe says who judges, and how. Where two descriptions have one ID, a score of
	// the one counts as a score of the other.
	Describe() Description
	// Call says what is asked about an answer: Key, Prompt, Tokens and MaxTokens. Answers
	// whose calls have one key share one score.
	Call(q Query) (model.Call, error)
	// Grade asks once. The score is 0 to 1; whatever is none is an error, with which
	// run.Run does what it does with those of a model.Model. The answer holds the words
	// of the judge and what they took. It returns soon after ctx ends, and in a time of
	// its own choice in any case.
	Grade(ctx context.Context, p model.Prompt) (score float64, words model.Answer, err error)
}

// Query is an answer that is to be judged, with what it answers.
type Query struct {
	Question   string           `json:"question"`
	Documents  []model.Document `json:"documents"` // as the prompt showed them, from top to bottom
	Answer     string           `json:"answer"`    // without thinking; its first line alone where that is judged
	References []string         `json:"references"`
}

// Description says who judges answers, for journals and reports. It holds no secret.
type Description struct {
	Command   string        `json:"command,omitempty"` // of a program
	Model     string        `json:"model,omitempty"`
	Server    string        `json:"server,omitempty"` // of the model
	Params    *model.Params `json:"params,omitempty"` // of the model
	Prompt    string        `json:"prompt,omitempty"` // of the model, with its placeholders
	FirstLine bool          `json:"first_line,omitempty"`
}

// String names who judges.
func (d Description) String() string {
	switch {
	case d.Command != "":
		return fmt.Sprintf("the command %q", d.Command)
	case d.Server != "":
		return "the model " + d.Server
	}
	return fmt.Sprintf("the model %q", d.Model)
}

// ID is 16 hexadecimal digits of the SHA-256 of all but the address of the server.
func (d Description) ID() string {
	d.Server = ""
	text, _ := json.Marshal(d) // Params came from JSON, or went into the key of a call
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Asked returns the scorer of answers that a Grader has judged: its scores are those in
// the records. It cannot judge a text.
func Asked(d Description) Scorer { return asked{d} }

type asked struct{ Description }

// Score returns NaN, which Score refuses.
func (asked) Score(string, []string) float64 { return math.NaN() }

// By returns the ID of the Grader whose scores the judging takes out of the records;
// empty where Scorer judges.
func (j Judging) By() string {
	if a, ok := j.Scorer.(asked); ok {
		return a.ID()
	}
	return ""
}

// Check returns an error where the scores in the records are of another text than the
// judging wants.
func (j Judging) Check() error {
	if a, ok := j.Scorer.(asked); ok && a.FirstLine != j.FirstLine {
		text := Judging{FirstLine: a.FirstLine}.JudgedBy()
		return &ScorerError{Name: a.String(), Rule: "has judged the " + text + " alone: judge by another scorer, or run the experiment again"}
	}
	return nil
}

// ScoresOf returns the scores of an answer: by Scorer, or by the score that a Grader
// gave it, of the text that the judging follows; the other score is 0 then, and means
// nothing.
func (j Judging) ScoresOf(text string, answers []string, graded *float64) (Scores, error) {
	switch {
	case j.By() == "":
		return Score(j.Scorer, text, answers)
	case graded == nil || !(*graded >= 0 && *graded <= 1):
		return Score(j.Scorer, text, answers) // the error
	case j.FirstLine:
		return Scores{FirstLine: *graded}, nil
	}
	return Scores{Full: *graded}, nil
}

// Unjudged says what it means that a Grader failed on some answers, and has not been
// asked about others. It is empty where there are none.
func Unjudged(failed, waiting int) (notes []string) {
	if failed > 0 {
		notes = append(notes, fmt.Sprintf("Answers on which the judge failed: %d. Their calls count as failed, and the same command asks it again.", failed))
	}
	if waiting > 0 {
		notes = append(notes, fmt.Sprintf("Answers that are not judged yet: %d. Their calls count as not asked, and the same command asks the judge alone.", waiting))
	}
	return notes
}

// Text returns what is judged of an answer: what follows its thinking, or of that the
// first line. It is empty where there is nothing to judge.
func (d Description) Text(answer string) string {
	text, _ := model.AfterThinking(answer)
	if d.FirstLine {
		text, _, _ = strings.Cut(text, "\n")
	}
	return strings.TrimFunc(text, isSpace)
}
