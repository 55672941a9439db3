package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Settled are the settings of one arm as a file: what both adapters take, and what
// cmd/settings reads. Order goes where they want a core.Config, Prompt where they want a
// prompt.Config. encoding/json reads it, too, and refuses unknown keys within the two.
type Settled struct {
	// Note says where the settings come from and what speaks against them. It means
	// nothing to a program.
	Note   string        `json:"note,omitempty"`
	Order  core.Config   `json:"order"`
	Prompt prompt.Config `json:"prompt"`
	// Tokenizer names what counts the budgets that have no unit.
	Tokenizer string `json:"tokenizer,omitempty"`
	// By is the field that Kinds tell apart; empty where one choice is for all. Order and
	// Prompt are then for values that no kind has.
	By    string        `json:"by,omitempty"`
	Kinds []SettledKind `json:"kinds,omitempty"`
}

// SettledKind are the settings for some values of the field By.
type SettledKind struct {
	Values []string      `json:"values"`
	Note   string        `json:"note,omitempty"`
	Order  core.Config   `json:"order"`
	Prompt prompt.Config `json:"prompt"`
}

// Select returns what core.Config.Select takes: the order for the value of By that a call
// has, such as the language that the caller put into its context. nil, for the Order of the
// settings, where no kind has the value. It looks up a map, and is safe for concurrent use
// where value is.
//
// A kind whose Order counts tokens by no unit counts as Order.Count does. An order alone can be chosen for each call. The error says so of kinds that differ in
// their Prompt: make one chain for each. It is that of core.New for an order that it
// refuses, and a *core.ConfigError where value is nil, or one value stands in two kinds.
func (s Settled) Select(value func(context.Context) string) (func(context.Context) *core.Arranger, error) {
	if value == nil {
		return nil, &core.ConfigError{Field: "value", Value: "nil", Rule: "must say which value of By a call has"}
	}
	arrangers := map[string]*core.Arranger{}
	for _, k := range s.Kinds {
		if !sameJSON(k.Prompt, s.Prompt) {
			return nil, &core.ConfigError{Field: "Prompt", Value: strings.Join(k.Values, ", "), Rule: "a call can choose an order, and this kind has another layout: make a chain for each layout"}
		}
		if k.Order.Count == nil {
			k.Order.Count = s.Order.Count
		}
		arranger, err := core.New(k.Order)
		if err != nil {
			return nil, fmt.Errorf("bookend: settings for %s %q: %w", s.By, k.Values, err)
		}
		for _, v := range k.Values {
			if arrangers[v] != nil {
				return nil, &core.ConfigError{Field: "kinds", Value: v, Rule: "stands twice: give each value one kind"}
			}
			arrangers[v] = arranger
		}
	}
	return func(ctx context.Context) *core.Arranger { return arrangers[value(ctx)] }, nil
}
