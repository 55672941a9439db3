package reuse

import "fmt"

// Stats is what a Memory predicted, beside what the provider confirmed. The two are
// shares of different wholes: the memory knows the documents alone, in bytes, and a
// provider counts the tokens of whole prompts, rules and history among them.
type Stats struct {
	Requests       int64 // whose order the memory was told
	DocumentBytes  int64 // of the documents in them
	PredictedBytes int64 // of these, what stood as an earlier prompt began: what would come from a cache that keeps as much as the memory

	Answers      int64 // that told how long their prompt was
	PromptTokens int64 // of their prompts
	CachedTokens int64 // of these, what the provider says came from its cache; one that says nothing counts as none

	Remembered int // documents in the memory now, by Config.MaxDocuments
}

// String returns the counts in two sentences.
func (s Stats) String() string {
	text := fmt.Sprintf("predicted: %d requests with %d bytes of documents, of which %d (%s) stood as an earlier prompt began.",
		s.Requests, s.DocumentBytes, s.PredictedBytes, percent(s.PredictedBytes, s.DocumentBytes))
	if s.Answers == 0 {
		return text + " Confirmed: no answer told how long its prompt was."
	}
	return text + fmt.Sprintf(" Confirmed: %d answers to %d tokens of prompts, of which the provider says %d (%s) came from its cache.",
		s.Answers, s.PromptTokens, s.CachedTokens, percent(s.CachedTokens, s.PromptTokens))
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "no share"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}
