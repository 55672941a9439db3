package prompt

import (
	"github.com/bookend-rag/bookend/core"
)

// measure counts a text. Once the context has ended nothing more is counted.
func (f *fitter) measure(text string) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	size := f.count(text)
	if size < 0 {
		return 0, &core.ConfigError{Field: "Count", Value: size, Rule: "must return 0 or more"}
	}
	return size, f.ctx.Err()
}

// try renders and counts the prompt of a step.
func (f *fitter) try(step int) (Prompt, error) {
	p, err := f.lay(step)
	if err != nil {
		return Prompt{}, err
	}
	p.Size, err = f.measure(p.Text)
	return p, err
}

// leastDropped finds a step that fits while the one before it does not. It counts the
// smallest prompt, and each turn and document once until the budget is full; from the
// step that this points to it goes by whole prompts.
func (f *fitter) leastDropped() (int, Prompt, error) {
	room := f.config.Budget - f.config.Reserve
	over := -1 // the last step that does not fit
	var needed int
	if f.sizes.total <= times(4, max(room, 0)) { // in prose a token has four bytes and more
		p, err := f.try(0)
		if err != nil || p.Size <= room {
			return 0, p, err
		}
		over, needed = 0, p.Size
	}
	// The last step leaves the least, but the words that there are no documents can
	// be longer than the best document: then the step before it is the last.
	under := f.steps()
	best, err := f.try(under)
	if err != nil {
		return 0, Prompt{}, err
	}
	if over < 0 || best.Size < needed {
		needed = best.Size
	}
	if best.Size > room && under > 0 {
		under--
		if best, err = f.try(under); err != nil {
			return 0, Prompt{}, err
		}
		needed = min(needed, best.Size)
	}
	if best.Size > room {
		return 0, Prompt{}, &BudgetError{Needed: needed, Reserve: f.config.Reserve, Budget: f.config.Budget}
	}
	guess, err := f.guess(under, best.Size, room)
	if err != nil {
		return 0, Prompt{}, err
	}
	// From the guess on in strides that grow, and once they reach over the goal by halves.
	step := max(over+1, min(guess, under-1))
	for stride := 1; under-over > 1; stride = times(2, stride) {
		if step <= over || step >= under {
			step = over + (under-over)/2
		}
		p, err := f.try(step)
		if err != nil {
			return 0, Prompt{}, err
		}
		if p.Size <= room {
			best, under, step = p, step, step-stride
		} else {
			over, step = step, plus(step, stride)
		}
	}
	return under, best, nil
}

// guess returns the step that the sizes of the parts point to: the room that the last
// step leaves is filled with documents, best first, and with turns, newest first. They
// are counted in pieces of some length, so that the counts are few.
func (f *fitter) guess(last, size, room int) (int, error) {
	step := last
	for step > 0 {
		to, bytes := step, 0
		for to > 0 && (bytes == 0 || bytes < room) {
			to--
			bytes = plus(bytes, f.bytes(to))
		}
		piece, err := f.piece(to, step)
		if err != nil {
			return 0, err
		}
		if plus(size, piece) > room { // by its bytes, the part of the piece that fits
			part := float64(bytes) * float64(room-size) / float64(piece)
			for step > to && part >= float64(f.bytes(step-1)) {
				step--
				part -= float64(f.bytes(step))
			}
			return step, nil
		}
		size, step = size+piece, to
	}
	return step, nil
}

// bytes returns the length of what a step has and the next one leaves out.
func (f *fitter) bytes(step int) int {
	turns, docs := f.at(step)
	if turns == 0 {
		return f.sizes.docs[docs-1]
	}
	fewer, _ := f.at(step + 1)
	bytes := 0
	for _, size := range f.sizes.turns[fewer:turns] {
		bytes = plus(bytes, size)
	}
	return bytes
}

// piece counts what one step has and a later one leaves out.
func (f *fitter) piece(step, later int) (int, error) {
	turns, docs := f.at(step)
	fewerTurns, fewerDocs := f.at(later)
	var parts []Part
	var in Input
	if turns > fewerTurns {
		parts = append(parts, PartHistory)
		in.History = f.in.History[f.historyFrom(turns):f.historyFrom(fewerTurns)]
	}
	if docs > fewerDocs {
		parts = append(parts, PartDocuments)
	}
	p, err := f.compose(f.ctx, parts, f.candidates.placed(core.Arrangement{Slots: f.candidates.unpinned[fewerDocs:docs]}), in)
	if err != nil {
		return 0, err
	}
	return f.measure(p.Text)
}
