package page

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/stats"
	"github.com/bookend-rag/bookend/measure/traffic"
)

func TestTrafficPage(t *testing.T) {
	t.Parallel()
	const hostile = "</title><script>alert(1)</script>\x1b[2J"
	contrast := &traffic.Contrast{Is: "open", Evidence: 1}
	curve := traffic.Curve{
		Key: traffic.Key{Model: "m" + hostile, Documents: 3}, Requests: 300, Units: 300, Finding: "found" + hostile,
		Verdict: &traffic.Verdict{StartMiddle: contrast, EndMiddle: contrast, StartEnd: contrast},
	}
	for slot, used := range []float64{1.4, 0.5, 1.1} {
		curve.Slots = append(curve.Slots, traffic.Slot{Slot: slot, Cited: 10, Expected: 10, Used: used, Interval: stats.Interval{Low: used - 0.2, High: used + 0.2}})
	}
	text, err := Traffic(traffic.Result{Curves: []traffic.Curve{curve, {Finding: "too few"}}}, []string{"counts" + hostile})
	if err != nil {
		t.Fatal(err)
	}
	html := string(text)
	for _, bad := range []string{"<script", "\x1b"} {
		if strings.Contains(html, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{
		"found&lt;/title&gt;", "counts&lt;/title&gt;", "the average slot", "which holds at every look", `<svg class="narrow"`,
		"<title>slot 1: 1.40, 95 % interval 1.20 to 1.60</title>", `tabindex="0" role="region"`, "too few", "There is nothing to draw.",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	empty, err := Traffic(traffic.Result{}, nil)
	if err != nil || !strings.Contains(string(empty), "There is no curve") {
		t.Errorf("a page of nothing: %v\n%s", err, empty)
	}
}
