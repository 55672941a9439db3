package handbook_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/examples/handbook"
)

var articles = regexp.MustCompile(`\b(a|an|the)\b`)

// normalize prepares a text for the search of an answer: lower case, no
// punctuation, no articles, single spaces.
func normalize(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	return strings.Join(strings.Fields(articles.ReplaceAllString(text, " ")), " ")
}

func TestEachAnswerStandsInExactlyOneDocument(t *testing.T) {
	texts := map[string]string{}
	err := fs.WalkDir(handbook.Docs(), ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text, err := fs.ReadFile(handbook.Docs(), file)
			texts[file] = string(text)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 25 || len(questions) < 120 {
		t.Fatalf("%d documents and %d questions, want at least 25 and 120", len(texts), len(questions))
	}
	seen := map[string]bool{}
	for _, q := range questions {
		if seen[q.Question] {
			t.Errorf("%q is asked twice", q.Question)
		}
		seen[q.Question] = true
		if len(q.Contexts) != 1 || len(q.Answers) == 0 {
			t.Fatalf("%q has %d contexts and %d answers", q.Question, len(q.Contexts), len(q.Answers))
		}
		gold := q.Contexts[0]
		if !strings.Contains(texts[gold.ID], gold.Text) {
			t.Errorf("%q: the gold paragraph is not in %s", q.Question, gold.ID)
		}
		for _, answer := range q.Answers {
			var holders []string
			for file, text := range texts {
				if strings.Contains(normalize(text), normalize(answer)) {
					holders = append(holders, file)
				}
			}
			if !slices.Equal(holders, []string{gold.ID}) {
				t.Errorf("%q: the answer %q stands in %v, want %s alone", q.Question, answer, holders, gold.ID)
			}
			if !strings.Contains(normalize(gold.Text), normalize(answer)) {
				t.Errorf("%q: the answer %q is not in the gold paragraph", q.Question, answer)
			}
		}
	}
	if !seen["Can I get a refund after 45 days?"] {
		t.Error("the README's question is missing")
	}
}

func TestChunksKeepEveryParagraph(t *testing.T) {
	chunks, err := handbook.Chunks()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		if !slices.ContainsFunc(chunks, func(c handbook.Chunk) bool {
			return c.Source == q.Contexts[0].ID && strings.HasSuffix(c.Text, q.Contexts[0].Text)
		}) {
			t.Errorf("no chunk holds the gold paragraph of %q", q.Question)
		}
	}
}
