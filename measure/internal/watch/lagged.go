package watch

// Lagged holds a choice for each question, made by what was known so many questions before,
// so that it depends on nothing that may be open. The first questions have the first
// choice.
type Lagged[T comparable] struct {
	lag    int
	first  T
	chosen []T
}

// NewLagged returns the choices of a run of which no question has ended.
func NewLagged[T comparable](lag int, first T) Lagged[T] { return Lagged[T]{lag: lag, first: first} }

// At returns the choice for a question, from 0; known is false where it is still to come.
func (l *Lagged[T]) At(question int) (choice T, known bool) {
	switch at := question - l.lag; {
	case at < 0:
		return l.first, true
	case at < len(l.chosen):
		return l.chosen[at], true
	}
	return l.first, false
}

// Choose adds the choice that one more question that has ended leads to.
func (l *Lagged[T]) Choose(choice T) { l.chosen = append(l.chosen, choice) }
