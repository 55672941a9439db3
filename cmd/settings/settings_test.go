package settings_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/compare"
)

// texts are what text settings are tried with.
var texts = []string{
	"a", "yes", "null", "~", "1", "1e3", "0x10", "true", "- x", "a: b", "# no comment", "{x}", "[1]", "!tag", "&a", "*a", "%", "@", "`",
	" leading", "trailing ", "two\nlines", "a\n\nb\n", "\n", "\ttab", "a\r\nb", "quote \" and '", "\u2028", "\u0085", "\ufeff", "nbsp\u00a0",
	"emoji 😀", "\x00", "\x1b[31m", "<<", "=", "2026-01-31", "a\n  indented\n", "a \nb", "\nx", "x\n\n\n", "\x7f", "\u202e", "a\x1bb\nc", strings.Repeat("long ", 200),
}

func curve(n int) *core.Curve {
	return &core.Curve{
		Format: core.CurveFormat, Model: "m: 1", Documents: n, Questions: 60, Shape: core.ShapeU, EndsDiffer: true,
		Slots: []int{0, n / 2, n - 1}, Accuracy: []float64{0.7, 1.0 / 3, 0.6}, Fitted: []float64{0.7, 1.0 / 3, 0.6},
	}
}

// generated returns valid settings, every one of them set now and then.
func generated(r *rand.Rand) settings.Settings {
	some := func() bool { return r.IntN(3) == 0 }
	text := func() string {
		if some() {
			return ""
		}
		return texts[r.IntN(len(texts))]
	}
	number := func() int { return []int{0, 1, 7, 1 << 20, math.MaxInt}[r.IntN(5)] }
	list := func() []string {
		var all []string
		for range r.IntN(3) {
			all = append(all, texts[r.IntN(len(texts))])
		}
		return all
	}
	var s settings.Settings
	o, p := &s.Order, &s.Prompt
	o.Rank = []core.Ranking{"", core.AsGiven, core.ByScore}[r.IntN(3)]
	o.Direction = []core.Direction{core.HigherIsBetter, core.LowerIsBetter}[r.IntN(2)]
	o.Keys = core.Keys{Score: text(), Pin: text(), ID: text(), Source: text(), Position: text()}
	o.Pins = list()
	o.DropSameID, o.DropSameText, o.Groups = some(), some(), some()
	if some() {
		t := []float64{0, -1, 0.1, 1e300, 5e-324, 1.0 / 3, math.Copysign(0, -1)}[r.IntN(7)]
		o.Threshold = &t
	}
	o.ThresholdBy = []core.ScoreOf{"", core.OwnScore, core.RankingScore}[r.IntN(3)]
	o.MaxBytes, o.TopK, o.MinDocuments = number(), number(), number()
	o.Budget, o.Unit = number(), []core.Unit{core.Runes, core.Words}[r.IntN(2)]
	o.Overflow = []core.Overflow{"", core.Stop, core.Skip}[r.IntN(3)]
	o.KeepBest = o.Budget > 0 && some()
	o.Placement.Placement = []core.Placement{
		nil, core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
		core.EdgesFirst{Edge: 2},
		core.EdgesFirst{Edge: 9},
		core.Shuffled{},
		core.Shuffled{Seed: math.MaxUint64},
		core.Measured{Curve: curve(3 + r.IntN(9))},
	}[r.IntN(12)]
	p.Layout = []prompt.Layout{"", prompt.QuestionLast, prompt.QueryAware, "rules,documents,question"}[r.IntN(4)]
	if some() {
		p.Layout, p.BookendFrom = prompt.Bookend, number()
	}
	p.Rules, p.Task, p.Instruction, p.Reminder, p.Cue = text(), text(), text(), text(), text()
	p.QuestionPrefix, p.NoDocuments, p.TitleKey, p.SourceKey = text(), text(), text(), text()
	p.Format = []prompt.Format{"", prompt.Numbered, prompt.Titled, prompt.XML, prompt.Markdown}[r.IntN(5)]
	p.Labels = []prompt.LabelBy{"", prompt.ByRank, prompt.BySlot}[r.IntN(3)]
	p.Show, p.MaxShown, p.MaxBytes = list(), number(), number()
	p.Budget, p.Unit = number(), []core.Unit{core.Runes, core.Words}[r.IntN(2)]
	if p.Budget > 0 {
		p.Reserve = number()
	}
	s.Tokenizer = append(settings.Tokenizers(), "")[r.IntN(6)]
	s.Schema = text()
	return s
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		want := generated(r)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		yaml, err := want.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"settings.json": text, "settings.yaml": yaml} {
			got, err := settings.Parse(name, text, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s (-want +got)\n-%+v\n+%+v\n%s", name, want, got, text)
			}
		}
		var got settings.Settings
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("encoding/json, error %v (-want +got)\n-%+v\n+%+v", err, want, got)
		}
	}
}

