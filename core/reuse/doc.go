// Package reuse remembers in which orders documents were sent, so that a prompt can begin
// as an earlier one did and be read from the server's cache, faster and at a lower price:
//
//	memory, err := reuse.New(reuse.Config{Worth: 1, Curve: curve, Scope: tenantAndModel})
//	a, err := core.New(core.Config{Placement: core.Choice{Placement: core.Measured{Curve: curve}}, Reuse: memory})
//
// The placement gives way to an earlier order where what that saves is worth more than what
// it costs by the curve (Config.Worth), or where the best ranks keep their slots in it
// (Config.Hold). With an empty
// memory, and where neither is set, the order is that of the placement, byte for byte. The
// earlier orders are an input like the documents: equal input gives equal output, and the
// result holds the same documents.
//
// The memory is the only state that Bookend has. It is bounded, holds numbers that stand
// for IDs and texts, and is lost with the process; replicas do not share it.
package reuse
