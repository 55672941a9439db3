package core

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/bookend-rag/bookend/internal/curve"
	"github.com/bookend-rag/bookend/internal/strictjson"
)

// CurveFormat is the value of a curve file's "format" key.
const CurveFormat = "bookend-curve/1"

// CurveOfUse is the Kind of a curve that was read from what answers cite. Its values
// are relative: how often a document is cited in a slot, beside the best slot, which
// has 1. They say what the model uses, not whether it is right.
const CurveOfUse = "use"

// maxCurveBytes bounds a curve file; a sweep over 1,000 slots takes 60 kB.
const maxCurveBytes = 1 << 20

// Shape names the form of a curve, as a sweep found it.
type Shape string

// The shapes. Flat, undecided and primacy curves leave the documents as ranked.
const (
	ShapeU         Shape = "U"         // both ends are read better than the middle
	ShapeInverted  Shape = "inverted"  // the middle is read better than both ends
	ShapePrimacy   Shape = "primacy"   // the start is read best
	ShapeRecency   Shape = "recency"   // the end is read best
	ShapeFlat      Shape = "flat"      // every slot is read alike, to within a small margin
	ShapeUndecided Shape = "undecided" // too few questions to tell
	ShapeUnfit     Shape = "unfit"     // the run could tell nothing; Measured refuses such a curve
)

var shapes = []Shape{ShapeU, ShapeInverted, ShapePrimacy, ShapeRecency, ShapeFlat, ShapeUndecided}

// Curve is what a sweep measured: how well one model answers when the document
// that holds the answer stands in a given slot. It is read from a file of JSON
// (CurveFormat) of at most 1 MiB.
type Curve struct {
	Format string `json:"format"`
	// Kind says what the values are: empty for accuracies, CurveOfUse for a curve
	// from production.
	Kind string `json:"kind,omitempty"`
	// Model, Task and Layout say what was measured, for people.
	Model  string `json:"model,omitempty"`
	Task   string `json:"task,omitempty"`
	Layout string `json:"layout,omitempty"`
	Date   string `json:"date,omitempty"`
	// Documents is the number of documents in each prompt, 2 or more. Slots go
	// from 0 to Documents-1.
	Documents int `json:"documents"`
	// Questions is the number of questions asked in each slot; of a CurveOfUse, the
	// number of requests.
	Questions int `json:"questions,omitempty"`
	// Shape is the verdict; EndsDiffer says whether the first and the last slots
	// differ beyond noise, which matters for a U alone.
	Shape      Shape `json:"shape"`
	EndsDiffer bool  `json:"ends_differ,omitempty"`
	// Slots are the measured slots, ascending, 0 and Documents-1 among them.
	// Accuracy and Fitted run parallel to it, as shares from 0 to 1. Fitted is the
	// smoothed curve that a U or an inverted shape is placed by; the other shapes
	// need none.
	Slots    []int     `json:"slots"`
	Accuracy []float64 `json:"accuracy"`
	Fitted   []float64 `json:"fitted,omitempty"`
	// Unfit says why the run could tell nothing, for a ShapeUnfit.
	Unfit string `json:"unfit,omitempty"`
	// Asked holds the IDs of the questions behind the curve, separated by spaces, so
	// that nobody compares placements on the questions that chose one. Empty: not
	// known.
	Asked string `json:"asked,omitempty"`
}

// LoadCurve reads a curve file of at most 1 MiB and checks it. Anything but a regular
// file, such as a pipe, is refused before it is opened. Every fault is a *CurveError
// that names the file and quotes nothing of it.
func LoadCurve(path string) (*Curve, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &CurveError{Path: path, Rule: "cannot be opened", Err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, &CurveError{Path: path, Rule: "is not a regular file: a curve is a file of JSON"}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &CurveError{Path: path, Rule: "cannot be opened", Err: err}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxCurveBytes+1))
	if err != nil {
		return nil, &CurveError{Path: path, Rule: "cannot be read", Err: err}
	}
	curve, err := ParseCurve(data)
	if e := (*CurveError)(nil); errors.As(err, &e) {
		e.Path = path
		return nil, e
	}
	return curve, nil
}

// ParseCurve reads a curve from JSON and checks it. Every fault is a
// *CurveError.
func ParseCurve(data []byte) (*Curve, error) {
	if len(data) > maxCurveBytes {
		return nil, &CurveError{Rule: "is larger than 1 MiB"}
	}
	var c Curve
	if err := strictjson.Unmarshal(data, &c); err != nil {
		return nil, &CurveError{Rule: "is not the JSON of a curve", Err: err}
	}
	return &c, c.Check()
}

