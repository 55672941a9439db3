package eino_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
)

func TestNewRetrieverReportsEveryFault(t *testing.T) {
	t.Parallel()
	config, want := faults()
	wrapped := newRetriever(t, &bookend.RetrieverConfig{Retriever: list{}})
	var none *bookend.Retriever
	for name, c := range map[string]struct {
		config *bookend.RetrieverConfig
		want   []string
	}{
		"nil config":       {nil, []string{"Inner is nil"}},
		"nil inner":        {&bookend.RetrieverConfig{Config: config, OverFetch: -2}, append(want, "Inner is nil", "OverFetch", "-2")},
		"nested":           {&bookend.RetrieverConfig{Retriever: wrapped, Config: config}, append(want, "outermost")},
		"a nil *Retriever": {&bookend.RetrieverConfig{Retriever: none}, []string{"Inner is nil"}},
		"over-fetch alone": {&bookend.RetrieverConfig{Retriever: list{}, OverFetch: -1}, []string{"OverFetch", "-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := bookend.NewRetriever(context.Background(), c.config)
			checkFaults(t, err, c.want...)
			if r != nil {
				t.Error("got a retriever beside the error")
			}
		})
	}
}

func TestInnerErrorIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: broken{errDown}})
	if placed, err := r.Retrieve(context.Background(), question); err != errDown || placed != nil {
		t.Errorf("got %v and %v, want %v itself", placed, err, errDown)
	}
}

// The wrapper admits at most k, the call's before the configured one, and asks
// the inner retriever for k times the over-fetch.
func TestTopK(t *testing.T) {
	t.Parallel()
	const most = math.MaxInt
	six, two, four := "first third fifth sixth fourth second", "first second", "first third fourth second"
	off := &core.Config{TopK: 2, Select: func(context.Context) *core.Arranger { return core.Off }}
	for _, c := range []struct {
		name      string
		config    core.Config
		overFetch int
		options   []retriever.Option
		asks      int // -1: for no top-k at all
		reach     int // how many options reach the inner retriever
		want      string
	}{
		{"nothing set", core.Config{}, 0, nil, -1, 0, six},
		{"nothing set, over-fetch", core.Config{}, 3, nil, -1, 0, six},
		{"the call's", core.Config{}, 0, opts(retriever.WithTopK(2)), 2, 1, two},
		{"the call's, over-fetch", core.Config{}, 3, opts(retriever.WithTopK(2)), 6, 2, two},
		{"the config's", core.Config{TopK: 2}, 0, nil, -1, 0, two},
		{"the config's, over-fetch 1", core.Config{TopK: 2}, 1, nil, -1, 0, two},
		{"the config's, over-fetch", core.Config{TopK: 2}, 2, nil, 4, 1, two},
		{"the call's is greater", core.Config{TopK: 2}, 2, opts(retriever.WithTopK(4)), 8, 2, four},
		{"the call's is smaller", core.Config{TopK: 4}, 2, opts(retriever.WithTopK(2)), 4, 2, two},
		{"the call's is 0", core.Config{TopK: 2}, 2, opts(retriever.WithTopK(0)), 4, 2, two},
		{"the last of the call's", core.Config{}, 2, opts(retriever.WithTopK(4), retriever.WithTopK(2)), 4, 3, two},
		{"other options pass", core.Config{}, 0, opts(retriever.WithIndex("a"), retriever.WithTopK(2)), 2, 2, two},
		{"no overflow", core.Config{TopK: most}, 2, nil, most - 1, 1, six},
		{"no overflow at all", core.Config{TopK: 4}, most, nil, most, 1, four},
		{"off asks without over-fetch", *off, 3, opts(retriever.WithTopK(2)), 2, 1, "first second third fourth fifth sixth"},
		{"off asks for no top-k", *off, 3, nil, -1, 0, "first second third fourth fifth sixth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := &asked{list: documents(6)}
			r := newRetriever(t, &bookend.RetrieverConfig{Retriever: inner, Config: c.config, OverFetch: c.overFetch})
			placed, err := r.Retrieve(context.Background(), question, c.options...)
			checkTexts(t, c.want, placed, err)
			k, ok := inner.topK()
			if !ok {
				k = -1
			}
			if k != c.asks || len(inner.options) != c.reach || inner.query != question {
				t.Errorf("asked %q for %d with %d options, want %d with %d", inner.query, k, len(inner.options), c.asks, c.reach)
			}
		})
	}
}

