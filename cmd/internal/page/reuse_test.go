package page

import (
	"regexp"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/replay"
)

func reuseResult(names ...string) replay.Result {
	r := replay.Result{Finding: "Another order saves nothing here: finding", Source: "lists.jsonl", Requests: 10, Curve: "curve"}
	for i, name := range names {
		accuracy, loss := 0.5, 0.01*float64(i)
		r.Rows = append(r.Rows, replay.Row{Name: name, Tokens: 100, Cached: 10 * i, Share: 0.1 * float64(i), Accuracy: &accuracy, Loss: &loss})
	}
	return r
}

func mustReuse(t *testing.T, r replay.Result) string {
	t.Helper()
	text, err := Reuse(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingRunsInReuse(t *testing.T) {
	t.Parallel()
	const hostile = "</title></text></svg>\"'><script>alert(1)</script><svg onload=alert(1)>\x1b[2J\u202e{{.Title}}"
	r := reuseResult("yours"+hostile, "other"+hostile)
	r.Finding, r.Source, r.Curve, r.Notes = "finding"+hostile, "source"+hostile, "curve"+hostile, []string{"note" + hostile}
	html := mustReuse(t, r)
	for _, bad := range []string{"<script", "<svg onload", "onload=alert(1)>", "\x1b", "\u202e", "javascript:", " style=", "href=", "src=", "url(", "@import"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, from := range []string{"finding", "source", "curve", "note", "yours", "other"} {
		if !strings.Contains(html, from+"&lt;/title&gt;") {
			t.Errorf("the text of %q does not stand there as text", from)
		}
	}
	for _, tag := range []string{"title", "svg", "text", "table", "main", "html"} {
		if opened, closed := len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(html, -1)), strings.Count(html, "</"+tag+">"); opened != closed {
			t.Errorf("<%s> is opened %d and closed %d times", tag, opened, closed)
		}
	}
	if !strings.Contains(html, `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src`) {
		t.Error("the page lacks the policy")
	}
}

// One dot for each setting, the user's own marked, and every dot within the plot.
func TestReuseDots(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]replay.Result{
		"one": reuseResult("a"), "two": reuseResult("a", "b"), "many": reuseResult("a", "b", "c", "d", "e", "f", "g"),
	} {
		for _, s := range scatters(r) {
			if len(s.Dots) != len(r.Rows) {
				t.Fatalf("%s: %d dots", name, len(s.Dots))
			}
			for i, d := range s.Dots {
				if d.Own != (i == 0) || d.X < s.Left || d.X > s.Right || d.Y < s.Top || d.Y > s.Bottom {
					t.Errorf("%s: dot %d: %+v of %+v", name, i, d, s)
				}
			}
			if len(s.Rows) < 2 || len(s.Rows) > 9 || len(s.Columns) < 2 || len(s.Columns) > 9 {
				t.Errorf("%s: %d and %d ticks", name, len(s.Rows), len(s.Columns))
			}
			if n := len(s.Dots); n > 1 && (s.Dots[1].X <= s.Dots[0].X || s.Dots[1].Y >= s.Dots[0].Y) {
				t.Errorf("%s: more given up is not farther right, or more saved not higher: %+v", name, s.Dots)
			}
		}
	}
	alike := reuseResult("a", "b", "c")
	for i := range alike.Rows {
		alike.Rows[i].Share, alike.Rows[i].Loss = 0, alike.Rows[0].Loss
	}
	for _, s := range scatters(alike) { // all in one place
		if a, b := s.Dots[0], s.Dots[1]; a.LabelY == b.LabelY && a.Anchor == b.Anchor {
			t.Errorf("two names on one another: %+v", s.Dots)
		}
	}
}

func TestReuseWithoutACurve(t *testing.T) {
	t.Parallel()
	r := reuseResult("yours", "other")
	r.Curve = ""
	html := mustReuse(t, r)
	if strings.Contains(html, "<svg") || !strings.Contains(html, "There is nothing to draw without a curve") || strings.Contains(html, "given up</th>") {
		t.Errorf("%s", html)
	}
}
