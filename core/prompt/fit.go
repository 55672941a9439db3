package prompt

import (
	"context"
	"errors"

	"github.com/bookend-rag/bookend/core"
)

// fit lays out the prompt and, under a budget, leaves out the least that makes it
// fit: first the oldest turns of the history, then the worst unpinned documents.
func fit[S ~[]E, E any](ctx context.Context, r *Renderer, s source[S, E], a core.Arrangement, in Input, parts []Part) (Prompt, error) {
	if err := errors.Join(s.check(), ctx.Err()); err != nil {
		return Prompt{}, err
	}
	if r.config.Budget == 0 && r.config.BookendFrom == 0 {
		a = s.labelled(r, a)
		return r.lay(ctx, parts, a, s.placed(&r.config, a), in)
	}
	byRank := slotsByRank(a)
	sizes, err := s.choose(r, a, byRank, in)
	if err != nil {
		return Prompt{}, err
	}
	c, err := s.candidates(r, a, byRank, sizes)
	if err != nil {
		return Prompt{}, err
	}
	f := &fitter{Renderer: r, ctx: ctx, candidates: c, sizes: sizes, in: in, parts: parts, layout: r.config.Layout}
	if err := f.chooseLayout(); err != nil {
		return Prompt{}, err
	}
	var step int
	var p Prompt
	if r.config.Budget == 0 {
		p, err = f.lay(0)
	} else {
		step, p, err = f.leastDropped()
	}
	if err != nil {
		return Prompt{}, err
	}
	return f.finish(step, p, a, s.without, s.text, func(a core.Arrangement) core.Arrangement { return s.labelled(r, a) })
}

// lay renders a prompt and says which arrangement, labelled, it shows.
func (r *Renderer) lay(ctx context.Context, parts []Part, a core.Arrangement, docs documents, in Input) (Prompt, error) {
	p, err := r.compose(ctx, parts, docs, in)
	if err != nil {
		return Prompt{}, err
	}
	p.Layout = r.config.Layout
	p.Arrangement = p.hidden.in(a)
	return p, nil
}

// fitter finds the prompt of one call that leaves out the least. Step 0 leaves out
// nothing of the candidates; each step more leaves out turns of the history, oldest
// first, one or a block of Config.DropTurns, and then a document, worst first.
type fitter struct {
	*Renderer
	ctx        context.Context
	candidates *candidates
	sizes      sizes
	in         Input
	parts      []Part
	layout     Layout
}

// steps is the last step.
func (f *fitter) steps() int {
	first, block := f.blocks()
	return upTo(len(f.sizes.starts)-first, block) + len(f.sizes.docs)
}

// at returns what a step leaves: turns of the history, and unpinned documents.
func (f *fitter) at(step int) (turns, docs int) {
	first, block := f.blocks()
	all := len(f.sizes.starts)
	dropped := min(step, upTo(all-first, block))
	return max(all-first-dropped*block, 0), len(f.sizes.docs) - (step - dropped)
}

// blocks returns how many turns step 0 leaves out, which may have none of them, and how
// many each step more. Blocks count from the start of the history, so that calls with one
// turn more leave out the same ones.
func (f *fitter) blocks() (first, block int) {
	block = max(f.config.DropTurns, 1)
	all := len(f.sizes.starts)
	return min(upTo(all-len(f.sizes.turns), block)*block, all), block
}

// upTo returns how many blocks hold n.
func upTo(n, block int) int { return n/block + min(n%block, 1) }

// lay renders the prompt of a step.
func (f *fitter) lay(step int) (Prompt, error) {
	turns, keep := f.at(step)
	a, err := f.candidates.best(keep)
	if err != nil {
		return Prompt{}, err
	}
	rest := f.in
	rest.History = f.in.History[f.historyFrom(turns):]
	return f.compose(f.ctx, f.parts, f.candidates.placed(a), rest)
}

// historyFrom returns the first message of the newest turns.
func (f *fitter) historyFrom(turns int) int {
	if turns == 0 {
		return len(f.in.History)
	}
	return f.sizes.starts[len(f.sizes.starts)-turns]
}

// chooseLayout applies BookendFrom, by the size of the prompt of step 0. One with more
// text than may be counted is a long one.
func (f *fitter) chooseLayout() error {
	if f.config.BookendFrom == 0 || len(f.parts) == 1 || f.sizes.tooMany {
		return nil
	}
	long := f.parts
	f.parts, _ = QuestionLast.Parts()
	p, err := f.try(0)
	if err != nil {
		return err
	}
	if f.layout = QuestionLast; p.Size >= f.config.BookendFrom {
		f.parts, f.layout = long, Bookend
	}
	return nil
}

// finish writes out which documents the prompt of a step leaves out.
func (f *fitter) finish(step int, p Prompt, a core.Arrangement, without without, text func(core.Placed) string, labelled func(core.Arrangement) core.Arrangement) (Prompt, error) {
	turns, keep := f.at(step)
	messages := f.historyFrom(turns)
	p.Layout = f.layout
	p.DroppedTurns, p.DroppedMessages = len(f.sizes.starts)-turns, messages
	shown, err := f.candidates.best(keep)
	if err != nil {
		return Prompt{}, err
	}
	if len(shown.Slots) < len(a.Slots) {
		a, err = without(a, func(p core.Placed) core.Reason { // asked best first
			switch {
			case p.Pinned:
				return ""
			case len(text(p)) > f.sizes.maxBytes:
				return core.OverMaxBytes
			}
			if keep--; keep >= 0 {
				return ""
			}
			return core.OverBudget
		})
		if err != nil {
			return Prompt{}, err
		}
	}
	for slot, placed := range a.Slots {
		if placed.Index != f.candidates.index[shown.Slots[slot].Index] {
			return Prompt{}, &core.PlacementError{Placement: a.Placement, Err: errors.New("the same documents were placed in two ways: a placement must give one order for one input")}
		}
	}
	p.Arrangement = p.hidden.in(labelled(a))
	return p, nil
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
