package eino_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/eino"
)

// Every zero value works, or says what it lacks.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	in := values{"documents": documents(3), "question": question}
	retrieverOf := func(c *bookend.RetrieverConfig) func() error {
		return func() error { _, err := bookend.NewRetriever(ctx, c); return err }
	}
	for name, c := range map[string]struct {
		use   func() error
		lacks string // "": nothing
	}{
		"Transformer":        {func() error { _, err := new(bookend.Transformer).Transform(ctx, documents(3)); return err }, ""},
		"ChatTemplate":       {func() error { _, err := new(bookend.ChatTemplate).Format(ctx, in); return err }, ""},
		"Retriever":          {func() error { _, err := new(bookend.Retriever).Retrieve(ctx, question); return err }, "Sources"},
		"Reranker":           {func() error { _, err := new(bookend.Reranker).Rerank(ctx, in); return err }, "Reranker.Scorer"},
		"Config":             {func() error { _, err := bookend.NewTransformer(ctx, new(bookend.Config)); return err }, ""},
		"ChatTemplateConfig": {func() error { _, err := bookend.NewChatTemplate(ctx, new(bookend.ChatTemplateConfig)); return err }, ""},
		"RetrieverConfig":    {retrieverOf(new(bookend.RetrieverConfig)), "Inner"},
		"RerankerConfig":     {func() error { _, err := bookend.NewReranker(ctx, new(bookend.RerankerConfig)); return err }, "Reranker.Scorer"},
		"Source":             {retrieverOf(&bookend.RetrieverConfig{Sources: make([]bookend.Source, 1)}), "Find"},
		"Reranker of a retriever": {
			retrieverOf(&bookend.RetrieverConfig{Retriever: list{}, Reranker: new(rank.Reranker)}), "Reranker.Scorer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := c.use()
			if c.lacks == "" {
				check(t, err)
				return
			}
			var fault *core.ConfigError
			if !errors.As(err, &fault) || fault.Field != c.lacks {
				t.Errorf("error %v, want one of %s", err, c.lacks)
			}
		})
	}
	for name, part := range map[string]interface {
		Arranger() *core.Arranger
		GetType() string
		IsCallbacksEnabled() bool
	}{"Transformer": new(bookend.Transformer), "Retriever": new(bookend.Retriever), "ChatTemplate": new(bookend.ChatTemplate)} {
		if part.Arranger().TopK() != 0 || part.GetType() != "Bookend" || part.IsCallbacksEnabled() {
			t.Errorf("a zero %s: %v, %s, %t", name, part.Arranger(), part.GetType(), part.IsCallbacksEnabled())
		}
	}
}

// scorer is a rank.Scorer behind a pointer.
type scorer struct{ rank.Scorer }

// A nil is refused where it is handed over, also one that an interface hides.
func TestNilsAreRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	retrieverOf := func(c bookend.RetrieverConfig) error {
		_, err := bookend.NewRetriever(ctx, &c)
		return err
	}
	sourcesOf := func(s ...bookend.Source) error { return retrieverOf(bookend.RetrieverConfig{Sources: s}) }
	rerankerOf := func(s rank.Scorer) error {
		_, err := bookend.NewReranker(ctx, &bookend.RerankerConfig{Reranker: rank.Reranker{Scorer: s}})
		return errors.Join(err, retrieverOf(bookend.RetrieverConfig{Retriever: list{}, Reranker: &rank.Reranker{Scorer: s}}))
	}
	_, placementErr := bookend.NewTransformer(ctx, &bookend.Config{Placement: core.Choice{Placement: core.PlacementFunc(nil)}})
	_, pointerErr := bookend.NewTransformer(ctx, &bookend.Config{Placement: core.Choice{Placement: (*core.EdgesFirst)(nil)}})
	_, answeredErr := bookend.AnswerHandler(nil)
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no retriever":                  {retrieverOf(bookend.RetrieverConfig{}), "Inner is nil"},
		"a nil *Retriever":              {retrieverOf(bookend.RetrieverConfig{Retriever: (*bookend.Retriever)(nil)}), "Inner is nil"},
		"a nil pointer":                 {retrieverOf(bookend.RetrieverConfig{Retriever: (*asked)(nil)}), "Inner is nil"},
		"a nil pointer with a type":     {retrieverOf(bookend.RetrieverConfig{Retriever: (*typed)(nil)}), "Inner is nil"},
		"a nil pointer that reports":    {sourcesOf(bookend.From("a", (*checker)(nil))), "Inner is nil"},
		"a nil beside another source":   {sourcesOf(bookend.From("a", list{}), bookend.From("b", nil)), "Sources[1].Inner is nil"},
		"a source that finds nothing":   {sourcesOf(bookend.Source{Name: "a"}), "Find is nil"},
		"no scorer":                     {rerankerOf(nil), "Reranker.Scorer is nil"},
		"a nil pointer as scorer":       {rerankerOf((*scorer)(nil)), "Reranker.Scorer is nil"},
		"a nil func as scorer":          {rerankerOf(rank.ScorerFunc(nil)), "Reranker.Scorer is nil"},
		"a nil func as placement":       {placementErr, "PlacementFunc(nil)"},
		"a nil pointer as placement":    {pointerErr, "EdgesFirst(nil)"},
		"nobody to tell of the answers": {answeredErr, "answered is nil"},
	} {
		if !errors.As(c.err, new(*core.ConfigError)) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, c.err, c.want)
		}
	}
}
