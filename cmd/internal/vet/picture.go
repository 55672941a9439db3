package vet

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDrawn is how many slots a picture shows in full.
const maxDrawn = 12

// slots draws orders below each other, under the numbers of their slots.
type slots struct {
	n    int
	rows []slotRow
}

type slotRow struct {
	name  string
	ranks []int // the rank in each slot, from 0; -1 where none stands
	note  string
}

func (s *slots) add(name string, ranks []int, note string) {
	s.rows = append(s.rows, slotRow{name, ranks, note})
}

// lines draws at most 12 slots, those of both ends if there are more.
func (s *slots) lines() []string {
	shown := make([]int, 0, maxDrawn)
	for slot := range s.n {
		if s.n <= maxDrawn || slot < maxDrawn/2 || slot >= s.n-maxDrawn/2 {
			shown = append(shown, slot)
		}
	}
	width := len("slot")
	for _, r := range s.rows {
		width = max(width, len(r.name))
	}
	cell := 1 + len(strconv.Itoa(s.n))
	line := func(name string, at func(slot int) string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%-*s", width, name)
		for i, slot := range shown {
			if i > 0 && slot != shown[i-1]+1 {
				b.WriteString("  …")
			}
			fmt.Fprintf(&b, "  %*s", cell, at(slot))
		}
		return b.String()
	}
	out := []string{line("slot", func(slot int) string { return strconv.Itoa(slot + 1) })}
	for _, r := range s.rows {
		text := line(r.name, func(slot int) string {
			if slot >= len(r.ranks) || r.ranks[slot] < 0 {
				return "·"
			}
			return "r" + strconv.Itoa(r.ranks[slot]+1)
		})
		if r.note != "" {
			text += "   " + r.note
		}
		out = append(out, strings.TrimRight(text, " "))
	}
	return out
}
