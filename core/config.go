package core

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/internal/strictjson"
)

// Ranking says how ranks are found.
type Ranking string

// The rankings. The empty Ranking means AsGiven.
const (
	// AsGiven trusts the input order: the first document is the best. Retrievers,
	// rerankers and fusions all answer in that order.
	AsGiven Ranking = "given"
	// ByScore sorts by score in the declared Direction, stably. A missing or NaN
	// score ranks last, in input order.
	ByScore Ranking = "score"
)

// Direction says which scores are better. It is declared, never guessed: some
// stores put a distance where others put a similarity.
type Direction string

// The directions. The empty Direction is undeclared, which is fine as long as
// nothing looks at scores.
const (
	HigherIsBetter Direction = "higher-is-better" // a similarity, a relevance
	LowerIsBetter  Direction = "lower-is-better"  // a distance
)

// Unit names a built-in counter for Budget.
type Unit string

// The units. The empty Unit means that Count counts.
const (
	Runes Unit = "runes" // Unicode code points; an invalid byte counts as one
	Words Unit = "words" // runs of text between white space (unicode.IsSpace)
)

// Overflow says what happens to a document that does not fit into what is left
// of the budget.
type Overflow string

// The overflow rules. The empty Overflow means Stop.
const (
	// Stop ends the admission there: what is admitted is the longest prefix of
	// the ranks that fits.
	Stop Overflow = "stop"
	// Skip passes the document over and goes on with the next rank.
	Skip Overflow = "skip"
)

// DefaultMaxBytes is the byte cap on a document's text where a budget counts
// texts and MaxBytes is 0. A tokenizer can need 20 s for 200 kB of one letter.
const DefaultMaxBytes = 100_000

// Config says how documents are ranked, admitted and placed. The zero value is
// useful: it trusts the given order, admits every document, and places them by
// HeadTail. It marshals to and from JSON, the funcs apart; an unknown key is an
// error.
type Config struct {
	// Rank says how ranks are found: AsGiven (the default) or ByScore.
	Rank Ranking `json:"rank,omitempty"`
	// Direction says which scores are better. ByScore and Threshold need it.
	Direction Direction `json:"direction,omitempty"`
	// ScoreKey names the metadata field that holds the score, of any numeric
	// type. Empty: the document's own score.
	ScoreKey string `json:"score_key,omitempty"`

	// Pins lists the IDs of documents that always enter. They are charged first
	// to TopK and Budget, are exempt from Threshold, and win over their
	// duplicates; of two that are duplicates of each other the better one enters.
	// Pins that alone go over a limit are a *PinError.
	Pins []string `json:"pins,omitempty"`
	// PinKey names a metadata field that pins a document when it holds true.
	PinKey string `json:"pin_key,omitempty"`
	// DropSameID drops a document whose ID a better one has; an empty ID is never
	// a duplicate.
	DropSameID bool `json:"drop_same_id,omitempty"`
	// DropSameText drops a document whose text a better one has, byte for byte;
	// an empty text is never a duplicate.
	DropSameText bool `json:"drop_same_text,omitempty"`
	// Threshold drops documents with a worse score, and those without a score.
	// One that equals it stays; one that fits into a float32 is compared as one. It
	// must be finite and needs a Direction.
	Threshold *float64 `json:"threshold,omitempty"`
	// ThresholdBy says which score Threshold looks at: OwnScore (the default), or
	// RankingScore, of which higher is better. After a reranker or a fusion it has
	// to be set, since the two have nothing in common.
	ThresholdBy ScoreOf `json:"threshold_by,omitempty"`
	// MaxBytes drops documents with a longer text before they are counted. 0
	// means DefaultMaxBytes where there is a Budget, and no cap elsewhere.
	MaxBytes int `json:"max_bytes,omitempty"`
	// TopK admits at most that many documents. 0: no limit.
	TopK int `json:"top_k,omitempty"`
	// Budget bounds the sum of the admitted texts' sizes, as Unit or Count gives
	// them. 0: no limit. The whole of a prompt can have more tokens than its
	// parts; core/prompt bounds the whole.
	Budget int `json:"budget,omitempty"`
	// Unit counts by a built-in counter. Set it or Count, not both.
	Unit Unit `json:"unit,omitempty"`
	// Count returns the size of a text, 0 or more, such as its number of tokens.
	// It may be called by several goroutines at once.
	Count func(text string) int `json:"-"`
	// Overflow says what happens when a document does not fit: Stop (the default)
	// or Skip.
	Overflow Overflow `json:"overflow,omitempty"`
	// KeepBest admits the best document even if it goes over the budget: the only
	// overrun there is, and Arrangement.Used shows it.
	KeepBest bool `json:"keep_best,omitempty"`

	// Placement says which rank stands in which slot. The zero value: HeadTail.
	Placement Choice `json:"placement,omitzero"`
	// MinDocuments leaves the documents as ranked when fewer are admitted. It
	// splits no group and does not touch DocumentOrder. 0: always place.
	MinDocuments int `json:"min_documents,omitempty"`
	// Groups keeps the chunks of one source together, in reading order; a group
	// ranks as its best chunk.
	Groups bool `json:"groups,omitempty"`

	// IDKey names the metadata field that holds the ID, text or a whole number, of
	// a document that has none of its own. Empty: "id".
	IDKey string `json:"id_key,omitempty"`
	// SourceKey and PositionKey name the metadata fields that say which source a
	// chunk was cut from (text) and where in it (a number). Empty: the first of
	// "source" and "_source"; the first of "position", "chunk_index",
	// "start_index" and "page". DocumentOrder and Groups need them.
	SourceKey   string `json:"source_key,omitempty"`
	PositionKey string `json:"position_key,omitempty"`

	// Observe is called once for each call that reaches the arranging, also when
	// it fails, from the calling goroutine. It must be safe for concurrent use
	// and must not keep the Event.
	Observe func(context.Context, Event) `json:"-"`
	// Select returns the value to use for one call (an arm of an experiment, a
	// tenant's settings, Off), or nil for this one. The Select of what it returns
	// is not asked. Where that has no Observe of its own, this one's is called.
	Select func(context.Context) *Arranger `json:"-"`
}

