package core_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// orders is testdata/orders.json: what the named software really produced, as
// 1-based ranks by slot.
type orders struct {
	Orders       map[string]ordersByN `json:"orders"`
	MustNotEqual map[string]ordersByN `json:"must_not_equal"`
}

type ordersByN struct {
	ProducedBy []string         `json:"produced_by"`
	ByN        map[string][]int `json:"by_n"`
}

func readOrders(t *testing.T) orders {
	t.Helper()
	data, err := os.ReadFile("testdata/orders.json")
	if err != nil {
		t.Fatal(err)
	}
	var o orders
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// placementOf turns a key of orders.json, such as "edges-first edge=3", into the
// name that ParsePlacement reads.
func placementOf(t *testing.T, key string) core.Placement {
	t.Helper()
	name := key
	if edge, ok := cutAfter(key, "edges-first edge="); ok {
		name = "edges-first=" + edge
	}
	p, err := core.ParsePlacement(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cutAfter(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return "", false
}

func oneBased(ranks []int) []int {
	out := make([]int, len(ranks))
	for i, r := range ranks {
		out[i] = r + 1
	}
	return out
}

func TestOrderEqualsThePeers(t *testing.T) {
	o := readOrders(t)
	if len(o.Orders) < 6 {
		t.Fatalf("only %d entries in orders.json", len(o.Orders))
	}
	for key, entry := range o.Orders {
		t.Run(key, func(t *testing.T) {
			p := placementOf(t, key)
			if len(entry.ByN) != 41 {
				t.Errorf("%d values of n, want 41", len(entry.ByN))
			}
			for text, want := range entry.ByN {
				n, _ := strconv.Atoi(text)
				got, err := core.Order(p, n)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(oneBased(got), want) {
					t.Errorf("n=%d: (-want +got)\n-%v\n+%v", n, want, oneBased(got))
				}
			}
		})
	}
}

func TestOrderDiffersFromTheMisprintedFold(t *testing.T) {
	for key, entry := range readOrders(t).MustNotEqual {
		for text, misprint := range entry.ByN {
			n, _ := strconv.Atoi(text)
			for _, p := range []core.Placement{core.HeadTail, core.TailHead, core.LongContext} {
				got, err := core.Order(p, n)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Equal(oneBased(got), misprint) {
					t.Errorf("%v, n=%d equals %q: %v", p, n, key, misprint)
				}
			}
		}
	}
}
