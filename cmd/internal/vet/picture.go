package vet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// draw draws two orders of so many documents below each other, under the numbers of
// their slots: twelve, those of both ends if there are more.
func draw(documents int, name string, order core.Placement, other string, better core.Placement) []string {
	const ends = 6
	var lines []string
	width := max(len("slot"), len(name), len(other))
	line := func(name string, at func(slot int) string) {
		text := fmt.Sprintf("%-*s", width, name)
		for slot := range documents {
			switch {
			case documents <= 2*ends || slot < ends || slot >= documents-ends:
				text += fmt.Sprintf("  %*s", 1+len(strconv.Itoa(documents)), at(slot))
			case slot == ends:
				text += "  …"
			}
		}
		lines = append(lines, strings.TrimRight(text, " "))
	}
	line("slot", func(slot int) string { return strconv.Itoa(slot + 1) })
	for _, row := range []struct {
		name  string
		order core.Placement
	}{{name, order}, {other, better}} {
		ranks, err := core.Order(row.order, documents)
		if err != nil {
			return nil
		}
		line(row.name, func(slot int) string { return "r" + strconv.Itoa(ranks[slot]+1) })
	}
	return lines
}
