package vet

import (
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/nearest"
)

// homemade is a file of somebody's own program. Sections and keys are known by
// their words, so that only what is plain counts.
var homemade = &Dialect{Name: "home-made", Sources: nil}

// homemadeChains looks for chains in a mapping or a list, at any depth.
func homemadeChains(n *doctree.Node) []*Chain {
	var all []*Chain
	switch n.Kind {
	case doctree.List:
		if isPipeline(n) {
			c := &Chain{Dialect: homemade}
			(&gatherer{chain: c}).pipeline(n)
			return []*Chain{c}
		}
		for _, item := range n.Items {
			all = append(all, chains(item)...)
		}
	case doctree.Map:
		if isScope(n) {
			return gather(n)
		}
		for _, e := range n.Entries {
			if stageOf(e.Key.Text) != ignored {
				all = append(all, chains(e.Value)...)
			}
		}
	}
	return all
}

// isScope says that a mapping is about retrieval itself, and not only something
// below it: it names a retriever or a reranker, or an order of chunks, or a search
// beside a model.
func isScope(n *doctree.Node) bool {
	search, model := false, false
	for _, e := range n.Entries {
		key := e.Key.Text
		isSetting := e.Value.Kind != doctree.Null
		switch kind := stageOf(key); {
		case !isSetting:
		case kind == Retrieve && hasWord(key, "retriev*"), kind == Rerank, namesOrder(key):
			return true
		case kind == Retrieve:
			search = true
		case kind == generate, kind == Place:
			model = true
		case e.Value.Kind == doctree.List && isPipeline(e.Value):
			return true
		}
	}
	return search && model
}

// namesOrder says that a key can only mean the order of retrieved documents.
func namesOrder(key string) bool {
	return hasWord(key, "chunk", "chunks", "document", "documents", "doc", "docs", "context", "contexts", "passage", "passages") &&
		hasWord(key, "order", "ordering", "sort", "sorting", "arrangement", "placement", "reorder", "reordering") ||
		hasWord(key, "reorder", "reordering")
}

// gatherer collects what a chain does from sections that may be nested in any way.
type gatherer struct {
	chain     *Chain
	byKind    map[Kind]*Step
	retrieves []*Step // of several retrievers
	sequence  bool    // a list of steps gives the order
	apart     []*Chain
	// inRetrieval says that the reranker stands inside the section of the retriever,
	// whose order then is that of both.
	inRetrieval bool
}

// gather reads a scope. Chains that stand in it side by side are chains of their own.
func gather(n *doctree.Node) []*Chain {
	g := &gatherer{chain: &Chain{Dialect: homemade}, byKind: map[Kind]*Step{}}
	g.section(n, noKind, "")
	if !g.sequence {
		g.inOrder()
	}
	return append([]*Chain{g.chain}, g.apart...)
}

// inOrder puts the sections in the order in which a program runs them, whatever
// their order in the file.
func (g *gatherer) inOrder() {
	retrieve, place := g.byKind[Retrieve], g.byKind[Place]
	if retrieve != nil && retrieve.Order != nil && g.inRetrieval {
		if place == nil {
			place = g.step(Place, retrieve.At, "")
		}
		if place.Order == nil {
			place.Order = retrieve.Order
		}
		retrieve.Order = nil
	}
	var steps []*Step
	if len(g.retrieves) > 0 {
		steps = g.retrieves
		if retrieve != nil && retrieve.Keep != nil {
			steps = []*Step{retrieve}
		}
	} else if retrieve != nil {
		steps = []*Step{retrieve}
	}
	for _, kind := range []Kind{Fuse, Rerank, Trim, Place} {
		if s := g.byKind[kind]; s != nil {
			steps = append(steps, s)
		}
	}
	g.chain.Steps = steps
}

func (g *gatherer) step(kind Kind, at *doctree.Node, name string) *Step {
	if g.byKind == nil {
		g.byKind = map[Kind]*Step{}
	}
	s := g.byKind[kind]
	if s == nil {
		s = &Step{Kind: kind, Name: name, At: at}
		g.byKind[kind] = s
	}
	return s
}

