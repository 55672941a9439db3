package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/model"
)

// Likely is what a comparison that stops at its word will probably cost, if one challenger
// has a true gain and the others gain and lose nothing.
type Likely struct {
	// Gain is the true gain of one challenger, as a share. Where there are kinds, it has that
	// gain in the first, the largest. With Rule.NoWorse, if a challenger is cheaper than the
	// baseline, Gain is 0 or a loss, that of the cheapest one in every kind.
	Gain      float64 `json:"gain"`
	Calls     int     `json:"calls"`     // no more than this in half of the runs
	Ninth     int     `json:"ninth"`     // no more than this in nine of ten
	Questions int     `json:"questions"` // of the plan that it goes through, no more than this in half of the runs
	Decided   float64 `json:"decided"`   // the share of runs, or of their kinds, that come to a word before the questions end
}

// Likely simulates the comparison that d describes, at a discordance above 0 and at most 1,
// such as 0.15, and says what it will cost with Described.UntilDecided: where one challenger
// gains nothing, twice the worthwhile gain, or four times as much; with Rule.NoWorse where
// the cheapest loses nothing, the margin, or twice as much. A case is left out where such a
// discordance cannot have it. Where Lag is given, as for batches, rounds of so many
// questions are asked to their end.
//
// Arms that give the same prompts are left out, and there is no case where every arm does.
// It simulates 20 to 200 runs a case, fewer where there are many kinds and challengers, and
// costs about two seconds at most; there is no case where 20 would take longer. The errors
// are those of the rule, and of a question that cannot be read.
func (p *Plan) Likely(d Described, discordance float64) ([]Likely, error) {
	d.UntilDecided = true
	f, err := p.forecast(d, discordance)
	if err != nil || len(f.prices) == 1 || f.runs() == 0 {
		return nil, err
	}
	gains := []float64{0, 2 * d.Worthwhile, 4 * d.Worthwhile}
	if f.cheaper {
		gains = []float64{0, -d.NoWorse, -2 * d.NoWorse}
	}
	var all []Likely
	for _, gain := range gains {
		if math.Abs(gain) > min(discordance, 1-discordance) {
			continue // no such gain can be
		}
		l, err := f.simulate(gain)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// forecast is a comparison whose answers are drawn: the baseline is right on half of the
// questions, and a challenger turns its answers as evidence.CalibrationSettings says.
type forecast struct {
	described   Described
	discordance float64
	kinds       []int     // of each question, in plan order
	parts       int       // 1 or more kinds
	prices      []float64 // of a call of the baseline, and of each challenger
	cheaper     bool      // it is asked what is no worse, and some challenger is cheaper
	controls    int       // calls of each of the first questions, beside the others
	controlled  int       // how many questions that are
}

// pricedQuestions is how many questions are read to see which arm is cheaper.
const pricedQuestions = 20

func (p *Plan) forecast(d Described, discordance float64) (*forecast, error) {
	f := &forecast{
		described: d, discordance: discordance, kinds: p.kindAt, parts: max(len(p.kinds), 1),
		prices: make([]float64, 1), controlled: p.settings.Controls,
	}
	if len(p.kinds) == 0 {
		f.kinds = make([]int, len(p.order))
	}
	priced := ledger{described: d}
	var arms []int // of prices
	for i, arm := range p.arms {
		switch {
		case arm.kind == Baseline:
			arms = append(arms, i)
		case arm.kind == Challenger && p.same[i] == "":
			arms, f.prices = append(arms, i), append(f.prices, 0)
		case arm.kind != Challenger:
			f.controls++
		}
	}
	for question := range min(len(p.order), pricedQuestions) {
		b, err := p.build(question)
		if err != nil {
			return nil, err
		}
		for i, arm := range arms {
			f.prices[i] += priced.price(outcome{usage: model.Usage{Prompt: b.calls[arm].Tokens, Completion: p.settings.Params.MaxTokens}})
		}
	}
	f.cheaper = d.NoWorse > 0 && slices.ContainsFunc(f.prices[1:], func(price float64) bool { return expense{price, f.prices[0]}.cheaper() })
	return f, nil
}

// simulate runs the comparison again and again.
func (f *forecast) simulate(gain float64) (Likely, error) {
	challengers := len(f.prices) - 1
	who := 0 // has the gain
	if f.cheaper {
		who = slices.Index(f.prices[1:], slices.Min(f.prices[1:]))
	}
	runs := f.runs()
	calls, questions, decided := make([]int, runs), make([]int, runs), 0
	for run := range runs {
		gains := make([][]float64, f.parts)
		for kind := range gains {
			gains[kind] = make([]float64, challengers)
			if kind == 0 || f.cheaper {
				gains[kind][who] = gain
			}
		}
		r, err := newRace(f.described, challengers, f.parts)
		if err == nil {
			calls[run], questions[run], err = f.run(&r, uint64(run), gains)
		}
		if err != nil {
			return Likely{}, err
		}
		for _, p := range r.parts {
			if p.done {
				decided++
			}
		}
	}
	slices.Sort(calls)
	slices.Sort(questions)
	return Likely{
		Gain: gain, Calls: calls[(runs-1)/2], Ninth: calls[(9*runs-1)/10], Questions: questions[(runs-1)/2],
		Decided: float64(decided) / float64(runs*f.parts),
	}, nil
}

// runs is how many runs are simulated: a look at many kinds takes longer. 0: too few to say
// anything.
func (f *forecast) runs() int {
	const most, least, affordable = 200, 20, 3_000_000 // looks at a challenger in a kind
	n := min(most, affordable/(len(f.kinds)*f.parts*(len(f.prices)-1)))
	if n < least {
		return 0
	}
	return n
}

// run draws one comparison, and drives the race of a real one with it.
func (f *forecast) run(r *race, number uint64, gains [][]float64) (calls, questions int, err error) {
	draw := rand.NewPCG(1, number)
	for n, kind := range f.kinds {
		if lag := f.described.Lag; r.decided() && (lag <= 0 || n%lag == 0) {
			break
		}
		questions++
		differences := f.question(draw, gains[kind])
		choice, _ := r.choices.At(n)
		signs := r.asked(choice, kind)
		if signs != "" && signs[0] == kindIsDone {
			r.choose()
			continue
		}
		calls++
		if n < f.controlled {
			calls += f.controls
		}
		p := &r.parts[kind]
		for i, difference := range differences {
			if signs != "" && signs[i] == '-' {
				continue
			}
			calls++
			if p.done {
				continue
			}
			if err := p.trial.Add(i, difference, difference); err != nil {
				return 0, 0, err
			}
			p.expenses[i].add(f.prices[1+i], f.prices[0])
		}
		r.decide(func(word evidence.Word) bool { return word != evidence.Inconclusive })
		r.choose()
	}
	return calls, questions, nil
}

// question draws what a question says of each challenger: 1, 0 or -1.
func (f *forecast) question(draw *rand.PCG, gains []float64) []float64 {
	differences := make([]float64, len(gains))
	right := draw.Uint64()&1 == 1 // the baseline
	for i, gain := range gains {
		turned, difference := f.discordance+gain, 1.0
		if right {
			turned, difference = f.discordance-gain, -1
		}
		if random.Share(draw.Uint64()) < turned {
			differences[i] = difference
		}
	}
	return differences
}
