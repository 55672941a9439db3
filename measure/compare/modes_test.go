package compare

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// go test ./measure/compare -run Killed -kills 50
var kills = flag.Int("kills", 6, "how often each comparison is killed")

// mode is a way to end a comparison.
type mode struct {
	plan      *Plan
	described Described
	model     model.Model
}

// bothWays are three kinds of questions in which another number of documents is cheapest:
// for de one does, en needs three, and short lists have no more than three, so that only one
// document is cheaper there, which loses.
func bothWays(t *testing.T, questions int) mode {
	t.Helper()
	lists := kindLists(t, questions, "de", "en", "short")
	p := mustPlan(t, lists, topArms(10, 3, 1), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	return mode{
		p, described(p, func(d *Described) { d.UntilDecided, d.NoWorse = true, 0.1 }),
		kindReader(lists, map[string]map[string]float64{"en": {"top 1": .2}, "short": {"top 1": .2}}),
	}
}

func modes(t *testing.T) map[string]mode {
	t.Helper()
	p, d, m := racing(t, nil)
	all := map[string]mode{"plain": {p, d, m}, "both": bothWays(t, 1500)}
	lists := kindLists(t, 1500, "de", "en", "fr")
	p = mustPlan(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), func(s *Settings) { s.Shuffles, s.Repeats = 1, -1 })
	all["kinds"] = mode{
		p, described(p, func(d *Described) { d.UntilDecided, d.Worthwhile = true, 0.1 }),
		kindReader(lists, map[string]map[string]float64{"de": {"reversed": .75}, "en": {"reversed": .25, "head-tail": .3}}),
	}
	lists = kindLists(t, 2000, "")
	p = mustPlan(t, lists, topArms(10, 5, 3, 1), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	all["no worse"] = mode{
		p, described(p, func(d *Described) { d.UntilDecided, d.NoWorse = true, 0.1 }),
		kindReader(lists, map[string]map[string]float64{"": {"top 1": .2}}),
	}
	return all
}

// sameVerdict compares what two results decide, and the figures that it rests on.
func sameVerdict(t *testing.T, what string, got, want Result) {
	t.Helper()
	if !reflect.DeepEqual(got.Decision, want.Decision) || !reflect.DeepEqual(got.Kinds, want.Kinds) || got.Questions.Counted != want.Questions.Counted {
		t.Errorf("%s: %s\nwant %s", what, got.Finding, want.Finding)
	}
	for i := range want.Arms {
		if !reflect.DeepEqual(got.Arms[i].Against, want.Arms[i].Against) || got.Arms[i].Full != want.Arms[i].Full {
			t.Errorf("%s, %s: %+v, want %+v", what, want.Arms[i].Name, got.Arms[i], want.Arms[i])
		}
	}
}

// Each kind has its own cheapest arm, by what calls cost in that kind, and all that is
// written says so.
func TestEachKindNamesItsCheapestArm(t *testing.T) {
	t.Parallel()
	m := bothWays(t, 1500)
	j := mustJournal(t)
	progress := mustRun(t, m.plan, m.described, m.model, j, 4)
	r := mustSummarize(t, j)
	if r.Word != evidence.AsGood || len(r.Kinds) != 3 || len(r.Settings.Kinds) != 3 || progress.Answered > 5000 {
		t.Fatalf("%d calls: %s", progress.Answered, r.Finding)
	}
	for i, want := range []struct {
		name, winner string
		word         evidence.Word
		top          int
	}{{"de", "top 1", evidence.AsGood, 1}, {"en", "top 3", evidence.AsGood, 3}, {"short", "top 10", evidence.Keep, 10}} {
		k, settled := r.Kinds[i], r.Settings.Kinds[i]
		if k.Name != want.name || k.Word != want.word || k.Winner != want.winner || len(k.Open) != 0 {
			t.Errorf("%s: %s %s, open %v; want %+v", k.Name, k.Word, k.Winner, k.Open, want)
		}
		if settled.Values[0] != want.name || settled.Order.TopK != want.top {
			t.Errorf("settings for %v: top %d, want %+v", settled.Values, settled.Order.TopK, want)
		}
		cost := k.Arms[1].Cost // of top 3
		if share := map[bool]float64{true: 1, false: .5}[k.Name == "short"]; cost == nil || cost.Share != share {
			t.Errorf("%s: top 3 costs %+v, want a share of %v", k.Name, cost, share)
		}
	}
}

// Killed at random, with slow answers out of order, a comparison makes the same choices,
// comes to the same verdict, and makes no call twice but what was open.
func TestKilledComparisons(t *testing.T) {
	t.Parallel()
	for name, m := range modes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, j := mustJournal(t), mustJournal(t)
			progress := mustRun(t, m.plan, m.described, m.model, whole, 1)
			want := mustSummarize(t, whole)
			if want.Word == evidence.Inconclusive || want.Questions.Counted >= m.plan.Questions() {
				t.Fatal(want.Finding)
			}
			asked := fake.Killed(t, m.model, *kills, progress.Answered, func(ctx context.Context, slow model.Model, concurrency int) error {
				_, err := Run(ctx, m.plan, m.described, slow, j, run.Limits{Concurrency: concurrency, Retries: -1})
				return err
			})
			sameChoices(t, whole, j, want.Questions.Counted)
			sameVerdict(t, "killed", mustSummarize(t, j), want)
			if _, _, calls := notesOf(t, j); asked > len(calls)+*kills*fake.KilledConcurrency {
				t.Errorf("%d calls were made for %d answers and %d kills", asked, len(calls), *kills)
			}
		})
	}
}