// section reads a mapping whose settings belong to a kind of step, noKind for the
// scope itself.
func (g *gatherer) section(n *doctree.Node, kind Kind, name string) {
	several := n.Kind == doctree.Map && chainsBelow(n) > 1
	for _, e := range n.Entries {
		key, value := e.Key.Text, e.Value
		own := stageOf(key)
		if own == ignored && !namesOrder(key) {
			continue
		}
		inside := own
		if own == noKind {
			inside = kind
		}
		switch value.Kind {
		case doctree.Map:
			if disabled(value) {
				continue
			}
			if own == noKind && kind == noKind && several && chainsBelow(value) > 0 {
				g.apart = append(g.apart, chains(value)...)
				continue
			}
			if own == Rerank || own == Retrieve {
				g.inRetrieval = g.inRetrieval || own == Rerank && kind == Retrieve
				g.step(own, e.Key, key)
			}
			g.section(value, inside, key)
		case doctree.List:
			g.list(e, inside)
		default:
			g.setting(n, e, kind, own)
		}
	}
}

// chainsBelow counts the parts of a mapping that have a retriever of their own and
// whose names say nothing.
func chainsBelow(n *doctree.Node) int {
	count := 0
	for _, e := range n.Entries {
		switch {
		case stageOf(e.Key.Text) == Retrieve:
			return 1
		case stageOf(e.Key.Text) != noKind:
		case e.Value.Kind == doctree.Map:
			count += chainsBelow(e.Value)
		case e.Value.Kind == doctree.List:
			for _, item := range e.Value.Items {
				count += chainsBelow(item)
			}
		}
	}
	return count
}

func (g *gatherer) list(e doctree.Entry, kind Kind) {
	list := e.Value
	switch {
	case isPipeline(list):
		g.sequence = true
		g.pipeline(list)
	case kind == Place || hasWord(e.Key.Text, "messages"):
		if l := messagesLayout(list); l != nil {
			g.chain.Layouts = append(g.chain.Layouts, l)
		}
		for _, item := range list.Items {
			g.section(item, kind, e.Key.Text)
		}
	case kind == Retrieve:
		for _, item := range list.Items {
			one := &gatherer{chain: &Chain{Dialect: homemade}}
			one.section(item, Retrieve, e.Key.Text)
			if s := one.byKind[Retrieve]; s != nil {
				g.retrieves = append(g.retrieves, s)
			}
		}
	case kind == noKind:
		for _, item := range list.Items {
			g.apart = append(g.apart, chains(item)...)
		}
	}
}

// setting reads one key of a section.
func (g *gatherer) setting(section *doctree.Node, e doctree.Entry, kind, own Kind) {
	key, value := e.Key.Text, e.Value
	inside := kind
	if own != noKind {
		inside = own
	}
	name := rest(key)
	g.inRetrieval = g.inRetrieval || own == Rerank && kind == Retrieve
	if kind != Rerank && g.size(key, value, inside) || g.threshold(section, key, value, inside) {
		return
	}
	switch {
	case namesOrder(key), kind == Place && hasWord(key, "order", "ordering", "arrangement", "placement") && kind != noKind,
		hasWord(key, "placement", "arrangement") && inside == Place && kind != noKind:
		g.order(key, value, inside, true)
	case isFoldName(key) && value.Kind == doctree.Bool:
		if isTrue(value) {
			g.placeBy(&Word{Order: ParseOrder(key), Key: key, At: value}, inside)
		}
	case inside != noKind && inside != generate && slices.Contains([]string{"order", "sort", "sort_by", "order_by", "sort_order", "ordering", "sorting"}, name):
		g.order(key, value, inside, false)
	case own == Rerank && kind != Rerank && slices.Contains([]string{"", "use", "enable", "enabled", "with", "type", "name", "model"}, name):
		if !disabled(value) {
			g.step(Rerank, e.Key, key)
		}
	case inside == Place || hasWord(key, "template", "prompt", "instruction", "instructions", "question", "query", "rules", "layout"):
		g.layout(key, value)
	}
	if n := whole(value, key); n != nil && isKeep(name, inside, kind) {
		at := inside
		switch {
		case at == noKind && hasWord(key, "max"):
			at = Place
		case at == noKind:
			at = Retrieve
		case at == generate:
			return // how many words a model draws from
		}
		s := g.step(at, e.Key, key)
		if s.Keep == nil || n.Value < s.Keep.Value {
			s.Keep = n
		}
	}
}

