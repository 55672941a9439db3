package model

import (
	"math"

	"github.com/bookend-rag/bookend/core"
)

// Prices are those of the provider, in any currency, for a million tokens each.
type Prices struct {
	Prompt     float64 `json:"prompt,omitempty"`
	Completion float64 `json:"completion,omitempty"`
	// Cached is the price of a prompt token that came from the server's cache; 0
	// means that of any other.
	Cached float64 `json:"cached,omitempty"`
}

// Cost returns the price of what was used.
func (p Prices) Cost(u Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Prompt
	}
	fresh := max(u.Prompt-u.Cached, 0)
	return (p.Prompt*float64(fresh) + cached*float64(u.Prompt-fresh) + p.Completion*float64(u.Completion)) / 1e6
}

// Check returns a *core.ConfigError for a price that is negative or not finite.
func (p Prices) Check() error {
	for _, v := range []float64{p.Prompt, p.Completion, p.Cached} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return &core.ConfigError{Field: "Prices", Value: p, Rule: "must be finite and 0 or more"}
		}
	}
	return nil
}
