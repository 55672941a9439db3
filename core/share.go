package core

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
)

// Share sends a small share of requests to Shuffled, so that what their answers
// cite shows how the model reads each slot; all others keep the placement of their
// Config. Which way a request goes depends on Seed and its ID (WithRequestID)
// alone: the same ID goes the same way in every process and version. A request
// without an ID is never in the share.
//
// Give the Config to what lays out the prompt. Before a prompt whose documents come
// placed already (Call.Placed), each request needs a Trace, or labels go by slot.
type Share struct {
	// Rate is the share, from 0 to 1, such as 0.01. At 0 a Config stays as it is.
	Rate float64
	// Seed is that of the experiment: another one picks other requests.
	Seed uint64
	// Tenant says who takes part, by what ctx carries. It must be safe for
	// concurrent use. Nil: everybody.
	Tenant func(context.Context) bool
	// Cap is the most calls that one Arranger shuffles, so that a mistake in Rate
	// stays small; from then on all go the usual way, also those whose ID would be
	// in the share. 0: no cap.
	Cap int
}

// In returns c with a Select that sends the share to Shuffled, seeded by
// SeedFor(Seed, request ID), and everything else of c unchanged. A Select that c
// has already is asked first and stays in charge of the other settings; what it
// switches Off stays off. The error is every fault of s and c, joined.
//
// For a request outside the share, and for every request at Rate 0, the outcome is
// byte for byte that of c.
func (s Share) In(c Config) (Config, error) {
	configured := c.Select
	c.Select = nil
	base, err := New(c)
	if err := errors.Join(s.validate(), err); err != nil {
		return Config{}, err
	}
	c.Select = configured
	if s.Rate == 0 {
		return c, nil
	}
	used := new(atomic.Int64)
	c.Select = func(ctx context.Context) *Arranger {
		var chosen *Arranger
		if configured != nil {
			chosen = configured(ctx)
		}
		id := RequestID(ctx)
		if !s.Has(id) || s.Tenant != nil && !s.Tenant(ctx) {
			return chosen
		}
		from := base
		if chosen != nil {
			from = chosen
		}
		if from.off || s.Cap > 0 && used.Add(1) > int64(s.Cap) {
			return chosen
		}
		return from.shuffled(SeedFor(s.Seed, id))
	}
	return c, nil
}

func (s Share) validate() error {
	var faults []error
	if !(s.Rate >= 0 && s.Rate <= 1) {
		faults = append(faults, &ConfigError{Field: "Share.Rate", Value: s.Rate, Rule: "must be from 0 to 1, such as 0.01"})
	}
	if s.Cap < 0 {
		faults = append(faults, &ConfigError{Field: "Share.Cap", Value: s.Cap, Rule: "must be 0 (no cap) or more"})
	}
	return errors.Join(faults...)
}

// Has says whether the request of that ID is in the share, whatever Tenant and Cap
// say. It is what a dry count calls.
func (s Share) Has(requestID string) bool {
	// Another seed than that of the order, so that the two are independent.
	return requestID != "" && math.Ldexp(float64(SeedFor(^s.Seed, requestID)>>11), -53) < s.Rate
}
