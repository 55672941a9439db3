package eino

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/cloudwego/eino/schema"
)

// scoreKey is where eino's documents keep their score. Document.Score answers 0
// for a missing one, so that the field is read itself.
const scoreKey = "_score"

// View returns how Bookend reads an eino document, for core.Arrange and its like.
// The score is the metadata field "_score", of any numeric type: several
// retrievers set none, and a missing score is not 0.
func View() *core.View[*schema.Document] {
	return &core.View[*schema.Document]{
		Text:  func(d *schema.Document) string { return d.Content },
		ID:    func(d *schema.Document) string { return d.ID },
		Score: func(d *schema.Document) (float64, bool) { return core.Number(d.MetaData[scoreKey]) },
		Meta:  func(d *schema.Document) map[string]any { return d.MetaData },
	}
}

var view = View()

// checkDocuments returns a *core.DocumentError for the first nil document.
func checkDocuments(docs []*schema.Document) error {
	for i, d := range docs {
		if d == nil {
			return &core.DocumentError{Index: i, Rule: "is nil: the retriever or node before must not return nil documents"}
		}
	}
	return nil
}
