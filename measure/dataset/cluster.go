package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/judge"
)

// cluster tells clusters apart; 0 is that of a question alone.
type cluster uint64

// clusters says which cases hang together: those that name one cluster, or whose
// questions differ in capitals, punctuation, articles and white space alone.
type clusters struct {
	of   []cluster // of each case
	size map[cluster]int
}

// add takes the next case in. What is generated has no clusters.
func (c *clusters) add(kept Case) {
	name := "named " + kept.Cluster
	if kept.Cluster == "" {
		name = "asks " + cmp.Or(judge.Normalize(kept.Question), kept.Question)
	}
	sum := sha256.Sum256([]byte(name))
	var id cluster
	for _, b := range sum[:8] {
		id = id<<8 | cluster(b)
	}
	if c.size == nil {
		c.size = map[cluster]int{}
	}
	c.of = append(c.of, id)
	c.size[id]++
}

// seal forgets the clusters of one, and returns how many independent units there are.
func (c *clusters) seal() int {
	units := len(c.size)
	for i, id := range c.of {
		if c.size[id] < 2 {
			c.of[i] = 0
			delete(c.size, id)
		}
	}
	if len(c.size) == 0 {
		c.of = nil
	}
	return units
}

// name is the cluster of case i, as a hash; empty for a question alone.
func (c *clusters) name(i int) string {
	if i >= len(c.of) || c.of[i] == 0 {
		return ""
	}
	var b [8]byte
	for j := range b {
		b[j] = byte(c.of[i] >> (56 - 8*j))
	}
	return hex.EncodeToString(b[:])
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
