package dataset

import "github.com/bookend-rag/bookend/measure/judge"

// Rules say which lines of a file become cases and how much a file may hold. The
// zero value is what Open uses.
type Rules struct {
	// MinDocuments leaves out the cases with fewer documents. 0 means 1.
	MinDocuments int
	// Scorer finds the answers in the gold document of a question; a score above 0
	// is a find. nil means judge.BestSubspan. Give the scorer of the sweep when its
	// answers are no plain text, as with Regexp.
	Scorer judge.Scorer
	// Lists takes question-answer lines as what a retriever returned, best first: with
	// any number of gold documents, none included, and answers absent from them. Gold
	// are the documents that Labels name, else those that the line marks, else those in
	// which Scorer finds an answer (judge.BestSubspan in place of judge.TokenF1, which
	// finds one wherever a single word agrees). A line without answers gets those of
	// Labels; a key-value file is refused.
	Lists bool
	// Requests takes the lists as what was asked one after the other, not as questions
	// of an experiment: a question that an earlier line has is kept, and so is one
	// without an answer, or of which nothing but its documents is known. Its keys "time",
	// as RFC 3339 has it, and "conversation" are read. It needs Lists.
	Requests bool
	// OneGold leaves out the lists that do not have exactly one gold document. A sweep
	// of lists needs it.
	OneGold bool
	// Choose says by its Case.ID whether a case is wanted: one split of a file. The
	// others are left out as NotChosen. nil: all.
	Choose func(id string) bool
	// By names a field of a line that says of which kind a question is, such as its
	// language or tenant; a line without it may have it in Labels. It becomes Case.Kind.
	// ByDocuments is the length of the list where no line has that field. A case of New
	// has its Kind already. Empty: there are no kinds.
	By string
	// Labels are the answers of questions whose lines have none. They need Lists.
	Labels Labels
	// MaxLine, MaxUnpacked and MaxLines refuse a larger file. 0 means the Default.
	MaxLine     int
	MaxUnpacked int64
	MaxLines    int
}

func (r Rules) withDefaults() (Rules, error) {
	if r.MinDocuments < 0 || r.MaxLine < 0 || r.MaxUnpacked < 0 || r.MaxLines < 0 || r.MaxLine > 1<<30 || r.MaxLines > 1<<30 || r.MaxUnpacked > 1<<60 {
		return r, &Error{Rule: "Rules must hold numbers of 0 or more, MaxLine and MaxLines of at most 2^30, MaxUnpacked of at most 2^60", Err: ErrLimit}
	}
	r.MinDocuments = max(r.MinDocuments, 1)
	if r.Scorer == nil {
		r.Scorer = judge.BestSubspan
	}
	if r.MaxLine == 0 {
		r.MaxLine = DefaultMaxLine
	}
	if r.MaxUnpacked == 0 {
		r.MaxUnpacked = DefaultMaxUnpacked
	}
	if r.MaxLines == 0 {
		r.MaxLines = DefaultMaxLines
	}
	return r, nil
}
