package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

// Config says where documents come from and what becomes of them. The zero value has
// no sources, and so serves Place alone.
type Config[E any] struct {
	// Sources find the documents. The list of one is taken as ranked; those of
	// several, which are asked at the same time, are fused.
	Sources []Source[E]
	// Fusion says how the lists of several sources become one. It has no effect on
	// one source.
	Fusion rank.Fusion
	// Reranker ranks what was found by a model that sees the question, before
	// anything is left out or placed. A Threshold then needs
	// core.Config.ThresholdBy. Nil: none.
	Reranker *rank.Reranker
	// OverFetch asks each source for that many times the documents that may be
	// admitted, so that duplicates and weak ones can be left out, and a reranker can
	// find what was ranked low. It acts where a top-k is known, from the call or from
	// Order. 0 and 1 leave the number to the source.
	OverFetch int
	// Order says how the documents are ranked, admitted and placed.
	Order core.Config
	// View reads a document. It may be nil where nothing looks into documents.
	View *core.View[E]
}

// Pipeline is a validated Config. It is immutable, and as safe for concurrent use as
// its sources and its scorer.
type Pipeline[E any] struct {
	sources   []Source[E]
	fusion    rank.Fusion
	reranker  *rank.Reranker
	overFetch int
	arranger  *core.Arranger
	view      *core.View[E]
}

// New validates a Config and returns the value that runs it, or every fault, joined:
// those of core.New, of rank.Fusion and rank.Reranker, and a *core.ConfigError for a
// source that finds nothing or places already, a negative OverFetch or Timeout, and an
// accessor that View lacks. The Config is copied.
func New[E any](c Config[E]) (*Pipeline[E], error) {
	p := &Pipeline[E]{sources: slices.Clone(c.Sources), fusion: c.Fusion, overFetch: max(c.OverFetch, 1), view: c.View}
	var faults []error
	weights := make([]float64, len(p.sources))
	for i := range p.sources {
		s := &p.sources[i]
		if s.Name == "" {
			s.Name = fmt.Sprintf("list %d", i+1)
		}
		weights[i] = s.Weight
		faults = append(faults, s.check(i, len(p.sources)))
	}
	faults = append(faults, c.Fusion.Check(weights...))
	if c.OverFetch < 0 {
		faults = append(faults, &core.ConfigError{Field: "OverFetch", Value: c.OverFetch, Rule: "must be 0 or 1 (none) or more"})
	}
	if c.Reranker != nil {
		r := *c.Reranker
		p.reranker = &r
		faults = append(faults, r.Check())
		if c.View == nil || c.View.Text == nil {
			faults = append(faults, &core.ConfigError{Field: "View.Text", Rule: "{Reranker} needs it: set the accessor"})
		}
	}
	arranger, err := core.New(c.Order)
	p.arranger = arranger
	if err == nil {
		err = p.tryOut(c.Order)
	}
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return p, nil
}

// tryOut arranges no documents by the stages that there will be, so that settings which
// do not fit them are refused now. Of the caller's funcs none is called: a placement of
// one's own is left out.
func (p *Pipeline[E]) tryOut(order core.Config) error {
	order.Observe, order.Select = nil, nil
	if _, standard := order.Placement.Placement.(core.StandardPlacement); !standard {
		order.Placement = core.Choice{}
	}
	quiet, err := core.New(order)
	if err != nil {
		return err
	}
	var stages []core.Stage
	if len(p.sources) > 1 {
		stages = make([]core.Stage, len(p.sources)+1)
	}
	if p.reranker != nil {
		stages = append(stages, core.Stage{})
	}
	_, err = core.Arrange(context.Background(), quiet, []E(nil), p.view, core.Call{Stages: stages})
	return err
}

// Arranger returns what arranges the documents where a call brings none of its own.
func (p *Pipeline[E]) Arranger() *core.Arranger {
	if p == nil {
		return nil
	}
	return p.arranger
}

// Run asks the sources for c.Query and returns the admitted documents in the order of
// their slots: a fresh slice, nil for nil. core.Off, chosen by c.Arranger or a Select,
// asks the sources and nothing else.
//
// Errors: that of a context that has ended; that of a single source, as it is;
// *SourceError where there are several; those of rank.Rerank and core.Transform; and a
// *core.ConfigError where the pipeline has no sources. What was found is never returned
// half done.
func (p *Pipeline[E]) Run(ctx context.Context, c core.Call) ([]E, error) {
	if p == nil {
		return nil, errNoSources
	}
	if c.TopK < 0 {
		return nil, &core.ConfigError{Field: "TopK", Value: c.TopK, Rule: "must be 0 (the configured one) or more"}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	used := p.choose(ctx, &c)
	k := p.wanted(used, c.TopK)
	if len(p.sources) != 1 {
		found, err := p.ask(ctx, c.Query, k)
		if err != nil {
			return nil, err
		}
		c.Stages = append(slices.Clip(c.Stages), found.Stages...)
		return p.place(ctx, used, found.Docs, &c)
	}
	docs, err := p.sources[0].find(ctx, c.Query, k)
	if err != nil {
		return nil, err
	}
	return p.place(ctx, used, docs, &c)
}

// Place reranks, admits and places documents that are at hand, given best first; it asks
// no source. The result and the errors are those of Run.
func (p *Pipeline[E]) Place(ctx context.Context, docs []E, c core.Call) ([]E, error) {
	if p == nil {
		p = new(Pipeline[E])
	}
	return p.place(ctx, p.choose(ctx, &c), docs, &c)
}

// choose returns the Arranger of a call, whose Select is asked once.
func (p *Pipeline[E]) choose(ctx context.Context, c *core.Call) *core.Arranger {
	base := p.arranger
	if c.Arranger != nil {
		base = c.Arranger
	}
	used := base.For(ctx)
	if used != p.arranger {
		c.Arranger = used
	}
	return used
}

// wanted returns how many documents to ask a source for, 0 to leave it to the source.
func (p *Pipeline[E]) wanted(used *core.Arranger, topK int) int {
	if p.overFetch <= 1 || used.IsOff() {
		return 0
	}
	k := cmp.Or(topK, used.TopK(), p.arranger.TopK())
	return min(k, math.MaxInt/p.overFetch) * p.overFetch
}

func (p *Pipeline[E]) place(ctx context.Context, used *core.Arranger, docs []E, c *core.Call) ([]E, error) {
	if p.reranker != nil && !used.IsOff() && !c.Placed {
		stage, err := rank.Rerank(ctx, p.reranker, p.view, c.Query, docs)
		if err != nil {
			return nil, err
		}
		c.Stages = append(slices.Clip(c.Stages), stage)
	}
	return core.Transform(ctx, p.arranger, docs, p.view, *c)
}