// Check returns a *CurveError for the first rule that c breaks, or nil.
func (c *Curve) Check() error {
	rule := ""
	switch {
	case c == nil:
		rule = "is nil: measure one, or load its file"
	case c.Format != CurveFormat:
		rule = "has the format " + strconv.Quote(c.Format) + ", not " + strconv.Quote(CurveFormat)
	case c.Kind != "" && c.Kind != CurveOfUse:
		rule = "has the kind " + strconv.Quote(c.Kind) + "; leave it out for accuracies, or write " + strconv.Quote(CurveOfUse)
	case c.Shape == ShapeUnfit || c.Unfit != "":
		rule = "is unfit, since its run could tell nothing"
		if c.Unfit != "" {
			rule += " (" + c.Unfit + ")"
		}
		rule += ": mend that and measure again"
	case !slices.Contains(shapes, c.Shape):
		rule = "has the shape " + strconv.Quote(string(c.Shape)) + "; valid are U, inverted, primacy, recency, flat, undecided"
	case c.Documents < 2:
		rule = "has " + strconv.Itoa(c.Documents) + " documents; at least 2 are needed"
	case len(c.Slots) == 0 || c.Slots[0] != 0 || c.Slots[len(c.Slots)-1] != c.Documents-1:
		rule = "does not measure both ends, the first and the last of its " + strconv.Itoa(c.Documents) + " slots: measure them"
	case !strictlyAscending(c.Slots):
		rule = "has slots that do not ascend"
	case len(c.Accuracy) != len(c.Slots):
		rule = "has " + strconv.Itoa(len(c.Accuracy)) + " accuracies for " + strconv.Itoa(len(c.Slots)) + " slots"
	case !shares(c.Accuracy) || !shares(c.Fitted):
		rule = "has a value outside 0 to 1: accuracies are shares, not percent"
	case c.needsFit() && len(c.Fitted) != len(c.Slots):
		rule = "has " + strconv.Itoa(len(c.Fitted)) + " fitted values for " + strconv.Itoa(len(c.Slots)) + " slots, which its shape " + string(c.Shape) + " needs"
	default:
		return nil
	}
	return &CurveError{Rule: rule}
}

func (c *Curve) needsFit() bool { return c.Shape == ShapeU || c.Shape == ShapeInverted }

func strictlyAscending(slots []int) bool {
	for i := 1; i < len(slots); i++ {
		if slots[i] <= slots[i-1] {
			return false
		}
	}
	return true
}

func shares(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(v >= 0 && v <= 1) })
}

// Measured places by a curve of the user's own stack: the best rank into the
// slot that the model reads best, and so on. Flat, undecided and primacy curves
// give the ranked order, recency the reversed one, a U whose ends do not differ
// HeadTail; any other U and an inverted curve sort the slots by the fitted curve,
// interpolated to the number of documents. It costs O(n log n) at most and is
// safe for concurrent use as long as nobody writes to the curve; New copies it.
type Measured struct{ Curve *Curve }

// String returns the name, the curve's model and its number of documents.
func (p Measured) String() string {
	if p.Curve == nil {
		return "measured"
	}
	return "measured (" + strconv.Quote(p.Curve.Model) + ", " + strconv.Itoa(p.Curve.Documents) + " documents)"
}

func (p Measured) check() error { return p.Curve.Check() }

// Place implements Placement. The error is that of a curve that breaks a rule.
func (p Measured) Place(slots []int, origin func(rank int) Origin) error {
	if err := p.check(); err != nil {
		return err
	}
	switch c := p.Curve; {
	case c.Shape == ShapeRecency:
		return Reversed.Place(slots, origin)
	case c.Shape == ShapeU && !c.EndsDiffer:
		return HeadTail.Place(slots, origin)
	case c.needsFit():
		for rank, slot := range c.bestSlots(len(slots)) {
			slots[slot] = rank
		}
	}
	return nil
}

// bestSlots returns the slots of a prompt of n documents, the best read first.
func (c *Curve) bestSlots(n int) []int {
	value := make([]float64, n)
	best := make([]int, n)
	for slot := range n {
		best[slot] = slot
		value[slot] = math.Round(curve.At(c.Slots, c.Fitted, c.Documents, slot, n)*1e9) / 1e9
	}
	fromEnd := func(slot int) int { return min(slot, n-1-slot) }
	slices.SortFunc(best, func(a, b int) int {
		if order := cmp.Compare(value[b], value[a]); order != 0 {
			return order
		}
		if c.Shape == ShapeU {
			if order := cmp.Compare(fromEnd(a), fromEnd(b)); order != 0 {
				return order
			}
		}
		return cmp.Compare(a, b)
	})
	return best
}

// clone copies the curve, so that an Arranger stays immutable.
func (p Measured) clone() Measured {
	c := *p.Curve
	c.Slots = slices.Clone(c.Slots)
	c.Accuracy = slices.Clone(c.Accuracy)
	c.Fitted = slices.Clone(c.Fitted)
	return Measured{Curve: &c}
}
