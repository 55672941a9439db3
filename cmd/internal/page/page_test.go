package page

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/sweep"
)

func hostileResult(t *testing.T) sweep.Result {
	t.Helper()
	d := sweep.Described{Manifest: sweep.Manifest{
		Model: "</title><script>alert('model')</script>", Task: dataset.QuestionAnswer, Documents: 2, Slots: []int{0, 1}, Questions: 1,
		Arms: []string{sweep.ArmClosedBook, sweep.ArmOracle, sweep.ArmSlot}, Instruction: "<script>alert('instruction')</script>\nsecond line",
		Layout: "\"><svg onload=alert(1)>",
	}}
	var records []journal.Record
	for slot, arm := range map[int]string{-1: sweep.ArmOracle, 0: sweep.ArmSlot, 1: sweep.ArmSlot} {
		records = append(records, journal.Record{
			Key: arm + string(rune('a'+slot)), Question: "q", Arm: arm, Slot: slot, Answers: []string{"<b>yes</b>"},
			Answer: &model.Answer{Text: "</pre><script>alert('answer')</script>\x1b[2J{{.Title}}"},
		})
	}
	r, err := sweep.Summarize(d, nil, records, judge.Judging{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNothingRuns(t *testing.T) {
	t.Parallel()
	for _, results := range [][]sweep.Result{{hostileResult(t)}, {hostileResult(t), hostileResult(t)}} {
		text, err := HTML(results)
		if err != nil {
			t.Fatal(err)
		}
		html := string(text)
		for _, bad := range []string{"<script", "<svg onload", "<b>yes", "\x1b", "javascript:", " style=", "href=", "src=", "url(", "@import"} {
			if strings.Contains(html, bad) {
				t.Errorf("the page holds %q", bad)
			}
		}
		for _, want := range []string{"&lt;script&gt;alert(&#39;answer&#39;)", "{{.Title}}", "prefers-color-scheme:dark", "second line", "The exact configuration"} {
			if !strings.Contains(html, want) {
				t.Errorf("no %q in the page", want)
			}
		}
	}
}

// The policy allows the page's own style sheet and nothing else.
func TestPolicy(t *testing.T) {
	t.Parallel()
	text, err := HTML([]sweep.Result{hostileResult(t)})
	if err != nil {
		t.Fatal(err)
	}
	html := string(text)
	sheet := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(html)
	if sheet == nil {
		t.Fatal("no style sheet")
	}
	sum := sha256.Sum256([]byte(sheet[1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	got := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)
	if got == nil || strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(got[1]) != want {
		t.Errorf("policy (-want +got)\n-%s\n+%q", want, got)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	plain, marked := hostileResult(t), hostileResult(t)
	marked.Simulated = true
	for _, c := range []struct {
		results []sweep.Result
		stamps  int // one a picture, wide and narrow
		banner  string
	}{
		{[]sweep.Result{plain}, 0, ""},
		{[]sweep.Result{marked}, 2, "no model was asked"},
		{[]sweep.Result{plain, marked}, 2, "In part: a simulated reader"},
	} {
		text, err := HTML(c.results)
		if err != nil {
			t.Fatal(err)
		}
		html := string(text)
		if n := strings.Count(html, `class="stamp"`); n != c.stamps {
			t.Errorf("%d stamps, want %d", n, c.stamps)
		}
		if got := strings.Contains(html, `<p class="simulated">`); got != (c.banner != "") || !strings.Contains(html, c.banner) {
			t.Errorf("banner %v, want %q", got, c.banner)
		}
	}
}

// The baselines of a simulated reader are made up, and the page says so.
func TestSimulatedBaselines(t *testing.T) {
	t.Parallel()
	plain, marked := hostileResult(t), hostileResult(t)
	marked.Simulated = true
	bare := marked
	bare.ClosedBook, bare.Oracle = nil, nil
	for _, c := range []struct {
		name    string
		results []sweep.Result
		want    int
	}{
		{"measured", []sweep.Result{plain}, 0},
		{"simulated", []sweep.Result{marked}, 1},
		{"simulated without baselines", []sweep.Result{bare}, 0},
		{"in part", []sweep.Result{plain, marked, marked}, 1},
	} {
		text, err := HTML(c.results)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "without documents (closed-book) it is right 0.8 times"); n != c.want {
			t.Errorf("%s: the note stands there %d times, want %d", c.name, n, c.want)
		}
	}
}

func TestWithoutACurve(t *testing.T) {
	t.Parallel()
	r, err := sweep.Summarize(sweep.Described{Manifest: sweep.Manifest{Model: "m", Documents: 2, Slots: []int{0, 1}, Questions: 1}}, nil, nil, judge.Judging{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := HTML([]sweep.Result{r})
	if err != nil || strings.Contains(string(text), "<svg") || !strings.Contains(string(text), "There is no curve to draw") {
		t.Errorf("error %v, page:\n%s", err, text)
	}
}
