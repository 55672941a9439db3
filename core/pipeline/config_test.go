package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
)

// faults returns the field of every *core.ConfigError in err, sorted.
func faults(err error) string {
	var fields []string
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) {
		case *core.ConfigError:
			fields = append(fields, e.Field)
		case interface{ Unwrap() []error }:
			for _, fault := range e.Unwrap() {
				walk(fault)
			}
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		}
	}
	walk(err)
	slices.Sort(fields)
	return strings.Join(fields, ", ")
}

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	inner := mustNew(t, config{})
	with := func(s source, inner any) source { s.Inner = inner; return s }
	one, two := []source{finds("a", "a")}, []source{finds("a", "a"), finds("b", "b")}
	scorer := &rank.Reranker{Scorer: scorerDown}
	limit := 0.5
	for _, c := range []struct {
		name   string
		config config
		want   string
	}{
		{"no Find", config{Sources: []source{{}}}, "Find"},
		{"no Find in the second", config{Sources: []source{finds("a", "a"), {}}}, "Sources[1].Find"},
		{"a nil pointer in Inner", config{Sources: []source{with(finds("a", "a"), (*hit)(nil))}}, "Inner"},
		{"a nil pointer in Inner and no Find", config{Sources: []source{with(source{}, (*hit)(nil))}}, "Inner"},
		{"a nil part of Bookend", config{Sources: []source{with(finds("a", "a"), (*pipeline.Pipeline[doc])(nil))}}, "Inner"},
		{"a nil func in Inner", config{Sources: []source{with(finds("a", "a"), (func())(nil))}}, "Inner"},
		{"an Inner that places", config{Sources: []source{with(finds("a", "a"), inner)}}, "Inner"},
		{"an Inner that places in the second", config{Sources: []source{finds("a", "a"), with(finds("b", "b"), inner)}}, "Sources[1].Inner"},
		{"an Inner that places and no Find", config{Sources: []source{with(source{}, inner)}}, "Find, Inner"},
		{"an Inner that does not place", config{Sources: []source{with(finds("a", "a"), new(hit))}}, ""},
		{"a negative Timeout", config{Sources: []source{{Timeout: -1, Find: finds("", "").Find}}}, "Timeout"},
		{"a negative OverFetch", config{OverFetch: -1}, "OverFetch"},
		{"a negative Weight", config{Sources: []source{finds("a", "a"), {Weight: -1, Find: finds("", "").Find}}}, "Weight of list 2"},
		{"a fusion", config{Sources: two, Fusion: rank.Fusion{K: -1, TopK: -1}}, "K, TopK"},
		{"a Reranker without Scorer", config{Sources: one, Reranker: &rank.Reranker{}, View: docView}, "Reranker.Scorer"},
		{"a nil func as Scorer", config{Sources: one, Reranker: &rank.Reranker{Scorer: rank.ScorerFunc(nil)}, View: docView}, "Reranker.Scorer"},
		{"an unknown policy", config{Sources: one, Reranker: &rank.Reranker{Scorer: scorerDown, OnFailure: "retry"}, View: docView}, "Reranker.OnFailure"},
		{"a Reranker without a View", config{Sources: one, Reranker: scorer}, "View.Text"},
		{"a Reranker without Text", config{Sources: one, Reranker: scorer, View: &core.View[doc]{ID: docView.ID}}, "View.Text"},
		{"which threshold of a Reranker", config{Sources: one, Reranker: scorer, View: docView, Order: core.Config{Threshold: &limit, Direction: core.HigherIsBetter}}, "ThresholdBy"},
		{"which threshold of a fusion", config{Sources: two, View: docView, Order: core.Config{Threshold: &limit, Direction: core.HigherIsBetter}}, "ThresholdBy"},
		{"a threshold by a ranking that there is not", config{Sources: one, View: docView, Order: core.Config{Threshold: &limit, ThresholdBy: core.RankingScore}}, "ThresholdBy"},
		{"by score beside several sources", config{Sources: two, View: docView, Order: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}}, "Rank"},
		{"by score beside one source", config{Sources: one, View: docView, Order: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}}, ""},
		{"by score before a Reranker", config{Sources: one, Reranker: scorer, View: docView, Order: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}}, ""},
		{"an accessor that View lacks", config{Sources: one, Order: core.Config{DropSameText: true}}, "View.Text"},
		{"Order", config{Sources: one, Order: core.Config{TopK: -1, Rank: core.ByScore}}, "Direction, TopK"},
		{
			"all together",
			config{
				Sources:   []source{{Timeout: -1, Weight: -1}, with(finds("b", "b"), inner), with(finds("c", "c"), (*hit)(nil))},
				Fusion:    rank.Fusion{K: -1},
				Reranker:  &rank.Reranker{},
				OverFetch: -2,
				Order:     core.Config{TopK: -1},
			},
			"K, OverFetch, Reranker.Scorer, Sources[0].Find, Sources[0].Timeout, Sources[1].Inner, Sources[2].Inner, TopK, View.Text, Weight of list 1",
		},
		{
			"with what does not fit the stages",
			config{
				Sources: []source{{}, finds("b", "b")}, Reranker: &rank.Reranker{}, OverFetch: -2, View: docView,
				Order: core.Config{Threshold: &limit, Direction: core.HigherIsBetter},
			},
			"OverFetch, Reranker.Scorer, Sources[0].Find, ThresholdBy",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := pipeline.New(c.config)
			same(t, "faults", c.want, faults(err))
			if (p == nil) != (err != nil) {
				t.Errorf("%v beside %v", p, err)
			}
		})
	}
}

// Faults say what is wrong and what to do.
func TestWordsOfFaults(t *testing.T) {
	t.Parallel()
	_, err := pipeline.New(config{Sources: []source{{Timeout: -1}, {Find: finds("", "").Find, Inner: mustNew(t, config{})}}, OverFetch: -1})
	mustMention(t, err,
		"Sources[0].Find is nil: set what finds documents",
		"Sources[0].Timeout is -1ns: must be 0 (none) or more",
		"Sources[1].Inner is "+fmt.Sprintf("%q", fmt.Sprintf("%T", mustNew(t, config{})))+": place once, outermost",
		"OverFetch is -1: must be 0",
	)
	_, err = mustNew(t, config{}).Run(t.Context(), core.Call{})
	mustMention(t, err, "Sources is nil: set what finds documents, or pass them to Place")
	var e *core.ConfigError
	if !errors.As(err, &e) {
		t.Errorf("%T", err)
	}
}
