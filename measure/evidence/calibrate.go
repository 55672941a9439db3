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
	// The first word is the one that counts; Calibration.Ever counts the others too.
	AskOn bool
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
	// Median is after how many questions half of the runs had their first word; 0
	// when half of them never had one.
	Median int
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
	questions := make([]int, s.Runs) // until the first word
	for run := range questions {
		if err := c.run(s, uint64(run), &questions[run]); err != nil {
			return Calibration{}, err
		}
	}
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
	if s.Questions < 1 {
		refuse("Questions", s.Questions, "must be 1 or more, such as 3000")
	}
	if s.Runs < 1 {
		refuse("Runs", s.Runs, "must be 1 or more, such as 2000")
	}
	return errors.Join(errs...)
}

// run simulates one comparison and counts its words. questions becomes the number
// until the first word, or more than the cap.
func (c *Calibration) run(s CalibrationSettings, run uint64, questions *int) error {
	trial, err := NewTrial(s.Rule, len(s.Challengers))
	if err != nil {
		return err
	}
	worthwhile := slices.Max(s.Challengers) >= s.Rule.Worthwhile
	draw := rand.NewPCG(s.Seed, run)
	first, wrongReorder, wrongKeep := Inconclusive, false, false
	*questions = s.Questions + 1
	for n := 1; n <= s.Questions && (first == Inconclusive || s.AskOn); n++ {
		baseline := draw.Uint64()&1 == 1
		for i, gain := range s.Challengers {
			turned := s.Discordance + gain // of the wrong answers
			if baseline {
				turned = s.Discordance - gain
			}
			difference := 0.0
			if random.Share(draw.Uint64()) < turned {
				difference = 1
				if baseline {
					difference = -1
				}
			}
			if err := trial.Add(i, difference, difference); err != nil {
				return err
			}
		}
		word := trial.Look()
		if word == Inconclusive {
			continue
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
	c.Reorder += count(first == Reorder)
	c.Keep += count(first == Keep)
	c.Inconclusive += count(first == Inconclusive)
	c.EverWrongReorder += count(wrongReorder)
	c.EverWrongKeep += count(wrongKeep)
	return nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