func isFoldName(key string) bool {
	o := ParseOrder(key)
	return o.Meaning == Folded
}

var keeps = []string{
	"top_k", "topk", "top_n", "topn", "n_results", "num_results", "num_documents", "num_docs", "num_chunks", "num_passages", "n_docs", "n_chunks",
	"n_documents", "max_documents", "max_docs", "max_chunks", "max_results", "max_passages", "final_k", "final_top_k", "similarity_top_k",
	"number_of_results", "number_of_documents", "number_of_chunks", "final_n", "max_sources",
}

// shortKeeps mean a number of documents only inside a section that says so.
var shortKeeps = []string{"k", "n", "limit", "keep", "count", "size", "max", "documents", "chunks", "results", "max_k"}

func isKeep(name string, inside, section Kind) bool {
	return slices.Contains(keeps, name) ||
		section != noKind && inside != generate && slices.Contains(shortKeeps, name) ||
		inside != noKind && inside != generate && slices.Contains([]string{"k", "n", "keep", "limit"}, name)
}

// order reads the value of a key that names an order.
func (g *gatherer) order(key string, value *doctree.Node, inside Kind, plain bool) {
	if value.Kind == doctree.Bool {
		if isTrue(value) && hasWord(key, "reorder", "reordering") {
			g.placeBy(&Word{Order: Order{Name: key, Meaning: Folded}, Key: key, At: value}, inside)
		}
		return
	}
	if value.Kind != doctree.Text || strings.ContainsAny(value.Text, "${}<>") || strings.TrimSpace(value.Text) == "" {
		return
	}
	o := ParseOrder(value.Text)
	if plain && o.Meaning == Other && slices.Contains([]string{"desc", "descending"}, plainWord(value.Text)) {
		o.Meaning, o.Placement = Ranked, ParseOrder("ranked").Placement
	}
	if o.Meaning == Unknown && (!plain || hasWord(key, "sort", "sorting") && nearest.Of(value.Text, orderNames()) == "") {
		return // it may sort by any field
	}
	w := &Word{Order: o, Key: key, At: value}
	if plainWord(key) == "chunk_order" {
		w.Head = "head_tail_alternating"
	}
	g.placeBy(w, inside)
}

// placeBy notes where an order is applied: in the section of a retriever, a
// reranker or a filter, or when the prompt is put together.
func (g *gatherer) placeBy(w *Word, inside Kind) {
	switch inside {
	case Retrieve, Rerank, Trim, Fuse:
	default:
		inside = Place
	}
	if s := g.step(inside, w.At, w.Key); s.Order == nil {
		s.Order = w
	}
}

var (
	windowKeys = []string{"context_window", "context_length", "context_size", "max_model_len", "model_max_length", "n_ctx", "num_ctx", "window_size", "max_context_window", "context_window_size"}
	budgetKeys = []string{
		"max_context_tokens", "context_tokens", "context_budget", "token_budget", "max_prompt_tokens", "prompt_budget", "budget_tokens", "context_token_limit",
		"max_context_token", "prompt_tokens", "context_token_budget", "max_tokens_context", "max_input_tokens",
	}
	answerKeys = []string{"max_tokens", "max_new_tokens", "max_output_tokens", "max_completion_tokens", "reserve", "response_tokens", "num_predict", "answer_tokens", "reserved_tokens"}
)

// size reads a number of tokens. The reranker's own window is not the model's.
func (g *gatherer) size(key string, value *doctree.Node, inside Kind) bool {
	n := whole(value, key)
	word := plainWord(key)
	if n == nil || inside == Rerank {
		return false
	}
	set := func(to **Number) bool {
		if *to == nil {
			*to = n
		}
		return true
	}
	switch {
	case slices.Contains(windowKeys, word):
		return set(&g.chain.Window)
	case slices.Contains(budgetKeys, word), inside == Place && (word == "budget" || word == "max_tokens"):
		g.step(Place, value, key).Cuts = true
		return set(&g.chain.Budget)
	case inside == generate && slices.Contains(answerKeys, word):
		return set(&g.chain.Answer)
	}
	return false
}

