package rank_test

import (
	"testing"

	"github.com/bookend-rag/bookend/core/rank"
)

func TestIsNil(t *testing.T) {
	t.Parallel()
	var scorer rank.Scorer
	for name, v := range map[string]any{
		"nothing": nil, "an empty interface": scorer, "a pointer": (*rank.HTTP)(nil),
		"a func": rank.ScorerFunc(nil), "a map": map[string]int(nil), "a slice": []int(nil), "a channel": (chan int)(nil),
	} {
		same(t, name, true, rank.IsNil(v))
	}
	for name, v := range map[string]any{"a pointer": &rank.HTTP{}, "a func": rank.ScorerFunc(nil).Score, "a struct": struct{}{}, "a number": 0} {
		same(t, name, false, rank.IsNil(v))
	}
}
