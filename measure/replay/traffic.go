package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// Request is one request as it came.
type Request struct {
	Time         time.Time // zero: not known
	Conversation string    // requests with an equal one are its turns; empty: none
	Question     string
	Answer       string             // the turns that follow in its conversation show it
	Documents    []dataset.Document // by rank, the best first
	// Sent holds the rank in each slot of the prompt that was sent, where that was
	// recorded; else it is nil.
	Sent []int
	// Gold holds the ranks with the answer, or those that the answer cited: empty for
	// none of them, nil where that is not known.
	Gold []int
	// Tokens is how long the prompt was by the model's own count; 0: not known.
	Tokens int
}

// Traffic is what came, in order of time.
type Traffic struct {
	Requests []Request
	// Source names where it was read.
	Source string
	// Timed says that every request has a time: without, nothing grows too old.
	Timed bool
	// Recorded says that core/record wrote it, and that Gold is what the answers cite,
	// not what is right.
	Recorded bool
	// Notes say what a reader of the figures should know about how it was read.
	Notes []string
}

// Documents returns how many documents the shortest and the longest request have; 0 and 0
// without requests.
func (t Traffic) Documents() (least, most int) {
	for i, r := range t.Requests {
		n := len(r.Documents)
		if i == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return least, most
}

// The texts that stand in for what was not recorded.
const (
	noQuestion    = "(this question was not recorded)"
	assumedAnswer = 400 // bytes
)

// Read reads a file that core/record wrote, with texts or without, or lists of a
// retriever in the form of dataset.ListFormat, with the keys "time" and "conversation"
// where they are known. Of recorded requests it takes the documents that were admitted.
// Where texts were not recorded, others of the same length stand in for them, equal for
// equal hashes, so that prompts begin alike as the real ones did. It holds the distinct
// texts in memory. The errors are those of record.Read and of dataset.Rules.Open; an
// empty file is one.
func Read(ctx context.Context, path string) (Traffic, error) {
	t := Traffic{Source: path, Recorded: true}
	texts := &interned{known: map[string]string{}}
	without, models := 0, map[string]bool{}
	reading, err := record.Read(path, func(e record.Entry) error {
		if len(e.Arrangement.Slots) > 0 {
			if e.Question == "" && e.QuestionHash == "" {
				without++
			}
			if e.Model != "" {
				models[e.Model] = true
			}
			t.Requests = append(t.Requests, texts.request(e, len(t.Requests)))
		}
		if texts.exceed {
			return &core.ConfigError{Field: "file", Value: path, Rule: fmt.Sprintf("it tells of texts above %d MiB each, or above %d GiB together: replay a part of it", maxStandIn>>20, maxStandIns>>30)}
		}
		return ctx.Err()
	})
	if errors.Is(err, record.ErrNotRecord) {
		t, err = readLists(ctx, path)
		if err != nil {
			return Traffic{}, err
		}
		return t.ordered(), nil
	}
	if err != nil {
		return Traffic{}, err
	}
	if len(t.Requests) == 0 {
		return Traffic{}, &core.ConfigError{Field: "file", Value: path, Rule: "no request with a document is in it: record some traffic first"}
	}
	note := func(n, of int, what string) {
		if n > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d of %d requests %s.", n, of, what))
		}
	}
	note(reading.Entries-len(t.Requests), reading.Entries, "had no document and are left out")
	note(without, len(t.Requests), "have no question: a short text stands in for it")
	if len(models) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("The requests went to %d models, and share one cache here: replay those of each by themselves.", len(models)))
	}
	if reading.Torn > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("A torn last line of %d bytes is left out.", reading.Torn))
	}
	return t.ordered(), nil
}

// interned holds each text once.
type interned struct {
	known  map[string]string
	size   int64 // of what stands in for texts
	exceed bool
}

// What may stand in for texts that were not recorded: one, and all together.
const (
	maxStandIn  = 16 << 20
	maxStandIns = 2 << 30
)

func (texts *interned) one(text string) string {
	if known, ok := texts.known[text]; ok {
		return known
	}
	texts.known[text] = text
	return text
}

// standIn returns a text of that many bytes that no other key gives.
func (texts *interned) standIn(key string, length int) string {
	if length <= 0 || key == "" {
		return ""
	}
	name := fmt.Sprintf("\x00%d %s", length, key) // no text begins so
	if text, ok := texts.known[name]; ok {
		return text
	}
	if texts.size += int64(length); length > maxStandIn || texts.size > maxStandIns {
		texts.exceed = true
		return ""
	}
	text := strings.Repeat(key+" ", length/(len(key)+1)+1)[:length]
	texts.known[name] = text
	return text
}

