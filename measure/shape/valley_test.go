package shape

import (
	"math"
	"math/rand"
	"testing"
)

// Fits on a grid: every sequence of means that a fit can take is one of the grid's,
// if the grid holds the means of up to four values of 0, 1/2 and 1.
var fitGrid = func() []float64 {
	seen := map[int]bool{}
	var grid []float64
	for size := 1; size <= 4; size++ {
		for sum := 0; sum <= 2*size; sum++ {
			if key := sum * 12 / size; !seen[key] { // in 24ths, whole for sizes 1 to 4
				seen[key] = true
				grid = append(grid, float64(key)/24)
			}
		}
	}
	return grid
}()

// sequences calls f with every sequence of n values.
func sequences(n int, values []float64, f func([]float64)) {
	y := make([]float64, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			f(y)
			return
		}
		for _, v := range values {
			y[i] = v
			fill(i + 1)
		}
	}
	fill(0)
}

func distance2(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

func isRising(y []float64) bool {
	for i := 1; i < len(y); i++ {
		if y[i] < y[i-1] {
			return false
		}
	}
	return true
}

func isValley(y []float64) bool {
	i := 1
	for i < len(y) && y[i] <= y[i-1] {
		i++
	}
	return i >= len(y) || isRising(y[i-1:])
}

// No sequence of the form is nearer than the fit, over all curves of up to four
// slots with accuracies 0, 1/2 and 1.
func TestFitsAreTheNearestOfTheirForm(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		var rising, valleys [][]float64
		sequences(n, fitGrid, func(y []float64) {
			if isRising(y) {
				rising = append(rising, append([]float64(nil), y...))
			}
			if isValley(y) {
				valleys = append(valleys, append([]float64(nil), y...))
			}
		})
		nearest := func(y []float64, among [][]float64) float64 {
			least := math.Inf(1)
			for _, f := range among {
				least = min(least, distance2(f, y))
			}
			return least
		}
		sequences(n, []float64{0, 0.5, 1}, func(y []float64) {
			var p pool
			fit := make([]float64, n)
			if p.rise(fit, y); !isRising(fit) || math.Abs(distance2(fit, y)-nearest(y, rising)) > 1e-12 {
				t.Errorf("rise of %v: got %v at %g, the nearest is at %g", y, fit, distance2(fit, y), nearest(y, rising))
			}
			if fit := valley(y); !isValley(fit) || math.Abs(distance2(fit, y)-nearest(y, valleys)) > 1e-12 {
				t.Errorf("valley of %v: got %v at %g, the nearest is at %g", y, fit, distance2(fit, y), nearest(y, valleys))
			}
		})
	}
}

func TestValleyByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ y, want []float64 }{
		{nil, nil},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{0.9, 0.1, 0.5}, []float64{0.9, 0.1, 0.5}},
		{[]float64{0.2, 0.4, 0.6}, []float64{0.2, 0.4, 0.6}},
		{[]float64{0.6, 0.4, 0.2}, []float64{0.6, 0.4, 0.2}},
		{[]float64{0.5, 0.5, 0.5}, []float64{0.5, 0.5, 0.5}},
		{[]float64{1, 0.25, 0.75, 0.5, 1}, []float64{1, 0.25, 0.625, 0.625, 1}},
		// Two valleys are as near: the one with the shorter fall wins.
		{[]float64{0, 1, 0}, []float64{0, 0.5, 0.5}},
	} {
		got := valley(tt.y)
		if len(got) != len(tt.want) || distance2(got, tt.want) > 1e-18 {
			t.Errorf("valley of %v (-want +got)\n-%v\n+%v", tt.y, tt.want, got)
		}
	}
}

// A fit keeps what has the form already, keeps the mean, and does not change when it
// is fitted again.
func TestValleyProperties(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(3))
	for range 2000 {
		y := make([]float64, 1+random.Intn(25))
		for i := range y {
			y[i] = float64(random.Intn(301)) / 300
		}
		before := append([]float64(nil), y...)
		fit := valley(y)
		if distance2(before, y) != 0 {
			t.Fatalf("the fit wrote to its input: %v became %v", before, y)
		}
		sum := 0.0
		for i, v := range fit {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("valley of %v: %v leaves 0 to 1", y, fit)
			}
			sum += v - y[i]
		}
		if !isValley(fit) || math.Abs(sum) > 1e-9 || distance2(valley(fit), fit) > 1e-18 {
			t.Fatalf("valley of %v: %v is no valley of the same mean, or not its own fit %v", y, fit, valley(fit))
		}
	}
}