// By batches a comparison goes in rounds, each of which knows what the ones before found,
// and comes to the verdict of a run, whatever the service leaves out, breaks, says twice or
// says again.
func TestRounds(t *testing.T) {
	t.Parallel()
	for name, m := range modes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.described.Lag = 100
			live := mustJournal(t)
			mustRun(t, m.plan, m.described, m.model, live, 3)
			want := mustSummarize(t, live)
			calls := callsOf(m.plan)
			calm, calmRequests, begun := rounds(t, m, calls, want, func(lines []string) []string { return lines })
			// As it is foretold, but that questions of a kind that is decided may come beside a
			// round.
			if most := (begun + 99) / 100; calm < 2 || calm > most || calm != most && name != "both" && name != "kinds" {
				t.Errorf("%d rounds of 100 for %d questions", calm, begun)
			}
			draw := rand.New(rand.NewPCG(3, 4))
			var before []string
			rough, requests, _ := rounds(t, m, calls, want, func(lines []string) []string {
				var got []string
				for _, line := range lines {
					switch id, _, _ := strings.Cut(line, `,"response"`); draw.IntN(12) {
					case 0: // missing
					case 1:
						got = append(got, id+`,"response":{"status_code":500,"body":{"error":{"message":"broken"}}}}`)
					case 2:
						got = append(got, id+`,"response":null,"error":{"message":"expired"}}`, line)
					case 3:
						got = append(got, line, line)
					default:
						got = append(got, line)
					}
				}
				got, before = append(got, before...), lines
				draw.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
				return got
			})
			if rough <= calm || requests < calmRequests {
				t.Errorf("%d rounds of %d requests in all, and without faults %d of %d", rough, requests, calm, calmRequests)
			}
		})
	}
}

// rounds goes by batches until nothing is asked, and wants the result.
func rounds(t *testing.T, m mode, calls map[string]model.Call, want Result, spoil func(lines []string) []string) (rounds, requests, begun int) {
	t.Helper()
	j := mustJournal(t)
	for ; rounds < 100; rounds++ {
		source, err := Noted(m.plan, m.described, j)
		if err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		size, err := batch.Write(&lines, source, "fake", m.plan.Settings().Params, j)
		if err != nil {
			t.Fatal(err)
		}
		if size.Requests == 0 {
			break
		}
		requests += size.Requests
		results := strings.Split(strings.TrimSpace(resultsOf(t, calls, m.model, lines.String())), "\n")
		if source, err = Noted(m.plan, m.described, j); err != nil {
			t.Fatal(err)
		}
		results = spoil(results)
		if result, err := batch.Read(strings.NewReader(strings.Join(results, "\n")), source, j); err != nil || result.Unknown != 0 || len(result.Broken) != 0 {
			t.Fatalf("round %d of %d requests: %v, %v", rounds+1, size.Requests, result, err)
		}
	}
	got := mustSummarize(t, j)
	sameVerdict(t, fmt.Sprint(rounds, " rounds"), got, want)
	order, _, _ := notesOf(t, j)
	return rounds, requests, len(order)
}

