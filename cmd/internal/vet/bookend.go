package vet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// settingKeys are the keys of each section of the settings, "" for the top.
var settingKeys = sync.OnceValue(func() map[string][]string {
	keys := map[string][]string{"": {"order", "prompt"}}
	for _, s := range settings.All() {
		parts := strings.Split("."+s.Key, ".") // what a section within holds is not looked at
		section, name := strings.Join(parts[1:min(2, len(parts)-1)], ""), parts[min(2, len(parts)-1)]
		keys[section] = append(keys[section], name)
	}
	return keys
})

// isSettings says that a document is meant as settings of Bookend. Misspelled keys
// count as well, since they are what is looked for. What Bookend does not know has to
// be outweighed by keys of a kind that other programs hardly have.
func isSettings(doc *doctree.Node) bool {
	if strings.Contains(strings.ToLower(nonNil(doc.Get("$schema")).Text), "bookend") {
		return true
	}
	keys := settingKeys()
	own, distinct, strange := 0, 0, 0
	for _, e := range doc.Entries {
		section := meant(e.Key.Text, keys[""])
		if section == "" {
			strange += 2
		}
		if section != "order" && section != "prompt" {
			continue
		}
		for _, inner := range e.Value.Entries[:min(len(e.Value.Entries), 200)] {
			key := meant(inner.Key.Text, keys[section])
			switch {
			case key == "":
				strange++
			case strings.Contains(key, "_"), key == "placement", key == "layout":
				distinct++
			}
			own++
		}
		if strange > 200 {
			return false
		}
	}
	return distinct > 0 && distinct >= strange || strange == 0 && (own > 1 || own == 1 && doc.Get("prompt") == nil)
}

// meant returns the key that a key is, or that it was probably meant to be, or "".
func meant(key string, keys []string) string {
	switch {
	case slices.Contains(keys, key):
		return key
	case len(key) < 4: // a word of three letters is near to many
		return ""
	}
	return nearest.Of(key, keys)
}

// settings reports what Bookend refuses, at the places where it says so. What it
// would take is looked through as other files are.
func (c *checker) settings() {
	faults := settings.Check(c.file, c.openCurve)
	for _, f := range faults {
		text := f.Key[strings.LastIndexByte(f.Key, '.')+1:]
		if f.Value != nil {
			if text = fmt.Sprint(f.Value); len(text) > maxMessage {
				f.Value = text[:maxMessage]
			}
		}
		message := strings.TrimPrefix(settings.Fault{Key: f.Key, Value: f.Value, Rule: f.Rule}.Error(), "bookend: ")
		at := &doctree.Node{Kind: doctree.Text, Text: text, Line: max(f.Line, 1), Column: max(f.Column, 1)}
		c.tell(settingsRefused, at, Finding{
			Message: show.Cut(message, maxMessage), Fix: c.fix(at, f.Meant, true), Advice: "docs/settings.md lists every key.",
		})
	}
	if len(faults) == 0 && len(c.file.Docs) == 1 {
		c.check(settingsChain(c.file.Docs[0]))
	}
}

// openCurve reads a curve that a checked file names. The file may be anybody's: only
// a regular file below the folder of the checked one is opened, and a note says what
// was not.
func (c *checker) openCurve(path string) (*core.Curve, error) {
	dir := filepath.Dir(c.file.Name)
	inside, err := filepath.Rel(dir, path)
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return c.unread(path)
	}
	defer root.Close()
	switch info, err := root.Stat(inside); {
	case errors.Is(err, fs.ErrNotExist):
		return core.LoadCurve(path)
	case err != nil: // the path or a link leads outside
		return c.unread(path)
	case !info.Mode().IsRegular():
		return nil, &core.CurveError{Path: path, Rule: "is not a regular file"}
	}
	return core.LoadCurve(path)
}

// unread notes that a curve was not opened, and returns one that nothing is said of.
func (c *checker) unread(path string) (*core.Curve, error) {
	c.tell(notChecked, &doctree.Node{Line: 1, Column: 1}, Finding{
		Level:   Note,
		Message: fmt.Sprintf("The curve %q is not below the folder of this file and was not opened.", path),
		Advice:  "\"bookend order --settings\" reads it as the program would.",
	})
	return &core.Curve{Format: core.CurveFormat, Documents: 2, Shape: core.ShapeFlat, Slots: []int{0, 1}, Accuracy: []float64{1, 1}}, nil
}

// settingsChain reads settings that are valid.
func settingsChain(doc *doctree.Node) *Chain {
	order := doc.Get("order")
	step := &Step{Task: Place, Name: "order", At: doc, Keep: whole(order.Get("top_k")), Cuts: whole(order.Get("budget")) != nil || order.Get("threshold") != nil}
	placement := order.Get("placement")
	if placement != nil && placement.Kind == doctree.Map && len(placement.Entries) == 1 {
		placement = placement.Get("name")
	}
	if w := parseOrder(nonNil(placement).Text); w.Placement != nil {
		step.At, step.Order = placement, &w
	}
	chain := &Chain{Steps: []*Step{step}, Bound: whole(doc.At("prompt", "budget")) != nil}
	chain.layout(settingsLayout(doc.At("prompt", "layout")))
	return chain
}

// settingsLayout finds a layout that has the rules or the question above the
// documents alone.
func settingsLayout(n *doctree.Node) *Layout {
	parts, err := prompt.Layout(nonNil(n).Text).Parts()
	if n == nil || err != nil {
		return nil
	}
	after := parts[slices.Index(parts, prompt.PartDocuments):]
	l := &Layout{At: n, Line: n.Line, New: string(prompt.QuestionLast)}
	switch {
	case !slices.Contains(after, prompt.PartQuestion):
		l.What = "question"
	case slices.Contains(parts, prompt.PartInstruction) && !slices.Contains(after, prompt.PartInstruction) && !slices.Contains(after, prompt.PartReminder):
		l.What = "rules"
	default:
		return nil
	}
	return l
}

// plainPath is what needs no quotes in YAML or JSON.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// measuredWord returns how settings name the placement by the curve, or "". Its path
// starts at the folder of the file.
func (c *checker) measuredWord() string {
	path, err := filepath.Rel(filepath.Dir(c.file.Name), c.Curve.File)
	if path = filepath.ToSlash(path); err != nil || c.Curve.File == "" || !plainPath.MatchString(path) {
		return ""
	}
	return "measured=" + path
}
