package shape

// Needs says in which zones more answers would tell something: those of the contrasts that
// are not known yet. A sweep may leave the others out, since that rests on what was added
// alone. Where every contrast is known it is all of them.
func (t *Trial) Needs() (start, middle, end bool) {
	h, e, s := !t.h.known(), !t.t.known(), !t.e.known()
	if !t.hasMiddle() {
		return true, false, true
	}
	if !h && !e && !s {
		return true, true, true
	}
	return h || s, h || e, e || s
}
