package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/judge"
)

// cluster tells clusters apart; 0 is that of a question alone.
type cluster uint64

// clusters says which cases hang together: those that name one cluster, those whose
// questions differ in capitals, punctuation, articles and white space alone, and what
// hangs together through others.
type clusters struct {
	of    []cluster       // of each case, once sealed
	first map[cluster]int // the first case with a text or a name
	// until sealed: a case that each hangs together with, itself for the first of them
	with []int
}

// add takes the next case in. What is generated has no clusters.
func (c *clusters) add(kept Case) {
	if c.first == nil {
		c.first = map[cluster]int{}
	}
	i := len(c.with)
	c.with, c.of = append(c.with, i), append(c.of, hashOf("asks "+cmp.Or(judge.Normalize(kept.Question), kept.Question)))
	c.join(c.of[i], i)
	if kept.Cluster != "" {
		c.join(hashOf("named "+kept.Cluster), i)
	}
}

// join lets case i hang together with the first one that has the same text or name.
func (c *clusters) join(id cluster, i int) {
	first, known := c.first[id]
	if !known {
		c.first[id] = i
		return
	}
	a, b := c.root(first), c.root(i)
	c.with[max(a, b)] = min(a, b)
}

// root is the first case of those that hang together with case i.
func (c *clusters) root(i int) int {
	for c.with[i] != i {
		c.with[i] = c.with[c.with[i]] // half the way for the next one
		i = c.with[i]
	}
	return i
}

// seal names each cluster after its first case, forgets the clusters of one, and returns
// how many independent units there are.
func (c *clusters) seal() (units int) {
	size := make([]int, len(c.with))
	for i := range c.with {
		size[c.root(i)]++
	}
	alone := true
	for i := range c.with { // the first case comes first
		if first := c.root(i); size[first] > 1 {
			c.of[i], alone = c.of[first], false
		} else {
			c.of[i] = 0
		}
		if c.root(i) == i {
			units++
		}
	}
	if alone {
		c.of = nil
	}
	c.first, c.with = nil, nil
	return units
}

func hashOf(text string) (id cluster) {
	sum := sha256.Sum256([]byte(text))
	return cluster(binary.BigEndian.Uint64(sum[:8]))
}

// name is the cluster of case i, as a hash; empty for a question alone.
func (c *clusters) name(i int) string {
	if i >= len(c.of) || c.of[i] == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", uint64(c.of[i]))
}

// Order returns the order in which a seed asks the cases: a permutation of their
// indices, the same under every version of Go. The cases of one cluster stand
// together, since they count as one.
func (d *Dataset) Order(seed uint64) []int {
	n := d.Len()
	order, draw := slot.All(n), random.From(random.Join(seed, 0x7155))
	for i := n - 1; i > 0; i-- {
		j := random.Below(draw.Next, i+1)
		order[i], order[j] = order[j], order[i]
	}
	if d.clusters.of == nil {
		return order
	}
	members := map[cluster][]int{}
	for _, i := range order {
		id := d.clusters.of[i]
		members[id] = append(members[id], i)
	}
	together := make([]int, 0, n)
	for _, i := range order {
		id := d.clusters.of[i]
		if id == 0 {
			together = append(together, i)
			continue
		}
		together = append(together, members[id]...)
		delete(members, id)
	}
	return together
}

// asCluster reads the cluster of a line: a text or a number.
func asCluster(f fields) (name string, fault string) {
	name, ok := asID(f["cluster"])
	if !ok {
		return "", wrongType("cluster", json.RawMessage(f["cluster"]), "a text or a number")
	}
	return name, ""
}
