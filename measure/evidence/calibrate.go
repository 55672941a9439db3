package evidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
)

// CalibrationSettings say which comparisons are simulated.
//
// The baseline is right on half of the questions. A challenger turns some of its
// right answers wrong and some of its wrong ones right, each question and each
// challenger by itself, so often that the discordance and the gain are the true
// ones. Challengers hang together through the baseline that they share: where it is
// wrong all of them can only win.
type CalibrationSettings struct {
	// Challengers holds the true gain of each, as shares, each at most as far from 0
	// as Discordance.
	Challengers []float64
	// Discordance is the share of questions that a challenger and the baseline answer
	// differently, above 0; together with the largest gain it is at most 1. Real
	// models show .12 to .15.
	Discordance float64
	Rule        Rule
	Questions   int // cap of each comparison, 1 or more
	Runs        int // comparisons, 1 or more
	Seed        uint64
	// AskOn goes on to the cap after a word, and so looks the full number of times.
	// The first word is the one that counts; the fields
	// of Calibration that begin with Ever count the others too.
	AskOn bool
	// Race asks a challenger only as long as Trial.Asks says so, by what was known
	// RaceLag questions before, as a comparison that stops at its word does.
	Race bool
	// Controls is how many calls the first ControlQuestions questions cost beside those
	// of the baseline and the challengers. They count in Calibration's calls alone.
	Controls, ControlQuestions int
	// Copies says how often each question comes, in other words: 0 and 1 mean once. All
	// copies are answered alike, and are one cluster, whose mean counts once. Questions
	// counts each of them once.
	Copies int
	// Apart counts each copy as a question of its own, as if nobody knew that they
	// belong together. That is a mistake, whose price this finds.
	Apart bool
	// Missing says which calls fail, so that their scores are not known.
	Missing Missing
	// Late adds one challenger more every so many questions; 0 has all of them from the
	// start. All count in one Trial from the start, though the later ones are not asked.
	Late int
	// Anew makes a new Trial of the challengers that there are whenever one is added,
	// and looks again from the first question on, as somebody does who begins with
	// one challenger and adds others. It needs Late.
	Anew bool
}

// RaceLag is how many questions ahead it is chosen whom to ask, so that the choice does not
// depend on the calls that are open.
const RaceLag = 8

// Missing says which share of the calls fails, among those of one side that would have been
// right, or would have been wrong. The zero value: none.
type Missing struct {
	Share float64 // of these answers, from 0 to 1
	// Baseline lets calls of the baseline fail, in place of those of the challengers;
	// Right those that would be right, in place of those that would be wrong.
	Baseline, Right bool
}

// score is the range of a score.
func (m Missing) score(right, baseline bool, luck float64) span {
	switch {
	case baseline == m.Baseline && right == m.Right && luck < m.Share:
		return span{0, 1}
	case right:
		return span{1, 1}
	}
	return span{0, 0}
}

// Calibration counts, over simulated comparisons, which word came first.
type Calibration struct {
	Runs int
	// Reorder, Keep and Inconclusive add up to Runs.
	Reorder, Keep, Inconclusive int
	// WrongReorder counts the runs that named a challenger whose true gain is 0 or
	// less, WrongKeep those that kept although a true gain is worthwhile.
	WrongReorder, WrongKeep int
	// EverWrongReorder and EverWrongKeep count the runs in which any look was wrong
	// in this way; without AskOn they are WrongReorder and WrongKeep.
	EverWrongReorder, EverWrongKeep int
	// EverMissed counts the runs in which the confidence sequence of the first challenger
	// did not hold its true gain at some look.
	EverMissed int
	// Median is after how many questions half of the runs had their first word; 0
	// when half of them never had one.
	Median int
	// MeanCalls, MedianCalls and NinthCalls are how many calls a run made until its first
	// word, or to the cap: on average, no more than this in half of the runs,
	// and in nine of ten.
	MeanCalls               float64
	MedianCalls, NinthCalls int
}

