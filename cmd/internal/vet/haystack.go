package vet

import (
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// haystack is a pipeline of Haystack 2, as Pipeline.dumps writes it: components with
// type and init_parameters, and connections from sender to receiver.
var haystack = &Dialect{
	Name: "Haystack",
	Sources: []string{
		"https://docs.haystack.deepset.ai/docs/serialization",
		"https://docs.haystack.deepset.ai/docs/lostinthemiddleranker",
		"https://docs.haystack.deepset.ai/docs/choosing-the-right-ranker",
	},
	read: readHaystack,
}

// haystackDefault is the top_k of Haystack's retrievers and rankers where none is
// given, by their reference.
const haystackDefault = 10

// component is one component, with those that it gets its documents from.
type component struct {
	*Step
	name   string
	from   []string
	prompt *doctree.Node // of a builder of prompts
	order  int           // in the file
}

func readHaystack(n *doctree.Node) ([]*Chain, bool) {
	all, connections := n.Get("components"), n.Get("connections")
	if all == nil || all.Kind != doctree.Map || connections == nil || connections.Kind != doctree.List {
		return nil, false
	}
	components := map[string]*component{}
	var names []string
	for _, e := range all.Entries {
		kind := e.Value.Get("type")
		if kind == nil || kind.Kind != doctree.Text || !strings.Contains(kind.Text, ".") {
			continue
		}
		components[e.Key.Text] = haystackComponent(e, kind.Text[strings.LastIndexByte(kind.Text, '.')+1:], len(names))
		names = append(names, e.Key.Text)
	}
	if len(names) == 0 {
		return nil, false
	}
	feeds := map[string]bool{}
	for _, item := range connections.Items {
		sender, receiver := endOf(item.Get("sender")), endOf(item.Get("receiver"))
		from, to := components[sender], components[receiver]
		if from == nil || to == nil || from.Kind == noKind || to.Kind == noKind && to.prompt == nil {
			continue
		}
		to.from = append(to.from, sender)
		feeds[sender] = true
	}
	var chains []*Chain
	for _, name := range names {
		if c := components[name]; (c.prompt != nil || c.Kind != noKind) && !feeds[name] {
			chain := &Chain{}
			upstream(components, name, map[string]bool{}, chain)
			if len(chain.Steps) > 0 {
				if c.prompt != nil {
					chain.Layouts = haystackLayouts(c.prompt)
				}
				chains = append(chains, chain)
			}
		}
	}
	return chains, true
}

// endOf returns the component of one end of a connection, "ranker.documents".
func endOf(n *doctree.Node) string {
	if n == nil {
		return ""
	}
	name, _, _ := strings.Cut(n.Text, ".")
	return name
}

// upstream adds the steps that lead to a component, each after those that feed it.
// A loop ends where it began.
func upstream(components map[string]*component, name string, seen map[string]bool, chain *Chain) {
	if seen[name] {
		return
	}
	seen[name] = true
	c := components[name]
	for _, from := range c.from {
		upstream(components, from, seen, chain)
	}
	if c.Kind != noKind {
		chain.Steps = append(chain.Steps, c.Step)
	}
}

func haystackComponent(e doctree.Entry, class string, order int) *component {
	params := e.Value.Get("init_parameters")
	step := &Step{Name: e.Key.Text, At: e.Key, Keep: whole(params.Get("top_k"), "top_k")}
	c := &component{Step: step, name: e.Key.Text, order: order}
	fallback := func() {
		if step.Keep == nil && params.Get("top_k") == nil {
			step.Keep = &Number{Value: haystackDefault, Key: "top_k"}
		}
	}
	switch {
	case class == "LostInTheMiddleRanker":
		step.Kind = Place
		step.Order = &Word{Order: ParseOrder("lost_in_the_middle"), Key: e.Key.Text, At: e.Key}
		step.Order.Name = class
	case strings.HasPrefix(class, "MetaField"), class == "SentenceTransformersDiversityRanker":
		step.Kind = Rerank // by something else than relevance: what comes in is placed anew
	case strings.HasSuffix(class, "Ranker"):
		step.Kind = Rerank
		step.Cuts = params.Get("score_threshold") != nil && params.Get("score_threshold").Kind != doctree.Null
		fallback()
	case strings.HasSuffix(class, "Joiner"):
		step.Kind = Fuse
		if isFalse(params.Get("sort_by_score")) {
			step.Kind = noKind
		}
	case strings.HasSuffix(class, "Retriever"):
		step.Kind = Retrieve
		fallback()
	case class == "PromptBuilder", class == "ChatPromptBuilder":
		c.prompt = params.Get("template")
		if c.prompt == nil {
			c.prompt = &doctree.Node{}
		}
	}
	return c
}

// haystackLayouts reads the template of a builder: a text, or messages whose content
// is a list of texts.
func haystackLayouts(template *doctree.Node) []*Layout {
	var l *Layout
	if template.Kind == doctree.Text {
		l = templateLayout("template", template)
	} else {
		flat := &doctree.Node{Kind: doctree.List}
		for _, m := range template.Items {
			text := m.Get("content")
			if text != nil && text.Kind == doctree.List && len(text.Items) > 0 {
				text = text.Items[0].Get("text")
			}
			if text == nil {
				text = m.Get("_content")
			}
			if text != nil && text.Kind == doctree.List && len(text.Items) > 0 {
				text = text.Items[0].Get("text")
			}
			if text != nil {
				flat.Items = append(flat.Items, &doctree.Node{Kind: doctree.Map, Entries: []doctree.Entry{{Key: &doctree.Node{Text: "text"}, Value: text}}})
			}
		}
		l = messagesLayout(flat)
	}
	if l == nil {
		return nil
	}
	return slices.Clip([]*Layout{l})
}
