package langchaingo

import (
	"errors"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/tmc/langchaingo/callbacks"
)

// Option changes what NewTransformer or NewRetriever returns.
type Option func(*settings)

type settings struct {
	config    core.Config
	callbacks callbacks.Handler
	reranker  *rank.Reranker
}

// WithConfig sets the ranking, the admission and the placement. Without it the
// zero core.Config applies: the given order is trusted, every document enters,
// and head-tail places them.
func WithConfig(config core.Config) Option {
	return func(s *settings) { s.config = config }
}

// WithCallbacks sets the handler that a Retriever reports to: HandleRetrieverStart
// and, when it succeeded, HandleRetrieverEnd with the placed documents. Pass a
// handler of the wrapper's own: one that the inner retriever has too hears
// everything twice. A Transformer reports nothing; there it is a
// *core.ConfigError.
func WithCallbacks(handler callbacks.Handler) Option {
	return func(s *settings) { s.callbacks = handler }
}

// WithReranker lets a Retriever rank what it finds by a model that sees the question,
// before anything is left out or placed. The documents, their Score and metadata stay
// as they are; an Observe sees the ranks and scores before and after. A Threshold then
// needs core.Config.ThresholdBy. A Transformer does not see the question; there it is a
// *core.ConfigError.
func WithReranker(r rank.Reranker) Option {
	return func(s *settings) { s.reranker = &r }
}

// settingsOf applies opts.
func settingsOf(opts []Option) settings {
	var s settings
	for _, o := range opts {
		if o != nil {
			o(&s)
		}
	}
	return s
}

// build applies opts and validates the outcome.
func build(opts []Option, faults ...error) (settings, *core.Arranger, error) {
	s := settingsOf(opts)
	arranger, err := core.New(s.config)
	return s, arranger, errors.Join(append(faults, err)...)
}
