package eino_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

var reversed = core.Choice{Placement: core.Reversed}

func arranger(t *testing.T, c core.Config) *core.Arranger {
	t.Helper()
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNilConfigMeansTheDefaults(t *testing.T) {
	t.Parallel()
	placed, err := newTransformer(t, nil).Transform(context.Background(), documents(5))
	checkTexts(t, "first third fifth fourth second", placed, err)
	placed, err = new(bookend.Transformer).Transform(context.Background(), documents(3))
	checkTexts(t, "first third second", placed, err)
}

// faults is a configuration with four faults, and what their messages name.
func faults() (core.Config, []string) {
	nan := math.NaN()
	return core.Config{Threshold: &nan, TopK: -1, Budget: 10, Unit: "miles"},
		[]string{"Direction", "Threshold", "TopK", "Unit"}
}

func checkFaults(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range want {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %s", err, word)
		}
	}
	var e *core.ConfigError
	if !errors.As(err, &e) {
		t.Errorf("%v is no *core.ConfigError", err)
	}
}

func TestNewTransformerReportsEveryFault(t *testing.T) {
	t.Parallel()
	config, want := faults()
	transformer, err := bookend.NewTransformer(context.Background(), &config)
	checkFaults(t, err, want...)
	if transformer != nil {
		t.Error("got a transformer beside the error")
	}
}

func TestALaterChangeOfTheConfigHasNoEffect(t *testing.T) {
	t.Parallel()
	config := &bookend.Config{TopK: 2}
	transformer := newTransformer(t, config)
	config.TopK = 1
	placed, err := transformer.Transform(context.Background(), documents(3))
	checkTexts(t, "first second", placed, err)
}

func TestANilDocumentIsNamed(t *testing.T) {
	t.Parallel()
	in := documents(4)
	in[2] = nil
	observed := 0
	watched := &bookend.Config{Observe: func(context.Context, core.Event) { observed++ }}
	for name, transform := range map[string]func() ([]*schema.Document, error){
		"transformer": func() ([]*schema.Document, error) {
			return newTransformer(t, nil).Transform(context.Background(), in)
		},
		"observed transformer": func() ([]*schema.Document, error) {
			return newTransformer(t, watched).Transform(context.Background(), in)
		},
		"off": func() ([]*schema.Document, error) {
			return newTransformer(t, nil).Transform(context.Background(), in, bookend.TransformWith(core.Off))
		},
		"retriever": func() ([]*schema.Document, error) {
			return newRetriever(t, &bookend.RetrieverConfig{Retriever: list(in)}).Retrieve(context.Background(), "why?")
		},
	} {
		placed, err := transform()
		var e *core.ConfigError
		if !errors.As(err, &e) || e.Field != "documents[2]" || !strings.Contains(err.Error(), "documents[2]") {
			t.Errorf("%s: got the error %v", name, err)
		}
		if placed != nil {
			t.Errorf("%s: got documents beside the error", name)
		}
	}
	if observed != 0 {
		t.Errorf("observed %d times, though there was nothing to arrange", observed)
	}
}

func TestAScoreMayHaveAnyNumericType(t *testing.T) {
	t.Parallel()
	in := documents(6)
	for i, score := range []any{nil, float32(0.5), json.Number("2"), int64(-1), "9", uint8(1)} {
		in[i].MetaData = map[string]any{"_score": score}
	}
	transformer := newTransformer(t, &bookend.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, Placement: core.Choice{Placement: core.RankOrder},
	})
	placed, err := transformer.Transform(context.Background(), in)
	checkTexts(t, "third sixth second fourth first fifth", placed, err)
}

func TestViewReadsADocument(t *testing.T) {
	t.Parallel()
	view := bookend.View()
	doc := &schema.Document{ID: "a7", Content: "text"}
	if got, ok := view.Score(doc); ok {
		t.Errorf("a missing score reads %v", got)
	}
	if got, ok := view.Score(doc.WithScore(-0.5)); got != -0.5 || !ok {
		t.Errorf("score %v, %v", got, ok)
	}
	if view.Text(doc) != "text" || view.ID(doc) != "a7" {
		t.Errorf("text %q, ID %q", view.Text(doc), view.ID(doc))
	}
	view.Meta(doc)["seen"] = true
	if doc.MetaData["seen"] != true {
		t.Error("the metadata is a copy")
	}
	// The caller owns what View returns.
	view.Text = func(*schema.Document) string { return "other" }
	if got := bookend.View().Text(doc); got != "text" {
		t.Errorf("a change of one view reached the next: text %q", got)
	}
}

func TestTransformWith(t *testing.T) {
	t.Parallel()
	transformer := newTransformer(t, &bookend.Config{Placement: core.Choice{Placement: core.TailHead}})
	for name, c := range map[string]struct {
		a    *core.Arranger
		want string
	}{
		"another value": {arranger(t, core.Config{Placement: reversed}), "third second first"},
		"nil":           {nil, "second third first"},
		"off":           {core.Off, "first second third"},
	} {
		t.Run(name, func(t *testing.T) {
			placed, err := transformer.Transform(context.Background(), documents(3), bookend.TransformWith(c.a))
			checkTexts(t, c.want, placed, err)
		})
	}
	placed, err := transformer.Transform(context.Background(), documents(3))
	checkTexts(t, "second third first", placed, err)
}

// Where the value of a call has no observer, the transformer's is called, and
// never both.
func TestTransformWithIsObserved(t *testing.T) {
	t.Parallel()
	var own, other []string
	watch := func(seen *[]string) func(context.Context, core.Event) {
		return func(_ context.Context, e core.Event) { *seen = append(*seen, e.Arrangement.Placement) }
	}
	transformer := newTransformer(t, &bookend.Config{Observe: watch(&own)})
	for _, a := range []*core.Arranger{
		nil, arranger(t, core.Config{Placement: reversed}), core.Off,
		arranger(t, core.Config{Placement: reversed, Observe: watch(&other)}),
	} {
		if _, err := transformer.Transform(context.Background(), documents(3), bookend.TransformWith(a)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(own, " "), "head-tail reversed off"; got != want {
		t.Errorf("own observer (-want +got)\n-%s\n+%s", want, got)
	}
	if got, want := strings.Join(other, " "), "reversed"; got != want {
		t.Errorf("the call's observer (-want +got)\n-%s\n+%s", want, got)
	}
}

// In a graph an option reaches every transformer, or the one node that it is
// designated to.
func TestTransformWithInAGraph(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := compose.NewGraph[docs, map[string]any]()
	for _, key := range []string{"a", "b"} {
		check(t, g.AddDocumentTransformerNode(key, newTransformer(t, nil), compose.WithOutputKey(key)))
		check(t, g.AddEdge(compose.START, key))
		check(t, g.AddEdge(key, compose.END))
	}
	run, err := g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
	check(t, err)
	option := compose.WithDocumentTransformerOption(bookend.TransformWith(core.Off))
	const placed, given = "first third second", "first second third"
	for _, c := range []struct {
		name    string
		options []compose.Option
		a, b    string
	}{
		{"none", nil, placed, placed},
		{"every node", []compose.Option{option}, given, given},
		{"one node", []compose.Option{option.DesignateNode("b")}, placed, given},
	} {
		out, err := run.Invoke(ctx, documents(3), c.options...)
		check(t, err)
		checkTexts(t, c.a, out["a"].(docs), nil)
		checkTexts(t, c.b, out["b"].(docs), nil)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
