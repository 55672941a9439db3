package reuse_test

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/reuse"
)

// Each case sends lists of documents, best first, and gives the order of the last.
func TestOrders(t *testing.T) {
	t.Parallel()
	steep, free := line(1, 0), flat()
	for _, test := range []struct {
		name   string
		config reuse.Config
		p      core.Placement
		sent   string // lists, by spaces
		want   string
		reused int
	}{
		{"nothing sent", reuse.Config{Hold: 1}, core.HeadTail, "ABCDE", "ACEDB", 0},
		{"nothing in common", reuse.Config{Hold: 1}, core.HeadTail, "VWXYZ ABCDE", "ACEDB", 0},
		{"off", reuse.Config{}, core.RankOrder, "BACDE ABCDE", "ABCDE", 0},
		{"the best is held", reuse.Config{Hold: 1}, core.RankOrder, "AZYXW ABXYZ", "AZYXB", 4},
		{"another best", reuse.Config{Hold: 1}, core.RankOrder, "BZYXW ABXYZ", "ABXYZ", 0},
		{"the two best are held at both ends", reuse.Config{Hold: 2}, core.HeadTail, "AFGHE ABCGF", "AGFCB", 2},
		{"a held document that was sent elsewhere", reuse.Config{Hold: 2}, core.RankOrder, "ABCD ACBD", "ACBD", 1},
		{"all are held", reuse.Config{Hold: 9}, core.RankOrder, "BACD ABCD", "ABCD", 0},
		{"all free", reuse.Config{Worth: 1, Curve: free}, core.RankOrder, "EDCBA ABCDE", "EDCBA", 5},
		{"the longer beginning", reuse.Config{Worth: 1, Curve: free}, core.RankOrder, "AXYZW DCVWX ABCDE", "DCABE", 2},
		{"the rest in its slots", reuse.Config{Worth: 1, Curve: free}, core.HeadTail, "DXYZ ABCDE", "DBECA", 1},
		{"too dear", reuse.Config{Worth: 5, Curve: steep}, core.RankOrder, "EDCBA ABCDE", "ABCDE", 0},
		{"dear, and worth it", reuse.Config{Worth: 90, Curve: steep}, core.RankOrder, "EDCBA ABCDE", "EDCBA", 5},
		{"all is worth it", reuse.Config{Worth: 12, Curve: steep}, core.RankOrder, "ABEDC ABCDE", "ABEDC", 5},
		{"a part is worth it", reuse.Config{Worth: 6, Curve: steep}, core.RankOrder, "ABEDC ABCDE", "ABCDE", 2},
		{"one document twice", reuse.Config{Hold: 1}, core.RankOrder, "ABBC ACBB", "ABBC", 4},
		{"one document twice, sent once", reuse.Config{Hold: 1}, core.RankOrder, "ABC ACBB", "ABCB", 3},
	} {
		m := mustNew(t, test.config)
		a := by(t, test.p, m)
		lists := strings.Fields(test.sent)
		var got core.Arrangement
		var order string
		for _, list := range lists {
			var err error
			if got, err = core.Arrange(t.Context(), a, docs(list), view, core.Call{}); err != nil {
				t.Fatal(err)
			}
			placed, err := core.Apply(got, docs(list))
			if err != nil {
				t.Fatal(err)
			}
			order = letters(placed)
		}
		same(t, test.name, test.want, order)
		same(t, test.name+": reused", test.reused, got.Reused)
	}
}
