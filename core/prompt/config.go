package prompt

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/strictjson"
)

// LabelBy says what the number of a document means.
type LabelBy string

// The kinds of labels. The empty LabelBy means ByRank.
const (
	// ByRank labels the best document [1] wherever it stands.
	ByRank LabelBy = "rank"
	// BySlot numbers the documents from top to bottom.
	BySlot LabelBy = "slot"
	// ByID gives a document a short ID of its own, a number of four digits, that is made of
	// its ID, or of its text where it has none: the same in every prompt and process, at any
	// rank and slot. So a document's bytes do not change, which a prompt cache needs, and a
	// number that an earlier answer cited still means the same document. Of documents with
	// one number, the first in the prompt has it; the others get a longer one.
	ByID LabelBy = "id"
)

// DefaultMaxShown is the length cap on a shown metadata value where MaxShown is 0.
const DefaultMaxShown = 200

// Config says what stands in a prompt and how. The zero value renders documents
// and question. It marshals to and from JSON, the funcs apart.
type Config struct {
	// Layout is the order of the parts. Empty: QuestionLast.
	Layout Layout `json:"layout,omitempty"`
	// BookendFrom applies the layout Bookend only to prompts of at least that
	// size, before anything is trimmed, as the counter gives it; shorter ones get
	// QuestionLast. 0: always. It needs the layout Bookend and a counter.
	BookendFrom int `json:"bookend_from,omitempty"`

	// Rules are the standing rules: role, limits, form of the answer.
	Rules string `json:"rules,omitempty"`
	// Task is the task in one line, Instruction the task in full. A layout that
	// shows the instruction shows Task where Instruction is empty.
	Task        string `json:"task,omitempty"`
	Instruction string `json:"instruction,omitempty"`
	// Reminder repeats the rules in one line.
	Reminder string `json:"reminder,omitempty"`
	// Cue ends the prompt, on a line of its own, as in "Answer:". Empty: none.
	Cue string `json:"cue,omitempty"`
	// QuestionPrefix stands before the question. Empty: "Question: ".
	QuestionPrefix string `json:"question_prefix,omitempty"`
	// NoDocuments stands in the place of the documents when there are none. Empty:
	// "No documents were found."
	NoDocuments string `json:"no_documents,omitempty"`

	// Format is the form of a document. Empty: Numbered.
	Format Format `json:"format,omitempty"`
	// FormatFunc is a form of one's own, in place of Format. It has to print
	// Document.Label. Where the label stands nowhere in what it returns, apart from the
	// document's own text, title, source and fields, no citation leads to that document: its
	// Label in the arrangement is 0, and a note says so. What it returns is copied as it is,
	// without escaping; an error fails the call as a
	// *FormatError. It may be called several times for one document, and by several
	// goroutines at once.
	FormatFunc func(Document) (string, error) `json:"-"`
	// Labels says what the numbers mean: ByRank (the default), BySlot or ByID.
	Labels LabelBy `json:"labels,omitempty"`
	// Show lists the metadata fields that a document shows, in this order. No
	// other field is shown, apart from title and source where the format has a
	// place for them.
	Show []string `json:"show,omitempty"`
	// MaxShown cuts a shown value, title and source to that many characters. 0:
	// DefaultMaxShown.
	MaxShown int `json:"max_shown,omitempty"`
	// TitleKey and SourceKey name the metadata fields of title and source. Empty:
	// "title"; the first of "source" and "_source".
	TitleKey  string `json:"title_key,omitempty"`
	SourceKey string `json:"source_key,omitempty"`
	// IDKey names the metadata field that ByID reads, as core.Keys.ID does, where a document
	// has no ID of its own. Empty: "id".
	IDKey string `json:"id_key,omitempty"`

	// Budget bounds the rendered whole together with Reserve, as Unit or Count
	// gives its size. What does not fit goes in this order: the oldest turns of
	// the history, then the worst document that is not pinned, again and again.
	// Question, rules, task, instruction and reminder are never cut. 0: no limit.
	Budget int `json:"budget,omitempty"`
	// DropTurns leaves out turns of the history in whole blocks of that many, counted from
	// the start of Input.History, which has to be the whole conversation then. So the
	// prompt begins alike for several turns, and a prompt cache serves it, at the price of
	// some turns fewer: see docs/guide.md for when that pays. The last block may be smaller.
	// 0 and 1: one by one. It acts under a Budget.
	DropTurns int `json:"drop_turns,omitempty"`
	// Reserve is the room kept for the answer and for what a provider adds around
	// the messages.
	Reserve int `json:"reserve,omitempty"`
	// MaxBytes is the byte cap on each text that is counted, the question's and a
	// message's among them: longer documents are left out, and so are the turn
	// of the history that holds a longer message and all turns before it. 0: the MaxBytes of the Arranger's
	// Config, or else core.DefaultMaxBytes. Texts are counted for a Budget and for
	// BookendFrom.
	MaxBytes int `json:"max_bytes,omitempty"`
	// Unit counts by a built-in counter. Set it or Count, not both.
	Unit core.Unit `json:"unit,omitempty"`
	// Count returns the size of a text, 0 or more, such as its number of tokens.
	// It must be safe for concurrent use. It sees each part once, and then a few whole
	// prompts, which decide. Once the context of a call has ended it is not called again.
	Count func(text string) int `json:"-"`
}

