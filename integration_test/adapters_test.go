package integration_test

import (
	"maps"
	"slices"
	"testing"

	einoschema "github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	lcgschema "github.com/tmc/langchaingo/schema"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
)

// serialKey carries a document's serial number through a framework's own type.
const serialKey = "serial"

// metadata returns the metadata of d with its serial number and its ID.
func metadata(d document) map[string]any {
	meta := maps.Clone(d.meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[serialKey] = d.serial
	meta[idKey] = d.known.id
	return meta
}

func toLangchaingo(d document) lcgschema.Document {
	doc := lcgschema.Document{PageContent: d.text, Metadata: metadata(d)}
	if d.score != nil {
		doc.Score = float32(*d.score)
	}
	return doc
}

func toEino(d document) *einoschema.Document {
	doc := &einoschema.Document{ID: d.id, Content: d.text, MetaData: metadata(d)}
	if d.score != nil {
		doc.MetaData["_score"] = *d.score
	}
	return doc
}

func convert[E any](docs []document, one func(document) E) []E {
	converted := make([]E, len(docs))
	for i, d := range docs {
		converted[i] = one(d)
	}
	return converted
}

func langchaingoSerials(docs []lcgschema.Document) []int {
	numbers := []int{}
	for _, d := range docs {
		numbers = append(numbers, d.Metadata[serialKey].(int))
	}
	return numbers
}

func einoSerials(docs []*einoschema.Document) []int {
	numbers := []int{}
	for _, d := range docs {
		numbers = append(numbers, d.MetaData[serialKey].(int))
	}
	return numbers
}

// Both adapters decide as core does over the same documents. The one difference
// is declared: langchaingo's score cannot be missing, it is 0 then.
func TestAdaptersDecideAsCore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := calls.Draw(t, "call")
		c.atMost = 0
		want := transformSerials(t, c)

		node, err := eino.NewTransformer(background, &c.config)
		if err != nil {
			t.Fatal(err)
		}
		fromEino, err := node.Transform(background, convert(c.docs, toEino))
		if d := cmp.Diff(want, einoSerials(fromEino)); (err == nil) != (want != nil) || err == nil && d != "" {
			t.Errorf("eino: error %v (-core +eino)\n%s", err, d)
		}

		withZeros := c
		withZeros.docs = slices.Clone(c.docs)
		for i, d := range withZeros.docs {
			if d.score == nil {
				withZeros.docs[i].score = new(float64)
			}
		}
		want = transformSerials(t, withZeros)
		transformer, err := langchaingo.NewTransformer(langchaingo.WithConfig(c.config))
		if err != nil {
			t.Fatal(err)
		}
		fromLangchaingo, err := transformer.TransformDocuments(background, convert(c.docs, toLangchaingo))
		if d := cmp.Diff(want, langchaingoSerials(fromLangchaingo)); (err == nil) != (want != nil) || err == nil && d != "" {
			t.Errorf("langchaingo: error %v (-core +langchaingo)\n%s", err, d)
		}
	})
}

// transformSerials returns what core makes of a call, nil for an error.
func transformSerials(t *rapid.T, c call) []int {
	placed, err := core.Transform(background, c.arranger(t), c.docs, documentView, c.of())
	if err != nil {
		return nil
	}
	return serials(placed)
}
