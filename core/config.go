package core

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

// ScoreOf says which of two scores is meant where a call has a ranking of its own.
type ScoreOf string

// The scores that a Threshold can look at. The empty ScoreOf means OwnScore, but is
// refused in a call with Stages, where it would be a guess.
const (
	// OwnScore is the document's own score, from its retriever, in the declared
	// Direction. Documents of a fusion have those of several retrievers.
	OwnScore ScoreOf = "own"
	// RankingScore is the score that the last of Call.Stages gave.
	// Higher is better. Where that stage failed there is none; the threshold is then not
	// applied, and a note says so.
	RankingScore ScoreOf = "ranking"
)

// Unit names a built-in counter for Budget. Its Count allocates nothing.
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
// texts and MaxBytes is 0. A tokenizer can need 20 s for 200 kB of one letter, and
// under a second for this much.
const DefaultMaxBytes = 32_000

// Count returns the size of text in the unit. An unknown or empty unit counts 0.
func (u Unit) Count(text string) int {
	switch u {
	case Runes:
		return utf8.RuneCountInString(text)
	case Words:
		n := 0
		for range strings.FieldsSeq(text) {
			n++
		}
		return n
	}
	return 0
}

// Keys names the metadata fields that settings look into. An empty one means the
// default that is given with it.
type Keys struct {
	// ID holds the ID, text or a whole number, of a document that has none of its
	// own. Empty: "id".
	ID string `json:"id,omitempty"`
	// Score holds the score, of any numeric type. Empty: the document's own score.
	Score string `json:"score,omitempty"`
	// Pin pins a document when it holds true. Empty: none does.
	Pin string `json:"pin,omitempty"`
	// Source and Position say which source a chunk was cut from (text) and where
	// in it (a number, or one written as text). Empty: the first of "source" and
	// "_source", and of "position", "chunk_index", "start_index" and "page", that
	// can be read. DocumentOrder and Groups need them.
	Source   string `json:"source,omitempty"`
	Position string `json:"position,omitempty"`
}

// Config says how documents are ranked, admitted and placed. The zero value is
// useful: it trusts the given order, admits every document, and places them by
// HeadTail. It marshals to and from JSON, the funcs apart; an unknown key is an
// error.
type Config struct {
	// Rank says how ranks are found: AsGiven (the default) or ByScore.
	Rank Ranking `json:"rank,omitempty"`
	// Direction says which scores are better. ByScore and Threshold need it.
	Direction Direction `json:"direction,omitempty"`
	// Keys names the metadata fields that are read.
	Keys Keys `json:"keys,omitzero"`

	// Pins lists the IDs of documents that always enter. They are charged first
	// to TopK and Budget, are exempt from Threshold, and win over their
	// duplicates; of two that are duplicates of each other the better one enters.
	// Pins that alone go over a limit are a *PinError. It costs O(1) a document.
	Pins []string `json:"pins,omitempty"`
	// DropSameID drops a document if a better one with the same ID enters; an empty
	// ID is never a duplicate. Under Skip a worse copy stands in for one that did
	// not fit.
	DropSameID bool `json:"drop_same_id,omitempty"`
	// DropSameText drops a document if a better one with the same text enters, byte
	// for byte; an empty text is never a duplicate.
	DropSameText bool `json:"drop_same_text,omitempty"`
	// Threshold drops documents with a worse score, and those without a score.
	// A score that equals it stays; a score that is a float32 is compared as a float32. It
	// must be finite and needs a Direction.
	Threshold *float64 `json:"threshold,omitempty"`
	// ThresholdBy says which score Threshold looks at: OwnScore (the default), or
	// RankingScore, of which higher is better. After a reranker or a fusion it has
	// to be set, since the two have nothing in common.
	ThresholdBy ScoreOf `json:"threshold_by,omitempty"`
	// MaxBytes drops documents with a longer text before they are counted. 0
	// means DefaultMaxBytes where there is a Budget, and no cap elsewhere; the best
	// document is exempt from that default under KeepBest.
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
	// Reuse lets the placement give way to a beginning that an earlier prompt had, so that
	// the server's prompt cache is hit: a Memory of package core/reuse, which says at what
	// price. It needs View.Text, and is refused beside Groups and DocumentOrder. A call that
	// places by Shuffled, that runs Off or what Arranger.With returned, or whose documents
	// come placed (Call.Placed) goes past it: the memory is neither asked nor told. Nil: none.
	Reuse Reuse `json:"-"`

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
// mention, the funcs among it, keeps its value. It opens no file, and writes to
// nothing that a copy of c shares.
func (c *Config) UnmarshalJSON(data []byte) error {
	type plain Config
	read := plain(c.clone())
	if err := strictjson.Unmarshal(data, &read); err != nil {
		return err
	}
	*c = Config(read)
	return nil
}

// clone copies c with everything that it points to, the funcs apart.
func (c *Config) clone() Config {
	copied := *c
	copied.Pins = slices.Clone(c.Pins)
	if c.Threshold != nil {
		t := *c.Threshold
		copied.Threshold = &t
	}
	if m, ok := c.Placement.Placement.(Measured); ok && m.Curve != nil {
		copied.Placement.Placement = m.clone()
	}
	return copied
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
			fault("Direction", "", `a {Threshold} needs "higher-is-better" or "lower-is-better"`)
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
		fault("Unit", string(c.Unit), `must be "runes" or "words"; set {Count} for another unit`)
	}
	switch {
	case c.Unit != "" && c.Count != nil:
		fault("Unit", string(c.Unit), "set {Unit} or {Count}, not both")
	case c.Budget > 0 && c.Unit == "" && c.Count == nil:
		fault("Budget", c.Budget, `needs a counter: set {Unit} to "runes" or "words", or set {Count}`)
	}
	if c.KeepBest && c.Budget == 0 {
		fault("KeepBest", true, "needs a {Budget}, the only limit that it overruns")
	}
	switch c.Overflow {
	case "", Stop, Skip:
	default:
		fault("Overflow", string(c.Overflow), `must be "stop" or "skip"`)
	}
	if slices.Contains(c.Pins, "") {
		fault("Pins", c.Pins, "an empty ID pins nothing: remove it")
	}
	if value, rule := c.checkReuse(); rule != "" {
		fault("Reuse", value, rule)
	}
	if c.Placement.Placement != nil {
		if err := validatePlacement(c.Placement.Placement); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

var _ json.Unmarshaler = (*Config)(nil)
