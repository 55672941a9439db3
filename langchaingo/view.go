package langchaingo

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/tmc/langchaingo/schema"
)

// View returns how Bookend reads a langchaingo document, for core.Arrange and its
// like. The score is the document's Score, which cannot be missing: 0 is a score.
// Some stores put a distance there and others a similarity, so that a
// core.Direction has to be declared: the constants of this package have it for each
// store of langchaingo. A document has no ID of its own: it is read
// from the metadata by core.Config.IDKey.
func View() *core.View[schema.Document] {
	return &core.View[schema.Document]{
		Text:  func(d schema.Document) string { return d.PageContent },
		Score: func(d schema.Document) (float64, bool) { return float64(d.Score), true },
		Meta:  func(d schema.Document) map[string]any { return d.Metadata },
	}
}

var view = View()