func opts(options ...retriever.Option) []retriever.Option { return options }

func TestNegativeTopKIsRefused(t *testing.T) {
	t.Parallel()
	inner := &asked{list: documents(3)}
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: inner})
	placed, err := r.Retrieve(context.Background(), question, retriever.WithTopK(-1))
	var e *core.ConfigError
	if !errors.As(err, &e) || e.Field != "TopK" || e.Value != -1 || placed != nil {
		t.Errorf("got %v and %v", placed, err)
	}
	if inner.query != "" {
		t.Error("the inner retriever was asked")
	}
}

// The caller may use a list of options again, or share it.
func TestTheCallersOptionsAreNotWrittenTo(t *testing.T) {
	t.Parallel()
	inner := &asked{list: documents(6)}
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: inner, OverFetch: 2})
	all := opts(retriever.WithTopK(2), retriever.WithIndex("spare"))
	if _, err := r.Retrieve(context.Background(), question, all[:1]...); err != nil {
		t.Fatal(err)
	}
	if o := retriever.GetCommonOptions(nil, all...); *o.TopK != 2 || o.Index == nil || *o.Index != "spare" {
		t.Errorf("the options are now %v", o)
	}
}

func TestRetrieveWith(t *testing.T) {
	t.Parallel()
	inner := &asked{list: documents(3)}
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: inner, Config: core.Config{TopK: 2}, OverFetch: 2})
	for name, c := range map[string]struct {
		a    *core.Arranger
		asks int
		want string
	}{
		"another value": {arranger(t, core.Config{Placement: reversed, TopK: 3}), 6, "third second first"},
		"without top-k": {arranger(t, core.Config{Placement: reversed}), 4, "third second first"},
		"nil":           {nil, 4, "first second"},
		"off":           {core.Off, -1, "first second third"},
	} {
		t.Run(name, func(t *testing.T) {
			placed, err := r.Retrieve(context.Background(), question, bookend.RetrieveWith(c.a))
			checkTexts(t, c.want, placed, err)
			k, ok := inner.topK()
			if !ok {
				k = -1
			}
			if k != c.asks {
				t.Errorf("asked for %d, want %d", k, c.asks)
			}
		})
	}
}

// Select decides once a call, before the inner retriever is asked: the number of
// documents to fetch and their places come from one value.
func TestSelectDecidesBeforeTheInnerIsAsked(t *testing.T) {
	t.Parallel()
	inner := &asked{list: documents(6)}
	arms := []*core.Arranger{arranger(t, core.Config{TopK: 3, Placement: reversed}), core.Off}
	calls := 0
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: inner, OverFetch: 2, Config: core.Config{
		Select: func(context.Context) *core.Arranger {
			calls++
			return arms[calls-1]
		},
	}})
	placed, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "third second first", placed, err)
	if k, _ := inner.topK(); k != 6 {
		t.Errorf("asked for %d, want 6", k)
	}
	if calls != 1 {
		t.Errorf("Select was asked %d times", calls)
	}
}

