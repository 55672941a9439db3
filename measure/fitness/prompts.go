package fitness

import (
	"cmp"
	"fmt"
	"slices"
)

// prompt is one prompt, in tokens.
type prompt struct {
	estimated, least, read int
}

// prompts is what the server says about how much it read.
type prompts []prompt

const (
	// enough prompts of different lengths must have one count for it to be where the
	// server cuts them.
	enough = 5
	// fewestCut prompts at least must be cut before that is sure.
	fewestCut = 10
	// counted is how many prompts are looked at: the first ones tell.
	counted = 2000
	// apart is how far their estimated lengths must lie apart then; farApart where the
	// counts are only nearly alike, as when it cuts by characters.
	apart, farApart = 1.05, 1.5
	nearly          = 0.97
)

// Prompt counts one prompt: its estimated number of tokens, the fewest that it can have
// (model.LeastTokens), and how many the server says it read, cached ones included. What
// is not known is 0.
func (c *Check) Prompt(estimated, least, read int) {
	if read > 0 && estimated > 0 && len(c.prompts) < counted {
		c.prompts = append(c.prompts, prompt{estimated, least, read})
	}
}

// Cut returns how many prompts the server says it did not read whole, of how many it
// counted, and one of them: what was sent at least, and what was read.
func (c *Check) Cut() (cut, counted, sent, read int) {
	short := c.prompts.short()
	for _, p := range short {
		if p.least > sent {
			sent, read = p.least, p.read
		}
	}
	return len(short), len(c.prompts), sent, read
}

// short lists the prompts that were not read whole: read as fewer tokens than they can
// have, or all as the same number although they differ.
func (all prompts) short() []prompt {
	var short []prompt
	for _, p := range all {
		if p.read < p.least {
			short = append(short, p)
		}
	}
	if len(all) < enough {
		return short
	}
	most := slices.MaxFunc(all, func(a, b prompt) int { return cmp.Compare(a.read, b.read) }).read
	for _, rule := range []struct{ from, apart float64 }{{1, apart}, {nearly, farApart}} {
		var alike []prompt
		for _, p := range all {
			if float64(p.read) >= rule.from*float64(most) {
				alike = append(alike, p)
			}
		}
		if len(alike) <= len(short) {
			continue
		}
		lengths := make([]int, len(alike))
		for i, p := range alike {
			lengths[i] = p.estimated
		}
		slices.Sort(lengths)
		lengths = slices.Compact(lengths)
		if len(lengths) >= enough && float64(lengths[len(lengths)-1]) > rule.apart*float64(lengths[0]) {
			short = alike
		}
	}
	return short
}

func (all prompts) unfit() *Unfit {
	short := all.short()
	if len(short) < fewestCut || float64(len(short)) <= mostBad*float64(len(all)) {
		return nil
	}
	longest := slices.MaxFunc(short, func(a, b prompt) int { return cmp.Compare(a.estimated, b.estimated) })
	return &Unfit{
		Rule: PromptsCut,
		Reason: fmt.Sprintf("the server says that it read %d tokens of a prompt of about %d, and cut %d of the %d prompts that it counted",
			longest.read, longest.estimated, len(short), len(all)),
		Remedy: "Give the server a larger context (llama.cpp: -c, Ollama: num_ctx), or use fewer documents, and run into another folder.",
	}
}