// Decided counts the runs that came to a word by the cap.
func (c Calibration) Decided() int { return c.Reorder + c.Keep }

// Share returns count as a share of the runs.
func (c Calibration) Share(count int) float64 { return float64(count) / float64(c.Runs) }

// Calibrate simulates comparisons whose true gains are known and counts the words.
// Same settings, same counts, under every version of Go. It is safe for concurrent
// use and uses one core: a thousand comparisons of 3,000 questions and one
// challenger take about a second, less when they stop at their word. The error joins
// a *core.ConfigError for each fault.
func Calibrate(s CalibrationSettings) (Calibration, error) {
	if err := s.check(); err != nil {
		return Calibration{}, err
	}
	c := Calibration{Runs: s.Runs}
	questions, calls := make([]int, s.Runs), make([]int, s.Runs) // until the first word
	for run := range questions {
		if err := c.run(s, uint64(run), &questions[run], &calls[run]); err != nil {
			return Calibration{}, err
		}
		c.MeanCalls += float64(calls[run]) / float64(s.Runs)
	}
	slices.Sort(calls)
	c.MedianCalls, c.NinthCalls = calls[(s.Runs-1)/2], calls[(9*s.Runs-1)/10]
	slices.Sort(questions)
	if half := questions[(s.Runs-1)/2]; half <= s.Questions {
		c.Median = half
	}
	return c, nil
}

