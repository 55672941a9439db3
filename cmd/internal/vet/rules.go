package vet

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// Rule is one fault that is looked for. Its page, which --explain prints and docs/vet
// holds, is made of nothing else.
type Rule struct {
	ID    string // such as "BE101"
	Name  string // such as "second-best-in-the-middle"
	Level Level
	Title string // one line
	Why   string // what happens to the documents, in paragraphs
	Fine  string // when the setting is right as it is
	Fix   string // what to do
	// Before is an example in YAML that has the fault, After one that has not.
	Before, After string
	Sources       []string
	check         func(c *checker, rule *Rule, chain *Chain) error
}

// Rules returns every rule by ID. The caller must not change them.
func Rules() []*Rule {
	return []*Rule{
		orderBeforeTrim, orderBeforeReranker, orderTwice, thresholdAgainstDirection, budgetOverWindow, unknownOrder,
		secondBestInTheMiddle, bestLast, questionBeforeDocuments, tooManyChunks, rerankerWithoutTrim, orderLosesOnCurve,
	}
}

// Lookup returns the rule of an ID or a name, in any case.
func Lookup(id string) (*Rule, error) {
	var ids []string
	for _, r := range Rules() {
		if strings.EqualFold(r.ID, strings.TrimSpace(id)) || strings.EqualFold(r.Name, strings.TrimSpace(id)) {
			return r, nil
		}
		ids = append(ids, r.ID)
	}
	return nil, &core.ConfigError{Field: "rule", Value: id, Rule: "is not known; the rules are " + strings.Join(ids, ", ")}
}

// Page returns the page of a rule in Markdown.
func (r *Rule) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n`%s`, %s\n\n%s\n\n## The fix\n\n%s\n\n```yaml\n# before\n%s```\n\n```yaml\n# after\n%s```\n\n## When it is fine\n\n%s\n",
		r.ID, r.Title, r.Name, levelWords[r.Level], r.Why, r.Fix, r.Before, r.After, r.Fine)
	if len(r.Sources) > 0 {
		b.WriteString("\n## Sources\n\n")
		for _, s := range r.Sources {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	return b.String()
}

var levelWords = map[Level]string{
	Error:   "an error.",
	Warning: "a warning, since it depends on the model; with fewer than five documents a note.",
}

// Index returns the table of the rules and of the dialects in Markdown, which
// docs/vet.md holds.
func Index() string {
	var b strings.Builder
	b.WriteString("| rule | level | what it finds |\n|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [%s](vet/%s.md) `%s` | %s | %s |\n", r.ID, r.ID, r.Name, r.Level, r.Title)
	}
	b.WriteString("\n| file | how it is known | documented at |\n|---|---|---|\n")
	known := map[string]string{
		"Bookend": "sections `order` and `prompt`", "Haystack": "`components` and `connections`",
		"AutoRAG": "`node_lines`", "Dify": "`kind: app` with a graph or `dataset_configs`",
	}
	for _, d := range dialects() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Name, known[d.Name], strings.Join(d.Sources, "<br>"))
	}
	b.WriteString("| home-made | words such as `retriever`, `rerank_top_n`, `chunk_order` at any depth | – |\n")
	return b.String()
}
