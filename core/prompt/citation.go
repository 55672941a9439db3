package prompt

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// Citation is one number that an answer cites.
type Citation struct {
	Label int
	// Exists says whether a document of the prompt has that label. It does not say
	// that the document supports what the answer claims.
	Exists bool
	Rank   int // of that document, 0 the best of all that came in; -1 for none
}

// cited is a list of numbers in brackets: [2], [1, 3], [1; 3].
var cited = regexp.MustCompile(`\[\s*\d+(?:\s*[,;]\s*\d+)*\s*\]`)

// Citations reads the labels that an answer cites, in the form [2] or [1, 3], each
// once and in the order of their first appearance, and says for each which
// document it is, and whether there is one. a is the arrangement of the prompt: that of a
// core.Trace, a core.Event or a Prompt. Existing is not the same as supporting: whether the cited document says what the answer claims is
// for somebody to check.
func Citations(answer string, a core.Arrangement) []Citation {
	labels := a.Labels()
	var found []Citation
	seen := map[int]bool{}
	for _, list := range cited.FindAllString(answer, -1) {
		for _, number := range strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' }) {
			label, err := strconv.Atoi(number)
			if err != nil || seen[label] {
				continue
			}
			seen[label] = true
			c := Citation{Label: label, Rank: -1}
			if 1 <= label && label <= len(labels) && labels[label-1] >= 0 {
				c.Exists, c.Rank = true, labels[label-1]
			}
			found = append(found, c)
		}
	}
	return found
}

// Citations reads the labels that an answer to this prompt cites; see the func
// Citations. Arrangement.IndexOf finds the document of a rank in the input.
func (p Prompt) Citations(answer string) []Citation { return Citations(answer, p.Arrangement) }
