package vet

import (
	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// Dialect is a kind of file whose keys are known.
type Dialect struct {
	Name string
	// Sources say where its keys are documented.
	Sources []string
	// read returns the chains of a mapping of this dialect, and false for another
	// mapping.
	read func(*doctree.Node) ([]*Chain, bool)
}

// dialects are tried on every mapping in this order. What none of them knows is
// looked through as a home-made file.
func dialects() []*Dialect { return []*Dialect{bookendDialect, haystack, autoRAG, dify} }

// chains finds the chains of a document, at any depth.
func chains(n *doctree.Node) []*Chain {
	if n.Kind == doctree.Map {
		for _, d := range dialects() {
			if found, ok := d.read(n); ok {
				for _, c := range found {
					c.Dialect = d
				}
				return found
			}
		}
	}
	return homemadeChains(n)
}
