package reuse

import (
	"context"
	"slices"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/recall"
)

// Memory remembers the orders in which documents were sent, for core.Config.Reuse. It
// holds numbers that stand for IDs and texts, and neither of the two. It is bounded and
// safe for concurrent use; nothing is waited for while its lock is held. New makes it: a
// zero one remembers nothing and changes no order.
type Memory struct {
	config Config
	hasher hasher

	mutex sync.Mutex
	tree  *tree
	stats Stats
}

var _ core.Reuse = (*Memory)(nil)

// New validates a Config and returns the Memory that runs it, or every fault, joined:
// *core.ConfigError, and *core.CurveError for a curve.
func New(c Config) (*Memory, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	if c.Curve != nil {
		curve := *c.Curve
		curve.Slots, curve.Accuracy, curve.Fitted = slices.Clone(curve.Slots), slices.Clone(curve.Accuracy), slices.Clone(curve.Fitted)
		c.Curve = &curve
	}
	return &Memory{config: c, hasher: newHasher(), tree: newTree(c.MaxDocuments, int64(c.TTL))}, nil
}

// Recall is called by package core for each call that asks the memory: before any
// document is placed. It costs O(n) and a bounded number of looks into the memory; each
// of the beginnings that it finds, n and some at most, then costs the placing O(n). Ten
// documents take at most 20 µs altogether, a thousand some milliseconds.
func (m *Memory) Recall(ctx context.Context, before string, n int, doc func(rank int) (id, text string)) recall.Call {
	c := &call{memory: m}
	if m == nil || m.tree == nil {
		return c
	}
	if m.config.Scope != nil {
		c.scope = m.config.Scope(ctx)
	}
	c.before = m.hasher.text(before)
	if m.config.Worth == 0 && m.config.Hold == 0 {
		return c
	}
	keys := make([]uint64, n)
	for rank := range keys {
		keys[rank] = m.hasher.document(doc(rank))
	}
	c.keys = newKeySet(keys)
	now := m.config.Now().UnixNano()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	c.known = m.tree.recall(c.scope, c.before, c.keys, now)
	return c
}

// sent remembers an order, as numbers behind that of what stands before, and counts it.
func (m *Memory) sent(scope string, keys []uint64, sizes []int) {
	now := m.config.Now().UnixNano()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	known := m.tree.send(scope, keys, now) - 1
	m.stats.Requests++
	for i, size := range sizes {
		m.stats.DocumentBytes += int64(size)
		if i < known {
			m.stats.PredictedBytes += int64(size)
		}
	}
}

// Answered counts what a provider says of the prompt of an answer; it is made for the
// Answered of langchaingo's chains and for eino.AnswerHandler. A reply that does not tell
// how long its prompt was counts for nothing.
func (m *Memory) Answered(_ context.Context, reply record.Reply) {
	if m == nil || reply.PromptTokens <= 0 {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.stats.Answers++
	m.stats.PromptTokens += int64(reply.PromptTokens)
	m.stats.CachedTokens += int64(min(max(reply.CachedTokens, 0), reply.PromptTokens))
}

// Stats returns the counts so far.
func (m *Memory) Stats() Stats {
	if m == nil || m.tree == nil {
		return Stats{}
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	s := m.stats
	s.Remembered = m.tree.count
	return s
}