// Renderer is a validated Config: what lays out prompts. It is immutable and safe
// for concurrent use. A nil *Renderer means the zero Config.
type Renderer struct {
	config Config
	parts  []Part
	count  func(string) int
}

var defaultRenderer, _ = New(Config{})

// New validates a Config and returns the value that runs it, or every fault of
// the Config, joined by errors.Join, each a *core.ConfigError. The Config is
// copied.
func New(c Config) (*Renderer, error) {
	parts, err := c.Layout.Parts()
	if err == nil {
		c.Layout = c.Layout.canonical(parts)
	}
	if err := c.validate(err); err != nil {
		return nil, err
	}
	r := &Renderer{config: c, parts: parts, count: c.Count}
	switch c.Unit {
	case core.Runes, core.Words:
		r.count = c.Unit.Count
	}
	r.config.Show = append([]string(nil), c.Show...)
	for _, d := range []struct {
		value    *string
		fallback string
	}{
		{&r.config.QuestionPrefix, "Question: "},
		{&r.config.NoDocuments, "No documents were found."},
		{&r.config.Instruction, c.Task},
		{&r.config.TitleKey, "title"},
	} {
		if *d.value == "" {
			*d.value = d.fallback
		}
	}
	if c.MaxShown == 0 {
		r.config.MaxShown = DefaultMaxShown
	}
	if c.FormatFunc == nil {
		r.config.Format = c.Format.canonical()
	}
	if c.Labels == "" {
		r.config.Labels = ByRank
	}
	return r, nil
}

// UnmarshalJSON reads a Config and refuses unknown keys. What the JSON does not
// mention, the funcs among it, keeps its value.
func (c *Config) UnmarshalJSON(data []byte) error {
	type plain Config
	return strictjson.Unmarshal(data, (*plain)(c))
}

