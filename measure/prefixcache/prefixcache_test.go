package prefixcache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/prefixcache"
)

func mustNew(t testing.TB, c prefixcache.Config) *prefixcache.Cache {
	t.Helper()
	cache, err := prefixcache.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

// tokens makes one of each letter.
func tokens(text string) []uint32 {
	all := make([]uint32, len(text))
	for i := range text {
		all[i] = uint32(text[i])
	}
	return all
}

// step is a prompt that comes so many seconds after the one before, and what of it
// comes from the cache.
type step struct {
	after  int
	prompt string
	cached int
}

func TestCaches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config prefixcache.Config
		steps  []step
	}{
		"what begins alike": {prefixcache.Config{}, []step{
			{0, "abcdef", 0}, {0, "abcxyz", 3}, {0, "abcdez", 5}, {0, "abcxyy", 5}, {0, "zabcd", 0},
		}},
		"the last token is always processed": {prefixcache.Config{}, []step{{0, "abcd", 0}, {0, "abcd", 3}, {0, "abc", 2}, {0, "a", 0}, {0, "", 0}}},
		"whole blocks alone":                 {prefixcache.Config{Block: 4}, []step{{0, "abcdefghij", 0}, {0, "abcdefgxxx", 4}, {0, "abcdefghij", 8}, {0, "abcdefgh", 4}, {0, "abcx", 0}}},
		"nothing below the minimum":          {prefixcache.Config{Minimum: 4}, []step{{0, "abc", 0}, {0, "abcd", 0}, {0, "abcx", 0}, {0, "abcde", 4}, {0, "abcdx", 4}}},
		"the least recently used goes": {prefixcache.Config{Capacity: 8}, []step{
			{0, "aaaa", 0}, {0, "bbbb", 0}, {0, "aaaa", 3}, {0, "cccc", 0}, {0, "aaaa", 3}, {0, "bbbb", 0},
		}},
		"the end of a prompt goes before its beginning": {prefixcache.Config{Capacity: 6}, []step{{0, "abcd", 0}, {0, "xyzw", 0}, {0, "abcd", 2}}},
		"a prompt larger than the cache":                {prefixcache.Config{Capacity: 3}, []step{{0, "abcdef", 0}, {0, "abcdef", 3}}},
		"what is old goes, and use keeps it young": {prefixcache.Config{Lifetime: 10 * time.Second}, []step{
			{0, "abcd", 0}, {10, "abcx", 3}, {10, "abcd", 3}, {11, "abcd", 0},
		}},
		"llama.cpp goes on from its slot": {prefixcache.Config{Kind: prefixcache.Prompts}, []step{
			{0, "abcdefgh", 0}, {0, "abcdefxx", 6}, {0, "abcdefgh", 6}, // what was gone on from is no more
		}},
		"or from an earlier prompt, once": {prefixcache.Config{Kind: prefixcache.Prompts}, []step{
			{0, "abcdefgh", 0}, {0, "zyxwvuts", 0}, {0, "abcdefxx", 6}, {0, "zyxwvuts", 7}, {0, "abcdefgh", 6},
		}},
		"of which it must keep a quarter": {prefixcache.Config{Kind: prefixcache.Prompts}, []step{
			{0, "abcdefghi", 0}, {0, "zzzz", 0}, {0, "ab", 0}, {0, "zzzz", 3}, {0, "abc", 2},
		}},
		"within its memory": {prefixcache.Config{Kind: prefixcache.Prompts, Capacity: 8}, []step{
			{0, "aaaa", 0}, {0, "bbbb", 0}, {0, "cccc", 0}, {0, "dddd", 0}, {0, "aaaa", 0}, {0, "cccc", 3},
		}},
		"while it is young": {prefixcache.Config{Kind: prefixcache.Prompts, Lifetime: 10 * time.Second}, []step{
			{0, "aaaa", 0}, {0, "bbbb", 0}, {10, "aaaa", 3}, {11, "aaaa", 0}, {0, "bbbb", 0},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cache, now := mustNew(t, c.config), time.Time{}
			for i, s := range c.steps {
				now = now.Add(time.Duration(s.after) * time.Second)
				if got := cache.Read(tokens(s.prompt), now); got != s.cached {
					t.Errorf("step %d, %q: %d from the cache, want %d", i, s.prompt, got, s.cached)
				}
			}
		})
	}
}

// What answered a prompt stands behind it, so that a conversation goes on from there.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	for _, kind := range []prefixcache.Kind{prefixcache.Tree, prefixcache.Prompts} {
		cache := mustNew(t, prefixcache.Config{Kind: kind})
		cache.ReadAnswered(tokens("abcd"), tokens("efgh"), time.Time{})
		if got := cache.Read(tokens("abcdefghij"), time.Time{}); got != 8 {
			t.Errorf("%s: %d from the cache, want 8", kind, got)
		}
	}
}

