package replay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/prefixcache"
	"github.com/bookend-rag/bookend/measure/replay"
)

func mustRun(t testing.TB, traffic replay.Traffic, c replay.Config) replay.Result {
	t.Helper()
	r, err := replay.Run(t.Context(), traffic, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustRead(t testing.TB, path string) replay.Traffic {
	t.Helper()
	traffic, err := replay.Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return traffic
}

func write(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// vllm is a cache of 400,000 tokens in vLLM's blocks.
var vllm = prefixcache.Config{Block: 16, Capacity: 400_000}

func TestNoisyHelpDesk(t *testing.T) {
	t.Parallel()
	r := mustRun(t, helpDesk(1500, 0.15), replay.Config{
		Settings: []replay.Setting{placed("ranked", core.RankOrder), placed("head-tail", core.HeadTail), held("held", core.RankOrder)}, Cache: vllm,
	})
	ranked, kept := r.Rows[0].Share, r.Rows[2].Share
	t.Logf("ranked %.1f %%, head-tail %.1f %%, best rank held %.1f %%", 100*ranked, 100*r.Rows[1].Share, 100*kept)
	if kept < 0.40 || ranked < 0.19 || ranked > 0.23 || !r.Saves || strings.HasPrefix(r.Finding, "Another order saves") {
		t.Errorf("ranked %.3f, held %.3f: %s", ranked, kept, r.Finding)
	}
}

func TestUniformQuestionsSaveNothing(t *testing.T) {
	t.Parallel()
	r := mustRun(t, uniform(1500), replay.Config{
		Settings: []replay.Setting{placed("ranked", core.RankOrder), placed("head-tail", core.HeadTail), held("held", core.RankOrder)}, Cache: vllm,
	})
	if !strings.HasPrefix(r.Finding, "Another order saves nothing here: ") || r.Saves {
		t.Errorf("%s", r.Finding)
	}
}

// What is said is true of what was counted, and no more is said.
func TestFindings(t *testing.T) {
	t.Parallel()
	twice := func(orders ...string) replay.Traffic {
		var traffic replay.Traffic
		for i, order := range orders {
			r := replay.Request{Question: fmt.Sprintf("question %d", i)}
			for _, name := range order {
				r.Documents = append(r.Documents, dataset.Document{ID: string(name), Text: text("document "+string(name), 400)})
			}
			traffic.Requests = append(traffic.Requests, r)
		}
		return traffic
	}
	steep := func(n int) ([]float64, error) {
		curve := make([]float64, n)
		for slot := range curve {
			curve[slot] = 1 / float64(slot+1)
		}
		return curve, nil
	}
	free := placed("free", core.RankOrder)
	free.Reuse = &reuse.Config{Worth: 1, Curve: &core.Curve{Format: core.CurveFormat, Shape: core.ShapeFlat, Documents: 2, Slots: []int{0, 1}, Accuracy: []float64{1, 1}}}
	both := []replay.Setting{placed("ranked", core.RankOrder), free}
	for name, c := range map[string]struct {
		traffic replay.Traffic
		config  replay.Config
		want    string
	}{
		"one setting":         {twice("ab", "ab"), replay.Config{Settings: both[:1]}, "is there to hold it against"},
		"nothing to be saved": {twice("ab", "cd", "ef"), replay.Config{Settings: both}, "Another order saves nothing here: "},
		"all alike":           {twice("ab", "ab", "ab"), replay.Config{Settings: both}, "Another order saves nothing here: "},
		"one request":         {twice("ab"), replay.Config{Settings: both}, "Another order saves nothing here: "},
		"below the minimum":   {twice("ab", "ba"), replay.Config{Settings: both, Cache: prefixcache.Config{Minimum: 10_000}}, "Another order saves nothing here: none of the prompts has the 10000 tokens"},
		"without a curve":     {twice("ab", "ba"), replay.Config{Settings: both}, "What the order costs in accuracy is not known without a curve."},
		"a price":             {twice("ab", "ba"), replay.Config{Settings: both, Curve: steep}, "No setting saves even 1 % of the tokens for half a point of accuracy or less."},
		"no price": {
			twice("ab", "ba"),
			replay.Config{Settings: both, Curve: func(n int) ([]float64, error) { return slices.Repeat([]float64{0.5}, n), nil }},
			"and by the curve no accuracy is lost.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustRun(t, c.traffic, c.config)
			if !strings.Contains(r.Finding, c.want) {
				t.Errorf("no %q in %q", c.want, r.Finding)
			}
			if nothing := strings.HasPrefix(r.Finding, "Another order saves"); nothing && r.Saves {
				t.Errorf("saves: %v, and %q", r.Saves, r.Finding)
			}
		})
	}
}

// recorded lets a chain place the documents of each request of a help desk, and records
// it. The clock is the recorder's own.
func recorded(t *testing.T, requests int, p core.Placement, c record.Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traffic.jsonl")
	recorder, err := record.Open(path, c)
	if err != nil {
		t.Fatal(err)
	}
	arranger, err := core.New(core.Config{Placement: core.Choice{Placement: p}, TopK: 8, Observe: recorder.Observe})
	if err != nil {
		t.Fatal(err)
	}
	view := &core.View[dataset.Document]{
		Text: func(d dataset.Document) string { return d.Text },
		ID:   func(d dataset.Document) string { return d.ID },
	}
	for i, r := range helpDesk(requests, 0.1).Requests {
		ctx := core.WithRequestID(t.Context(), fmt.Sprint(i))
		a, err := core.Arrange(ctx, arranger, r.Documents, view, core.Call{Query: r.Question})
		if err != nil {
			t.Fatal(err)
		}
		if c.Wait > 0 { // cites the first of the prompt
			recorder.Answer(fmt.Sprint(i), fmt.Sprintf("So it is [%d].", a.Slots[0].Label))
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRecordedWithoutTextsCountsAsWithTexts(t *testing.T) {
	t.Parallel()
	config := replay.Config{Settings: []replay.Setting{placed("ranked", core.RankOrder), held("held", core.RankOrder)}, Cache: vllm}
	with := mustRun(t, mustRead(t, recorded(t, 150, core.HeadTail, record.Config{Texts: true})), config)
	without := mustRun(t, mustRead(t, recorded(t, 150, core.HeadTail, record.Config{})), config)
	keyed := mustRun(t, mustRead(t, recorded(t, 150, core.HeadTail, record.Config{HashKey: []byte("key")})), config)
	for i := range with.Rows {
		for _, other := range []replay.Result{without, keyed} {
			if d := math.Abs(with.Rows[i].Share - other.Rows[i].Share); d > 0.01 || with.Rows[i].Tokens != other.Rows[i].Tokens {
				t.Errorf("%s: %.4f of %d with texts, %.4f of %d without", with.Rows[i].Name, with.Rows[i].Share, with.Rows[i].Tokens, other.Rows[i].Share, other.Rows[i].Tokens)
			}
		}
	}
	if with.Rows[1].Share < with.Rows[0].Share+0.1 {
		t.Errorf("reuse saves nothing: %+v", with.Rows)
	}
}

// The order that was sent is the recorded one, of the documents that were admitted.
func TestAsSent(t *testing.T) {
	t.Parallel()
	traffic := mustRead(t, recorded(t, 60, core.Reversed, record.Config{Texts: true}))
	if r := traffic.Requests[0]; !slices.Equal(r.Sent, []int{7, 6, 5, 4, 3, 2, 1, 0}) || len(r.Documents) != 8 || !traffic.Timed {
		t.Fatalf("%v of %d documents", r.Sent, len(r.Documents))
	}
	sent := placed("sent", core.RankOrder)
	sent.AsSent = true
	sentHeld := held("sent, held", core.RankOrder)
	sentHeld.AsSent = true
	r := mustRun(t, traffic, replay.Config{
		Settings: []replay.Setting{sent, placed("reversed", core.Reversed), placed("ranked", core.RankOrder), sentHeld, held("reversed, held", core.Reversed)}, Cache: vllm,
	})
	if r.Rows[0].Cached != r.Rows[1].Cached || r.Rows[0].Cached == r.Rows[2].Cached || r.Rows[3].Cached != r.Rows[4].Cached || r.Rows[3].Cached <= r.Rows[0].Cached {
		t.Errorf("%+v", r.Rows)
	}
}

func TestConversations(t *testing.T) {
	t.Parallel()
	var lines []string
	for turn := range 3 {
		for _, who := range []string{"x", "y"} {
			lines = append(lines, fmt.Sprintf(`{"time":"2026-12-01T08:0%d:00Z","conversation":%q,"question":"question %s%d?","ctxs":[{"id":"d","text":%q}]}`,
				turn, who, who, turn, text("the document", 800)))
		}
	}
	slices.Reverse(lines) // the time decides
	traffic := mustRead(t, write(t, lines...))
	if traffic.Conversations() != 2 || traffic.Requests[0].Question[:10] != "question y" || !strings.Contains(traffic.Requests[5].Question, "2?") {
		t.Errorf("%d conversations, %+v", traffic.Conversations(), traffic.Requests)
	}
	setting := func(layout prompt.Layout) replay.Setting {
		s := placed(string(layout), core.RankOrder)
		s.Prompt.Layout = layout
		return s
	}
	r := mustRun(t, traffic, replay.Config{Settings: []replay.Setting{setting(prompt.QuestionLast), setting(prompt.DocumentsFirst), setting("rules,documents,question")}})
	after, before, without := r.Rows[0], r.Rows[1], r.Rows[2]
	if after.Tokens != before.Tokens || without.Tokens >= after.Tokens-3*2*100 {
		t.Errorf("the history is not in the prompts: %+v", r.Rows)
	}
	if before.Cached <= after.Cached { // the document begins alike in all six, the history in its own conversation alone
		t.Errorf("documents before the history: %d, after it: %d", before.Cached, after.Cached)
	}
}

func TestLifetime(t *testing.T) {
	t.Parallel()
	lines := func(minutes int) (lines []string) {
		for i := range 4 {
			at := time.Date(2026, 12, 1, 8, i*minutes, 0, 0, time.UTC).Format(time.RFC3339)
			lines = append(lines, fmt.Sprintf(`{"time":%q,"question":"q%d","ctxs":[{"text":%q},{"text":%q}]}`, at, i, text("one", 400), text(fmt.Sprint("other", i%2), 400)))
		}
		return lines
	}
	config := replay.Config{Settings: []replay.Setting{placed("ranked", core.RankOrder), held("held", core.RankOrder)}, Cache: prefixcache.Config{Lifetime: 5 * time.Minute}}
	if r := mustRun(t, mustRead(t, write(t, lines(2)...)), config); r.Rows[0].Cached == 0 || r.First == nil || r.Last.Sub(*r.First) != 6*time.Minute {
		t.Errorf("two minutes apart: %+v", r)
	}
	if r := mustRun(t, mustRead(t, write(t, lines(6)...)), config); r.Rows[0].Cached != 0 || r.Rows[1].Cached != 0 {
		t.Errorf("six minutes apart: %+v", r.Rows)
	}
	untimed := write(t, strings.ReplaceAll(strings.Join(lines(6), "\n"), `"time"`, `"when"`))
	r := mustRun(t, mustRead(t, untimed), config)
	if r.Rows[0].Cached == 0 || !strings.Contains(strings.Join(r.Notes, " "), "have no times") {
		t.Errorf("without times: %+v", r)
	}
}

// Where the answer stands comes from the lists, from what answers cite, or is assumed.
func TestWhereTheAnswersStand(t *testing.T) {
	t.Parallel()
	steep := func(n int) ([]float64, error) {
		curve := make([]float64, n)
		curve[0] = 1
		return curve, nil
	}
	var marked, some []string
	for i := range 40 {
		line := fmt.Sprintf(`{"question":"q%d","answers":["a"],"ctxs":[{"text":"one","isgold":false},{"text":"two","isgold":%t}]}`, i, i%4 > 0)
		marked = append(marked, line)
		if i < 20 {
			some = append(some, line)
		}
	}
	own := []replay.Setting{placed("ranked", core.RankOrder), placed("reversed", core.Reversed)}
	for name, c := range map[string]struct {
		traffic          replay.Traffic
		seen             int
		ranked, reversed float64
	}{
		"marked":  {mustRead(t, write(t, marked...)), 40, 0, 0.75},
		"too few": {mustRead(t, write(t, some...)), 0, 2. / 3, 1. / 3},
		"cited":   {mustRead(t, recorded(t, 60, core.Reversed, record.Config{Wait: time.Hour})), 60, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustRun(t, c.traffic, replay.Config{Settings: own, Curve: steep, CurveName: "steep"})
			ranked, reversed := *r.Rows[0].Accuracy, *r.Rows[1].Accuracy
			if r.GoldSeen != c.seen || math.Abs(ranked-c.ranked) > 1e-9 || math.Abs(reversed-c.reversed) > 1e-9 || math.Abs(*r.Rows[1].Loss-(ranked-reversed)) > 1e-9 {
				t.Errorf("seen in %d, ranked %v, reversed %v, loss %v, %v", r.GoldSeen, ranked, reversed, *r.Rows[1].Loss, r.Notes)
			}
		})
	}
}

func TestCosts(t *testing.T) {
	t.Parallel()
	traffic := helpDesk(100, 0)
	r := mustRun(t, traffic, replay.Config{Settings: []replay.Setting{placed("ranked", core.RankOrder)}, Prices: model.Prices{Prompt: 2, Cached: 0.5}})
	row := r.Rows[0]
	if want := (2*float64(row.Tokens-row.Cached) + 0.5*float64(row.Cached)) / 1e6 * 10; math.Abs(*row.Cost-want) > 1e-9 || row.Cached == 0 {
		t.Errorf("a thousand cost %v, want %v", *row.Cost, want)
	}
	r = mustRun(t, traffic, replay.Config{Settings: []replay.Setting{placed("ranked", core.RankOrder)}, Prices: model.Prices{Prompt: 2}})
	if !strings.Contains(strings.Join(r.Notes, " "), "no price of their own") {
		t.Errorf("%q", r.Notes)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	traffic := helpDesk(3, 0)
	good := placed("ranked", core.RankOrder)
	twice := []replay.Setting{good, good}
	labels := held("held", core.RankOrder)
	labels.Prompt.Labels = prompt.ByRank
	for name, c := range map[string]replay.Config{
		"no setting":       {},
		"a name twice":     {Settings: twice},
		"no name":          {Settings: []replay.Setting{{}}},
		"decay":            {Settings: twice[:1], Decay: 2},
		"cache":            {Settings: twice[:1], Cache: prefixcache.Config{Block: -1}},
		"price":            {Settings: twice[:1], Prices: model.Prices{Prompt: -1}},
		"curve":            {Settings: twice[:1], Curve: func(int) ([]float64, error) { return []float64{2}, nil }},
		"short curve":      {Settings: twice[:1], Curve: func(int) ([]float64, error) { return []float64{}, nil }},
		"reuse":            {Settings: []replay.Setting{{Name: "r", Reuse: &reuse.Config{Worth: 1}}}},
		"labels and reuse": {Settings: []replay.Setting{labels}},
	} {
		_, err := replay.Run(t.Context(), traffic, c)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := replay.Run(t.Context(), replay.Traffic{}, replay.Config{Settings: twice[:1]}); err == nil {
		t.Error("no traffic is no error")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.Run(ended, traffic, replay.Config{Settings: twice[:1]}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	for name, line := range map[string]string{
		"nothing": "", "no list": `{"a":1}`, "a time that is none": `{"time":"noon","question":"q","ctxs":[{"text":"t"}]}`, "cut off": `{"question":"q","ctxs":[{"te`,
	} {
		if _, err := replay.Read(t.Context(), write(t, line)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if _, err := replay.Read(t.Context(), filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestNotesOfRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "traffic.jsonl")
	recorder, err := record.Open(path, record.Config{Wait: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	a, err := core.New(core.Config{Observe: recorder.Observe})
	if err != nil {
		t.Fatal(err)
	}
	for i, docs := range [][]string{{"one", "two"}, {"one"}, {}} {
		ctx := core.WithRequestID(t.Context(), fmt.Sprint(i))
		if _, err := core.Arrange(ctx, a, docs, &core.View[string]{Text: func(s string) string { return s }}, core.Call{}); err != nil {
			t.Fatal(err)
		}
		recorder.Answered(ctx, record.Reply{Text: "so it is", Model: fmt.Sprint("model ", i), PromptTokens: 5000})
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	r := mustRun(t, mustRead(t, path), replay.Config{Settings: []replay.Setting{{Name: "ranked"}}})
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"1 of 3 requests had no document", "2 of 2 requests have no question", "went to 2 models", "The models counted 5000 tokens a prompt"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in:\n%s", want, notes)
		}
	}
}

// A file is no reason to take all memory, or to fail in any other way.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	entry := func(length int, when string) string {
		return fmt.Sprintf(`{"time":%q,"question_hash":"h","question_length":%d,"ctxs":[{"hash":"h","length":%d}],"arrangement":{"n":1,"placement":"ranked","slots":[{"index":0,"rank":0,"label":1}]},"arm":"configured"}`, when, length, length)
	}
	header := strings.TrimSuffix(record.Header, "\n")
	for name, c := range map[string]struct {
		length int
		ok     bool
	}{"large": {1 << 20, true}, "larger than a text may be": {1 << 30, false}, "negative": {-5, true}, "none": {0, true}} {
		traffic, err := replay.Read(t.Context(), write(t, header, entry(c.length, "2026-12-01T08:00:00Z"), entry(c.length, "9999-12-31T23:59:59Z"), ""))
		if e := (*core.ConfigError)(nil); c.ok != (err == nil) || err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil {
			mustRun(t, traffic, replay.Config{Settings: []replay.Setting{placed("ranked", core.RankOrder), held("held", core.RankOrder)}, Cache: prefixcache.Config{Lifetime: time.Minute}})
		}
	}
}

// Repeated questions, and lines without answers, are requests as any other.
func TestRepeatedQuestionsCount(t *testing.T) {
	t.Parallel()
	line := fmt.Sprintf(`{"question":"q","ctxs":[{"text":%q},{"text":"two"}]}`, text("one", 400))
	traffic := mustRead(t, write(t, line, line, line, `{"ctxs":[{"text":"no question"}]}`))
	if len(traffic.Requests) != 4 {
		t.Fatalf("%d requests", len(traffic.Requests))
	}
	r := mustRun(t, traffic, replay.Config{Settings: []replay.Setting{{Name: "ranked"}}})
	if n := r.Rows[0].Tokens; r.Rows[0].Cached < n/2 {
		t.Errorf("%d of %d from the cache", r.Rows[0].Cached, n)
	}
}