// drawnReader answers what a forecast has drawn: differences, by the place of a question in
// the plan.
func drawnReader(p *Plan, lists *dataset.Dataset, arms []string, drawn [][]float64) model.Model {
	place := map[int]int{}
	for n, i := range p.order {
		place[i] = n
	}
	return model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		differences := drawn[place[call.Index]]
		right := false // the baseline, which no challenger can be below or above without it
		for _, d := range differences {
			right = right || d < 0
		}
		for i, name := range arms {
			if call.Arm == name {
				right = differences[i] > 0 || right && differences[i] == 0
			}
		}
		text := "no"
		if right {
			text = "yes"
		}
		return model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 40 + 10*call.Documents, Completion: 2}}, nil
	})
}

// The forecast says of a run what the run does that has the same answers.
func TestTheForecastIsTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kinds   []string
		arms    []Arm
		noWorse float64
		lag     int
	}{
		"plain":    {[]string{""}, armsOf(t, "ranked", "reversed", "head-tail"), 0, 0},
		"kinds":    {[]string{"de", "en", "en"}, armsOf(t, "ranked", "reversed", "head-tail"), 0, 0},
		"no worse": {[]string{""}, topArms(10, 5, 3, 1), 0.1, 0},
		"both":     {[]string{"de", "en", "en"}, topArms(10, 3, 1), 0.1, 0},
		"rounds":   {[]string{"de", "en"}, topArms(10, 3, 1), 0.1, 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lists := kindLists(t, 900, c.kinds...)
			p := mustPlan(t, lists, c.arms, func(s *Settings) { s.Shuffles, s.Repeats, s.Controls = 1, -1, 10 })
			d := described(p, func(d *Described) { d.UntilDecided, d.NoWorse, d.Worthwhile, d.Lag = true, c.noWorse, 0.1, c.lag })
			f, err := p.forecast(d, 0.2)
			if err != nil {
				t.Fatal(err)
			}
			gains := make([][]float64, f.parts)
			for kind := range gains {
				gains[kind] = make([]float64, len(c.arms)-1)
				gains[kind][len(c.arms)-2] = []float64{-.2, .12}[one(kind > 0)]
			}
			for number := range uint64(3) {
				r, err := newRace(d, len(c.arms)-1, f.parts)
				if err != nil {
					t.Fatal(err)
				}
				calls, questions, err := f.run(&r, number, gains)
				if err != nil {
					t.Fatal(err)
				}
				draw := rand.NewPCG(1, number)
				var drawn [][]float64
				for _, kind := range f.kinds {
					drawn = append(drawn, f.question(draw, gains[kind]))
				}
				var names []string
				for _, a := range c.arms[1:] {
					names = append(names, a.Name)
				}
				j := mustJournal(t)
				progress := mustRun(t, p, d, drawnReader(p, lists, names, drawn), j, 1)
				result := mustSummarize(t, j)
				words := []evidence.Word{result.Word}
				if result.Kinds != nil {
					words = nil
					for _, k := range result.Kinds {
						words = append(words, k.Word)
					}
				}
				for kind, word := range words {
					if r.parts[kind].done && r.parts[kind].word != word {
						t.Errorf("run %d, kind %d: %s, and the forecast says %s", number, kind, word, r.parts[kind].word)
					}
				}
				// A call is built ahead, which may begin one more question; a round is asked to
				// its end, which a run is not.
				each := len(c.arms) + 1
				if extra := progress.Answered - calls; c.lag == 0 && (extra < 0 || extra > each) || c.lag > 0 && (extra > each || extra < -each*c.lag) {
					t.Errorf("run %d: %d calls, and the forecast says %d, over %d questions", number, progress.Answered, calls, questions)
				}
				if c.lag > 0 && questions%c.lag != 0 && questions < p.Questions() {
					t.Errorf("run %d: %d questions are no rounds of %d", number, questions, c.lag)
				}
			}
		})
	}
}

