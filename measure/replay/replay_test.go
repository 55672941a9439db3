package replay_test

import (
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/prefixcache"
	"github.com/bookend-rag/bookend/measure/replay"
)

func TestTune(t *testing.T) {
	for _, noise := range []float64{0.05, 0.1, 0.15, 0.2, 0.25,0.3} {
		r, err := replay.Run(t.Context(), helpDesk(2000, noise), replay.Config{
			Settings: []replay.Setting{placed("ranked", core.RankOrder), placed("ht", core.HeadTail), held("held", core.RankOrder)},
			Cache:    prefixcache.Config{Capacity: 400_000},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(noise, r.Rows[0].Share, r.Rows[1].Share, r.Rows[2].Share, r.Rows[0].Tokens/2000)
	}
	r, err := replay.Run(t.Context(), uniform(2000), replay.Config{
		Settings: []replay.Setting{placed("ranked", core.RankOrder), placed("ht", core.HeadTail), held("held", core.RankOrder)},
		Cache:    prefixcache.Config{Capacity: 400_000},
	})
	t.Log(err, r.Finding, r.Rows[0].Share, r.Rows[1].Share, r.Rows[2].Share)
}
