package core

import (
	"slices"
)

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

// groupBySource returns the ranks 0 … n-1 in groups, one for each source. Groups
// go by their best rank; within a group ranks go by position, those without one
// last, and equal ones by rank.
func groupBySource(n int, origin func(rank int) Origin) [][]int {
	groups := make([][]int, 0, n)
	groupOf := make(map[string]int)
	origins := make([]Origin, n)
	for rank := range n {
		o := origin(rank)
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
