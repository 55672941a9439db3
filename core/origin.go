package core

import "slices"

// Origin says where a chunk was cut from.
type Origin struct {
	// Source names the document that the chunk was cut from, such as a path or a
	// URL. Empty: unknown, the chunk is a source of its own.
	Source string
	// Position is the chunk's place in its source, in any unit that grows from
	// the start to the end (chunk number, byte offset, page). It counts only when
	// HasPosition is set.
	Position    float64
	HasPosition bool
}

var (
	sourceKeys   = []string{"source", "_source"}
	positionKeys = []string{"position", "chunk_index", "start_index", "page"}
)

// OriginOf reads an Origin from a document's metadata by the keys of
// Config.SourceKey and Config.PositionKey; an empty key means the defaults that
// are described there. The position may be of any numeric type.
func OriginOf(meta map[string]any, sourceKey, positionKey string) Origin {
	position, known := Number(firstOf(meta, positionKey, positionKeys))
	return Origin{Source: SourceOf(meta, sourceKey), Position: position, HasPosition: known}
}

// SourceOf reads an Origin's source from a document's metadata by the key of
// Config.SourceKey; an empty key means the defaults that are described there.
func SourceOf(meta map[string]any, key string) string {
	source, _ := firstOf(meta, key, sourceKeys).(string)
	return source
}

// firstOf returns meta[key], or for an empty key the first default that is there.
func firstOf(meta map[string]any, key string, defaults []string) any {
	if key != "" {
		return meta[key]
	}
	for _, k := range defaults {
		if value, ok := meta[k]; ok {
			return value
		}
	}
	return nil
}

// Ranked tells a Placement where the admitted documents come from, by rank. The
// zero value knows nothing. It is read-only, valid during the call to Place, and
// safe for concurrent use.
type Ranked struct {
	n      int
	origin func(rank int) Origin
}

// RankedFrom returns a Ranked over origins, given best first: what a test of a
// placement of one's own passes to Place.
func RankedFrom(origins []Origin) Ranked {
	return Ranked{n: len(origins), origin: func(rank int) Origin { return origins[rank] }}
}

// Origin returns where the document of the given rank comes from; the zero
// Origin when that is not known or there is no such rank.
func (r Ranked) Origin(rank int) Origin {
	if rank < 0 || rank >= r.n {
		return Origin{}
	}
	return r.origin(rank)
}

// groupBySource returns the ranks 0 … n-1 in groups, one for each source. Groups
// go by their best rank; within a group ranks go by position, those without one
// last, and equal ones by rank.
func groupBySource(n int, docs Ranked) [][]int {
	groups := make([][]int, 0, n)
	groupOf := make(map[string]int)
	origins := make([]Origin, n)
	for rank := range n {
		o := docs.Origin(rank)
		origins[rank] = o
		if o.Source != "" {
			if g, seen := groupOf[o.Source]; seen {
				groups[g] = append(groups[g], rank)
				continue
			}
			groupOf[o.Source] = len(groups)
		}
		groups = append(groups, []int{rank})
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b int) int { return comparePosition(origins[a], origins[b]) })
	}
	return groups
}

func comparePosition(a, b Origin) int {
	switch {
	case a.HasPosition && b.HasPosition:
		if a.Position < b.Position {
			return -1
		}
		if a.Position > b.Position {
			return 1
		}
		return 0
	case a.HasPosition:
		return -1
	case b.HasPosition:
		return 1
	}
	return 0
}

func flatten(groups [][]int) []int {
	return slices.Concat(groups...)
}

// placeGroups runs p over whole groups, so that the chunks of one source stay
// together in reading order. A group ranks as its best member. It returns the
// number of groups, too.
func placeGroups(p Placement, n int, docs Ranked) (slots []int, count int, err error) {
	groups := groupBySource(n, docs)
	byGroup := Ranked{n: len(groups), origin: func(g int) Origin { return docs.Origin(slices.Min(groups[g])) }}
	order, err := place(p, len(groups), byGroup)
	if err != nil {
		return nil, 0, err
	}
	placed := make([][]int, len(groups))
	for slot, g := range order {
		placed[slot] = groups[g]
	}
	return flatten(placed), len(groups), nil
}
