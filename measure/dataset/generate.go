package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// maxGenerated bounds both arguments of KeyValues. A prompt of so many pairs would
// take millions of tokens.
const maxGenerated = 1_000_000

// KeyValues makes the given number of key-value cases, each of so many keys, as in
// Liu et al.: keys and values are UUIDs of version 4, and no value says anything
// about its key. The result is the same for a seed for ever, on every machine.
//
// Pair r of case i, both from 0, depends on nothing but the seed, i and r, so that
// a longer prompt only adds pairs to a shorter one of the same seed: it asks for
// the same key. The wanted pair is the first; Case.WithGoldAt puts it elsewhere.
// Nothing is held in memory: Case makes a case each time, at about 1 µs a pair.
// Close has nothing to do.
//
// Both numbers must be 1 to 1,000,000; the error is an *Error.
func KeyValues(seed uint64, cases, keys int) (*Dataset, error) {
	for _, n := range []int{cases, keys} {
		if n < 1 || n > maxGenerated {
			return nil, &Error{
				Rule: fmt.Sprintf("cannot generate %d cases of %d keys: both numbers must be 1 to %d", cases, keys, maxGenerated),
				Err:  ErrLimit,
			}
		}
	}
	return &Dataset{
		report:   Report{Task: KeyValue, Lines: cases, Kept: cases, MinDocuments: keys, MaxDocuments: keys},
		generate: func(i int) Case { return generateKV(seed, i, keys) },
	}, nil
}

func generateKV(seed uint64, i, keys int) Case {
	documents := make([]Document, keys)
	for r := range documents {
		documents[r].Title, documents[r].Text = generatePair(seed, i, r)
	}
	key, value := documents[0].Title, documents[0].Text
	return Case{
		ID: pairID(key, value), Task: KeyValue, Question: key, Answers: []string{value},
		Documents: documents, Golds: []int{0},
	}
}

// generatePair hashes the name of the generator, the seed, the case and the pair:
// the first half of the hash is the key, the second the value.
func generatePair(seed uint64, i, r int) (key, value string) {
	input := make([]byte, 0, 64)
	input = append(input, "bookend key-value 1\n"...)
	input = binary.BigEndian.AppendUint64(input, seed)
	input = binary.BigEndian.AppendUint64(input, uint64(i))
	input = binary.BigEndian.AppendUint64(input, uint64(r))
	sum := sha256.Sum256(input)
	return uuid([16]byte(sum[:16])), uuid([16]byte(sum[16:]))
}

// uuid marks 16 random bytes as a UUID of version 4 and writes it.
func uuid(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
