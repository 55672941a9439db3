package simulate

import (
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/shape"
)

// plainShape is a curve with stated numbers over x, 0 at the start of a prompt and
// 1 at its end.
type plainShape struct {
	name string
	at   func(x float64) float64
}

// The middle is 20 points away from the ends, or one end from the other.
var plainShapes = []plainShape{
	{"flat", func(float64) float64 { return 0.65 }},
	{"u", func(x float64) float64 { return 0.55 + 0.2*(2*x-1)*(2*x-1) }},
	{"inverted", func(x float64) float64 { return 0.75 - 0.2*(2*x-1)*(2*x-1) }},
	{"primacy", func(x float64) float64 { return 0.75 - 0.2*x }},
	{"recency", func(x float64) float64 { return 0.55 + 0.2*x }},
}

// plainDocuments is the prompt size of a plain shape where none is given.
const plainDocuments = 20

// Names returns the names that a simulated reader may have: the plain
// shapes, then the published curves.
func Names() []string {
	var names []string
	for _, s := range plainShapes {
		names = append(names, s.name)
	}
	return append(names, published.Names()...)
}

// Accuracy returns the true accuracy, as shares, in each slot of a prompt
// of that many documents, for a name of Names in any letter case. With x
// from 0 at the first slot to 1 at the last, the plain shapes are
//
//	flat      .65
//	u         .55 + .2·(2x-1)²: .75 at both ends, .55 in the middle
//	inverted  .75 - .2·(2x-1)²: .55 at both ends, .75 in the middle
//	primacy   .75 - .2·x:       .75 falling evenly to .55
//	recency   .55 + .2·x:       .55 rising evenly to .75
//
// and for a published curve, the one that published.Lookup finds for so many documents,
// what its At returns. With 0 documents there are as many as that curve has, 20 for a
// plain shape. The error, a
// *core.ConfigError, lists the names, or says that documents is negative.
func Accuracy(name string, documents int) ([]float64, error) {
	if documents < 0 {
		return nil, &core.ConfigError{Field: "documents", Value: documents, Rule: "must be 0 or more; 0 means the curve's own number"}
	}
	for _, s := range plainShapes {
		if strings.EqualFold(strings.TrimSpace(name), s.name) {
			if documents == 0 {
				documents = plainDocuments
			}
			accuracy := make([]float64, documents)
			for slot := range accuracy {
				accuracy[slot] = s.at(float64(slot) / float64(max(documents-1, 1)))
			}
			return accuracy, nil
		}
	}
	c, err := published.Lookup(name, documents)
	if err != nil {
		return nil, &core.ConfigError{Field: "curve", Value: name, Rule: published.Unknown(name, Names()[:len(plainShapes)]...)}
	}
	if documents == 0 {
		documents = c.Documents
	}
	return c.At(documents), nil
}

// NewNamedReader returns a reader with a curve of Names, laid over
// prompts of that many documents, and DefaultCorrelation. With 0 documents it reads
// as many as the published curve has, 20 for a plain shape. The error, a
// *core.ConfigError, lists the names for one that is unknown.
func NewNamedReader(name string, documents int, seed uint64) (*Reader, error) {
	accuracy, err := Accuracy(name, documents)
	if err != nil {
		return nil, err
	}
	return NewReader(accuracy, DefaultCorrelation, seed)
}

// CurveOf returns the curve file that a sweep would most likely write of a model that
// reads like a published curve: a simulated reader of DefaultCorrelation is asked as many
// questions in the published slots as the source asked, and its shape and fit are
// taken; the accuracies are the published ones. The shape is therefore a guess with
// the published number of questions behind it, not a finding of the source.
func CurveOf(c published.Curve) (*core.Curve, error) {
	reader, err := NewReader(c.At(c.Documents), DefaultCorrelation, 1)
	if err != nil {
		return nil, err
	}
	o, err := reader.Outcomes(c.Questions, c.Slots)
	if err != nil {
		return nil, err
	}
	return shape.Fit(shape.Judge(o), shape.CurveInfo{
		Model: c.Model, Task: "published: " + c.Source,
		Documents: c.Documents, Questions: c.Questions, Slots: c.Slots, Accuracy: c.Accuracy,
	})
}