// plain is a tree as a list of everything, with the time of its last use.
type plain struct {
	config prefixcache.Config
	clock  int
	used   map[string]int
	at     map[string]time.Time
}

func (p *plain) read(prompt string, at time.Time) int {
	for path, then := range p.at {
		if p.config.Lifetime > 0 && at.Sub(then) > p.config.Lifetime {
			delete(p.used, path)
			delete(p.at, path)
		}
	}
	cached := 0
	for n := p.config.Block; n <= len(prompt); n += p.config.Block {
		if _, kept := p.used[prompt[:n]]; !kept {
			break
		}
		cached = n
	}
	for n := len(prompt) / p.config.Block * p.config.Block; n > 0; n -= p.config.Block {
		p.clock++
		p.used[prompt[:n]], p.at[prompt[:n]] = p.clock, at
	}
	for len(p.used)*p.config.Block > p.config.Capacity {
		oldest := ""
		for path, used := range p.used {
			if oldest == "" || used < p.used[oldest] {
				oldest = path
			}
		}
		delete(p.used, oldest)
		delete(p.at, oldest)
	}
	for cached >= len(prompt) && cached > 0 {
		cached -= p.config.Block
	}
	return cached
}

func TestTreeIsAListOfAllBeginnings(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		config := prefixcache.Config{Block: 1 + draw.IntN(3), Lifetime: time.Duration(draw.IntN(12)) * time.Second}
		config.Capacity = config.Block * (1 + draw.IntN(20))
		cache, want := mustNew(t, config), plain{config: config, used: map[string]int{}, at: map[string]time.Time{}}
		now := time.Time{}
		for i := range 80 {
			prompt := make([]byte, draw.IntN(12))
			for j := range prompt {
				prompt[j] = "ab"[draw.IntN(2)]
			}
			now = now.Add(time.Duration(draw.IntN(3)) * time.Second)
			got, want := cache.Read(tokens(string(prompt)), now), want.read(string(prompt), now)
			if got != want {
				t.Fatalf("%+v, prompt %d, %q: %d from the cache, want %d", config, i, prompt, got, want)
			}
		}
	}
}

// Whole prompts never give more than the longest beginning that any earlier prompt had.
func TestPromptsGiveNoMoreThanATree(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(3, 4))
	whole, tree := mustNew(t, prefixcache.Config{Kind: prefixcache.Prompts}), mustNew(t, prefixcache.Config{})
	some := 0
	for range 2000 {
		prompt := make([]byte, 1+draw.IntN(20))
		for j := range prompt {
			prompt[j] = "ab"[draw.IntN(2)]
		}
		got, most := whole.Read(tokens(string(prompt)), time.Time{}), tree.Read(tokens(string(prompt)), time.Time{})
		if got > most {
			t.Fatalf("%q: %d from whole prompts, %d from a tree", prompt, got, most)
		}
		some += got
	}
	if some == 0 {
		t.Error("nothing came from the cache")
	}
}

func TestByBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "äöü": 2} {
		if got := prefixcache.ByBytes(text); len(got) != want {
			t.Errorf("%q has %d tokens, want %d", text, len(got), want)
		}
	}
	a, b := prefixcache.ByBytes("the same start, one end"), prefixcache.ByBytes("the same start, and another")
	if !slices.Equal(a[:4], b[:4]) || slices.Equal(a[4:5], b[4:5]) {
		t.Errorf("%v and %v", a, b)
	}
}

func TestConfigs(t *testing.T) {
	t.Parallel()
	for _, c := range []prefixcache.Config{
		{Kind: "forest"}, {Block: -1}, {Minimum: -1}, {Capacity: -1}, {Lifetime: -1}, {Kind: prefixcache.Prompts, Block: 16},
	} {
		if _, err := prefixcache.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	_, err := prefixcache.New(prefixcache.Config{Kind: "forest", Block: -1})
	if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 2 {
		t.Errorf("not every fault at once: %v", err)
	}
}

func Example() {
	// Blocks of 2 tokens, as a server of vLLM's kind has them (of 16).
	cache, err := prefixcache.New(prefixcache.Config{Block: 2})
	if err != nil {
		panic(err)
	}
	for _, prompt := range [][]uint32{{1, 2, 3, 4, 5}, {1, 2, 3, 4, 6}, {1, 2, 3, 9, 9}} {
		fmt.Println(cache.Read(prompt, time.Time{}), "of", len(prompt))
	}
	// Output:
	// 0 of 5
	// 4 of 5
	// 2 of 5
}
