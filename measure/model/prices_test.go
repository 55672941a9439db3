package model

import (
	"math"
	"testing"
)

func TestCost(t *testing.T) {
	t.Parallel()
	u := Usage{Prompt: 3e6, Cached: 1e6, Completion: 1e6}
	for _, c := range []struct {
		prices Prices
		want   float64
	}{{Prices{}, 0}, {Prices{Prompt: 2, Completion: 5}, 11}, {Prices{Prompt: 2, Completion: 5, Cached: 0.5}, 9.5}} {
		if got := c.prices.Cost(u); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: -want %v +got %v", c.prices, c.want, got)
		}
	}
}
