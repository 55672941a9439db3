package prompt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// Role says who speaks in a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool" // in a history alone
)

// Message is one message of a chat.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Input is what changes from call to call.
type Input struct {
	// Question must not be empty.
	Question string
	// History holds the earlier messages, oldest first. A turn is a user's message
	// and what follows it up to the next one.
	History []Message
	// Call says what else is particular to this call: a top-k, an Arranger, documents
	// that come placed already (core.Call.Placed). Its Query is the Question.
	Call core.Call
}

// Prompt is a rendered prompt.
type Prompt struct {
	// Text is the whole prompt in one string, the history as lines that name who
	// speaks. Budget bounds its size.
	Text string
	// Messages are the same parts as a chat: system (unless it is empty), history,
	// user.
	Messages []Message
	// Layout is the layout that was used: BookendFrom may choose QuestionLast.
	Layout Layout
	// Arrangement says which document stands where, and which were left out, those
	// for the budget of the prompt among them.
	Arrangement core.Arrangement
	// Size is the counted size of Text; 0 without a budget.
	Size int
	// DroppedTurns and DroppedMessages say how much of the history was left out,
	// from its start.
	DroppedTurns, DroppedMessages int

	hidden hidden
	ends   ends
}

// BudgetError says that what may not be cut is larger than the budget.
type BudgetError struct {
	Needed  int // size with the whole history and every unpinned document left out
	Reserve int // kept for the answer
	Budget  int
}

// Error gives the numbers and the remedy.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("bookend: the prompt needs %d without history and unpinned documents, and %d are kept for the answer, but the budget is %d: raise Budget, or shorten the question, the rules or the pinned documents",
		e.Needed, e.Reserve, e.Budget)
}

// Build ranks, admits and places docs by a, and lays out the prompt around them.
// Where the budget leaves documents out, the others are placed again: trimming
// comes before placing here, too. The Observe of a's Config is called once, with
// the final arrangement and the labels of the prompt. Under core.Off the documents
// stand in input order, and the budget still holds.
//
// docs, the documents and their metadata are never written to. Errors: those of
// core.Arrange, a *core.ConfigError for a view without Text, for an empty question or
// one above MaxBytes, and for a history without a place in the layout, *FormatError,
// *BudgetError, and *core.PinError for a pinned document above MaxBytes. A context that
// ends during the work ends it, with its error.
func Build[S ~[]E, E any](ctx context.Context, r *Renderer, a *core.Arranger, docs S, v *core.View[E], in Input) (Prompt, error) {
	r = r.orDefault()
	if err := r.check(in); err != nil {
		return Prompt{}, err
	}
	var p Prompt
	call := in.Call
	call.Query = in.Question
	if call.Before == "" {
		call.Before = r.before(in)
	}
	call.Refine = func(used *core.Arranger, arrangement core.Arrangement) (_ core.Arrangement, err error) {
		p, err = fit(ctx, r, source[S, E]{used, docs, v}, arrangement, in, r.parts)
		if p.Arrangement.Reused > 0 && r.config.Labels == ByRank {
			p.Arrangement.Notes = append(slices.Clip(p.Arrangement.Notes), "labels by rank put other numbers before texts that were sent before, so that little is reused: set Labels to id, or slot")
		}
		return p.Arrangement, err
	}
	if _, err := core.Arrange(ctx, a, docs, v, call); err != nil {
		return Prompt{}, err
	}
	return p, nil
}

// Render lays out the prompt around documents that are arranged already: docs is
// the input that a was made of. Where the budget leaves documents out, the others keep their order. The
// errors are those of Build, and a *core.ConfigError where a and docs do not
// belong together.
func Render[S ~[]E, E any](ctx context.Context, r *Renderer, a core.Arrangement, docs S, v *core.View[E], in Input) (Prompt, error) {
	r = r.orDefault()
	if err := r.check(in); err != nil {
		return Prompt{}, err
	}
	if err := a.Check(len(docs)); err != nil {
		return Prompt{}, err
	}
	return fit(ctx, r, source[S, E]{core.Off, docs, v}, a, in, r.parts)
}

// Block renders the documents alone, such as the result of a tool in an agent.
// The Text and the one user message hold the block; the budget bounds it. Errors
// are those of Render.
func Block[S ~[]E, E any](ctx context.Context, r *Renderer, a core.Arrangement, docs S, v *core.View[E]) (Prompt, error) {
	if err := a.Check(len(docs)); err != nil {
		return Prompt{}, err
	}
	return fit(ctx, r.orDefault(), source[S, E]{core.Off, docs, v}, a, Input{}, []Part{PartDocuments})
}

// before returns what stands before the documents and is not the same in every prompt.
func (r *Renderer) before(in Input) string {
	var b strings.Builder
	for _, part := range r.parts {
		switch part {
		case PartDocuments:
			return b.String()
		case PartQuestion:
			b.WriteString(in.Question)
		case PartHistory:
			for _, m := range in.History {
				b.WriteString(string(m.Role) + "\x00" + m.Text + "\x00")
			}
		}
	}
	return b.String()
}

func (r *Renderer) check(in Input) error {
	if in.Question == "" {
		return &core.ConfigError{Field: "Question", Value: "", Rule: "must not be empty; Block renders documents without a question"}
	}
	if len(in.History) > 0 && count(r.parts, PartHistory) == 0 {
		return &core.ConfigError{Field: "History", Value: fmt.Sprintf("%d messages", len(in.History)), Rule: "has no place in the layout " + string(r.config.Layout) + ": list the part history"}
	}
	for i, m := range in.History {
		switch m.Role {
		case System, User, Assistant, Tool:
		default:
			return &core.ConfigError{Field: fmt.Sprintf("History[%d].Role", i), Value: string(m.Role), Rule: "must be system, user, assistant or tool"}
		}
	}
	return nil
}
