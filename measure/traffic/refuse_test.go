package traffic_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// refused returns the percentages in the finding of a curve, and fails unless it is
// unfit, without a shape or a file.
func refused(t *testing.T, name string, c traffic.Curve) []int {
	t.Helper()
	if c.Unfit == nil || c.Unfit.Remedy == "" || c.Verdict != nil || c.Slots != nil || c.Curve != nil || c.Needed != 0 || !strings.HasPrefix(c.Finding, "unfit") {
		t.Errorf("%s: %+v", name, c)
	}
	var figures []int
	for _, found := range regexp.MustCompile(`(\d+)(\.\d)? %`).FindAllStringSubmatch(c.Finding, -1) {
		n, _ := strconv.Atoi(found[1])
		figures = append(figures, n)
	}
	return figures
}

// Documents of one source, kept together by Groups, as core itself places them: refused,
// whatever the reader and however the sources are made up.
func TestGroupedDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	type chunk struct {
		source   string
		position int
	}
	view := &core.View[chunk]{Meta: func(c chunk) map[string]any {
		return map[string]any{"source": c.source, "position": c.position}
	}}
	config, err := core.Share{Rate: 1, Seed: 3}.In(core.Config{Groups: true, Keys: core.Keys{Source: "source", Position: "position"}})
	if err != nil {
		t.Fatal(err)
	}
	arranger, err := core.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for sources, of := range map[string]func(request, rank int) chunk{
		"one source": func(_, rank int) chunk { return chunk{"A", rank} },
		"one source, any place": func(request, rank int) chunk {
			return chunk{"A", int(core.SeedFor(uint64(request), fmt.Sprint(rank)) % 1000)}
		},
		"two sources": func(_, rank int) chunk { return chunk{fmt.Sprint(rank % 2), rank} },
		"pairs":       func(_, rank int) chunk { return chunk{fmt.Sprint(rank / 2), rank} },
		"any of three, any place": func(request, rank int) chunk {
			h := core.SeedFor(uint64(request), fmt.Sprint(rank))
			return chunk{fmt.Sprint(h % 3), int(h % 1000)}
		},
	} {
		for _, curve := range []string{"U", "primacy", "recency"} {
			reader, err := traffic.NewReader(simulation(curve, 10, 1))
			if err != nil {
				t.Fatal(err)
			}
			c := collector(t, traffic.Options{})
			for i := range 2000 {
				docs := make([]chunk, 10)
				e := record.Entry{
					Time: noon, RequestID: fmt.Sprint("req-", i), Arm: record.Shuffled, Model: "m", PromptTokens: 1000,
					Documents: make([]record.Document, 10), Answer: &record.Answer{},
				}
				for rank := range docs {
					docs[rank] = of(i, rank)
				}
				e.Arrangement, err = core.Arrange(core.WithRequestID(t.Context(), e.RequestID), arranger, docs, view, core.Call{})
				if err != nil || !strings.HasPrefix(e.Arrangement.Placement, record.Shuffled) {
					t.Fatal(err, e.Arrangement.Placement)
				}
				order := e.Arrangement.Ranks()
				for _, slot := range reader.Cite(order) {
					e.Answer.Ranks = append(e.Answer.Ranks, order[slot])
				}
				c.Add(e)
			}
			got := c.Result().Curves[0]
			figures := refused(t, sources+", "+curve, got)
			if len(figures) != 2 || figures[0] < 90 || got.OutOfOrder < 1800 || !strings.Contains(got.Finding, "source") {
				t.Errorf("%s, %s: %s", sources, curve, got.Finding)
			}
		}
	}
}

