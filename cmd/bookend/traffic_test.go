package main

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// recorded writes a record file of simulated traffic, each entry changed first.
func recorded(t *testing.T, requests int, start time.Time, change func(i int, e *record.Entry)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traffic.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(record.Header); err != nil {
		t.Fatal(err)
	}
	s := traffic.Simulation{
		Curve: []float64{1.6, 1.1, 0.8, 0.7, 0.8, 1.4}, Relevance: traffic.FallingRelevance(6, 0.4, 0.8), Quiet: 0.1, Spread: 0.3,
	}
	i := 0
	lines := json.NewEncoder(file)
	err = s.Entries(requests, start, func(e record.Entry) error {
		if change != nil {
			change(i, &e)
		}
		i++
		return lines.Encode(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var monday = time.Date(2026, 2, 2, 8, 0, 0, 0, time.UTC)

func TestCurveOfTraffic(t *testing.T) {
	t.Parallel()
	first := recorded(t, 1500, monday, nil)
	second := recorded(t, 1500, monday.Add(24*time.Hour), func(i int, e *record.Entry) { e.Arm = map[bool]string{true: record.Configured, false: e.Arm}[i%3 == 0] })
	out := filepath.Join(t.TempDir(), "out")
	text := mustRun(t, "curve", "--traffic", first, second, "--out", out)
	for _, part := range []string{
		"3000 recorded requests, 2500 of them shuffled; 3000 answered.",
		"simulated, 6 documents, up to 2048 tokens, n = 2500",
		"\n1     ", "\n6     ",
		"start minus end", "10^9 or more    up",
		"U: documents at both ends are used more than those in the middle.",
		"Between 2 spans of time no drift is found",
		"traffic.json, traffic.csv, curve.json, traffic.svg, traffic.png, report.html",
	} {
		if !tells(text, part) {
			t.Errorf("the output lacks %q:\n%s", part, text)
		}
	}
	next := `p, err := core.ParsePlacement("measured=`
	if page := read(t, out, "report.html"); !strings.Contains(text, next+out+`/curve.json")`) || !strings.Contains(page, html.EscapeString(next+`curve.json")`)) {
		t.Errorf("what to do next is not told by:\n%s\nor by the page:\n%s", text, page)
	}
	curve, err := core.LoadCurve(filepath.Join(out, "curve.json"))
	if err != nil {
		t.Fatal(err)
	}
	if curve.Kind != core.CurveOfUse || curve.Shape != core.ShapeU || curve.Questions != 2500 || curve.Accuracy[0] != 1 {
		t.Errorf("%+v", curve)
	}
	var result traffic.Result
	if err := json.Unmarshal([]byte(read(t, out, "traffic.json")), &result); err != nil || result.Curves[0].Requests != 2500 {
		t.Errorf("traffic.json: %v, %+v", err, result)
	}
	if lines := strings.Count(read(t, out, "traffic.csv"), "\n"); lines != 7 {
		t.Errorf("traffic.csv has %d lines", lines)
	}
	if svg := read(t, out, "traffic.svg"); !strings.Contains(svg, "<svg") {
		t.Errorf("traffic.svg: %.100s", svg)
	}
	// The same again writes nothing new; other files are not overwritten.
	if again := mustRun(t, "curve", "--traffic", first, second, "--out", out); again != text {
		t.Error("the same files give another report")
	}
	if o := command(t, "curve", "--traffic", first, "--out", out); o.code != exitFailed || !strings.Contains(o.err, "--force") {
		t.Errorf("over other files: %+v", o)
	}
}

// With a share of zero the command says how large a share would do.
func TestDryCount(t *testing.T) {
	t.Parallel()
	path := recorded(t, 2000, monday, func(i int, e *record.Entry) {
		e.Arm = record.Configured
		e.Time = monday.Add(time.Duration(i) * time.Minute)
		if i%4 == 0 {
			e.Answer = &record.Answer{}
		}
	})
	text := mustRun(t, "curve", "--traffic", path)
	for _, part := range []string{"2000 recorded requests, 0 of them shuffled", "cite nothing", "shuffled and answered requests of different questions give every slot a standard error of 7 %", "a share of 1 % takes"} {
		if !tells(text, part) {
			t.Errorf("the output lacks %q:\n%s", part, text)
		}
	}
}

// Traffic that can make no curve is unfit: the reason with its figure, a remedy, no curve
// file, and an exit code of its own. Beside a curve that was found it is told alone.
func TestUnfitTraffic(t *testing.T) {
	t.Parallel()
	ranked := func(_ int, e *record.Entry) {
		for slot := range e.Arrangement.Slots {
			e.Arrangement.Slots[slot] = core.Placed{Index: slot, Rank: slot, Label: slot + 1}
		}
	}
	path := recorded(t, 600, monday, ranked)
	out := filepath.Join(t.TempDir(), "out")
	o := command(t, "curve", "--traffic", path, "--out", out)
	if o.code != exitUnfit || o.err != "" && !strings.HasPrefix(o.err, "Reading ") { // which a slow machine says
		t.Errorf("code %d, %s", o.code, o.err)
	}
	for _, part := range []string{"unfit, so that no shape is said: 59", " of 600 shuffled requests (", "where 10 % are allowed)", "Leave the order of the shuffled share", "In " + out + ": traffic.json, traffic.csv, report.html\n"} {
		if !tells(o.out, part) {
			t.Errorf("the output lacks %q:\n%s", part, o.out)
		}
	}
	for _, word := range []string{"flat", "primacy", "contrast"} {
		if strings.Contains(o.out, word) {
			t.Errorf("the output says %q:\n%s", word, o.out)
		}
	}
	if csv := read(t, out, "traffic.csv"); !strings.HasSuffix(csv, ",unfit,,,,,,\n") {
		t.Errorf("traffic.csv: %s", csv)
	}
	var result traffic.Result
	if err := json.Unmarshal([]byte(read(t, out, "traffic.json")), &result); err != nil || result.Curves[0].Unfit == nil || result.Curves[0].Unfit.Rule == "" {
		t.Errorf("traffic.json: %v, %+v", err, result)
	}

	good := recorded(t, 1500, monday, func(_ int, e *record.Entry) { e.Model = "good" })
	text := mustRun(t, "curve", "--traffic", path, good)
	if !strings.Contains(text, "U: documents at both ends") || !strings.Contains(text, "unfit") {
		t.Errorf("with a good curve:\n%s", text)
	}
	some := recorded(t, 1500, monday, func(i int, e *record.Entry) {
		if i%20 == 0 {
			ranked(i, e)
		}
	})
	if text := mustRun(t, "curve", "--traffic", some); !strings.Contains(text, "75 further requests left out: not in the random order") {
		t.Errorf("with some:\n%s", text)
	}
}

// One question, asked over and over, is one observation, and is told so.
func TestTrafficOfFewQuestions(t *testing.T) {
	t.Parallel()
	path := recorded(t, 1500, monday, func(i int, e *record.Entry) { e.QuestionHash = string(rune('a' + i%2)) })
	text := mustRun(t, "curve", "--traffic", path)
	for _, part := range []string{"Requests of one ID or one question count as one, which makes 2 independent ones.", "for 2 independent questions, and a curve needs 30"} {
		if !tells(text, part) {
			t.Errorf("the output lacks %q:\n%s", part, text)
		}
	}
}

func TestCurveOfHostileTraffic(t *testing.T) {
	t.Parallel()
	path := recorded(t, 300, monday, func(_ int, e *record.Entry) { e.Model = "=cmd\x1b[31m\u202e" })
	out := filepath.Join(t.TempDir(), "out")
	text := mustRun(t, "curve", "--traffic", path, "--out", out)
	for name, got := range map[string]string{"the terminal": text, "traffic.json": read(t, out, "traffic.json"), "traffic.csv": read(t, out, "traffic.csv"), "traffic.svg": read(t, out, "traffic.svg"), "curve.json": read(t, out, "curve.json"), "report.html": read(t, out, "report.html")} {
		if strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s gets what a terminal obeys", name)
		}
	}
	if !strings.Contains(read(t, out, "traffic.csv"), "\n'=cmd") {
		t.Error("traffic.csv has a formula")
	}
}

func TestBadTraffic(t *testing.T) {
	t.Parallel()
	good := recorded(t, 10, monday, nil)
	other := write(t, filepath.Join(t.TempDir(), "notes.txt"), "notes\n")
	damaged := write(t, filepath.Join(t.TempDir(), "damaged.jsonl"), record.Header+"{]\n{]\n")
	for name, test := range map[string]struct {
		args []string
		code int
		err  string
	}{
		"no file":         {[]string{"curve"}, exitUsage, "--traffic"},
		"missing":         {[]string{"curve", "--traffic", good + "x"}, exitUsage, "cannot be opened"},
		"another file":    {[]string{"curve", "--traffic", other}, exitUsage, "with which every record file begins"},
		"damaged":         {[]string{"curve", "--traffic", damaged}, exitFailed, "line 2"},
		"twice":           {[]string{"curve", "--traffic", good, good}, exitUsage, "given twice"},
		"a short window":  {[]string{"curve", "--traffic", good, "--window", "1ms"}, exitUsage, "--window is 1ms"},
		"too few at all":  {[]string{"curve", "--traffic", good}, exitDone, ""},
		"unknown setting": {[]string{"curve", "--traffic", good, "--what"}, exitUsage, "--what"},
	} {
		if o := command(t, test.args...); o.code != test.code || !strings.Contains(o.err, test.err) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// estimate takes a curve of use, and says what a shuffled share costs.
func TestEstimateOfAShare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	curve := write(t, filepath.Join(dir, "curve.json"),
		`{"format":"bookend-curve/1","kind":"use","model":"m","documents":3,"questions":500,"shape":"primacy","slots":[0,1,2],"accuracy":[1,0.5,0.3]}`)
	lists := write(t, filepath.Join(dir, "lists.jsonl"),
		`{"question":"Which capital?","answers":["Paris"],"ctxs":[{"text":"It is Paris.","isgold":true},{"text":"Other."},{"text":"More."}]}`+"\n")
	text := strings.Join(strings.Fields(mustRun(t, "estimate", "--data", lists, "--curve", curve, "--share", "0.1")), " ")
	for _, part := range []string{
		"The curve says what answers cite (bookend curve), not what is right.",
		"In random order the estimate is 60.0 %: each shuffled request costs 40.00 points against ranked, and a share of 10 % costs 4.000 points over all.",
	} {
		if !tells(text, part) {
			t.Errorf("the output lacks %q:\n%s", part, text)
		}
	}
	if text := mustRun(t, "estimate", "--data", lists, "--curve", curve); strings.Contains(text, "random order") {
		t.Errorf("without --share:\n%s", text)
	}
	if o := command(t, "estimate", "--data", lists, "--curve", curve, "--share", "10"); o.code != exitUsage || !strings.Contains(o.err, "--share is 10") {
		t.Errorf("%+v", o)
	}
}