func (s CalibrationSettings) check() error {
	_, err := NewTrial(s.Rule, len(s.Challengers))
	errs := []error{err}
	refuse := func(field string, value any, rule string) {
		errs = append(errs, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if !(s.Discordance > 0 && s.Discordance <= 1) {
		refuse("Discordance", s.Discordance, "must be a share above 0 and at most 1, such as 0.15")
	}
	for _, gain := range s.Challengers {
		if !(math.Abs(gain) <= s.Discordance && math.Abs(gain)+s.Discordance <= 1) {
			refuse("Challengers", gain, "a gain is a share, at most as far from 0 as Discordance, and with it at most 1")
		}
	}
	if s.Copies < 0 {
		refuse("Copies", s.Copies, "must be 0 or more; 0 means 1")
	}
	if !(s.Missing.Share >= 0 && s.Missing.Share <= 1) {
		refuse("Missing.Share", s.Missing.Share, "must be a share, from 0 to 1")
	}
	if s.Late < 0 || s.Anew && s.Late == 0 {
		refuse("Late", s.Late, "must be 0 or more, and 1 or more with Anew")
	}
	if s.Questions < 1 {
		refuse("Questions", s.Questions, "must be 1 or more, such as 3000")
	}
	if s.Runs < 1 {
		refuse("Runs", s.Runs, "must be 1 or more, such as 2000")
	}
	return errors.Join(errs...)
}

// run simulates one comparison and counts its words. questions becomes the number
// until the first word, or more than the cap, and calls what was asked until then.
func (c *Calibration) run(s CalibrationSettings, run uint64, questions, calls *int) error {
	there := len(s.Challengers)
	if s.Anew {
		there = 1
	}
	trial, err := NewTrial(s.Rule, there)
	if err != nil {
		return err
	}
	draw := rand.NewPCG(s.Seed, run)
	first, wrongReorder, wrongKeep, missed := Inconclusive, false, false, false
	worthwhile := slices.Max(s.Challengers) >= s.Rule.Worthwhile
	*questions = s.Questions + 1
	look := func(n int) {
		missed = missed || trial.challengers[0].misses(s.Challengers[0], trial.rule.Alpha)
		word := trial.Look()
		if word == Inconclusive {
			return
		}
		_, winner := trial.word()
		badReorder := word == Reorder && s.Challengers[winner] <= 0
		badKeep := word == Keep && worthwhile
		wrongReorder, wrongKeep = wrongReorder || badReorder, wrongKeep || badKeep
		if first == Inconclusive {
			first, *questions = word, n
			c.WrongReorder += count(badReorder)
			c.WrongKeep += count(badKeep)
		}
	}
	var race race
	var asked [][]span // by question, for a trial that begins anew
	for n := 1; n <= s.Questions && (first == Inconclusive || s.AskOn); n++ {
		differences := s.question(draw)
		if s.Anew {
			asked = append(asked, differences)
		}
		if s.Anew && n%s.Late == 0 && there < len(s.Challengers) {
			there++
			if trial, err = NewTrial(s.Rule, there); err != nil {
				return err
			}
			for i := 1; i < there; i++ {
				trial.Late(i)
			}
			for _, before := range asked[:len(asked)-1] {
				if err := s.add(trial, before[:there], look, n); err != nil {
					return err
				}
			}
		}
		if !s.Anew && s.Late > 0 {
			there = min(len(s.Challengers), 1+(n-1)/s.Late)
		}
		if first == Inconclusive {
			*calls++
			if n <= s.ControlQuestions {
				*calls += s.Controls
			}
		}
		if s.Race {
			race.leaveOut(differences[:there])
		}
		for _, d := range differences[:there] {
			if first == Inconclusive && d != notAsked {
				*calls++
			}
		}
		if err := s.add(trial, differences[:there], look, n); err != nil {
			return err
		}
		race.choose(trial)
	}
	c.Reorder += count(first == Reorder)
	c.Keep += count(first == Keep)
	c.Inconclusive += count(first == Inconclusive)
	c.EverWrongReorder += count(wrongReorder)
	c.EverWrongKeep += count(wrongKeep)
	c.EverMissed += count(missed)
	return nil
}

// question returns what one question says of each challenger.
func (s CalibrationSettings) question(draw *rand.PCG) []span {
	baselineRight := draw.Uint64()&1 == 1
	baseline := s.Missing.score(baselineRight, true, s.luck(draw))
	differences := make([]span, len(s.Challengers))
	for i, gain := range s.Challengers {
		turned := s.Discordance + gain // of the wrong answers
		if baselineRight {
			turned = s.Discordance - gain
		}
		right := baselineRight != (random.Share(draw.Uint64()) < turned)
		score := s.Missing.score(right, false, s.luck(draw))
		differences[i] = span{score.low - baseline.high, score.high - baseline.low}
	}
	return differences
}

// luck draws only where calls fail.
func (s CalibrationSettings) luck(draw *rand.PCG) float64 {
	if s.Missing.Share == 0 {
		return 1
	}
	return random.Share(draw.Uint64())
}

// add counts one question in all its copies, and looks after each value of all.
func (s CalibrationSettings) add(trial *Trial, differences []span, look func(n int), n int) error {
	copies := 1
	if s.Apart {
		copies = max(1, s.Copies)
	}
	for range copies {
		for i, d := range differences {
			if d == notAsked {
				continue
			}
			if err := trial.Add(i, d.low, d.high); err != nil {
				return err
			}
		}
		look(n)
	}
	return nil
}

// notAsked is the difference of a challenger that a question is not asked in.
var notAsked = span{2, 2}

// race remembers whom to ask the next questions.
type race struct{ choices [][]bool }

// leaveOut marks the challengers that the next question is not asked in.
func (r *race) leaveOut(differences []span) {
	if len(r.choices) < RaceLag {
		return
	}
	for i, asked := range r.choices[0] {
		if !asked {
			differences[i] = notAsked
		}
	}
	r.choices = r.choices[1:]
}

func (r *race) choose(trial *Trial) {
	asked := make([]bool, len(trial.challengers))
	for i := range asked {
		asked[i] = trial.Asks(i)
	}
	r.choices = append(r.choices, asked)
}

// misses says whether the confidence sequence does not hold a gain.
func (c *challenger) misses(gain, alpha float64) bool {
	limit := math.Log(2 / alpha)
	return c.LogAbove(gain) >= limit || c.LogBelow(gain) >= limit
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