// In a graph an option reaches every retriever, or the one node that it is
// designated to.
func TestRetrieveWithInAGraph(t *testing.T) {
	t.Parallel()
	g := compose.NewGraph[string, map[string]any]()
	var faults []error
	for _, key := range []string{"a", "b"} {
		r := newRetriever(t, &bookend.RetrieverConfig{Retriever: list(documents(3))})
		faults = append(faults, g.AddRetrieverNode(key, r, compose.WithOutputKey(key)),
			g.AddEdge(compose.START, key), g.AddEdge(key, compose.END))
	}
	run, err := compileGraph(g, faults...)
	check(t, err)
	option := compose.WithRetrieverOption(bookend.RetrieveWith(core.Off))
	const placed, given = "first third second", "first second third"
	for _, c := range []struct {
		options []compose.Option
		a, b    string
	}{
		{nil, placed, placed},
		{[]compose.Option{option}, given, given},
		{[]compose.Option{option.DesignateNode("b")}, placed, given},
	} {
		out, err := run.Invoke(context.Background(), question, c.options...)
		check(t, err)
		checkTexts(t, c.a, out["a"].(docs), nil)
		checkTexts(t, c.b, out["b"].(docs), nil)
	}
}

// Each source gets all options of a call, with its top-k as far as it is over-fetched, and
// the next call has none of them.
func TestTheOptionsOfACallReachEverySource(t *testing.T) {
	t.Parallel()
	words, dense := &asked{list: documents(6)}, &asked{list: documents(6)}
	r := newRetriever(t, &bookend.RetrieverConfig{
		Sources: []bookend.Source{bookend.From("words", words), bookend.From("dense", dense)}, OverFetch: 3,
	})
	_, err := r.Retrieve(context.Background(), question, retriever.WithIndex("a"), retriever.WithTopK(2), retriever.WithScoreThreshold(0.5))
	check(t, err)
	for _, s := range []*asked{words, dense} {
		o := retriever.GetCommonOptions(nil, s.options...)
		if o.Index == nil || *o.Index != "a" || o.TopK == nil || *o.TopK != 6 || o.ScoreThreshold == nil || *o.ScoreThreshold != 0.5 {
			t.Errorf("a source got the options %+v", o)
		}
	}
	_, err = r.Retrieve(context.Background(), question)
	check(t, err)
	if len(words.options)+len(dense.options) > 0 {
		t.Error("the options of a call reach the next one")
	}
}

// own asks inner by options of its own.
type own struct {
	inner   retriever.Retriever
	options []retriever.Option
}

func (o own) Retrieve(ctx context.Context, query string, _ ...retriever.Option) (docs, error) {
	return o.inner.Retrieve(ctx, query, o.options...)
}

// A Bookend retriever deep inside another one goes by the options that it is called with.
func TestANestedRetrieverDoesNotSeeTheOptionsOfTheOuter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []retriever.Option
		index   string
		topK    int
		want    string
	}{
		{"none", nil, "", -1, "first third fifth sixth fourth second"},
		{"its own", opts(retriever.WithIndex("inner"), retriever.WithTopK(3)), "inner", 3, "first third second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			store := &asked{list: documents(6)}
			nested := newRetriever(t, &bookend.RetrieverConfig{Retriever: store})
			for name, sources := range map[string][]bookend.Source{
				"one":     {bookend.From("", own{nested, c.options})},
				"several": {bookend.From("a", list{}), bookend.From("b", own{nested, c.options})},
			} {
				r := newRetriever(t, &bookend.RetrieverConfig{Sources: sources})
				placed, err := r.Retrieve(context.Background(), question,
					retriever.WithIndex("outer"), retriever.WithTopK(6), bookend.RetrieveWith(core.Off))
				checkTexts(t, c.want, placed, err)
				index := ""
				if o := retriever.GetCommonOptions(nil, store.options...); o.Index != nil {
					index = *o.Index
				}
				k, ok := store.topK()
				if !ok {
					k = -1
				}
				if index != c.index || k != c.topK || len(store.options) != len(c.options) {
					t.Errorf("%s: the store got %d options, index %q, top-k %d", name, len(store.options), index, k)
				}
			}
		})
	}
}
