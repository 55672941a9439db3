package prompt

import (
	"github.com/bookend-rag/bookend/core"
)

// fit lays out the prompt and, under a budget, leaves out the least that makes it
// fit: first the oldest turns of the history, then the worst unpinned documents.
// It counts a whole prompt once for each halving of what could be left out.
func fit[S ~[]E, E any](r *Renderer, s source[S, E], a core.Arrangement, in Input, parts []Part) (Prompt, error) {
	a, err := r.dropLong(s.without, a, s.placedText)
	if err != nil {
		return Prompt{}, err
	}
	turns := turnStarts(in.History)
	unpinned := 0
	for _, p := range a.Slots {
		if !p.Pinned {
			unpinned++
		}
	}
	layout := r.config.Layout
	// lay renders the prompt that leaves out step turns and documents.
	lay := func(step int) (Prompt, error) {
		dropped := min(step, len(turns))
		arrangement, err := dropWorst(s.without, a, unpinned, step-dropped)
		if err != nil {
			return Prompt{}, err
		}
		rest := in
		messages := len(in.History)
		if dropped < len(turns) {
			messages = turns[dropped]
		}
		rest.History = in.History[messages:]
		p, err := r.compose(parts, s.documents(&r.config, arrangement), rest)
		p.Arrangement, p.Layout = arrangement, layout
		p.DroppedTurns, p.DroppedMessages = dropped, messages
		return p, err
	}
	if r.config.BookendFrom > 0 && len(parts) > 1 {
		long := parts
		parts, _ = QuestionLast.Parts()
		p, err := lay(0)
		if err != nil {
			return Prompt{}, err
		}
		size, err := r.measure(p.Text)
		if err != nil {
			return Prompt{}, err
		}
		if layout = QuestionLast; size >= r.config.BookendFrom {
			parts, layout = long, Bookend
		}
	}
	if r.config.Budget == 0 {
		return lay(0)
	}
	return leastDropped(r, len(turns)+unpinned, lay)
}

// leastDropped finds a step that fits while the one before it does not, by
// halving. Step 0 leaves nothing out; steps is the last.
func leastDropped(r *Renderer, steps int, lay func(step int) (Prompt, error)) (Prompt, error) {
	room := r.config.Budget - r.config.Reserve
	try := func(step int) (Prompt, bool, error) {
		p, err := lay(step)
		if err != nil {
			return Prompt{}, false, err
		}
		if p.Size, err = r.measure(p.Text); err != nil {
			return Prompt{}, false, err
		}
		return p, p.Size <= room, nil
	}
	best, fits, err := try(0)
	if err != nil || fits {
		return best, err
	}
	// The last step leaves the least, but the words that there are no documents can
	// be longer than the best document: then the step before it is the last.
	needed := best.Size
	for _, last := range []int{steps, max(steps-1, 0)} {
		steps = last
		if best, fits, err = try(last); err != nil {
			return Prompt{}, err
		}
		if needed = min(needed, best.Size); fits {
			break
		}
	}
	if !fits {
		return Prompt{}, &BudgetError{Needed: needed, Reserve: r.config.Reserve, Budget: r.config.Budget}
	}
	for over, under := 0, steps; under-over > 1; {
		step := over + (under-over)/2
		p, fits, err := try(step)
		if err != nil {
			return Prompt{}, err
		}
		if fits {
			best, under = p, step
		} else {
			over = step
		}
	}
	return best, nil
}

func (r *Renderer) measure(text string) (int, error) {
	size := r.count(text)
	if size < 0 {
		return 0, &core.ConfigError{Field: "Count", Value: size, Rule: "must return 0 or more"}
	}
	return size, nil
}

// without leaves documents out of an arrangement; see core.Without.
type without func(core.Arrangement, func(core.Placed) core.Reason) (core.Arrangement, error)

// dropWorst leaves the count worst of the unpinned documents out.
func dropWorst(without without, a core.Arrangement, unpinned, count int) (core.Arrangement, error) {
	if count == 0 {
		return a, nil
	}
	keep := unpinned - count
	return without(a, func(p core.Placed) core.Reason { // asked best first
		if p.Pinned {
			return ""
		}
		if keep--; keep >= 0 {
			return ""
		}
		return core.OverBudget
	})
}

// dropLong leaves out texts above core.DefaultMaxBytes before anything is counted,
// since a tokenizer can take very long over them. It acts where whole prompts are
// counted: under a budget, and for BookendFrom.
func (r *Renderer) dropLong(without without, a core.Arrangement, text func(core.Placed) string) (core.Arrangement, error) {
	if r.config.Budget == 0 && r.config.BookendFrom == 0 {
		return a, nil
	}
	long := false
	for _, p := range a.Slots {
		if size := len(text(p)); size > core.DefaultMaxBytes {
			if p.Pinned {
				return a, &core.PinError{Limit: "MaxBytes", Max: core.DefaultMaxBytes, Got: size, Rank: p.Rank}
			}
			long = true
		}
	}
	if !long {
		return a, nil
	}
	return without(a, func(p core.Placed) core.Reason {
		if len(text(p)) > core.DefaultMaxBytes {
			return core.OverMaxBytes
		}
		return ""
	})
}

// turnStarts returns where each turn of a history starts: at its first message,
// and at each message of the user.
func turnStarts(history []Message) []int {
	var starts []int
	for i, m := range history {
		if i == 0 || m.Role == User {
			starts = append(starts, i)
		}
	}
	return starts
}
