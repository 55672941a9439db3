package judge

import "fmt"

// Counts says what became of the planned calls: in a sweep those of the plan, in a
// comparison those of the questions that were begun. Planned is always Answered plus
// Failed plus Missing. Refused, Truncated and Empty are among the answered, and one
// answer may count in several of them.
type Counts struct {
	Planned   int `json:"planned"`
	Answered  int `json:"answered"`
	Failed    int `json:"failed"`  // no answer after the last try
	Missing   int `json:"missing"` // not asked yet
	Refused   int `json:"refused"`
	Truncated int `json:"truncated"`
	Empty     int `json:"empty"`
	// Unfinished are those of the empty answers that more tokens may cure.
	Unfinished int `json:"unfinished,omitempty"`
}

// Add adds the counts of other calls.
func (c *Counts) Add(d Counts) {
	c.Planned += d.Planned
	c.Answered += d.Answered
	c.Failed += d.Failed
	c.Missing += d.Missing
	c.Refused += d.Refused
	c.Truncated += d.Truncated
	c.Empty += d.Empty
	c.Unfinished += d.Unfinished
}

// Answer counts one answer.
func (c *Counts) Answer(class Class) {
	c.Answered++
	for _, one := range []struct {
		is    bool
		tally *int
	}{{class.Refusal, &c.Refused}, {class.Truncated, &c.Truncated}, {class.Empty, &c.Empty}, {class.Unfinished, &c.Unfinished}} {
		if one.is {
			*one.tally++
		}
	}
}

// Remedy says what to do about empty answers that were on their way; empty where there
// are none.
func (c Counts) Remedy() string {
	if c.Unfinished == 0 {
		return ""
	}
	return fmt.Sprintf("%d empty answers of %d ended in thinking, or at the limit of tokens: raise --max-tokens.", c.Unfinished, c.Answered)
}