// Where no seed can be read, the imbalance of rank and slot decides, and says how large it
// is.
func TestImbalanceIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    func(i int, e *record.Entry)
		low, high int // of the imbalance, in per cent
	}{
		"ranked": {func(_ int, e *record.Entry) { inRankOrder(e) }, 100, 100},
		// A share of f hides f² where ranks are cited alike, and more of a slot whose rank is cited most.
		"half ranked": {func(i int, e *record.Entry) {
			if i%2 == 0 {
				inRankOrder(e)
			}
		}, 25, 40},
		"in pairs": {func(_ int, e *record.Entry) {
			slots := e.Arrangement.Slots
			for i := range slots { // where the even ranks stand, followed by the odd ones
				if at := i &^ 1; slots[at].Rank%2 == i%2 {
					slots[i] = core.Placed{Index: slots[i].Rank, Rank: slots[i].Rank, Label: slots[i].Rank + 1}
				}
			}
			even, odd := []core.Placed{}, []core.Placed{}
			for _, p := range slots {
				if p.Rank%2 == 0 {
					even = append(even, p)
				} else {
					odd = append(odd, p)
				}
			}
			for i := range even {
				slots[2*i], slots[2*i+1] = even[i], odd[i]
			}
		}, 100, 100},
	} {
		c := collector(t, traffic.Options{})
		feed(t, c, simulation("U", 10, 1), 2000, noon, func(i int, e *record.Entry) {
			e.Arrangement.Placement = "shuffled by hand"
			test.change(i, e)
		})
		got := c.Result().Curves[0]
		figures := refused(t, name, got)
		if len(figures) != 2 || figures[0] < test.low || figures[0] > test.high || figures[1] != 5 || !strings.Contains(got.Finding, "rank and slot hang together") {
			t.Errorf("%s: %s", name, got.Finding)
		}
	}
	// One seed for all requests is no shuffle between them.
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 2000, noon, func(_ int, e *record.Entry) {
		order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		if err := (core.Shuffled{}).Place(order, nil); err != nil {
			t.Error(err)
		}
		e.Arrangement.Placement = "shuffled"
		for slot, rank := range order {
			e.Arrangement.Slots[slot] = core.Placed{Index: rank, Rank: rank, Label: rank + 1}
		}
	})
	if figures := refused(t, "one seed", c.Result().Curves[0]); figures[0] != 100 {
		t.Errorf("one seed: %v", figures)
	}
	// A tenth out of order is left out, and the rest is right.
	c = collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 2000, noon, func(i int, e *record.Entry) {
		if i%10 == 0 {
			inRankOrder(e)
		}
	})
	if got := c.Result().Curves[0]; got.Unfit != nil || got.OutOfOrder != 200 || got.Requests != 1800 || got.Verdict.Shape != core.ShapeU {
		t.Errorf("a tenth out of order: %+v", got)
	}
}

// Nothing is said where the answers say nothing.
func TestNothingToLearn(t *testing.T) {
	t.Parallel()
	cite := func(ranks func(i int, e *record.Entry) []int) func(int, *record.Entry) {
		return func(i int, e *record.Entry) {
			e.Answer.Ranks = ranks(i, e)
			e.Answer.Labels = make([]int, len(e.Answer.Ranks))
		}
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for name, test := range map[string]struct {
		requests int
		change   func(int, *record.Entry)
		finding  string
		refused  bool
	}{
		"five":                   {5, nil, "too few citations", false},
		"one":                    {1, nil, "too few citations", false},
		"no citation":            {3000, cite(func(int, *record.Entry) []int { return nil }), "too few citations for a curve: none in 3000", false},
		"all cited":              {3000, cite(func(int, *record.Entry) []int { return all }), "0.0 % of the citations could have gone otherwise", true},
		"always the first label": {3000, cite(func(int, *record.Entry) []int { return all[:1] }), "0.0 % of the citations could have gone otherwise", true},
		"always three labels":    {3000, cite(func(int, *record.Entry) []int { return all[:3] }), "0.0 % of the citations could have gone otherwise", true},
		"nearly all cited":       {3000, cite(func(i int, _ *record.Entry) []int { return all[:10-i%20/19] }), "% of the citations could have gone otherwise", true},
		"one answer of a hundred cites": {2500, cite(func(i int, e *record.Entry) []int {
			if i%100 > 0 {
				return nil
			}
			return []int{e.Arrangement.Slots[0].Rank}
		}), "25 independent questions", false},
		"all one request": {3000, func(_ int, e *record.Entry) {
			e.RequestID, e.QuestionHash, e.Arrangement.Placement = "1", "1", "shuffled by hand"
		}, "for 1 independent question,", false},
		"forty, all cited": {40, cite(func(int, *record.Entry) []int { return all }), "too early for a curve, and it may be unfit", false},
		"five, one in ranked order": {5, func(i int, e *record.Entry) {
			if i == 0 {
				inRankOrder(e)
			}
		}, "too early for a curve, and it may be unfit: so far 1 of 5", false},
		"fifteen in ranked order": {15, func(_ int, e *record.Entry) { inRankOrder(e) }, "15 of 15 shuffled requests", true},
	} {
		c := collector(t, traffic.Options{})
		feed(t, c, simulation("U", 10, 1), test.requests, noon, test.change)
		got := c.Result().Curves[0]
		if got.Verdict != nil || got.Curve != nil || (got.Unfit != nil) != test.refused || !strings.Contains(got.Finding, test.finding) {
			t.Errorf("%s: %s", name, got.Finding)
		}
	}
	// A reader that always cites what stands first is no case of this: the slot decides.
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 3000, noon, cite(func(_ int, e *record.Entry) []int { return []int{e.Arrangement.Slots[0].Rank} }))
	if got := c.Result().Curves[0]; got.Verdict == nil || got.Verdict.Shape != core.ShapePrimacy {
		t.Errorf("always the first slot: %s", got.Finding)
	}
}

