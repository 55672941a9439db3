package fitness

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/measure/internal/text"
)

// prompt is one prompt, in tokens.
type prompt struct {
	estimated, least, read int
}

// prompts is what the server says about how much it read.
type prompts struct {
	all   []prompt
	short []prompt // those that were not read whole
	alike bool     // they are known by having one count, although they differ in length
	round bool     // and by that count alone, for they hardly differ
	seen  int      // of all, when short was found
	scale scale
	// uncounted is of how many prompts the server did not say what it read.
	uncounted int
}

// scale adds up what short prompts say about tokens: how many the server counts for one
// that is estimated.
type scale struct {
	n                                    int
	alone, aloneRead, single, singleRead float64
}

// Scale counts two short prompts of one question, without a document and with one, by
// their estimated tokens and what the server says it read. From five questions on they
// say what a longer prompt must have, at any tokenizer and template.
func (c *Check) Scale(alone, aloneRead, single, singleRead int) {
	s := &c.prompts.scale
	if aloneRead > 0 && singleRead > aloneRead && single > alone {
		s.n++
		s.alone += float64(alone)
		s.aloneRead += float64(aloneRead)
		s.single += float64(single)
		s.singleRead += float64(singleRead)
	}
}

// expects returns what the server should count for a prompt that is estimated so; 0 where
// that is not known, since too few short prompts were counted or it is short itself.
func (s scale) expects(estimated int) float64 {
	if s.n < enough || float64(estimated)*float64(s.n) < 2*s.single {
		return 0
	}
	rate := (s.singleRead - s.aloneRead) / (s.single - s.alone)
	return s.aloneRead/float64(s.n) + rate*(float64(estimated)-s.alone/float64(s.n))
}

// shortBy is which part of what is expected the server must read at least.
const shortBy = 2.0 / 3

const (
	// enough prompts of different lengths must have one count for it to be where the
	// server cuts them.
	enough = 5
	// fewestCut prompts at least must be cut before that is sure.
	fewestCut = 10
	// counted is how many prompts are looked at: the first ones tell.
	counted = 2000
)

// cuts say how alike the counts of prompts are that are cut to one length, as a share of
// the largest, and how far their own lengths must lie apart then. A server that cuts by
// tokens has one count. One that cuts by characters has nearly one; but so have prompts
// that were filled up to a number of tokens with prose, code or numbers.
var cuts = []struct{ counts, lengths float64 }{{1, 1.05}, {0.97, 2.5}}

// isRound says that a count is one at which servers cut: a multiple of 512, or one less.
// Prompts of about one length may honestly have one count, as those of a template into
// which names of one token are put; that it is one of these is then 256 to 1.
func isRound(n int) bool { return n >= 511 && (n+1)%512 <= 1 }

// Prompt counts one prompt: its estimated number of tokens, the fewest that it can have
// (model.LeastTokens), and how many the server says it read, cached ones included. What
// is not known is 0: a prompt of which the server does not say what it read is not
// counted.
func (c *Check) Prompt(estimated, least, read int) {
	switch {
	case estimated <= 0:
	case read <= 0:
		c.prompts.uncounted++
	case len(c.prompts.all) < counted:
		c.prompts.all = append(c.prompts.all, prompt{estimated, least, read})
	}
}

// look finds the prompts that were not read whole: read as fewer tokens than they can
// have, or than the short ones make expect, or all as the same number although they differ.
// How much they have to differ depends on the number: at a usual limit any difference is
// enough.
func (p *prompts) look() {
	if p.seen == len(p.all) {
		return
	}
	p.seen, p.short, p.alike, p.round = len(p.all), nil, false, false
	most := 0
	for _, q := range p.all {
		most = max(most, q.read)
		if q.read < q.least || float64(q.read) < shortBy*p.scale.expects(q.estimated) {
			p.short = append(p.short, q)
		}
	}
	for _, cut := range cuts {
		var alike []prompt
		lengths := map[int]bool{}
		shortest, longest := math.MaxInt, 0
		for _, q := range p.all {
			if float64(q.read) >= cut.counts*float64(most) {
				alike = append(alike, q)
				lengths[q.estimated] = true
				shortest, longest = min(shortest, q.estimated), max(longest, q.estimated)
			}
		}
		apart := float64(longest) > cut.lengths*float64(shortest)
		round := cut.counts == 1 && isRound(most)
		if len(alike) > len(p.short) && len(lengths) >= enough && (apart || round) {
			p.short, p.alike, p.round = alike, true, !apart
		}
	}
}

func (p *prompts) longest() prompt {
	return slices.MaxFunc(p.short, func(a, b prompt) int { return cmp.Compare(a.estimated, b.estimated) })
}

func (p *prompts) unfit() *Unfit {
	p.look()
	if len(p.short) < fewestCut || float64(len(p.short)) <= mostBad*float64(len(p.all)) {
		return nil
	}
	longest := p.longest()
	reason := fmt.Sprintf("the server says that it read %s of a prompt of about %d, and less than all of %d of the %d prompts that it counted",
		text.Count(longest.read, "token"), longest.estimated, len(p.short), len(p.all))
	if p.round {
		reason = fmt.Sprintf("the server says that it read the same number of tokens, %d, of %d of the %d prompts that it counted, although they differ in length: that is a usual limit, and it cuts them",
			longest.read, len(p.short), len(p.all))
	} else if p.alike {
		shortest := slices.MinFunc(p.short, func(a, b prompt) int { return cmp.Compare(a.estimated, b.estimated) })
		reason = fmt.Sprintf("the server says that it read about the same number of tokens, %d, of %d of the %d prompts that it counted, although the longest has %.1f times the length of the shortest: it cuts them",
			longest.read, len(p.short), len(p.all), float64(longest.estimated)/float64(shortest.estimated))
	}
	return &Unfit{
		Rule: PromptsCut, Reason: reason,
		Remedy: "Give the server a larger context (llama.cpp: -c, Ollama: num_ctx), or use fewer documents, and run into another folder.",
	}
}
