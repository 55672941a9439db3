package record

import (
	"time"

	"github.com/bookend-rag/bookend/core"
)

// Header is the first line of every record file, its end included, so that no
// other file is taken for one and cut.
const Header = `{"record":"bookend 1"}` + "\n"

// The arms of an Entry.
const (
	Shuffled   = "shuffled"   // in random order: the share of traffic that a curve is read from
	Configured = "configured" // by any other placement
)

// Entry is one retrieval, and the answer to it where one came in time.
type Entry struct {
	Time      time.Time `json:"time"` // of the retrieval, UTC
	RequestID string    `json:"request_id,omitempty"`
	// Conversation is what Config.Conversation returned: requests with an equal one are
	// turns of one conversation, in the order of their times.
	Conversation string `json:"conversation,omitempty"`
	// Question is empty unless texts are recorded, and where the chain did not tell
	// it; QuestionHash and QuestionLength are those of a question that is not
	// recorded.
	Question       string `json:"question,omitempty"`
	QuestionHash   string `json:"question_hash,omitempty"`
	QuestionLength int    `json:"question_length,omitempty"`
	// Documents holds all documents by rank, the best first, with those that were
	// left out.
	Documents []Document `json:"ctxs"`
	// Arrangement says which rank stood in which slot. It has notes where texts are
	// recorded.
	Arrangement core.Arrangement `json:"arrangement"`
	Arm         string           `json:"arm"` // Shuffled or Configured
	// Model and PromptTokens are those of the answer, or of the Config; "" and 0
	// where nobody told them.
	Model        string `json:"model,omitempty"`
	PromptTokens int    `json:"prompt_tokens,omitempty"`
	// Answer is nil where no answer came in time, or none was waited for.
	Answer *Answer `json:"answer,omitempty"`
}

// Document is one retrieved document. Title, Text, Source and Position are empty
// unless texts are recorded.
type Document struct {
	ID    string `json:"id,omitempty"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	// Source is the text that the document was cut from and Position its place there,
	// where the chain's Config finds them.
	Source   string     `json:"source,omitempty"`
	Position *float64   `json:"position,omitempty"`
	Score    core.Score `json:"score"`
	Hash     string     `json:"hash,omitempty"` // of the text; see Config.HashKey
	Length   int        `json:"length"`         // of the text, in bytes
}

// Reply is what a model said to a request: what a chain's Answered hook passes on.
type Reply struct {
	Text string
	// Model and PromptTokens say who answered and to how long a prompt, where that
	// is known; else "" and 0.
	Model        string
	PromptTokens int
	// CachedTokens says how many of PromptTokens came from the provider's cache; 0 also
	// where the provider does not say so.
	CachedTokens int
}

// Answer says what an answer cited. Its text is never recorded.
type Answer struct {
	// Ranks holds the documents that the answer cites, each once, in the order of
	// their first citation, by rank: 0 is the best of all that came in.
	Ranks []int `json:"ranks"`
	// Labels holds the labels by which it cites them, parallel to Ranks.
	Labels []int `json:"labels"`
	// Unknown is the number of other labels that it cites: no document of the prompt
	// has them.
	Unknown int `json:"unknown,omitempty"`
	Length  int `json:"length"` // of the text, in bytes
	// Seconds passed from the retrieval to the answer.
	Seconds float64 `json:"seconds"`
}

// check returns what is wrong with an entry that was read, or "".
func (e *Entry) check() string {
	if err := e.Arrangement.Check(len(e.Documents)); err != nil {
		return err.Error()
	}
	if e.Arm != Shuffled && e.Arm != Configured {
		return "has an arm that is neither shuffled nor configured"
	}
	if e.Answer == nil {
		return ""
	}
	if len(e.Answer.Labels) != len(e.Answer.Ranks) {
		return "has an answer with another number of labels than of ranks"
	}
	for _, rank := range e.Answer.Ranks {
		if rank < 0 || rank >= len(e.Documents) {
			return "has an answer that cites a rank that is not there"
		}
	}
	return ""
}
