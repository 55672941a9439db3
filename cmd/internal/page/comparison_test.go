package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/stats"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// hostileComparison tries to break out of the page wherever a text comes from
// outside.
func hostileComparison() compare.Result {
	const hostile = "</title></text></svg>\"'><script>alert(1)</script><svg onload=alert(1)>\x1b[2J\u202e{{.Title}}"
	arm := func(name string, kind compare.Kind) compare.ArmResult {
		return compare.ArmResult{
			Name: name, Kind: kind,
			Against: &compare.Against{
				Counts: stats.Counts{Wins: 1, Same: 9}, Difference: 0.1, Sequence: stats.Interval{Low: -0.2, High: 0.4},
				Fixed: &compare.Fixed{McNemar: 1, Bootstrap: stats.Interval{Low: 0, High: 0.3}},
			},
		}
	}
	same := arm("same"+hostile, compare.Challenger)
	same.Identical = "base" + hostile
	return compare.Result{
		Finding: "Reorder: " + hostile, Decision: compare.Decision{Word: evidence.Reorder, Winner: "new" + hostile}, Model: "model" + hostile, Date: "date" + hostile,
		Scorer: "scorer" + hostile, JudgedBy: "full answer", Rule: evidence.Rule{Alpha: 0.05, Worthwhile: 0.03},
		Questions: compare.Questions{Planned: 10, Counted: 10},
		Arms: []compare.ArmResult{
			{Name: "base" + hostile, Kind: compare.Baseline},
			arm("new"+hostile, compare.Challenger), same, arm("shuffle"+hostile, compare.Shuffle),
		},
		Strata: []compare.Stratum{{Name: hostile, Questions: 10, Arms: make([]compare.Tally, 4)}},
		Notes:  []string{"note" + hostile},
		Setup:  []run.Setting{{Name: "name" + hostile, Value: "value" + hostile + "\nsecond line"}},
	}
}

func mustPage(t *testing.T, r compare.Result) string {
	t.Helper()
	text, err := Comparison(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingRunsInAComparison(t *testing.T) {
	t.Parallel()
	r := hostileComparison()
	r.SameQuestions, r.Simulated = true, true
	html := mustPage(t, r)
	for _, bad := range []string{"<script", "<svg onload", "onload=alert(1)>", "\x1b", "\u202e", "javascript:", " style=", "href=", "src=", "url(", "@import"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, from := range []string{"Reorder: ", "model", "date", "scorer", "base", "new", "same", "shuffle", "note", "name", "value"} {
		if !strings.Contains(html, from+"&lt;/title&gt;") {
			t.Errorf("the text of %q does not stand there as text", from)
		}
	}
	for _, tag := range []string{"title", "svg", "text", "table", "main", "html"} {
		if opened, closed := len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(html, -1)), strings.Count(html, "</"+tag+">"); opened != closed {
			t.Errorf("<%s> is opened %d and closed %d times", tag, opened, closed)
		}
	}
}

func TestComparisonHasThePolicy(t *testing.T) {
	t.Parallel()
	html := mustPage(t, hostileComparison())
	sweepPage, err := HTML([]sweep.Result{hostileResult(t)})
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`(?s)<meta charset.*?<title>`)
	sheet := regexp.MustCompile(`(?s)<style>.*?</style>`)
	for _, part := range []*regexp.Regexp{head, sheet} {
		want, got := part.FindString(string(sweepPage)), part.FindString(html)
		if want == "" || got != want {
			t.Errorf("head (-want +got)\n-%s\n+%s", want, got)
		}
	}
}

func TestComparisonMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		simulated, same bool
		stamps          int // wide and narrow
	}{{false, false, 0}, {true, false, 2}, {false, true, 2}, {true, true, 4}} {
		r := hostileComparison()
		r.Simulated, r.SameQuestions = c.simulated, c.same
		html := mustPage(t, r)
		if n := strings.Count(html, `class="stamp"`); n != c.stamps {
			t.Errorf("%+v: %d stamps", c, n)
		}
		for mark, want := range map[string]bool{"SIMULATED": c.simulated, "FITTED ON THE SAME QUESTIONS": c.same} {
			if got := strings.Contains(html, `<p class="warning"><strong>`+mark+`</strong>`); got != want {
				t.Errorf("%+v: warning %s: %v", c, mark, got)
			}
			if got := strings.Contains(strings.SplitN(html, "</title>", 2)[0], mark); got != want {
				t.Errorf("%+v: %s in the title: %v", c, mark, got)
			}
		}
	}
}

// The verdict is the first sentence under the heading, and the rest follows.
func TestComparisonOrder(t *testing.T) {
	t.Parallel()
	r := hostileComparison()
	r.Finding, r.Winner, r.Arms[1].Name = "Reorder: it pays.", "new", "new"
	r.Arms[1].Counts.Failed = 1
	html := mustPage(t, r)
	at := 0
	for _, want := range []string{
		"</h1>\n<p class=\"finding\">Reorder: it pays.</p>", `<svg class="wide"`, `<svg class="narrow"`, "worthwhile gain: &#43;3",
		"Each arm against the baseline", "How sure that is", "McNemar p", "What was right, by arm", "By where the answer stood",
		"What became of the calls", "takes its question out of the figures of every arm", "What it cost", "<h2>Notes</h2>",
		"<code>settings.json</code> beside this page holds the settings of <strong>new</strong>. ", "The exact configuration",
	} {
		i := strings.Index(html[at:], want)
		if i < 0 {
			t.Fatalf("no %q, or not in its place", want)
		}
		at += i
	}
}

func TestComparisonUntilDecided(t *testing.T) {
	t.Parallel()
	r := hostileComparison()
	r.UntilDecided = true
	for i := range r.Arms {
		if r.Arms[i].Against != nil {
			r.Arms[i].Against.Fixed = nil
		}
	}
	html := mustPage(t, r)
	for _, bad := range []string{"McNemar", "Holm", "ootstrap", "etectable", "95 % interval"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(html, "with 95 % confidence sequence") {
		t.Error("the axis does not name the confidence sequence")
	}
}

func TestComparisonOfNothing(t *testing.T) {
	t.Parallel()
	html := mustPage(t, compare.Result{
		Finding: "Keep a: every challenger gives the same prompts as it.", Decision: compare.Decision{Word: evidence.Keep, Winner: "a"}, Rule: evidence.Rule{Alpha: 0.05, Worthwhile: 0.03},
		Arms: []compare.ArmResult{{Name: "a", Kind: compare.Baseline}, {Name: "b", Kind: compare.Challenger, Identical: "a", Against: &compare.Against{}}},
	})
	for _, want := range []string{"There is nothing to draw", "identical to a", "<strong>a</strong>, the baseline"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in:\n%s", want, html)
		}
	}
	for _, bad := range []string{"<svg", "What was right", "By where", "How sure", "Notes"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}
