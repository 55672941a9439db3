package sweep

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/core"
)

// PublishedCurve is a curve that somebody measured and published, of one model at
// one prompt size. It is a fact about that model, task and date: other models, and
// the same model on another task, read otherwise.
type PublishedCurve struct {
	// Name is unique, such as "gpt-3.5-turbo/20": the model and the documents.
	Name string
	// Source is where the figures stand. EXPERIMENTS.md is the file of that name in
	// the repository nelson-liu/lost-in-the-middle.
	Source    string
	Model     string // as the source writes it
	Documents int    // in each prompt
	Questions int    // asked in each slot
	Slots     []int  // measured, ascending, 0 and Documents-1 among them
	Accuracy  []float64
}

// At returns the accuracy in each slot of a prompt of that many documents, 1 or
// more: linear between the published slots, with the ends laid on the ends. It is
// nil for fewer. A number other than the curve's own stretches a curve that nobody
// measured there.
func (c PublishedCurve) At(documents int) []float64 {
	return Along(c.Slots, c.Accuracy, c.Documents, documents)
}

//go:embed published-curves.csv
var publishedCSV string

var publishedCurves = sync.OnceValue(func() []PublishedCurve {
	curves, err := parsePublished(publishedCSV)
	if err != nil {
		panic("sweep: the embedded published curves are broken: " + err.Error()) // a test reads them
	}
	return curves
})

func parsePublished(text string) ([]PublishedCurve, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var curves []PublishedCurve
	index := map[string]int{}
	for _, row := range rows[1:] {
		documents, err1 := strconv.Atoi(row[2])
		slot, err2 := strconv.Atoi(row[3])
		percent, err3 := strconv.ParseFloat(row[4], 64)
		questions, err4 := strconv.Atoi(row[5])
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil {
				return nil, err
			}
		}
		name := curveName(row[1], documents)
		i, known := index[name]
		if !known {
			i = len(curves)
			index[name] = i
			curves = append(curves, PublishedCurve{
				Name: name, Source: row[0], Model: row[1], Documents: documents, Questions: questions,
			})
		}
		curves[i].Slots = append(curves[i].Slots, slot)
		curves[i].Accuracy = append(curves[i].Accuracy, percent/100)
	}
	return curves, nil
}

// curveName turns "GPT-3.5-Turbo (16K)" into "gpt-3.5-turbo-16k/20".
func curveName(model string, documents int) string {
	if _, after, found := strings.Cut(model, ":"); found { // a provider in front
		model = after
	}
	model = strings.NewReplacer(" (", "-", ")", "", " ", "-").Replace(strings.ToLower(model))
	return model + "/" + strconv.Itoa(documents)
}

// Published returns the published curves, in the order of their table, with their
// sources. The caller may change what it gets; it is safe for concurrent use.
func Published() []PublishedCurve {
	curves := slices.Clone(publishedCurves())
	for i := range curves {
		curves[i] = curves[i].clone()
	}
	return curves
}

func (c PublishedCurve) clone() PublishedCurve {
	c.Slots, c.Accuracy = slices.Clone(c.Slots), slices.Clone(c.Accuracy)
	return c
}

// LookupPublished returns the published curve of that name, in any letter case. The
// name of a model alone means its curve of 20 documents. The error is a
// *core.ConfigError that lists the names.
func LookupPublished(name string) (PublishedCurve, error) {
	full := strings.ToLower(strings.TrimSpace(name))
	if !strings.Contains(full, "/") {
		full += "/20"
	}
	for _, c := range publishedCurves() {
		if c.Name == full {
			return c.clone(), nil
		}
	}
	return PublishedCurve{}, &core.ConfigError{Field: "curve", Value: name, Rule: "that name is unknown; valid names: " + strings.Join(PublishedNames(), ", ")}
}

// PublishedNames returns the names of the published curves, in the order of their
// table.
func PublishedNames() []string {
	var names []string
	for _, c := range publishedCurves() {
		names = append(names, c.Name)
	}
	return names
}

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

// SimulationNames returns the names that a simulated reader may have: the plain
// shapes, then the published curves.
func SimulationNames() []string {
	var names []string
	for _, s := range plainShapes {
		names = append(names, s.name)
	}
	return append(names, PublishedNames()...)
}

// SimulatedAccuracy returns the true accuracy, as shares, in each slot of a prompt
// of that many documents, for a name of SimulationNames in any letter case. With x
// from 0 at the first slot to 1 at the last, the plain shapes are
//
//	flat      .65
//	u         .55 + .2·(2x-1)²: .75 at both ends, .55 in the middle
//	inverted  .75 - .2·(2x-1)²: .55 at both ends, .75 in the middle
//	primacy   .75 - .2·x:       .75 falling evenly to .55
//	recency   .55 + .2·x:       .55 rising evenly to .75
//
// and a published curve is as PublishedCurve.At lays it. With 0 documents there are
// as many as the published curve has, 20 for a plain shape. The error, a
// *core.ConfigError, lists the names, or says that documents is negative.
func SimulatedAccuracy(name string, documents int) ([]float64, error) {
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
	c, err := LookupPublished(name)
	if err != nil {
		return nil, &core.ConfigError{Field: "curve", Value: name, Rule: "that name is unknown; valid names: " + strings.Join(SimulationNames(), ", ")}
	}
	if documents == 0 {
		documents = c.Documents
	}
	return c.At(documents), nil
}

// String returns the name, the numbers behind it and the source, in one line.
func (c PublishedCurve) String() string {
	return fmt.Sprintf("%s (%s, %d documents, %d questions; %s)", c.Name, c.Model, c.Documents, c.Questions, c.Source)
}
