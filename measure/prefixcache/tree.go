package prefixcache

import (
	"container/list"
	"time"
)

// tree is a prefix tree of blocks. A block is found by what it and all before it hold,
// so that no node needs its children. Whoever is used is used with all blocks before it,
// which count as used after it: the least recently used block has no other under it.
type tree struct {
	size     int // of a block, in tokens
	most     int // blocks; 0: no limit
	lifetime time.Duration
	blocks   map[path]*list.Element
	recent   *list.List // of *block, the last used first
}

// path is a hash of all tokens up to the end of a block, 128 bits wide: among a million
// blocks two are alike with a probability of 10^-27.
type path [2]uint64

type block struct {
	path path
	used time.Time
}

func newTree(size, capacity int, lifetime time.Duration) *tree {
	t := &tree{size: size, lifetime: lifetime, blocks: map[path]*list.Element{}, recent: list.New()}
	if capacity > 0 {
		t.most = max(capacity/size, 1)
	}
	return t
}

func (t *tree) read(prompt, answer []uint32, at time.Time) int {
	t.expire(at)
	paths := t.paths(prompt, answer)
	found := 0
	for found < len(paths) && t.blocks[paths[found]] != nil {
		found++
	}
	for i := len(paths) - 1; i >= 0; i-- { // the first block last, as the one used latest
		if e := t.blocks[paths[i]]; e != nil {
			e.Value.(*block).used = at
			t.recent.MoveToFront(e)
		} else {
			t.blocks[paths[i]] = t.recent.PushFront(&block{paths[i], at})
		}
	}
	for t.most > 0 && t.recent.Len() > t.most {
		t.forget(t.recent.Back())
	}
	// The last token of a prompt is processed in any case, and with it its block.
	return min(found, max(len(prompt)-1, 0)/t.size) * t.size
}

// paths returns those of the whole blocks of a prompt and its answer.
func (t *tree) paths(prompt, answer []uint32) []path {
	paths := make([]path, 0, (len(prompt)+len(answer))/t.size)
	at, n := path{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f}, 0
	for _, tokens := range [][]uint32{prompt, answer} {
		for _, token := range tokens {
			at = at.and(token)
			if n++; n%t.size == 0 {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// and returns the path that one token more leads to: a multiply and a shift for each
// half, by the odd constants of MurmurHash3's and SplitMix64's finalizers.
func (p path) and(token uint32) path {
	a := (p[0] ^ uint64(token)) * 0xff51afd7ed558ccd
	b := (p[1] + uint64(token) + 1) * 0xbf58476d1ce4e5b9
	return path{a ^ a>>32 ^ b<<1, b ^ b>>29}
}

func (t *tree) expire(now time.Time) {
	if t.lifetime == 0 {
		return
	}
	for e := t.recent.Back(); e != nil && now.Sub(e.Value.(*block).used) > t.lifetime; e = t.recent.Back() {
		t.forget(e)
	}
}

func (t *tree) forget(e *list.Element) {
	delete(t.blocks, e.Value.(*block).path)
	t.recent.Remove(e)
}
