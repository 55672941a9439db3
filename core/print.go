package core

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// size writes a size for the table; without a budget nothing was counted.
func (a Arrangement) size(size int) string {
	if a.Room == 0 || size == 0 {
		return "-"
	}
	return strconv.Itoa(size)
}

// String returns the arrangement as a table for people: a line for each slot,
// first to last, then what was left out and why. Slots, ranks and places in the input
// are printed from 1: r1 is the best. It holds no text of a document.
func (a Arrangement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d in, %d placed, %d left out", a.Placement, a.N, len(a.Slots), len(a.Dropped))
	if a.Room > 0 {
		fmt.Fprintf(&b, ", budget %d of %d used", a.Used, a.Room)
	}
	b.WriteByte('\n')
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	stages := func(cell func(Stage) string) string {
		var cells strings.Builder
		for _, s := range a.Stages {
			if s.Failure != "" { // a note tells of it
				continue
			}
			cells.WriteString(cell(s))
			cells.WriteByte('\t')
		}
		return cells.String()
	}
	if len(a.Slots) > 0 {
		fmt.Fprintf(w, "slot\trank\tlabel\tinput\tscore\tsize\t%s\n", stages(func(s Stage) string { return s.Name }))
	}
	of := func(index int) string {
		return stages(func(s Stage) string { return s.short(index) })
	}
	for slot, p := range a.Slots {
		why := ""
		if slot < a.Reused {
			why = "reused "
		}
		if p.Pinned {
			why += "pinned"
		}
		fmt.Fprintf(w, "%d\tr%d\t[%d]\t%d\t%s\t%s\t%s%s\n", slot+1, p.Rank+1, p.Label, p.Index+1, p.Score.short(), a.size(p.Size), of(p.Index), why)
	}
	for _, d := range a.Dropped {
		fmt.Fprintf(w, "out\tr%d\t\t%d\t%s\t%s\t%s%s\n", d.Rank+1, d.Index+1, d.Score.short(), a.size(d.Size), of(d.Index), d.Reason)
	}
	w.Flush()
	for line := range strings.Lines(table.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// Order returns the ranks from the first slot to the last, as in "r1 r3 r2".
func (a Arrangement) Order() string {
	ranks := make([]string, len(a.Slots))
	for slot, p := range a.Slots {
		ranks[slot] = "r" + strconv.Itoa(p.Rank+1)
	}
	return strings.Join(ranks, " ")
}

// LogValue makes one group of short attributes of the arrangement.
func (a Arrangement) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("placement", a.Placement),
		slog.Int("in", a.N),
		slog.Int("placed", len(a.Slots)),
		slog.String("order", a.Order()),
	}
	if a.Room > 0 {
		attrs = append(attrs, slog.Int("room", a.Room), slog.Int("used", a.Used))
	}
	if a.Reused > 0 {
		attrs = append(attrs, slog.Int("reused", a.Reused))
	}
	if len(a.Dropped) > 0 {
		attrs = append(attrs, slog.String("dropped", a.reasons()))
	}
	if len(a.Stages) > 0 {
		names := make([]string, len(a.Stages))
		for i, s := range a.Stages {
			names[i] = s.Name
		}
		attrs = append(attrs, slog.Any("stages", names))
	}
	if len(a.Notes) > 0 {
		attrs = append(attrs, slog.Any("notes", a.Notes))
	}
	return slog.GroupValue(attrs...)
}

// reasons counts what was left out, by reason, as in "no-score: 1, top-k: 5".
func (a Arrangement) reasons() string {
	counts := map[Reason]int{}
	for _, d := range a.Dropped {
		counts[d.Reason]++
	}
	parts := make([]string, 0, len(counts))
	for reason, count := range counts {
		parts = append(parts, fmt.Sprintf("%s: %d", string(reason), count))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
