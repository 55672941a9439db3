package fake

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/model"
)

// KilledConcurrency is how many calls are open at most in a run of Killed.
const KilledConcurrency = 8

// Killed runs again and again, and kills every run but the last at a random moment. The
// model answers late and out of order. calls is how many calls one undisturbed run makes;
// asked is how many were made here.
func Killed(t testing.TB, m model.Model, kills, calls int, run func(ctx context.Context, m model.Model, concurrency int) error) (asked int) {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, uint64(kills)))
	var all atomic.Int64
	for kill := 0; ; kill++ {
		ctx, cancel := context.WithCancel(t.Context())
		each := int64(calls/max(kills, 1)) + 2
		left := each/2 + draw.Int64N(each)
		if kill == kills {
			left = 1 << 40
		}
		var now atomic.Int64
		slow := model.Func(func(inner context.Context, ask model.Prompt) (model.Answer, error) {
			all.Add(1)
			if now.Add(1) > left {
				cancel()
			}
			select {
			case <-inner.Done():
				return model.Answer{}, inner.Err()
			case <-time.After(time.Duration(rand.Int64N(int64(300 * time.Microsecond)))):
			}
			return m.Ask(inner, ask)
		})
		err := run(ctx, slow, 1+draw.IntN(KilledConcurrency))
		ended := ctx.Err() == nil
		cancel()
		if ended {
			if err != nil {
				t.Fatal(err)
			}
			return int(all.Load())
		}
	}
}