// isPipeline says that a list names steps one after another: at least two of its
// items do something with documents.
func isPipeline(n *doctree.Node) bool {
	if n.Kind != doctree.List {
		return false
	}
	steps, documents := 0, 0
	for _, item := range n.Items {
		switch kind, _, _ := stepOf(item); kind {
		case noKind, ignored:
		case Retrieve, Rerank:
			documents++
			steps++
		default:
			steps++
		}
	}
	return steps >= 2 && documents >= 1
}

// stepOf says what an item of a list does, by what it calls itself.
func stepOf(item *doctree.Node) (kind Kind, name string, at *doctree.Node) {
	known := func(text string) Kind {
		if isFoldName(text) {
			return Place
		}
		return stageOf(text)
	}
	switch item.Kind {
	case doctree.Text:
		if len(item.Text) > 60 {
			return noKind, "", item
		}
		return known(item.Text), item.Text, item
	case doctree.Map:
		for _, key := range []string{"type", "kind", "step", "stage", "component", "module", "node", "op", "uses", "name", "id"} {
			if v := item.Get(key); v != nil && v.Kind == doctree.Text {
				if k := known(v.Text); k != noKind {
					return k, v.Text, v
				}
			}
		}
		if len(item.Entries) == 1 {
			key := item.Entries[0].Key
			return known(key.Text), key.Text, key
		}
	}
	return noKind, "", item
}

// pipeline reads a list of steps, which run in its order.
func (g *gatherer) pipeline(list *doctree.Node) {
	g.chain.Listed = true
	for _, item := range list.Items {
		kind, name, at := stepOf(item)
		if kind == noKind || kind == ignored || item.Kind == doctree.Map && disabled(item) {
			continue
		}
		one := &gatherer{chain: g.chain, sequence: true}
		step := &Step{Kind: kind, Name: name, At: at}
		one.byKind = map[Kind]*Step{kind: step}
		if o := ParseOrder(name); o.Meaning == Folded {
			step.Order = &Word{Order: o, Key: name, At: at}
		}
		if item.Kind == doctree.Map {
			one.inStep(item, kind, step)
		}
		if kind == generate {
			continue
		}
		for k, s := range one.byKind { // what the step says of another kind belongs to it all the same
			if k == kind {
				continue
			}
			if step.Keep == nil {
				step.Keep = s.Keep
			}
			if step.Order == nil {
				step.Order = s.Order
			}
			step.Cuts = step.Cuts || s.Cuts
		}
		if step.Kind == Place && step.Order == nil && step.Keep == nil && hasWord(name, "reorder*") {
			step.Order = &Word{Order: Order{Name: name, Meaning: Folded}, Key: name, At: at}
		}
		g.chain.Steps = append(g.chain.Steps, step)
	}
}

// inStep reads the settings of a step, which may say the order by a word that means
// one only here.
func (g *gatherer) inStep(item *doctree.Node, kind Kind, step *Step) {
	if len(item.Entries) == 1 && item.Entries[0].Value.Kind == doctree.Text && kind == Place {
		e := item.Entries[0]
		if o := ParseOrder(e.Value.Text); o.Meaning != Unknown && o.Meaning != Other {
			step.Order = &Word{Order: o, Key: e.Key.Text, At: e.Value}
		}
	}
	var methods func(n *doctree.Node)
	methods = func(n *doctree.Node) {
		for _, e := range n.Entries {
			if e.Value.Kind == doctree.Map {
				methods(e.Value)
			}
			if kind == Place && e.Value.Kind == doctree.Text && slices.Contains([]string{"strategy", "method", "mode", "algorithm", "by", "order"}, plainWord(e.Key.Text)) {
				if o := ParseOrder(e.Value.Text); o.Meaning != Unknown && o.Meaning != Other && step.Order == nil {
					step.Order = &Word{Order: o, Key: e.Key.Text, At: e.Value}
				}
			}
		}
	}
	methods(item)
	g.section(item, kind, step.Name)
}
