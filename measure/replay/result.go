package replay

import (
	"fmt"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/prefixcache"
)

// Result is what each setting would take from the cache.
type Result struct {
	// Finding is the result in one or two sentences. Where nothing is to be saved it
	// says "saves nothing here".
	Finding string `json:"finding"`
	Saves   bool   `json:"saves"` // some setting saves WorthSaving or more
	// Rows are the settings, the user's own first.
	Rows []Row `json:"settings"`

	Source        string             `json:"source"`
	Requests      int                `json:"requests"`
	Conversations int                `json:"conversations"` // of two turns or more
	First         *time.Time         `json:"first,omitempty"`
	Last          *time.Time         `json:"last,omitempty"`
	Cache         prefixcache.Config `json:"cache"`
	Curve         string             `json:"curve,omitempty"`
	Prices        model.Prices       `json:"prices,omitzero"`
	// Gold is how probable it was taken to be that each rank has the answer, and
	// GoldSeen in how many requests that was seen; 0 where it is an assumption.
	Gold     []float64 `json:"gold,omitempty"`
	GoldSeen int       `json:"gold_seen,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
}

// Row is one setting.
type Row struct {
	Name   string         `json:"name"`
	Labels prompt.LabelBy `json:"labels"`
	Tokens int            `json:"tokens"` // of all prompts
	Cached int            `json:"cached"` // of them from the cache
	Share  float64        `json:"share"`  // Cached of Tokens
	Short  int            `json:"short"`  // prompts below the cache's minimum
	// Accuracy is what is to be expected by the curve, and Loss how far it lies below
	// that of the user's own setting, as shares; nil without a curve.
	Accuracy *float64 `json:"accuracy,omitempty"`
	Loss     *float64 `json:"loss,omitempty"`
	// Cost is the price of the prompts of a thousand requests; nil without prices.
	Cost *float64 `json:"cost,omitempty"`

	sum float64 // of accuracies
}

// Processed returns how many tokens of a prompt the server processes, on average.
func (r Row) Processed(requests int) float64 { return float64(r.Tokens-r.Cached) / float64(requests) }

// nothing begins the finding where nothing is to be saved.
const nothing = "Another order saves nothing here"

// What a finding goes by: the share of the prompts' tokens from which a saving is
// worth telling, and the largest loss of accuracy that counts as small.
const (
	WorthSaving = 0.01
	LittleLoss  = 0.005
)

func (w *work) result(rows []Row) Result {
	t, n := w.traffic, len(w.traffic.Requests)
	r := Result{
		Rows: rows, Source: t.Source, Requests: n, Conversations: t.Conversations(), Cache: w.config.Cache,
		Curve: w.config.CurveName, Prices: w.config.Prices, Notes: t.Notes,
	}
	if t.Timed {
		r.First, r.Last = &t.Requests[0].Time, &t.Requests[n-1].Time
	}
	for i := range rows {
		row := &rows[i]
		if row.Tokens > 0 {
			row.Share = float64(row.Cached) / float64(row.Tokens)
		}
		if w.curves != nil {
			accuracy := row.sum / float64(n)
			loss := (rows[0].sum - row.sum) / float64(n)
			row.Accuracy, row.Loss = &accuracy, &loss
		}
		if w.config.Prices != (model.Prices{}) {
			cost := w.config.Prices.Cost(model.Usage{Prompt: row.Tokens, Cached: row.Cached}) * 1000 / float64(n)
			row.Cost = &cost
		}
	}
	if w.curves != nil {
		r.Gold, r.GoldSeen = w.golds.share, w.golds.seen
	}
	r.Finding, r.Saves = w.finding(r)
	r.Notes = append(r.Notes, w.notes(r)...)
	return r
}

// finding says what is to be saved, and at what price.
func (w *work) finding(r Result) (string, bool) {
	own := r.Rows[0]
	if own.Short == r.Requests {
		return fmt.Sprintf("%s: none of the prompts has the %d tokens from which the server caches.", nothing, r.Cache.Minimum), false
	}
	most, best := -1, -1 // of all, and of those that cost little
	for i, row := range r.Rows[1:] {
		if most < 0 || row.better(r.Rows[most]) {
			most = i + 1
		}
		if (row.Loss == nil || *row.Loss <= LittleLoss) && (best < 0 || row.better(r.Rows[best])) {
			best = i + 1
		}
	}
	switch {
	case most < 0:
		return fmt.Sprintf("%.1f %% of the prompts' tokens come from the cache; nothing is there to hold it against.", 100*own.Share), false
	case r.Rows[most].Share-own.Share < WorthSaving:
		begin := nothing
		if r.Rows[most].Share-own.Share >= 0.0005 {
			begin = "Another order saves hardly anything here"
		}
		return fmt.Sprintf("%s: as you send them, %.1f %% of the prompts' tokens come from the cache. With any other setting it is %.1f %% at most.",
			begin, 100*own.Share, 100*r.Rows[most].Share), false
	case best < 0 || r.Rows[best].Share-own.Share < WorthSaving:
		row := r.Rows[most]
		return w.saving(r, row, "") + " No setting saves even 1 % of the tokens for half a point of accuracy or less.", true
	}
	chosen := ""
	if w.curves != nil {
		chosen = ", which saves most among the settings that give up half a point of accuracy or less,"
	}
	return w.saving(r, r.Rows[best], chosen), true
}

// better says that a setting saves more than another, or as much and loses less.
func (r Row) better(other Row) bool {
	if r.Cached != other.Cached || r.Loss == nil {
		return r.Share > other.Share
	}
	return *r.Loss < *other.Loss
}

// saving says what one setting saves against the user's own, and why it was chosen.
func (w *work) saving(r Result, row Row, chosen string) string {
	own := r.Rows[0]
	less := 1 - row.Processed(r.Requests)/own.Processed(r.Requests)
	sentence := fmt.Sprintf("With %q%s %.1f %% of the prompts' tokens come from the cache, and %.1f %% as you send them: the server processes %.0f %% fewer",
		row.Name, chosen, 100*row.Share, 100*own.Share, 100*less)
	switch {
	case row.Loss == nil:
		return sentence + ". What the order costs in accuracy is not known without a curve."
	case *row.Loss < -0.0005:
		return sentence + fmt.Sprintf(", and by the curve %.1f points more answers are right.", -100**row.Loss)
	case *row.Loss < 0.0005:
		return sentence + ", and by the curve no accuracy is lost."
	}
	return sentence + fmt.Sprintf(", for %.1f points of accuracy by the curve.", 100**row.Loss)
}

// notes say what the figures rest on.
func (w *work) notes(r Result) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if !w.traffic.Timed {
		note("The requests have no times. They are taken in the order of the file, and the cache forgets nothing by age.")
	}
	if own := r.Rows[0]; own.Short > 0 {
		note("%s of %d are below the minimum of %d tokens and take nothing from the cache.", text.Count(own.Short, "prompt"), r.Requests, r.Cache.Minimum)
	}
	if real, known := w.realTokens(); known > 0 {
		told := float64(r.Rows[0].Tokens) / float64(r.Requests)
		if ratio := real / told; ratio > 1.1 || ratio < 0.9 {
			note("The models counted %.0f tokens a prompt, and the prompts here have %.0f: give your own rules and layout, or another count of tokens.", real, told)
		}
	}
	if w.curves != nil {
		least, most := w.traffic.Documents()
		if n := w.config.CurveDocuments; n > 0 && (n < least || n > most) {
			have := fmt.Sprintf("%d to %d", least, most)
			if least == most {
				have = fmt.Sprint(most)
			}
			note("The curve is of %d documents, and the requests have %s: it is stretched to that length, which is a guess.", n, have)
		}
		switch {
		case r.GoldSeen == 0:
			note("Where the answers stand is assumed: each rank has the answer %g times as often as the one before.", w.config.Decay)
		case w.traffic.Recorded:
			note("Where the answers stand is taken from what %d answers cite. The order that was sent has a part in that.", r.GoldSeen)
		default:
			note("%d requests tell which document has the answer, or that none has. Where none has, every order counts as wrong.", r.GoldSeen)
		}
		note("Accuracy is arithmetic, not a measurement: one document has the answer, and is read as well in its slot beside any others.")
	}
	if r.Prices != (model.Prices{}) && (r.Prices.Cached == 0 || r.Prices.Cached == r.Prices.Prompt) {
		note("Tokens from the cache have no price of their own, so nothing is cheaper.")
	}
	if own := r.Rows[0].Labels; own != prompt.ByID && slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Labels == prompt.ByID }) {
		note("Your documents are numbered by %s, and those of the other settings by ID: else a document that moves gets another number, and the prompts are no longer alike from there on.", own)
	}
	return notes
}

// realTokens is the mean length of the prompts by the models' own counts, and how many
// of them told it.
func (w *work) realTokens() (mean float64, known int) {
	for _, r := range w.traffic.Requests {
		if r.Tokens > 0 {
			mean += float64(r.Tokens)
			known++
		}
	}
	return mean / float64(max(known, 1)), known
}

// duration says how long the traffic lasted.
func duration(d time.Duration) string {
	if d < time.Second {
		return "a second"
	}
	return d.Round(time.Second).String()
}

// Behind says in a line or two what was counted: how many requests, over which time,
// and what the cache is like.
func (r Result) Behind() string {
	said := text.Count(r.Requests, "request")
	if r.First != nil {
		said += " within " + duration(r.Last.Sub(*r.First))
	}
	if r.Conversations > 0 {
		said += ", " + text.Count(r.Conversations, "conversation") + " of two turns or more"
	}
	cache := "the cache is taken to hold whole prompts"
	if r.Cache.Kind != prefixcache.Prompts {
		cache = "the cache is taken to share beginnings in blocks of " + text.Count(max(r.Cache.Block, 1), "token")
	}
	if r.Cache.Minimum > 0 {
		cache += fmt.Sprintf(", from %d tokens", r.Cache.Minimum)
	}
	if r.Cache.Capacity > 0 {
		cache += fmt.Sprintf(", for %d tokens", r.Cache.Capacity)
	}
	if r.Cache.Lifetime > 0 && r.First != nil {
		cache += fmt.Sprintf(", for %s", r.Cache.Lifetime)
	}
	said += "; " + cache
	if r.Curve != "" {
		said += "; curve: " + r.Curve
	}
	return said + "."
}