// validate returns every fault of c, joined; layout is that of its layout, or nil.
func (c *Config) validate(layout error) error {
	var faults []error
	if layout != nil {
		faults = append(faults, layout)
	}
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if c.Format.canonical() == "" {
		fault("Format", string(c.Format), "use numbered, titled, xml or markdown; or leave it out, and set a FormatFunc")
	}
	if c.Format != "" && c.FormatFunc != nil {
		fault("Format", string(c.Format), "set {Format} or FormatFunc, not both")
	}
	switch c.Labels {
	case "", ByRank, BySlot, ByID:
	default:
		fault("Labels", string(c.Labels), `must be "rank", "slot" or "id"`)
	}
	switch c.Unit {
	case "", core.Runes, core.Words:
	default:
		fault("Unit", string(c.Unit), `must be "runes" or "words"; set {Count} for another unit`)
	}
	counts := c.Unit != "" || c.Count != nil
	if c.Unit != "" && c.Count != nil {
		fault("Unit", string(c.Unit), "set {Unit} or {Count}, not both")
	}
	for _, limit := range []struct {
		field string
		value int
	}{{"Budget", c.Budget}, {"Reserve", c.Reserve}, {"MaxShown", c.MaxShown}, {"BookendFrom", c.BookendFrom}, {"MaxBytes", c.MaxBytes}, {"DropTurns", c.DropTurns}} {
		if limit.value < 0 {
			fault(limit.field, limit.value, "must be 0 or more")
		}
	}
	if c.Budget > 0 && !counts {
		fault("Budget", c.Budget, `needs a counter: set {Unit} to "runes" or "words", or set {Count}`)
	}
	if c.Reserve > 0 && c.Budget == 0 {
		fault("Reserve", c.Reserve, "needs a {Budget} to be kept from")
	}
	if c.BookendFrom > 0 && !counts {
		fault("BookendFrom", c.BookendFrom, `needs a counter: set {Unit} to "runes" or "words", or set {Count}`)
	}
	if c.BookendFrom > 0 && c.Layout != Bookend {
		fault("BookendFrom", c.BookendFrom, "acts on the layout bookend alone: set {Layout} to it")
	}
	return errors.Join(faults...)
}

// Config returns a copy of the configuration, defaults filled in.
func (r *Renderer) Config() Config {
	c := r.orDefault().config
	c.Show = append([]string(nil), c.Show...)
	return c
}

func (r *Renderer) orDefault() *Renderer {
	if r == nil {
		return defaultRenderer
	}
	return r
}

// Compile validates the settings of a step that arranges documents and lays out the
// prompt around them, and returns every fault, joined. placed says that the
// documents come placed already (core.Call.Placed): arrange may then hold an Observe
// and nothing else. history says that there will be a history, which needs a place.
func Compile(layout Config, arrange core.Config, placed, history bool) (*Renderer, *core.Arranger, error) {
	r, layoutErr := New(layout)
	a, arrangeErr := core.New(arrange)
	if history && layoutErr == nil && count(r.parts, PartHistory) == 0 {
		layoutErr = &core.ConfigError{Field: "History", Value: "set", Rule: "has no place in the layout " + string(layout.Layout) + ": list the part history, or leave it out"}
	}
	if arrange.Reuse != nil && layoutErr == nil && r.config.Labels == ByRank {
		layoutErr = &core.ConfigError{Field: "Labels", Value: string(ByRank), Rule: `puts another number before the same text, so that nothing is reused: set "id", or "slot"`}
	}
	if placed {
		arrangeErr = errors.Join(arrangeErr, onlyObserves(arrange))
	}
	if err := errors.Join(layoutErr, arrangeErr); err != nil {
		return nil, nil, err
	}
	return r, a, nil
}

// onlyObserves returns an error for a Config that arranges documents which come
// placed already.
func onlyObserves(c core.Config) error {
	const rule = "arranges documents that Placed says are placed already: leave one of the two out"
	switch {
	case c.Reuse != nil:
		return &core.ConfigError{Field: "Config.Reuse", Value: fmt.Sprintf("%T", c.Reuse), Rule: rule}
	case c.Select != nil:
		return &core.ConfigError{Field: "Config.Select", Value: "set", Rule: rule}
	case c.Count != nil:
		return &core.ConfigError{Field: "Config.Count", Value: "set", Rule: rule}
	case c.Placement.Placement != nil:
		return &core.ConfigError{Field: "Config.Placement", Value: c.Placement, Rule: rule}
	}
	if settings, err := json.Marshal(c); err != nil || string(settings) != "{}" {
		return &core.ConfigError{Field: "Config", Value: string(settings), Rule: rule}
	}
	return nil
}