// environ writes the settings as variables, but for what a variable cannot hold.
func environ(t *testing.T, s settings.Settings) []string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]any
	if err := json.Unmarshal(text, &sections); err != nil {
		t.Fatal(err)
	}
	var environ []string
	add := func(key string, v any) {
		value := fmt.Sprint(v)
		switch v.(type) {
		case []any, map[string]any:
			text, _ := json.Marshal(v)
			value = string(text)
		case float64:
			text, _ := json.Marshal(v)
			value = string(text)
		}
		environ = append(environ, settings.EnvName(key)+"="+value)
	}
	var addAll func(section string, keys map[string]any)
	addAll = func(section string, keys map[string]any) {
		for key, v := range keys {
			key = strings.TrimPrefix(section+"."+key, ".")
			if keys, ok := v.(map[string]any); ok && key != "order.placement" {
				addAll(key, keys)
				continue
			}
			add(key, v)
		}
	}
	addAll("", sections)
	return environ
}

func TestEverySettingComesFromTheEnvironment(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 150 {
		want := generated(r)
		want.Schema = ""
		// JSON's numbers went through a float64 on the way into the variables.
		for _, n := range []*int{&want.Order.MaxBytes, &want.Order.TopK, &want.Order.MinDocuments, &want.Order.Budget, &want.Prompt.BookendFrom, &want.Prompt.MaxShown, &want.Prompt.Budget, &want.Prompt.Reserve, &want.Prompt.MaxBytes} {
			*n = min(*n, 1<<20)
		}
		if p, ok := want.Order.Placement.Placement.(core.Shuffled); ok && p.Seed > 0 {
			want.Order.Placement.Placement = core.Shuffled{Seed: 7}
		}
		got, err := settings.Load("", environ(t, want))
		if err != nil {
			t.Fatalf("%v\n%q", err, environ(t, want))
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("(-want +got)\n-%+v\n+%+v", want, got)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheEnvironmentWins(t *testing.T) {
	t.Parallel()
	path := write(t, "rag.yaml", "order: {top_k: 8, budget: 90, pins: [a]}\n")
	got, err := settings.Load(path, []string{
		"BOOKEND_ORDER_TOP_K=5", "BOOKEND_TOKENIZER=cl100k_base", "BOOKEND_ORDER_PINS=b, c", "BOOKEND_PROMPT_LAYOUT=", "BOOKEND_REAL=1", "PATH=/bin",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := settings.Settings{Order: core.Config{TopK: 5, Budget: 90, Pins: []string{"b", "c"}}, Tokenizer: "cl100k_base"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	if _, err := settings.Load(path, nil); err == nil || !strings.Contains(err.Error(), "rag.yaml:1:27: order.budget is 90: needs a counter") {
		t.Errorf("the file alone: %v", err)
	}
}

func TestEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	file := `order:
  top_kk: 8
  rank: scores
  budget: many
  keep_best: true
  threshold: .nan
  pins: [a, 5]
  placement: head_tial
  rank: given
  layout: bookend
promt: {}
prompt:
  layout: documents,rules
  rules: 5
  cue:
  unit: lines
  reserve: -1
tokenizer: cl100k_bse
`
	path := write(t, "rag.yaml", file)
	_, err := settings.Load(path, []string{"BOOKEND_ORDER_MAX_BYTES=x", "BOOKEND_ODER_TOP_K=4", "BOOKEND_PROMPT_SHOW=[1]"})
	var faults *settings.Error
	if !errors.As(err, &faults) {
		t.Fatalf("error %v is no *settings.Error", err)
	}
	var got []string
	for _, f := range faults.Faults {
		got = append(got, strings.ReplaceAll(f.Error(), path, "F"))
	}
	want := []string{
		`bookend: F:2:3: order.top_kk is not known; did you mean top_k?`,
		`bookend: F:3:9: order.rank is "scores": must be "given" or "score"`,
		`bookend: F:4:11: order.budget is "many": must be a whole number, not text`,
		`bookend: F:6:14: order.threshold is ".nan": must be a finite number`,
		`bookend: F:7:13: order.pins[1] is "5": must be text: put it in quotes`,
		`bookend: F:8:14: order.placement is "head_tial": no placement has that name; did you mean head-tail? Valid names: ranked, reversed, head-tail, tail-head, long-context, edges-first, document-order, measured, shuffled`,
		`bookend: F:9:3: order.rank is given twice, first in line 3: keep one`,
		`bookend: F:10:3: order.layout is not known; prompt.layout has that name`,
		`bookend: F:11:1: promt is not known; did you mean prompt?`,
		`bookend: F:13:11: prompt.layout is "documents,rules": lacks the part question: a layout needs documents and question`,
		`bookend: F:14:10: prompt.rules is "5": must be text, not a whole number`,
		`bookend: F:15:7: prompt.cue has no value: give one, or leave the key out`,
		`bookend: F:16:9: prompt.unit is "lines": must be "runes" or "words"; set tokenizer for another unit`,
		`bookend: F:17:12: prompt.reserve is -1: must be 0 or more`,
		`bookend: F:18:12: tokenizer is "cl100k_bse": is no tokenizer: use o200k_base, cl100k_base, p50k_base, p50k_edit, r50k_base; did you mean cl100k_base?`,
		`bookend: BOOKEND_ODER_TOP_K is not known; did you mean BOOKEND_ORDER_TOP_K?`,
		`bookend: BOOKEND_ORDER_MAX_BYTES is "x": must be a whole number of at most 64 bits`,
		`bookend: BOOKEND_PROMPT_SHOW is "1": must be text: put it in quotes`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("(-want +got)\n-%s\n+%s", w, g)
	}
}

func TestOtherFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{"order: [1", "is not YAML"},
		{"{\"order\": {\"top_k\": 1", "is not YAML"},
		{"a: 1\n---\nb: 2\n", "holds a second document"},
		{"order: {placement: measured}", "needs the curve"},
		{"order: {placement: measured=none.json}", "none.json"},
		{"order: {placement: {name: edges-first, edgee: 3}}", "did you mean edge?"},
		{"order: {placement: {edge: 3}}", "has no name"},
		{"order: {placement: {name: ranked, edge: 3}}", "takes no"},
		{"order: {placement: 3}", "must be the name of a placement"},
		{"order: {threshold: 1}", "order.direction is \"\": a threshold needs"},
		{"prompt: {bookend_from: 5, unit: words}", "set layout to it"},
		{"order: {budget: many}", "must be a whole number"},
		{"- order", "must be a mapping, not a list"},
		{"a: &a [*a]", "holds itself"},
	} {
		_, err := settings.Parse("settings", []byte(c.file), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q alone", c.file, err, c.want)
		}
	}
	var missing *settings.Error
	if _, err := settings.Load(filepath.Join(t.TempDir(), "none.yaml"), nil); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &missing) || len(missing.Faults) != 1 {
		t.Errorf("a missing file: %v", err)
	}
	if s, err := settings.Parse("empty.yaml", []byte("# nothing\n"), nil); err != nil || !reflect.DeepEqual(s, settings.Settings{}) {
		t.Errorf("an empty file: %+v, %v", s, err)
	}
}

// The path of a curve starts at the folder of the settings.
func TestCurveBesideTheSettings(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(curve(5))
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "curve.json", string(text))
	for _, form := range []string{`measured=curve.json`, `{name: measured, curve: curve.json}`, `{name: "Curve=curve.json"}`, "measured=" + path} {
		file := filepath.Join(filepath.Dir(path), "rag.yaml")
		if err := os.WriteFile(file, []byte("order:\n  placement: "+form+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := settings.Load(file, nil)
		if err != nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		if m, ok := s.Order.Placement.Placement.(core.Measured); !ok || m.Curve.Documents != 5 {
			t.Errorf("%s: placement %v", form, s.Order.Placement)
		}
	}
}

func TestConfigsCountTokens(t *testing.T) {
	t.Parallel()
	s := settings.Settings{
		Order:  core.Config{Budget: 10, Unit: core.Words},
		Prompt: prompt.Config{Budget: 100}, Tokenizer: "cl100k_base",
	}
	order, layout, err := s.Configs()
	if err != nil {
		t.Fatal(err)
	}
	if order.Count != nil {
		t.Error("the tokenizer counts although there is a unit")
	}
	if n := layout.Count("How long is credit valid?"); n != 6 {
		t.Errorf("%d tokens, want 6", n)
	}
	s.Tokenizer = "bpe"
	if _, _, err := s.Configs(); err == nil || !strings.Contains(err.Error(), "cl100k_base") {
		t.Errorf("an unknown tokenizer: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"order: {top_k: 8}", `{"order": {"placement": {"name": "edges-first", "edge": 3}}}`, "a: &a {b: *a}", "<<: [{a: 1}, {b: 2}]",
		"prompt:\n  rules: |\n    a\n", "? [a]\n: b", "!!binary aGk=", "[[[[[[[[", "order: {<<: {top_k: 3}, top_k: 4}", "\ufefforder: {}", "%YAML 1.2\n---\n",
	} {
		f.Add("settings", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if strings.Contains(string(data), "=") || strings.Contains(string(data), "curve") {
			return // the path of a curve
		}
		s, err := settings.Parse(name, data, nil)
		if err != nil {
			return
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := settings.Parse("again.json", text, nil)
		if err != nil || !reflect.DeepEqual(again, s) && !strings.Contains(string(text), "\ufffd") {
			t.Fatalf("%v (-want +got)\n-%+v\n+%+v", err, s, again)
		}
	})
}

// What `bookend compare` writes as the winning settings is a settings file.
func TestWinningSettingsLoad(t *testing.T) {
	t.Parallel()
	won := compare.Settled{
		Order:  core.Config{Placement: core.Choice{Placement: core.Measured{Curve: curve(7)}}, TopK: 7},
		Prompt: compare.DefaultPrompt(),
	}
	text, err := json.Marshal(won)
	if err != nil {
		t.Fatal(err)
	}
	got, err := settings.Parse("settings.json", text, nil)
	if want := (settings.Settings{Order: won.Order, Prompt: won.Prompt}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("error %v (-want +got)\n-%+v\n+%+v", err, want, got)
	}
}
