package prefixcache

import (
	"slices"
	"time"
)

// What llama.cpp's server decides by (tools/server, 2026): how much of a new prompt the
// one in the slot must hold to be gone on from at all (--slot-prompt-similarity), from
// how much of it being kept it is gone on from without a look at the others, and how
// much of another must be kept for it to be taken up.
const (
	leastSimilar = 0.1
	keptAtOnce   = 0.5
	leastKept    = 0.25
)

// prompts is llama.cpp's server with one slot and earlier prompts in memory.
type prompts struct {
	capacity int
	lifetime time.Duration
	slot     kept
	earlier  []kept // the longest kept first
	tokens   int    // of all earlier ones
}

// kept is a prompt with its answer.
type kept struct {
	tokens []uint32
	used   time.Duration // since the first prompt
}

func (p *prompts) read(prompt, answer []uint32, now time.Duration) int {
	p.expire(now)
	common := commonPrefix(p.slot.tokens, prompt)
	if share(common, len(prompt)) <= leastSimilar || share(common, len(p.slot.tokens)) < keptAtOnce {
		p.store(p.slot)
		p.slot = p.take(prompt, common) // before the others are trimmed
		p.trim()
		common = commonPrefix(p.slot.tokens, prompt)
	}
	p.slot = kept{slices.Concat(prompt, answer), now}
	return common
}

// take returns the earlier prompt that is the best to go on from, which is no longer an
// earlier one then: one of which more is kept and that holds more of the new prompt. It
// is the one in the slot where no other is better.
func (p *prompts) take(prompt []uint32, common int) kept {
	best, keeps, holds := -1, share(common, len(p.slot.tokens)), common
	if len(p.slot.tokens) == 0 {
		keeps = -1
	}
	for i, k := range p.earlier {
		common := commonPrefix(k.tokens, prompt)
		if s := share(common, len(k.tokens)); s >= leastKept && s > keeps && common > holds {
			best, keeps, holds = i, s, common
		}
	}
	if best < 0 {
		return p.slot
	}
	found := p.earlier[best]
	p.remove(best)
	return found
}

// store keeps a prompt beside the slot, in place of those that it holds wholly.
func (p *prompts) store(k kept) {
	if len(k.tokens) == 0 {
		return
	}
	for i := len(p.earlier) - 1; i >= 0; i-- {
		switch common := commonPrefix(p.earlier[i].tokens, k.tokens); common {
		case len(k.tokens): // it is kept already
			return
		case len(p.earlier[i].tokens):
			p.remove(i)
		}
	}
	p.earlier = append(p.earlier, k)
	p.tokens += len(k.tokens)
}

// trim forgets what was kept longest until the rest has room.
func (p *prompts) trim() {
	for p.capacity > 0 && p.tokens > p.capacity {
		p.remove(0)
	}
}

func (p *prompts) expire(now time.Duration) {
	if p.lifetime == 0 {
		return
	}
	for i := len(p.earlier) - 1; i >= 0; i-- {
		if now-p.earlier[i].used > p.lifetime {
			p.remove(i)
		}
	}
	if now-p.slot.used > p.lifetime {
		p.slot = kept{}
	}
}

func (p *prompts) remove(i int) {
	p.tokens -= len(p.earlier[i].tokens)
	p.earlier = slices.Delete(p.earlier, i, i+1)
}

// share is how many of all those are; 0 of nothing.
func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func commonPrefix(a, b []uint32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
