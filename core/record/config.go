package record

import (
	"context"
	"errors"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// What Config takes for zero.
const (
	DefaultMaxMemory  = 64 << 20 // bytes
	DefaultMaxWaiting = 10_000   // requests
)

// Config says what is recorded. The zero value records every retrieval at once,
// without texts and without answers.
type Config struct {
	// Texts records the question, the documents' titles, texts, sources and
	// positions, and the arrangement's notes, which a step of your own may have written. Leave it out
	// where hashes, IDs and lengths will do: a file with texts holds what your
	// documents hold, and what your users asked.
	Texts bool
	// Redact changes every question, title, text and note before anything is made of it,
	// hash and length included. It is called by one goroutine at a time, in the
	// background; an entry for which it panics is dropped. Nil: nothing is changed.
	Redact func(text string) string
	// HashKey makes the hashes keyed ones (HMAC-SHA-256). Without it a hash is the
	// plain SHA-256, which everybody can compute of a text that they guess. Either
	// way it is cut to 128 bits, and says whether two texts are the same.
	HashKey []byte
	// Conversation returns the ID of the conversation that a request belongs to, out of
	// its context, and "" where it has none. It must be safe for concurrent use. Nil:
	// none is recorded. Choose an ID that names nobody: it is recorded as it is.
	Conversation func(context.Context) string
	// Keep says which retrievals are recorded, such as those of one tenant. It must
	// be safe for concurrent use and must not keep the Event. Nil: all.
	Keep func(core.Event) bool

	// Wait is how long a retrieval with a request ID waits for its answer, so that
	// both become one Entry. One whose answer has not come by then is written
	// without. 0: nothing waits, and answers are not taken.
	Wait time.Duration
	// MaxWaiting bounds how many wait; beyond it the oldest is written without its
	// answer. 0 means DefaultMaxWaiting.
	MaxWaiting int
	// MaxMemory bounds, about, the bytes held until they are written, waiting ones
	// included. 0 means DefaultMaxMemory.
	MaxMemory int
	// MaxFile is the most bytes that the file may grow to; what comes after is
	// dropped. 0: no limit.
	MaxFile int64

	// Model names the model of answers that do not name one.
	Model string
	// TitleKey is the metadata field that holds a document's title. Empty: "title".
	TitleKey string
}

func (c *Config) validate() error {
	var faults []error
	notNegative := func(field string, value any, negative bool) {
		if negative {
			faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: "must be 0 (the default) or more"})
		}
	}
	notNegative("Wait", c.Wait, c.Wait < 0)
	notNegative("MaxWaiting", c.MaxWaiting, c.MaxWaiting < 0)
	notNegative("MaxMemory", c.MaxMemory, c.MaxMemory < 0)
	notNegative("MaxFile", c.MaxFile, c.MaxFile < 0)
	if c.MaxWaiting == 0 {
		c.MaxWaiting = DefaultMaxWaiting
	}
	if c.MaxMemory == 0 {
		c.MaxMemory = DefaultMaxMemory
	}
	if c.TitleKey == "" {
		c.TitleKey = "title"
	}
	return errors.Join(faults...)
}
