package shape

import "slices"

func negated(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = -v
	}
	return out
}

// sameFit is how close two sums of squares must be to count as equal: far below
// one answer in a million, far above rounding.
const sameFit = 1e-12

// valley returns the values nearest to y in least squares that fall and then rise.
// Every split into a falling and a rising part is tried; values that only fall
// are those that then rise for a single value. Among equals the shortest fall wins.
func valley(y []float64) []float64 {
	var best []float64
	least := 0.0
	try := make([]float64, len(y))
	var p pool
	for split := range y {
		p.fall(try[:split], y[:split])
		p.rise(try[split:], y[split:])
		error2 := 0.0
		for i, v := range try {
			error2 += (v - y[i]) * (v - y[i])
		}
		if best == nil || error2 < least-sameFit {
			best, least = append(best[:0], try...), error2
		}
	}
	return best
}

// pool fits monotone values by pooling adjacent violators: neighbours in the wrong
// order become one block with their mean. It keeps its blocks between calls.
type pool struct{ blocks []block }

type block struct {
	sum  float64
	size int
}

func (b block) mean() float64 { return b.sum / float64(b.size) }

// rise writes the nearest values to y that never fall.
func (p *pool) rise(fit, y []float64) {
	p.blocks = p.blocks[:0]
	for _, v := range y {
		b := block{v, 1}
		for len(p.blocks) > 0 {
			last := p.blocks[len(p.blocks)-1]
			if last.mean() <= b.mean() {
				break
			}
			b = block{last.sum + b.sum, last.size + b.size}
			p.blocks = p.blocks[:len(p.blocks)-1]
		}
		p.blocks = append(p.blocks, b)
	}
	i := 0
	for _, b := range p.blocks {
		for range b.size {
			fit[i] = b.mean()
			i++
		}
	}
}

// fall writes the nearest values to y that never rise.
func (p *pool) fall(fit, y []float64) {
	backwards := slices.Clone(y)
	slices.Reverse(backwards)
	p.rise(fit, backwards)
	slices.Reverse(fit)
}
