package langchaingo_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

func TestNewTransformer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []bookend.Option
		want    string
	}{
		{"no option", nil, "first third fifth fourth second"},
		{"zero option", []bookend.Option{{}}, "first third fifth fourth second"},
		{"config", []bookend.Option{bookend.WithConfig(core.Config{TopK: 2})}, "first second"},
		{"the last config counts", []bookend.Option{
			bookend.WithConfig(core.Config{TopK: 2}),
			bookend.WithConfig(core.Config{Placement: core.Choice{Placement: core.Reversed}}),
		}, "fifth fourth third second first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			transformer, err := bookend.NewTransformer(c.options...)
			if err != nil {
				t.Fatal(err)
			}
			placed, err := transformer.TransformDocuments(context.Background(), documents(5))
			if got := texts(placed); err != nil || got != c.want {
				t.Errorf("(-want +got)\n-%s\n+%s %v", c.want, got, err)
			}
		})
	}
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
	transformer, err := bookend.NewTransformer(bookend.WithConfig(config))
	checkFaults(t, err, want...)
	if transformer != nil {
		t.Error("got a transformer beside the error")
	}
}

func TestArrangerTellsWhatTheTransformerDoes(t *testing.T) {
	t.Parallel()
	transformer, err := bookend.NewTransformer(bookend.WithConfig(core.Config{TopK: 3}))
	if err != nil {
		t.Fatal(err)
	}
	a, err := core.Arrange(context.Background(), transformer.Arranger(), documents(4), bookend.View(), core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.Ranks(), []int{0, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("ranks (-want +got)\n-%v\n+%v", want, got)
	}
	if len(a.Dropped) != 1 || a.Dropped[0].Reason != core.OverTopK {
		t.Errorf("dropped %v, want the fourth, beyond top-k", a.Dropped)
	}
}

func TestViewReadsADocument(t *testing.T) {
	t.Parallel()
	view := bookend.View()
	meta := map[string]any{"id": "a7"}
	doc := schema.Document{PageContent: "text", Metadata: meta, Score: -0.5}
	if got := view.Text(doc); got != "text" {
		t.Errorf("text %q", got)
	}
	if got, ok := view.Score(doc); got != -0.5 || !ok {
		t.Errorf("score %v, %v", got, ok)
	}
	if got, ok := view.Score(schema.Document{}); got != 0 || !ok {
		t.Errorf("a score of 0 reads %v, %v: it cannot be missing", got, ok)
	}
	view.Meta(doc)["seen"] = true
	if meta["seen"] != true {
		t.Error("the metadata is a copy")
	}
	// The caller owns what View returns.
	view.Text = func(schema.Document) string { return "other" }
	if got := bookend.View().Text(doc); got != "text" {
		t.Errorf("a change of one view reached the next: text %q", got)
	}
}

func TestIDsComeFromTheMetadata(t *testing.T) {
	t.Parallel()
	docs := documents(4)
	for i, id := range []any{"a", 7, "a", 7} {
		docs[i].Metadata = map[string]any{"id": "unique" + docs[i].PageContent, "doc": id}
	}
	for _, c := range []struct{ key, want string }{
		{"", "first second third fourth"},
		{"doc", "first second"},
	} {
		transformer, err := bookend.NewTransformer(bookend.WithConfig(core.Config{
			DropSameID: true, Keys: core.Keys{ID: c.key}, Placement: core.Choice{Placement: core.RankOrder},
		}))
		if err != nil {
			t.Fatal(err)
		}
		placed, err := transformer.TransformDocuments(context.Background(), docs)
		if got := texts(placed); err != nil || got != c.want {
			t.Errorf("key %q (-want +got)\n-%s\n+%s %v", c.key, c.want, got, err)
		}
	}
}