// UnmarshalJSON reads a Config and refuses unknown keys. What the JSON does not
// mention, the funcs among it, keeps its value.
func (c *Config) UnmarshalJSON(data []byte) error {
	type plain Config
	return strictjson.Unmarshal(data, (*plain)(c))
}

// validate returns every fault of c, joined.
func (c *Config) validate() error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &ConfigError{Field: field, Value: value, Rule: rule})
	}
	notNegative := func(field string, value int, zero string) {
		if value < 0 {
			fault(field, value, "must be 0 ("+zero+") or more")
		}
	}
	switch c.Rank {
	case "", AsGiven, ByScore:
	default:
		fault("Rank", string(c.Rank), `must be "given" or "score"`)
	}
	switch c.Direction {
	case HigherIsBetter, LowerIsBetter:
	case "":
		if c.Rank == ByScore {
			fault("Direction", "", `ranking by score needs "higher-is-better" or "lower-is-better"`)
		}
		if c.Threshold != nil && c.ThresholdBy != RankingScore {
			fault("Direction", "", `a Threshold needs "higher-is-better" or "lower-is-better"`)
		}
	default:
		fault("Direction", string(c.Direction), `must be "higher-is-better" or "lower-is-better"`)
	}
	if t := c.Threshold; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		fault("Threshold", *t, "must be a finite number; leave it out for no threshold")
	}
	switch c.ThresholdBy {
	case "", OwnScore, RankingScore:
	default:
		fault("ThresholdBy", string(c.ThresholdBy), `must be "own" or "ranking"`)
	}
	notNegative("TopK", c.TopK, "no limit")
	notNegative("Budget", c.Budget, "no limit")
	notNegative("MaxBytes", c.MaxBytes, "the default")
	notNegative("MinDocuments", c.MinDocuments, "always place")
	switch c.Unit {
	case "", Runes, Words:
	default:
		fault("Unit", string(c.Unit), `must be "runes" or "words"; set Count for another unit`)
	}
	switch {
	case c.Unit != "" && c.Count != nil:
		fault("Unit", string(c.Unit), "set Unit or Count, not both")
	case c.Budget > 0 && c.Unit == "" && c.Count == nil:
		fault("Budget", c.Budget, `needs a counter: set Unit to "runes" or "words", or Count to a tokenizer`)
	}
	if c.KeepBest && c.Budget == 0 {
		fault("KeepBest", true, "needs a Budget, the only limit that it overruns")
	}
	switch c.Overflow {
	case "", Stop, Skip:
	default:
		fault("Overflow", string(c.Overflow), `must be "stop" or "skip"`)
	}
	if slices.Contains(c.Pins, "") {
		fault("Pins", c.Pins, "an empty ID pins nothing: remove it")
	}
	if c.Placement.Placement != nil {
		if err := validatePlacement(c.Placement.Placement); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

var _ json.Unmarshaler = (*Config)(nil)

// Arranger is a validated Config: what arranges documents. It is immutable and
// safe for concurrent use. A nil *Arranger means the default Config.
type Arranger struct {
	config    Config
	off       bool // changes nothing
	watched   bool // Observe or Select is set
	admitsAll bool // no setting can leave a document out
	folds     bool // the placement is HeadTail, for any number of documents
	count     func(string) int
}

// Off is the value that changes nothing: the documents keep their input order,
// none is dropped, and a prompt is byte for byte that of a chain without
// Bookend. Return it from Select to switch Bookend off for a call.
var Off = &Arranger{off: true, admitsAll: true}

var defaultArranger = &Arranger{admitsAll: true, folds: true}

// New validates a Config and returns the value that runs it, or every fault of
// the Config, joined by errors.Join: *ConfigError, and *CurveError for a curve.
// The Config is copied, pins, threshold and curve included: later changes to it
// have no effect.
func New(c Config) (*Arranger, error) {
	for nested, ok := c.Placement.Placement.(Choice); ok; nested, ok = c.Placement.Placement.(Choice) {
		c.Placement = nested
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	c = c.clone()
	a := &Arranger{config: c, count: c.Count}
	switch c.Unit {
	case Runes:
		a.count = CountRunes
	case Words:
		a.count = CountWords
	}
	a.watched = c.Observe != nil || c.Select != nil
	a.admitsAll = len(c.Pins) == 0 && c.PinKey == "" && !c.DropSameID && !c.DropSameText &&
		c.Threshold == nil && c.MaxBytes == 0 && c.TopK == 0 && c.Budget == 0
	a.folds = c.Placement.placement() == HeadTail && c.MinDocuments == 0 && !c.Groups
	return a, nil
}

// Config returns a copy of the configuration. For Off it is the zero Config.
func (a *Arranger) Config() Config {
	return a.orDefault().config.clone()
}

// clone copies c with everything that it points to, the funcs apart.
func (c Config) clone() Config {
	c.Pins = slices.Clone(c.Pins)
	if c.Threshold != nil {
		t := *c.Threshold
		c.Threshold = &t
	}
	if m, ok := c.Placement.Placement.(Measured); ok {
		c.Placement.Placement = m.clone()
	}
	return c
}

// With returns an Arranger that differs in its placement alone; a is unchanged.
// The error is that of New. A nil Placement means HeadTail. Off.With(p) is an
// Arranger that does no more than place by p.
func (a *Arranger) With(p Placement) (*Arranger, error) {
	c := a.Config()
	c.Placement = Choice{p}
	return New(c)
}

// For returns the Arranger to use for one call: what Select returns for ctx, or
// a itself. The result has no Select, so that a caller who needs it twice in one
// call gets one answer; adapters call it before they ask a retriever.
func (a *Arranger) For(ctx context.Context) *Arranger {
	a = a.orDefault()
	if !a.watched {
		return a
	}
	chosen := a
	if a.config.Select != nil {
		if s := a.config.Select(ctx); s != nil {
			chosen = s
		}
	}
	if chosen.config.Select == nil && (chosen.config.Observe != nil || a.config.Observe == nil) {
		return chosen
	}
	c := *chosen
	c.config.Select = nil
	if c.config.Observe == nil {
		c.config.Observe = a.config.Observe
	}
	c.watched = c.config.Observe != nil
	return &c
}

// IsOff says whether a changes nothing: Off, or what For made of it.
func (a *Arranger) IsOff() bool { return a != nil && a.off }

// placementName names what a does before it has seen any document.
func (a *Arranger) placementName() string {
	if a.off {
		return "off"
	}
	return a.config.Placement.String()
}

func (a *Arranger) orDefault() *Arranger {
	if a == nil {
		return defaultArranger
	}
	return a
}
