package prefixcache

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// Kind says how a server keeps the beginnings of earlier prompts.
type Kind string

// The kinds.
const (
	// Tree keeps blocks of tokens, each under those before it, so that any beginning
	// that some earlier prompt had is found. What was not used for longest goes first.
	Tree Kind = "tree"
	// Prompts keeps whole prompts as llama.cpp's server with one slot does: it goes on
	// from the prompt in the slot or from the most similar one in memory, and what it
	// goes on from is changed.
	Prompts Kind = "prompts"
)

// Config says what a cache is like. The zero value is a tree by single tokens that
// forgets nothing.
type Config struct {
	Kind Kind // empty: Tree
	// Block is how many tokens a tree keeps or forgets together: a beginning counts in
	// whole blocks. 0 means 1. Whole prompts have none.
	Block int
	// Minimum is how many tokens a beginning must have before any of it is cached, as
	// the providers have it. 0: none.
	Minimum int
	// Capacity is how many tokens are kept, equal beginnings once in a tree. Each
	// whole prompt counts with all its tokens; the one in the slot does not count. 0: no limit.
	Capacity int
	// Lifetime is how long something is kept that is not used. 0: no limit.
	Lifetime time.Duration
}

// Check returns a *core.ConfigError for each value that breaks a rule, joined, or nil.
func (c Config) Check() error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	switch c.Kind {
	case "", Tree:
	case Prompts:
		if c.Block > 1 {
			fault("Block", c.Block, "must be 0 or 1 for whole prompts, which have no blocks")
		}
	default:
		fault("Kind", string(c.Kind), `must be "tree" or "prompts"`)
	}
	for _, n := range []struct {
		field string
		value int
	}{{"Block", c.Block}, {"Minimum", c.Minimum}, {"Capacity", c.Capacity}} {
		if n.value < 0 {
			fault(n.field, n.value, "must be 0 or more")
		}
	}
	if c.Lifetime < 0 {
		fault("Lifetime", c.Lifetime, "must be 0, for no limit, or more")
	}
	return errors.Join(faults...)
}

// Cache is the cache of one server. It is not safe for concurrent use: the order of the
// prompts decides what it holds.
type Cache struct {
	minimum int
	model   model
	begun   bool
	first   time.Time // when the first prompt came
}

// model is a kind of cache, without its minimum.
type model interface {
	// read returns how many of the first tokens are kept, and keeps the prompt with
	// what answered it. now is the time since the first prompt.
	read(prompt, answer []uint32, now time.Duration) int
}

// New returns an empty cache. The error is that of Config.Check.
func New(c Config) (*Cache, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Kind == Prompts {
		return &Cache{minimum: c.Minimum, model: &prompts{capacity: c.Capacity, lifetime: c.Lifetime}}, nil
	}
	return &Cache{minimum: c.Minimum, model: newTree(max(c.Block, 1), c.Capacity, c.Lifetime)}, nil
}

// Read returns how many of the prompt's first tokens come from the cache, at most all
// but the last, which a server always processes; and then keeps the prompt. The times
// of calls must not go back; without a lifetime they may be zero. The prompt is copied.
// A tree costs O(tokens), whole prompts O(tokens × prompts kept).
func (c *Cache) Read(prompt []uint32, at time.Time) int { return c.ReadAnswered(prompt, nil, at) }

// ReadAnswered is Read for a prompt whose answer, in tokens, is kept behind it, as
// servers do. It matters where a later prompt holds the answer, and for how similar
// llama.cpp finds two prompts.
func (c *Cache) ReadAnswered(prompt, answer []uint32, at time.Time) int {
	if !c.begun {
		c.begun, c.first = true, at
	}
	if len(prompt) < c.minimum {
		return 0
	}
	cached := min(c.model.read(prompt, answer, at.Sub(c.first)), max(len(prompt)-1, 0))
	if cached < c.minimum {
		return 0
	}
	return cached
}

// bytesPerToken is what model.EstimateTokens assumes.
const bytesPerToken = 4

// ByBytes cuts a text into pieces of four bytes and calls each a token: an estimate
// that needs no tokenizer. Texts with equal beginnings have equal first tokens. Like
// every such estimate it is a little much for English prose and too little for numbers.
// It costs O(bytes).
func ByBytes(text string) []uint32 {
	tokens := make([]uint32, 0, len(text)/bytesPerToken+1)
	var last [bytesPerToken]byte
	for ; len(text) >= bytesPerToken; text = text[bytesPerToken:] {
		copy(last[:], text)
		tokens = append(tokens, binary.LittleEndian.Uint32(last[:]))
	}
	if text == "" {
		return tokens
	}
	last = [bytesPerToken]byte{}
	copy(last[:], text)
	return append(tokens, binary.LittleEndian.Uint32(last[:]))
}
