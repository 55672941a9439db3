package replay_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/replay"
)

const (
	topics       = 200
	perTopic     = 10
	chunkBytes   = 800 // 200 tokens
	rulesBytes   = 1200
	questionByte = 100
)

// text is one of that many bytes that no other name has.
func text(name string, bytes int) string {
	return strings.Repeat(name+" ", bytes/(len(name)+1)+1)[:bytes]
}

var chunks = func() []dataset.Document {
	all := make([]dataset.Document, topics*perTopic)
	for i := range all {
		all[i] = dataset.Document{ID: fmt.Sprint("chunk-", i), Text: text(fmt.Sprint("chunk ", i), chunkBytes)}
	}
	return all
}()

// helpDesk is what people ask a help desk: 200 topics of ten chunks each, asked by
// Zipf's law (the k-th as often as 1/k). A chunk of the topic scores 1 for the best down to 0.55
// for the tenth, with a normal noise of its own in every request, and the ten best of
// them and of ten chunks of other topics, which score 0.3, come back.
func helpDesk(requests int, noise float64) replay.Traffic {
	draw := rand.New(rand.NewPCG(18, 2))
	weights := make([]float64, topics)
	for k := range weights {
		weights[k] = 1 / float64(k+1)
		if k > 0 {
			weights[k] += weights[k-1]
		}
	}
	t := replay.Traffic{Source: "help desk"}
	for i := range requests {
		at := draw.Float64() * weights[topics-1]
		topic, _ := slices.BinarySearch(weights, at)
		type scored struct {
			chunk int
			score float64
		}
		var found []scored
		for k := range perTopic {
			found = append(found, scored{topic*perTopic + k, 1 - 0.05*float64(k) + noise*draw.NormFloat64()})
		}
		for range perTopic {
			found = append(found, scored{draw.IntN(len(chunks)), 0.3 + noise*draw.NormFloat64()})
		}
		slices.SortFunc(found, func(a, b scored) int { return int(math.Copysign(1, b.score-a.score)) })
		r := replay.Request{Question: text(fmt.Sprint("question ", i), questionByte)}
		for _, f := range found {
			d := chunks[f.chunk]
			if len(r.Documents) < perTopic && !slices.ContainsFunc(r.Documents, func(o dataset.Document) bool { return o.ID == d.ID }) {
				r.Documents = append(r.Documents, d)
			}
		}
		t.Requests = append(t.Requests, r)
	}
	return t
}

// uniform asks about ten chunks out of twenty thousand, all alike often: nobody asks
// twice.
func uniform(requests int) replay.Traffic {
	draw := rand.New(rand.NewPCG(18, 3))
	t := replay.Traffic{Source: "uniform"}
	for i := range requests {
		r := replay.Request{Question: text(fmt.Sprint("question ", i), questionByte)}
		for range perTopic {
			name := fmt.Sprint("document ", draw.IntN(20_000))
			r.Documents = append(r.Documents, dataset.Document{ID: name, Text: text(name, chunkBytes)})
		}
		t.Requests = append(t.Requests, r)
	}
	return t
}

// placed is a setting with labels that stay with a document.
func placed(name string, p core.Placement) replay.Setting {
	return replay.Setting{
		Name: name, Order: core.Config{Placement: core.Choice{Placement: p}},
		Prompt: prompt.Config{Rules: text("rule", rulesBytes), Labels: prompt.ByID},
	}
}

// held is a setting that reuses around the best rank.
func held(name string, p core.Placement) replay.Setting {
	s := placed(name, p)
	s.Reuse = &reuse.Config{Hold: 1}
	return s
}
