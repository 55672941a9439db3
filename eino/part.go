package eino

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
)

// EventKey is the key under which callbacks find the core.Event of a call, in the Extra of
// what a Retriever, a Transformer or a ChatTemplate with an Observe reports.
const EventKey = "bookend"

// part is what a Retriever, a Transformer and a ChatTemplate have in common.
type part struct {
	arranger *core.Arranger
	observed bool
}

var (
	_ components.Typer   = part{}
	_ components.Checker = part{}
)

// Arranger returns what arranges the documents.
func (p part) Arranger() *core.Arranger { return p.arranger }

// GetType returns "Bookend", the Type that eino's callbacks see.
func (p part) GetType() string { return "Bookend" }

// IsCallbacksEnabled says whether the part reports to eino's callbacks by itself, which it
// does with an Observe. Otherwise the graph reports it. Either way it is reported once.
func (p part) IsCallbacksEnabled() bool { return p.observed }

// report runs a call, and where the part is observed it reports in and what out makes of the
// result, with the event of the call in Extra.
func report[T any](ctx context.Context, p part, of components.Component, call core.Call, in callbacks.CallbackInput,
	run func(context.Context, core.Call) (T, error), out func(result T, extra map[string]any) callbacks.CallbackOutput,
) (T, error) {
	if !p.observed {
		return run(ctx, call)
	}
	extra := map[string]any{}
	call.Observe = func(_ context.Context, e core.Event) { extra[EventKey] = e }
	ctx = callbacks.OnStart(callbacks.EnsureRunInfo(ctx, p.GetType(), of), in)
	result, err := run(ctx, call)
	if err != nil {
		callbacks.OnError(ctx, err)
		return result, err
	}
	callbacks.OnEnd(ctx, out(result, extra))
	return result, nil
}