// A prompt may number its documents from top to bottom, or show fewer than were placed:
// ranks are ranks all the same.
func TestOtherLabels(t *testing.T) {
	t.Parallel()
	plain, bySlot, hidden := collector(t, traffic.Options{}), collector(t, traffic.Options{}), collector(t, traffic.Options{})
	feed(t, plain, simulation("U", 6, 1), 2000, noon, nil)
	feed(t, bySlot, simulation("U", 6, 1), 2000, noon, func(_ int, e *record.Entry) {
		for slot := range e.Arrangement.Slots {
			e.Arrangement.Slots[slot].Label = slot + 1
		}
	})
	if want, got := plain.Result().Curves[0], bySlot.Result().Curves[0]; want.Finding != got.Finding {
		t.Errorf("(-want +got)\n-%s\n+%s", want.Finding, got.Finding)
	}
	feed(t, hidden, simulation("U", 6, 1), 2000, noon, func(_ int, e *record.Entry) { // the first one is not shown
		for slot := range e.Arrangement.Slots {
			p := &e.Arrangement.Slots[slot]
			p.Label = p.Rank + 1
			if slot == 0 {
				p.Label = 0
			}
		}
		if err := e.Arrangement.Check(6); err != nil {
			t.Error(err)
		}
	})
	if got := hidden.Result().Curves[0]; got.Documents != 5 || got.Verdict == nil {
		t.Errorf("one of six is not shown: %+v", got)
	}
}

// Of equal texts in one list an answer cites one, usually the first: that is no curve.
func TestEqualTexts(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]func(e *record.Entry){
		"hashes": func(e *record.Entry) { e.Documents[9].Hash = e.Documents[0].Hash },
		"texts": func(e *record.Entry) {
			for i := range e.Documents {
				e.Documents[i].Hash, e.Documents[i].Text = "", fmt.Sprint("text ", i%9)
			}
		},
	} {
		c := collector(t, traffic.Options{})
		s := simulation("flat", 10, 1)
		s.Relevance[0] = 0.7
		citations := 0
		feed(t, c, s, 12_000, noon, func(_ int, e *record.Entry) {
			same(e)
			first, cited := -1, false
			var others []int
			for _, p := range e.Arrangement.Slots {
				if p.Rank%9 == 0 && first < 0 {
					first = p.Rank
				}
			}
			for _, rank := range e.Answer.Ranks {
				if rank%9 == 0 {
					cited = true
				} else {
					others = append(others, rank)
				}
			}
			citations += len(others)
			if cited {
				others = append(others, first)
				citations++
			}
			e.Answer.Ranks = others
		})
		r := c.Result()
		if got := r.Curves[0]; got.Verdict == nil || got.Verdict.Shape != core.ShapeFlat {
			t.Errorf("%s: %s", name, got.Finding)
		}
		if r.Shuffled.Citations != citations || r.Shuffled.Shown != 9*12_000 {
			t.Errorf("%s: %d citations of %d documents, want %d of %d", name, r.Shuffled.Citations, r.Shuffled.Shown, citations, 9*12_000)
		}
	}
	// Both copies cited are one citation.
	c := collector(t, traffic.Options{})
	feed(t, c, simulation("U", 10, 1), 1, noon, func(_ int, e *record.Entry) {
		e.Documents[9].Hash = e.Documents[0].Hash
		e.Answer.Ranks = []int{9, 4, 0}
	})
	if got := c.Result().Shuffled; got.Citations != 2 || got.Shown != 9 {
		t.Errorf("%+v", got)
	}
}

// Looking changes nothing, and may be repeated.
func TestLooksAreRepeatable(t *testing.T) {
	t.Parallel()
	often, once := collector(t, traffic.Options{}), collector(t, traffic.Options{})
	var last traffic.Curve
	feed(t, often, simulation("U", 10, 1), 2000, noon, func(i int, _ *record.Entry) {
		if i%200 == 100 {
			last = often.Result().Curves[0]
		}
	})
	feed(t, once, simulation("U", 10, 1), 2000, noon, nil)
	want, got := once.Result().Curves[0], often.Result().Curves[0]
	if want.Finding != got.Finding || *want.Verdict.StartEnd != *got.Verdict.StartEnd || last.Requests != 1900 {
		t.Errorf("(-once +often)\n-%s\n+%s", want.Finding, got.Finding)
	}
}