// What a comparison may cost is said for every way to end it, in rounds, too.
func TestLikely(t *testing.T) {
	t.Parallel()
	long := kindLists(t, 400, "")
	kinds := kindLists(t, 400, "de", "en")
	for name, c := range map[string]struct {
		lists       *dataset.Dataset
		arms        []Arm
		noWorse     float64
		lag         int
		discordance float64
		gains       []float64
	}{
		"plain":                    {long, armsOf(t, "ranked", "reversed", "head-tail"), 0, 0, .15, []float64{0, .06, .12}},
		"few differences":          {long, armsOf(t, "ranked", "reversed"), 0, 0, .08, []float64{0, .06}},
		"everything differs":       {long, armsOf(t, "ranked", "reversed"), 0, 0, 1, []float64{0}},
		"kinds":                    {kinds, armsOf(t, "ranked", "reversed"), 0, 0, .15, []float64{0, .06, .12}},
		"no worse":                 {long, topArms(10, 3, 1), .05, 0, .15, []float64{0, -.05, -.1}},
		"both, in rounds":          {kinds, topArms(10, 3, 1), .05, 40, .15, []float64{0, -.05, -.1}},
		"nothing is cheaper":       {long, armsOf(t, "ranked", "reversed"), .05, 0, .15, []float64{0, .06, .12}},
		"no list is as long":       {long, topArms(20, 15, 10), .05, 0, .15, nil},
		"what is cheaper is worse": {long, topArms(1, 3), .05, 0, .15, []float64{0, .06, .12}}, // the baseline is the cheapest
	} {
		p := mustPlan(t, c.lists, c.arms, func(s *Settings) { s.Controls = 20 })
		all, err := p.Likely(described(p, func(d *Described) { d.NoWorse, d.Lag = c.noWorse, c.lag }), c.discordance)
		if err != nil {
			t.Fatal(err)
		}
		var gains []float64
		for _, l := range all {
			gains = append(gains, l.Gain)
			if l.Calls < 1 || l.Ninth < l.Calls || l.Ninth > p.Len() || l.Questions < 1 || l.Questions > 400 || l.Decided < 0 || l.Decided > 1 {
				t.Errorf("%s: %+v", name, l)
			}
			if c.lag > 0 && l.Questions%c.lag != 0 {
				t.Errorf("%s: %d questions are no rounds of %d", name, l.Questions, c.lag)
			}
		}
		if !reflect.DeepEqual(gains, c.gains) {
			t.Errorf("%s: gains %v, want %v", name, gains, c.gains)
		}
		if name == "plain" && (all[2].Calls >= all[0].Calls || all[2].Decided < .9) {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// A comparison without kinds that asks which arm is better costs what evidence.Calibrate
// says, whose figures are published.
func TestLikelyIsCalibrated(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, kindLists(t, 700, ""), armsOf(t, "ranked", "reversed", "head-tail"), func(s *Settings) { s.Shuffles, s.Repeats = 3, 1 })
	all, err := p.Likely(described(p, nil), .15)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		c, err := evidence.Calibrate(evidence.CalibrationSettings{
			Challengers: []float64{l.Gain, 0}, Discordance: .15, Rule: evidence.Rule{Worthwhile: .03}, Questions: 700, Runs: 200, Seed: 1,
			Race: true, Controls: 4, ControlQuestions: 50,
		})
		if err != nil || c.MedianCalls != l.Calls || c.NinthCalls != l.Ninth || c.Share(c.Decided()) != l.Decided {
			t.Errorf("%+v\n%+v, %v", l, c, err)
		}
	}
}

// What is beyond the largest kinds is taken together, and is not said to be rare.
func TestManyKinds(t *testing.T) {
	t.Parallel()
	var values []string
	for i := range 51 {
		values = append(values, fmt.Sprint("t", i))
	}
	p := mustPlan(t, kindLists(t, 51*60, values...), armsOf(t, "ranked", "reversed"), nil)
	d := p.Describe()
	if len(d.Kinds) != mostKinds+1 || !d.Kinds[mostKinds].Pooled || len(d.Kinds[mostKinds].Values) != 51-mostKinds {
		t.Errorf("%d kinds: %+v", len(d.Kinds), d.Kinds)
	}
	if text := p.String(); !strings.Contains(text, "(other), which joins the rarer values: t27, ") || !strings.Contains(text, " and 21 more") || strings.Contains(text, "fewer than 50") {
		t.Error(text)
	}
}
