package vet

import (
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
)

// haystackDefault is the top_k of Haystack's retrievers and rankers where none is
// given, by their reference.
const haystackDefault = 10

// component is one component of Haystack's own. What others do is not known, so that a
// chain ends at them.
type component struct {
	*Step
	from   []*component  // those that it gets its documents from
	feeds  bool          // its documents go on
	prompt *doctree.Node // the template of a builder of prompts
	seen   *component    // the end for which it was looked at last
}

// haystack reads a pipeline of Haystack 2, as Pipeline.dumps writes it: components
// with type and init_parameters, and connections from sender to receiver.
func (c *checker) haystack(n *doctree.Node) ([]*Chain, bool) {
	components := map[string]*component{}
	var all []*component
	for _, e := range nonNil(n.Get("components")).Entries {
		kind := nonNil(e.Value.Get("type")).Text
		dot := strings.LastIndexByte(kind, '.')
		if strings.HasPrefix(kind, "haystack") && dot > 0 && components[e.Key.Text] == nil {
			components[e.Key.Text] = haystackComponent(e, kind[dot+1:])
			all = append(all, components[e.Key.Text])
		}
	}
	connections := n.Get("connections")
	if len(all) == 0 || connections == nil {
		return nil, false
	}
	for _, item := range connections.Items {
		from, to := components[endOf(item.Get("sender"))], components[endOf(item.Get("receiver"))]
		if from != nil && to != nil && from.Task != noTask && (to.Task != noTask || to.prompt != nil) {
			to.from = append(to.from, from)
			from.feeds = true
		}
	}
	var chains []*Chain
	for _, end := range all {
		chain := &Chain{}
		if end.feeds || !c.upstream(end, end, chain) {
			continue
		}
		chain.layout(c.template(end.prompt))
		chain.layout(c.messages(nonNil(end.prompt)))
		chains = append(chains, chain)
	}
	return chains, true
}

// endOf returns the component of one end of a connection, "ranker.documents".
func endOf(n *doctree.Node) string {
	name, _, _ := strings.Cut(nonNil(n).Text, ".")
	return name
}

// upstream adds the steps that lead to a component, each after those that feed it, and
// says whether there are any. A loop ends where it began.
func (c *checker) upstream(at, end *component, chain *Chain) bool {
	if at.seen != end && c.spend(stepWork*(1+len(at.from))) {
		at.seen = end
		for _, from := range at.from {
			c.upstream(from, end, chain)
		}
		if at.Task != noTask {
			chain.Steps = append(chain.Steps, at.Step)
		}
	}
	return len(chain.Steps) > 0
}

func haystackComponent(e doctree.Entry, class string) *component {
	params := e.Value.Get("init_parameters")
	step := &Step{Name: show.Cut(e.Key.Text, maxName), At: e.Key, Keep: whole(params.Get("top_k"))}
	c := &component{Step: step}
	limited := false
	switch {
	case class == "LostInTheMiddleRanker":
		step.Task, step.Order = Place, &Word{Name: class, Placement: core.HeadTail}
	case strings.HasPrefix(class, "MetaField"), class == "SentenceTransformersDiversityRanker":
		step.Task = Rerank // by something else than relevance: what comes in is placed anew
	case strings.HasSuffix(class, "Ranker"):
		threshold := nonNil(params.Get("score_threshold"))
		step.Task, step.Cuts, limited = Rerank, threshold.Kind != doctree.Null, true
	case class == "DocumentJoiner" && is(params.Get("sort_by_score"), "false"):
		step.Task = Trim // it passes on what comes, and cuts to top_k
	case class == "DocumentJoiner":
		step.Task = Fuse
	case strings.HasSuffix(class, "Retriever"):
		step.Task, limited = Retrieve, true
	case class == "PromptBuilder", class == "ChatPromptBuilder":
		c.prompt = nonNil(params.Get("template"))
	}
	if limited && params.Get("top_k") == nil {
		step.Keep = &Number{Value: haystackDefault}
	}
	return c
}

// nonNil returns an empty node for nil.
func nonNil(n *doctree.Node) *doctree.Node {
	if n == nil {
		return &doctree.Node{}
	}
	return n
}

// is says that a value is true, or false, as a text says it.
func is(n *doctree.Node, value string) bool {
	return n != nil && n.Kind == doctree.Bool && strings.EqualFold(n.Text, value)
}
