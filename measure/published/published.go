package published

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
	"github.com/bookend-rag/bookend/measure/worth"
)

// Curve is a curve that somebody measured and published, of one model at
// one prompt size. It is a fact about that model, task and date: other models, and
// the same model on another task, read otherwise.
type Curve struct {
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
// nil for fewer. With another number than its own the curve is stretched, and
// nobody measured it at that size.
func (c Curve) At(documents int) []float64 {
	return worth.Along(c.Slots, c.Accuracy, c.Documents, documents)
}

//go:embed published-curves.csv
var publishedCSV string

var publishedCurves = sync.OnceValue(func() []Curve {
	curves, err := parsePublished(publishedCSV)
	if err != nil {
		panic("published: the embedded published curves are broken: " + err.Error()) // a test reads them
	}
	return curves
})

func parsePublished(text string) ([]Curve, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var curves []Curve
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
			curves = append(curves, Curve{
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

// All returns the published curves, in the order of their table, with their
// sources. The caller may change what it gets; it is safe for concurrent use.
func All() []Curve {
	curves := slices.Clone(publishedCurves())
	for i := range curves {
		curves[i] = curves[i].clone()
	}
	return curves
}

func (c Curve) clone() Curve {
	c.Slots, c.Accuracy = slices.Clone(c.Slots), slices.Clone(c.Accuracy)
	return c
}

// Lookup returns the published curve of that name, in any letter case. The name of a
// model alone means, of its curves, the one whose number of documents is nearest to
// documents, the smaller of two that are as near; 0 documents mean 20. The error is a
// *core.ConfigError whose rule is that of Unknown.
func Lookup(name string, documents int) (Curve, error) {
	if documents == 0 {
		documents = usualDocuments
	}
	full := strings.ToLower(strings.TrimSpace(name))
	var best *Curve
	for _, c := range publishedCurves() {
		if c.Name == full {
			return c.clone(), nil
		}
		if c.family() != full {
			continue
		}
		if best == nil || c.distance(documents) < best.distance(documents) ||
			c.distance(documents) == best.distance(documents) && c.Documents < best.Documents {
			best = &c
		}
	}
	if best != nil {
		return best.clone(), nil
	}
	return Curve{}, &core.ConfigError{Field: "curve", Value: name, Rule: Unknown(name)}
}

// usualDocuments is the prompt size of most published curves.
const usualDocuments = 20

// family is the name without the number of documents.
func (c Curve) family() string { return strings.TrimSuffix(c.Name, "/"+strconv.Itoa(c.Documents)) }

func (c Curve) distance(documents int) int { return max(c.Documents-documents, documents-c.Documents) }

// Unknown says what is wrong with a name that is neither that of a published curve nor one
// of others, and what was probably meant. Where nothing is near it lists all: the others, then each
// model with its numbers of documents, as in "gpt-3.5-turbo/10|20".
func Unknown(name string, others ...string) string {
	var families []string
	sizes := map[string][]string{}
	curves := slices.Clone(publishedCurves())
	slices.SortStableFunc(curves, func(a, b Curve) int { return cmp.Or(cmp.Compare(a.Model, b.Model), a.Documents-b.Documents) })
	for _, c := range curves {
		if sizes[c.family()] == nil {
			families = append(families, c.family())
		}
		sizes[c.family()] = append(sizes[c.family()], strconv.Itoa(c.Documents))
	}
	full := strings.ToLower(strings.TrimSpace(name))
	if family, _, found := strings.Cut(full, "/"); found && sizes[family] != nil {
		return "it is of a size that was not published; there are " + family + "/" + strings.Join(sizes[family], ", /")
	}
	if hint := nearest.Hint(full, slices.Concat(others, families, Names())); hint != "" {
		return "it is unknown" + hint
	}
	valid := slices.Clone(others)
	for _, family := range families {
		valid = append(valid, family+"/"+strings.Join(sizes[family], "|"))
	}
	return "it is unknown; known: " + strings.Join(valid, ", ")
}

// Names returns the names of the published curves, in the order of their
// table.
func Names() []string {
	var names []string
	for _, c := range publishedCurves() {
		names = append(names, c.Name)
	}
	return names
}

// String returns the name, the numbers behind it and the source, in one line.
func (c Curve) String() string {
	return fmt.Sprintf("%s (%s, %d documents, %d questions; %s)", c.Name, c.Model, c.Documents, c.Questions, c.Source)
}
