package prefixcache

import "time"

// tree is a prefix tree of blocks. A block is found by a hash of what it and all before
// it hold, so that no block needs to know those under it. Whoever is used is used with
// all blocks before it, which count as used after it: the least recently used block has
// no other under it.
type tree struct {
	size     int // of a block, in tokens
	most     int // blocks; 0: no limit
	lifetime time.Duration

	at     map[uint64]int32 // where a block stands in blocks
	blocks []block          // the first is no block, but holds the ends of the list
	free   []int32          // places in blocks
}

// block is one of the tree, and a link of the list of all by their last use.
type block struct {
	path         uint64
	used         int64 // nanoseconds since the first prompt
	newer, older int32
}

func newTree(size, capacity int, lifetime time.Duration) *tree {
	t := &tree{size: size, lifetime: lifetime, at: map[uint64]int32{}, blocks: make([]block, 1)}
	if capacity > 0 {
		t.most = max(capacity/size, 1)
	}
	return t
}

func (t *tree) read(prompt, answer []uint32, now time.Duration) int {
	t.expire(now)
	paths := t.paths(prompt, answer)
	found := 0
	for found < len(paths) {
		if _, kept := t.at[paths[found]]; !kept {
			break
		}
		found++
	}
	for i := len(paths) - 1; i >= 0; i-- { // the first block last, as the one used latest
		t.use(paths[i], now)
	}
	for t.most > 0 && len(t.at) > t.most {
		t.forget(t.blocks[0].newer)
	}
	// The last token of a prompt is processed in any case, and with it its block.
	return min(found, max(len(prompt)-1, 0)/t.size) * t.size
}

// paths returns those of the whole blocks of a prompt and its answer: a hash of all
// tokens up to the end of each. Among a million blocks two are alike with a probability
// of 10^-7.
func (t *tree) paths(prompt, answer []uint32) []uint64 {
	paths := make([]uint64, 0, (len(prompt)+len(answer))/t.size)
	at, n := uint64(0x9e3779b97f4a7c15), 0
	for _, tokens := range [][]uint32{prompt, answer} {
		for _, token := range tokens {
			at = (at ^ uint64(token)) * 0xff51afd7ed558ccd // MurmurHash3's finalizer, once a token
			at ^= at >> 32
			if n++; n%t.size == 0 {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// use makes a block the one used last, and keeps it if it is new.
func (t *tree) use(path uint64, now time.Duration) {
	i, kept := t.at[path]
	switch {
	case kept:
		t.unlink(i)
	case len(t.free) > 0:
		i = t.free[len(t.free)-1]
		t.free = t.free[:len(t.free)-1]
	default:
		i = int32(len(t.blocks))
		t.blocks = append(t.blocks, block{})
	}
	t.at[path] = i
	newest := t.blocks[0].older
	t.blocks[i] = block{path: path, used: int64(now), older: newest}
	t.blocks[newest].newer, t.blocks[0].older = i, i
}

func (t *tree) unlink(i int32) {
	b := t.blocks[i]
	t.blocks[b.newer].older, t.blocks[b.older].newer = b.older, b.newer
}

func (t *tree) forget(i int32) {
	t.unlink(i)
	delete(t.at, t.blocks[i].path)
	t.free = append(t.free, i)
}

func (t *tree) expire(now time.Duration) {
	for oldest := t.blocks[0].newer; t.lifetime > 0 && oldest != 0; oldest = t.blocks[0].newer {
		if int64(now)-t.blocks[oldest].used <= int64(t.lifetime) {
			return
		}
		t.forget(oldest)
	}
}
