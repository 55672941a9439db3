package saturate

import (
	"math"
	"testing"
)

func TestSaturate(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt
	for _, c := range []struct{ a, b, sum, product int }{
		{0, 0, 0, 0},
		{2, 3, 5, 6},
		{most, 0, most, 0},
		{0, most, most, 0},
		{most, 1, most, most},
		{1, most, most, most},
		{most, most, most, most},
		{most / 2, 2, most/2 + 2, most - 1},
		{most/2 + 1, 2, most/2 + 3, most},
		{most - 1, 1, most, most - 1},
	} {
		if Add(c.a, c.b) != c.sum || Mul(c.a, c.b) != c.product {
			t.Errorf("%d and %d: -want %d, %d +got %d, %d", c.a, c.b, c.sum, c.product, Add(c.a, c.b), Mul(c.a, c.b))
		}
	}
}
