package vet

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// words splits a key: "rerankTop_n" into rerank, top, n.
func words(key string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsUpper(r) && lower {
			end()
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word.WriteRune(r)
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	end()
	return out
}

// stages are the words that tell what a section or a step does. A star stands for
// any ending. The first that fits counts.
var stages = []struct {
	kind  Kind
	words []string
}{
	{ignored, []string{
		"ingest*", "index*", "embed*", "chunking", "chunker", "splitter", "loader", "loaders", "eval*", "metric", "metrics", "test", "tests", "log*",
		"monitor*", "cache*", "memory", "history", "train*", "dataset", "datasets", "source", "sources", "ui",
	}},
	{Rerank, []string{"rerank*", "ranker", "crossencoder"}},
	{Retrieve, []string{"retriev*", "search", "vectorstore", "vectordb", "vector"}},
	{Fuse, []string{"fusion", "fuse", "ensemble", "joiner", "rrf"}},
	{Trim, []string{"filter*", "compress*", "dedup*", "trim*", "truncat*", "cutoff", "prun*"}},
	{Place, []string{"reorder*", "augment*", "context", "contexts", "assembl*", "arrang*", "placement", "stuff", "packing", "prompt*", "template", "synthes*"}},
	{generate, []string{"generat*", "llm", "model", "chat", "completion", "answer"}},
}

func stageOf(key string) Kind {
	ws := words(key)
	for _, s := range stages {
		for _, w := range ws {
			if slices.ContainsFunc(s.words, func(pattern string) bool { return fits(pattern, w) }) {
				return s.kind
			}
		}
	}
	return noKind
}

func fits(pattern, word string) bool {
	if start, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(word, start)
	}
	return pattern == word
}

// hasWord says that one of the words is in the key.
func hasWord(key string, any ...string) bool {
	ws := words(key)
	return slices.ContainsFunc(any, func(w string) bool { return slices.ContainsFunc(ws, func(have string) bool { return fits(w, have) }) })
}

// rest returns the words of a key without those that name a stage, joined.
func rest(key string) string {
	var out []string
	for _, w := range words(key) {
		if k := stageOf(w); k == noKind || k == ignored {
			out = append(out, w)
		}
	}
	return strings.Join(out, "_")
}

// whole reads a whole number of 1 or more.
func whole(n *doctree.Node, key string) *Number {
	if n == nil || n.Kind != doctree.Int {
		return nil
	}
	v, err := strconv.Atoi(strings.ReplaceAll(n.Text, "_", ""))
	if err != nil || v < 1 {
		return nil
	}
	return &Number{Value: v, Key: key, At: n}
}

func isTrue(n *doctree.Node) bool {
	return n != nil && n.Kind == doctree.Bool && strings.EqualFold(n.Text, "true")
}

func isFalse(n *doctree.Node) bool {
	return n != nil && n.Kind == doctree.Bool && strings.EqualFold(n.Text, "false")
}

// disabled says that a section is switched off.
func disabled(n *doctree.Node) bool {
	for _, key := range []string{"enabled", "enable", "active", "use", "on"} {
		if isFalse(n.Get(key)) {
			return true
		}
	}
	return isFalse(n) || n != nil && n.Kind == doctree.Text && slices.Contains([]string{"", "none", "off", "no", "null", "disabled"}, strings.ToLower(n.Text)) || n != nil && n.Kind == doctree.Null
}
