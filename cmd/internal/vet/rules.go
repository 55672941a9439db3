package vet

import (
	_ "embed" // the texts of the rules
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// The rules. What each is about stands in rules.yaml.
const (
	orderBeforeTrim         = "BE001"
	orderBeforeReranker     = "BE002"
	orderTwice              = "BE003"
	unknownOrder            = "BE006"
	settingsRefused         = "BE007"
	notChecked              = "BE008"
	secondBestInTheMiddle   = "BE101"
	bestLast                = "BE102"
	questionBeforeDocuments = "BE103"
	tooManyChunks           = "BE104"
	orderLosesOnCurve       = "BE106"
)

// Rule is one fault that is looked for. Its page, which --explain prints and docs/vet
// holds, is made of nothing else.
type Rule struct {
	ID, Name      string // such as "BE101", "second-best-in-the-middle"
	Level         Level
	Title         string // one line
	Why           string // what happens to the documents, in paragraphs
	Fine          string // when the setting is right as it is
	Fix           string // what to do
	Before, After string // examples in YAML, with the fault and without
	Sources       []string
}

//go:embed rules.yaml
var rulesText []byte

// Rules returns every rule by ID. The caller must not change them.
var Rules = sync.OnceValue(func() (rules []*Rule) {
	if err := yaml.Unmarshal(rulesText, &rules); err != nil {
		panic(err) // the text is part of the program
	}
	return rules
})

// Lookup returns the rule of an ID or a name, in any case.
func Lookup(id string) (*Rule, error) {
	var ids []string
	for _, r := range Rules() {
		if strings.EqualFold(r.ID, strings.TrimSpace(id)) || strings.EqualFold(r.Name, strings.TrimSpace(id)) {
			return r, nil
		}
		ids = append(ids, r.ID)
	}
	return nil, &core.ConfigError{Field: "rule", Value: id, Rule: "no rule has that name; the rules are " + strings.Join(ids, ", ") + nearest.Hint(id, ids)}
}

// Page returns the page of a rule in Markdown.
func (r *Rule) Page() string {
	var b strings.Builder
	level := map[Level]string{Error: "an error.", Warning: "a warning, since it depends on the model.", Note: "a note."}
	fmt.Fprintf(&b, "# %s: %s\n\n`%s`, %s\n\n%s\n\n## The fix\n\n%s\n", r.ID, r.Title, r.Name, level[r.Level], r.Why, r.Fix)
	if r.Before != "" {
		fmt.Fprintf(&b, "\n```yaml\n# before\n%s```\n\n```yaml\n# after\n%s```\n", r.Before, r.After)
	}
	fmt.Fprintf(&b, "\n## When it is fine\n\n%s\n", r.Fine)
	if len(r.Sources) > 0 {
		b.WriteString("\n## Sources\n\n- " + strings.Join(r.Sources, "\n- ") + "\n")
	}
	return b.String()
}
