package reuse

import "hash/maphash"

// hasher makes numbers of documents. A text that was changed under an old ID is another
// document, and so is a text under another ID. The seed is that of the process, so that
// nobody can make up two documents with one number.
type hasher struct{ seed maphash.Seed }

func newHasher() hasher { return hasher{maphash.MakeSeed()} }

func (h hasher) document(id, text string) uint64 {
	return maphash.String(h.seed, id)*0x9E3779B97F4A7C15 ^ maphash.String(h.seed, text)
}

func (h hasher) text(text string) uint64 { return maphash.String(h.seed, text) }

// keySet is the numbers of the documents of a call, each once, by its best rank.
type keySet struct {
	list []uint64
	at   map[uint64]int
}

func newKeySet(documents []uint64) *keySet {
	s := &keySet{make([]uint64, 0, len(documents)), make(map[uint64]int, len(documents))}
	for _, key := range documents {
		if _, seen := s.at[key]; !seen {
			s.at[key] = len(s.list)
			s.list = append(s.list, key)
		}
	}
	return s
}

// find returns the place in list of a number, or -1.
func (s *keySet) find(key uint64) int {
	if i, found := s.at[key]; found {
		return i
	}
	return -1
}
