package grade

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// DefaultMaxTokens is what Model.Params take for zero: room for a reason before the score.
const DefaultMaxTokens = 500

// Model says which model judges, and how it is asked.
type Model struct {
	// Model is asked, by chat; Name is the name that its server knows, Server its address
	// without secrets, for journals and reports.
	Model        model.Model
	Name, Server string
	// Params are those that Model asks with. MaxTokens 0: DefaultMaxTokens.
	Params model.Params
	// Prompt is what the model is told, with {{question}}, {{answer}}, {{references}} and
	// {{documents}} where those are to stand. The answer must stand there. References are
	// one a line; documents as "Document [1](Title: …) …", from top to bottom.
	//
	// It should ask for the score of 0 to 1 at the end: Score says how that is read.
	Prompt string
	// FirstLine judges the first line of each answer, not all of it.
	FirstLine bool
	// Count returns the tokens of a text, for caps and limits. nil: model.EstimateTokens.
	Count func(text string) int
}

// placeholder finds what a prompt names, and placeholders are those that there are.
var (
	placeholder  = regexp.MustCompile(`\{\{\s*([A-Za-z_]*)\s*\}\}`)
	placeholders = []string{"question", "answer", "references", "documents"}
)

// byModel is a Model that was checked.
type byModel struct {
	Model
	description judge.Description
}

// New returns a Grader that asks a model. Every fault is a *core.ConfigError, and they
// come joined.
func New(m Model) (judge.Grader, error) {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if m.Model == nil {
		fault("Model", m.Model, "must be a model to ask")
	}
	if m.Name == "" {
		fault("Name", m.Name, "must name the model")
	}
	named := map[string]bool{}
	for _, found := range placeholder.FindAllStringSubmatch(m.Prompt, -1) {
		if named[found[1]] = true; !slices.Contains(placeholders, found[1]) {
			fault("Prompt", found[0], "is not a placeholder: use {{question}}, {{answer}}, {{references}} or {{documents}}")
		}
	}
	if !named["answer"] {
		fault("Prompt", m.Prompt, "must hold {{answer}}: the answer that is judged")
	}
	if m.Params.MaxTokens == 0 {
		m.Params.MaxTokens = DefaultMaxTokens
	}
	if m.Params.MaxTokens < 0 || m.Params.MaxTokens > model.MaxTokens {
		fault("Params.MaxTokens", m.Params.MaxTokens, fmt.Sprintf("must be 0 to %d", model.MaxTokens))
	}
	if m.Params.Completion {
		fault("Params.Completion", true, "must be false: a judge is asked by chat")
	}
	if m.Count == nil {
		m.Count = model.EstimateTokens
	}
	if _, err := model.CallKey(m.Name, m.Params, model.Prompt{}, 0); err != nil {
		faults = append(faults, err)
	}
	d := judge.Description{Model: m.Name, Server: m.Server, Params: &m.Params, Prompt: m.Prompt, FirstLine: m.FirstLine}
	return &byModel{m, d}, errors.Join(faults...)
}

// Describe implements judge.Grader.
func (m *byModel) Describe() judge.Description { return m.description }

// String names the model.
func (m *byModel) String() string { return m.description.String() }

// Call implements judge.Grader.
func (m *byModel) Call(q judge.Query) (model.Call, error) {
	parts := map[string]string{"question": q.Question, "answer": q.Answer, "references": strings.Join(q.References, "\n")}
	var documents []string
	for i, d := range q.Documents {
		title := ""
		if d.Title != "" {
			title = "(Title: " + d.Title + ")"
		}
		documents = append(documents, fmt.Sprintf("Document [%d]%s %s", i+1, title, d.Text))
	}
	parts["documents"] = strings.Join(documents, "\n")
	// In one pass: what an answer says is not a placeholder.
	text := placeholder.ReplaceAllStringFunc(m.Prompt, func(found string) string {
		return parts[placeholder.FindStringSubmatch(found)[1]]
	})
	ask := model.User(text)
	key, err := model.CallKey(m.Name, m.Params, ask, 0)
	return model.Call{Key: key, Prompt: ask, Tokens: max(m.Count(text), 0), MaxTokens: m.Params.MaxTokens}, err
}

// Grade implements judge.Grader. An answer that was refused or cut off, or without a
// score, is an error that is not worth another try: the same question would bring it
// again.
func (m *byModel) Grade(ctx context.Context, p model.Prompt) (float64, model.Answer, error) {
	words, err := m.Model.Model.Ask(ctx, p)
	if err != nil {
		return 0, words, err
	}
	score, ok := Score(words.Text)
	why := ""
	switch finish := model.FinishOf(words.FinishReason); {
	case ok && finish != model.CutOff:
		return score, words, nil
	case finish == model.CutOff:
		why = fmt.Sprintf("was cut off at the limit of %d tokens", m.Params.MaxTokens)
	case finish == model.Refused:
		why = "refused"
	case strings.TrimSpace(words.Text) == "":
		why = "answered nothing"
	default:
		why = "ended with " + shown(last(words.Text)) + ", which is not a score of 0 to 1 as in \"Score: 0.5\""
	}
	return 0, words, &model.Error{Permanent: true, Err: fmt.Errorf("%s %s", m, why)}
}

// scoreLine is a line with nothing but a score, perhaps named, perhaps emphasised.
var scoreLine = regexp.MustCompile(`(?i)^[*_# ]*(?:score[*_]*\s*[:=]\s*)?[*_ ]*([0-9]*\.?[0-9]+)[*_ ]*\.?$`)

// Score reads a score of 0 to 1 out of the words of a judge, behind its thinking
// (model.AfterThinking): a JSON object with the key "score", in a code fence or not,
// or else a last line that holds a number alone, or "Score: " and a number. Whatever else
// there is, such as "8/10", "80 %" or a number in a sentence, is no score: nothing is
// guessed.
func Score(words string) (score float64, ok bool) {
	text, _ := model.AfterThinking(words)
	text = strings.TrimSpace(text)
	if fenced, ok := strings.CutSuffix(text, "```"); ok {
		if at := strings.LastIndex(fenced, "```"); at >= 0 {
			text = strings.TrimSpace(strings.TrimPrefix(fenced[at+3:], "json"))
		}
	}
	var object struct {
		Score *float64 `json:"score"`
	}
	if strings.HasPrefix(text, "{") {
		if json.Unmarshal([]byte(text), &object) != nil || object.Score == nil {
			return 0, false
		}
		score = *object.Score
	} else {
		found := scoreLine.FindStringSubmatch(last(text))
		if found == nil {
			return 0, false
		}
		var err error
		if score, err = strconv.ParseFloat(found[1], 64); err != nil {
			return 0, false
		}
	}
	return score, score >= 0 && score <= 1
}

// last returns the last line of a text that has one.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(cmp.Or(lines[len(lines)-1], text))
}
