package prompt

import "github.com/bookend-rag/bookend/core"

// Citation is one number that an answer cites, or one that could not be read.
type Citation struct {
	Label int // 0 where Unread is set
	// Exists says whether a document of the prompt has that label. It does not say
	// that the document supports what the answer claims.
	Exists bool
	Rank   int // of that document, 0 the best of all that came in; -1 for none
	// Unread is what looks like a citation and is not understood, as it stands in the
	// answer, shortened: a number that is too large, as in "[123456789012345678901]", or
	// a form of another kind, as in "[S2]" or "【4:0†source】". Empty for a number.
	Unread string
}

// Citations reads the labels that an answer cites, each once and in the order of their
// first appearance, and says for each which document it is, and whether there is one.
// What looks like a citation and is not understood is a Citation, too: see
// Citation.Unread. a is the arrangement of the prompt: that of a core.Trace, a core.Event
// or a Prompt. Existing is not the same as supporting: whether the cited document says what the answer claims is for somebody to
// check.
//
// It reads numbers in square brackets, also in full-width and lenticular ones, alone, in
// lists and in ranges: [2], [1, 3], [1 and 3], [6-8], [1]–[3], 【2】, [^2], with a word
// before them: [Document 2], [doc2], [citation:2]; the word and a number without
// brackets: Document 2, Sources 1 and 3; and superscripts after a word: refund². The
// words are known in some languages. A number alone or in parentheses is no citation.
func Citations(answer string, a core.Arrangement) []Citation {
	ranks := make(map[int]int, len(a.Slots)) // by label
	for _, p := range a.Slots {
		if p.Label > 0 {
			ranks[p.Label] = p.Rank
		}
	}
	var found []Citation
	numbers, unread := map[int]bool{}, map[string]bool{}
	scan := scanner{text: answer}
	for scan.next() {
		for _, label := range scan.labels {
			if numbers[label] {
				continue
			}
			numbers[label] = true
			c := Citation{Label: label, Rank: -1}
			if rank, exists := ranks[label]; exists {
				c.Exists, c.Rank = true, rank
			}
			found = append(found, c)
		}
		if text := scan.unread; text != "" && !unread[text] {
			unread[text] = true
			found = append(found, Citation{Rank: -1, Unread: text})
		}
	}
	return found
}

// Citations reads the labels that an answer to this prompt cites; see the func
// Citations. Arrangement.IndexOf finds the document of a rank in the input.
func (p Prompt) Citations(answer string) []Citation { return Citations(answer, p.Arrangement) }