func (texts *interned) request(e record.Entry, i int) Request {
	r := Request{
		Time: e.Time, Conversation: e.Conversation, Question: e.Question, Tokens: e.PromptTokens,
		Answer: texts.standIn(fmt.Sprintf("answer %d", i), assumedAnswer),
	}
	if r.Question == "" {
		r.Question = texts.standIn(e.QuestionHash, e.QuestionLength)
	}
	if r.Question == "" {
		r.Question = noQuestion
	}
	var ranks []int // of the admitted, ascending: their places are the ranks from here on
	for _, placed := range e.Arrangement.Slots {
		ranks = append(ranks, placed.Rank)
	}
	slices.Sort(ranks)
	now := func(rank int) int { i, _ := slices.BinarySearch(ranks, rank); return i }
	for _, rank := range ranks {
		d := e.Documents[rank]
		document := dataset.Document{ID: d.ID, Title: d.Title, Text: texts.one(d.Text), Source: d.Source, Position: d.Position}
		if d.Text == "" {
			document.Text = texts.standIn(d.Hash, d.Length)
		}
		r.Documents = append(r.Documents, document)
	}
	for _, placed := range e.Arrangement.Slots {
		r.Sent = append(r.Sent, now(placed.Rank))
	}
	if e.Answer != nil {
		r.Answer = texts.standIn(fmt.Sprintf("answer %d", i), e.Answer.Length)
		for _, rank := range e.Answer.Ranks {
			if _, shown := slices.BinarySearch(ranks, rank); shown {
				r.Gold = append(r.Gold, now(rank))
			}
		}
	}
	return r
}

func readLists(ctx context.Context, path string) (Traffic, error) {
	lists, err := dataset.Rules{Lists: true, Requests: true}.Open(path)
	if err != nil {
		return Traffic{}, err
	}
	defer lists.Close()
	t := Traffic{Source: path}
	texts := &interned{known: map[string]string{}}
	for i := range lists.Len() {
		if err := ctx.Err(); err != nil {
			return Traffic{}, err
		}
		c, err := lists.Case(i)
		if err != nil {
			return Traffic{}, err
		}
		r := Request{Time: c.Time, Conversation: c.Conversation, Question: texts.one(c.Question), Documents: c.Documents}
		for i, d := range r.Documents {
			r.Documents[i].Text = texts.one(d.Text)
		}
		if r.Question == "" {
			r.Question = noQuestion
		}
		switch {
		case c.Gold >= 0: // the answer can be read where the best of them stands
			r.Gold = []int{c.Gold}
		case len(c.Answers) > 0:
			r.Gold = []int{}
		}
		r.Answer = texts.standIn(fmt.Sprintf("answer %d", i), assumedAnswer)
		t.Requests = append(t.Requests, r)
	}
	if report := lists.Report(); len(report.LeftOut) > 0 {
		t.Notes = append(t.Notes, report.String()+".")
	}
	return t, nil
}

// ordered sorts by time where every request has one.
func (t Traffic) ordered() Traffic {
	t.Timed = !slices.ContainsFunc(t.Requests, func(r Request) bool { return r.Time.IsZero() })
	if t.Timed {
		slices.SortStableFunc(t.Requests, func(a, b Request) int { return a.Time.Compare(b.Time) })
	}
	return t
}

// Conversations returns how many conversations have two turns or more.
func (t Traffic) Conversations() int {
	turns, many := map[string]int{}, 0
	for _, r := range t.Requests {
		if r.Conversation == "" {
			continue
		}
		if turns[r.Conversation]++; turns[r.Conversation] == 2 {
			many++
		}
	}
	return many
}

// histories returns the earlier turns of each request, the oldest first. They share
// their memory: nobody writes to them.
func (t Traffic) histories() [][]prompt.Message {
	all := make([][]prompt.Message, len(t.Requests))
	so := map[string][]prompt.Message{}
	for i, r := range t.Requests {
		if r.Conversation == "" {
			continue
		}
		earlier := so[r.Conversation]
		all[i] = earlier[:len(earlier):len(earlier)]
		so[r.Conversation] = append(earlier, prompt.Message{Role: prompt.User, Text: r.Question}, prompt.Message{Role: prompt.Assistant, Text: r.Answer})
	}
	return all
}
