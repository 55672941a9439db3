package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/measure/judge"
)

const (
	lineA = `{"question":"who sang it","answers":["Lisa"],"ctxs":[{"id":"7","title":"Song","text":"Sung by Lisa.","isgold":true,"hasanswer":true,"score":"9.1"},{"id":8,"title":"Other","text":"Nothing here."}]}`
	lineB = `{"question":"where is it","answers":["Rome"],"ctxs":[{"text":"Far away."},{"title":"Rome","text":"A city.","isgold":true}]}`
	lineK = `{"ordered_kv_records":[["k1","v1"],["k2","v2"],["k3","v3"]],"key":"k2","value":"v2"}`
)

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, rules Rules, path string) *Dataset {
	t.Helper()
	d, err := rules.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func zip(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOpenQuestions(t *testing.T) {
	t.Parallel()
	want := []Case{
		{
			ID: questionID("who sang it"), Task: QuestionAnswer, Line: 1, Question: "who sang it", Answers: []string{"Lisa"},
			Documents: []Document{{ID: "7", Title: "Song", Text: "Sung by Lisa."}, {ID: "8", Title: "Other", Text: "Nothing here."}}, Golds: []int{0},
		},
		{
			ID: questionID("where is it"), Task: QuestionAnswer, Line: 2, Question: "where is it", Answers: []string{"Rome"},
			Documents: []Document{{Text: "Far away."}, {Title: "Rome", Text: "A city."}}, Gold: 1, Golds: []int{1},
		},
	}
	for name, content := range map[string]string{
		"plain":                       lineA + "\n" + lineB + "\n",
		"no end of the last line":     lineA + "\n" + lineB,
		"Windows line ends":           lineA + "\r\n" + lineB + "\r\n",
		"byte order mark":             "\xEF\xBB\xBF" + lineA + "\n" + lineB,
		"gzipped":                     zip(t, lineA+"\n"+lineB+"\n"),
		"gzipped, with all of these":  zip(t, "\xEF\xBB\xBF"+lineA+"\r\n"+lineB),
		"gzipped in two members":      zip(t, lineA+"\n") + zip(t, lineB+"\n"),
		"white space around the line": " \t" + lineA + " \n" + lineB,
	} {
		d := open(t, Rules{}, write(t, content))
		if d.Len() != 2 || d.Task() != QuestionAnswer {
			t.Errorf("%s: %d cases of %s, want 2 of question-answer", name, d.Len(), d.Task())
			continue
		}
		for i := range want {
			if got, err := d.Case(i); err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%s: case %d (-want +got)\n-%+v\n+%+v\n%v", name, i, want[i], got, err)
			}
		}
	}
}

func TestBlankLinesAreCountedAndLinesKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	path := write(t, "\n \t\r\n"+lineA+"\n\n"+lineB+"\n\n")
	d := open(t, Rules{}, path)
	want := Report{
		Path: path, Task: QuestionAnswer, Lines: 2, Blank: 4, Kept: 2, MinDocuments: 2, MaxDocuments: 2,
	}
	if got := d.Report(); !reflect.DeepEqual(got, want) {
		t.Errorf("report (-want +got)\n-%+v\n+%+v", want, got)
	}
	c, err := d.Case(1)
	if err != nil || c.Line != 5 || c.Question != "where is it" {
		t.Errorf("case 1 is %+v, %v; want line 5", c, err)
	}
}

// Each line is left out for the reason beside it, and the good lines around it
// stay.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	passages := func(s string) string { return `{"question":"q","answers":["Rome"],"ctxs":[` + s + `]}` }
	gold := `{"text":"Rome is big.","isgold":true}`
	for _, test := range []struct {
		line string
		want Reason
	}{
		{`{"answers":["Rome"],"ctxs":[` + gold + `]}`, NotForm},
		{`{"question":"q","ctxs":[` + gold + `]}`, NotForm},
		{`{"question":"q","answers":["Rome"]}`, NotForm},
		{`{"question":null,"answers":["Rome"],"ctxs":[` + gold + `]}`, NotForm},
		{`{"question":5,"answers":["Rome"],"ctxs":[` + gold + `]}`, NotForm},
		{`{"question":"q","answers":{"a":"Rome"},"ctxs":[` + gold + `]}`, NotForm},
		{`{"question":"q","answers":["Rome",null],"ctxs":[` + gold + `]}`, NotForm},
		{`{"question":"q","answers":["Rome"],"ctxs":` + gold + `}`, NotForm},
		{passages(`5`), NotForm},
		{passages(gold + `,{"text":5}`), NotForm},
		{passages(gold + `,{"body":"Milan"}`), EmptyDocument},
		{passages(`{"text":"Rome","isgold":"yes"}`), NotForm},
		{`["q"]`, NotForm},
		{`5`, NotForm},
		{`null`, NotForm},
		{lineK, NotForm},
		{`{"question":" \t","answers":["Rome"],"ctxs":[` + gold + `]}`, EmptyQuestion},
		{`{"question":"","answers":[],"ctxs":[]}`, EmptyQuestion},
		{`{"question":"q","answers":[],"ctxs":[` + gold + `]}`, NoAnswer},
		{`{"question":"q","answers":["The","-"],"ctxs":[` + gold + `]}`, NoAnswer},
		{passages(``), TooFewDocuments},
		{passages(gold + `,{"title":"t","text":" "}`), EmptyDocument},
		{passages(gold + `,null`), EmptyDocument},
		{passages(`{"text":"Rome","isgold":false},{"text":"Rome"}`), NoGold},
		{passages(gold + `,` + gold), TwoGolds},
		{passages(`{"title":"Italy","text":"Milan","isgold":true},{"text":"Rome"}`), AnswerNotInGold},
		{lineA, DuplicateQuestion},
		{strings.Replace(lineA, "who sang it", " WHO  sang it", 1), DuplicateQuestion},
	} {
		d := open(t, Rules{}, write(t, lineA+"\n\n"+test.line+"\n"+lineB))
		want := []LeftOut{{test.want, []int{3}, ""}}
		if r := d.Report(); r.Kept != 2 || r.Lines != 3 || !reflect.DeepEqual(withoutWhy(r), want) {
			t.Errorf("%s\nleft out (-want +got)\n-%v\n+%v", test.line, want, r.LeftOut)
		}
		if c, err := d.Case(1); err != nil || c.Line != 4 {
			t.Errorf("%s\ncase 1 is %+v, %v; want line 4", test.line, c, err)
		}
	}
}

// withoutWhy leaves out the words about the first line of a reason.
func withoutWhy(r Report) []LeftOut {
	for i := range r.LeftOut {
		r.LeftOut[i].Why = ""
	}
	return r.LeftOut
}

func TestReasonsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, write(t, strings.Join([]string{lineA, lineA, "null", lineB, lineB, "5"}, "\n")))
	want := []LeftOut{{NotForm, []int{3, 6}, ""}, {DuplicateQuestion, []int{2, 5}, ""}}
	if got := withoutWhy(d.Report()); !reflect.DeepEqual(got, want) {
		t.Errorf("left out (-want +got)\n-%v\n+%v", want, got)
	}
}

// What is too long is not read to its end.
func TestLineReaderStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	file := strings.NewReader(strings.Repeat("x", 1<<22))
	lines := newLineReader(file, 1<<16)
	if _, _, err := lines.read(); !errors.Is(err, ErrLimit) || file.Len() < 1<<21 {
		t.Errorf("%d bytes are left, error %v", file.Len(), err)
	}
}

func TestEmptyFileIsCalledEmpty(t *testing.T) {
	t.Parallel()
	if _, err := Open(write(t, "\n")); err == nil || !strings.HasSuffix(err.Error(), ": is empty") {
		t.Errorf("error is %v", err)
	}
}

// A line that was left out does not make a later one a duplicate.
func TestDuplicateOfALineLeftOut(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, write(t, strings.Replace(lineA, `"isgold":true`, `"isgold":false`, 1)+"\n"+lineA))
	if r := d.Report(); r.Kept != 1 || len(r.LeftOut) != 1 || r.LeftOut[0].Reason != NoGold {
		t.Errorf("report is %v", r)
	}
}

func TestTooFewDocuments(t *testing.T) {
	t.Parallel()
	three := strings.Replace(lineA, `]}`, `,{"text":"Third."}]}`, 1)
	three = strings.Replace(three, "who", "who else", 1)
	path := write(t, lineA+"\n"+three)
	for minimum, kept := range map[int]int{0: 2, 1: 2, 2: 2, 3: 1} {
		d := open(t, Rules{MinDocuments: minimum}, path)
		if r := d.Report(); r.Kept != kept || r.MaxDocuments != 3 || r.MinDocuments != 3-(kept-1) {
			t.Errorf("at least %d documents: %+v, want %d kept", minimum, r, kept)
		}
	}
	if r := open(t, Rules{}, write(t, three+"\n"+lineA)).Report(); r.MinDocuments != 2 || r.MaxDocuments != 3 {
		t.Errorf("the longer case first: %+v, want 2 to 3 documents", r)
	}
	if _, err := (Rules{MinDocuments: 4}).Open(path); !errors.Is(err, ErrNoCase) {
		t.Errorf("at least 4 documents: error is %v, want ErrNoCase", err)
	}
}

func TestAnswerElsewhere(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, write(t, lineB+"\n"+strings.Replace(lineA, `"text":"Nothing here."`, `"text":"Lisa","hasanswer":true`, 1)))
	if got := d.Report().AnswerElsewhere; !reflect.DeepEqual(got, []int{2}) {
		t.Errorf("answer elsewhere in lines %v, want 2", got)
	}
}

func TestScorerFindsTheGoldAnswer(t *testing.T) {
	t.Parallel()
	path := write(t, `{"question":"q","answers":["^L.sa?$"],"ctxs":[{"title":"Lisa","text":"x","isgold":true}]}`)
	if _, err := Open(path); !errors.Is(err, ErrNoCase) {
		t.Errorf("as plain text: error is %v, want ErrNoCase", err)
	}
	open(t, Rules{Scorer: judge.Regexp}, path)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return `{"question":"q","ctxs":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	values := func(n int) string { return `{"question":"q","ctxs":[` + strings.Repeat("1,", n-3) + `1]}` }
	for _, test := range []struct {
		name    string
		rules   Rules
		content string
		line    int
		want    error
	}{
		{"not JSON", Rules{}, lineA + "\n\n" + `{"question":` + "\n" + lineB, 3, ErrNotJSON},
		{"torn last line", Rules{}, lineA + "\n" + lineB[:40], 2, ErrNotJSON},
		{"two values in a line", Rules{}, lineA + lineB, 1, ErrNotJSON},
		{"JSON over several lines", Rules{}, "{\n\"question\":\"q\"\n}", 1, ErrNotJSON},
		{"not UTF-8", Rules{}, lineA + "\n" + strings.Replace(lineB, "Far", "F\xe4r", 1), 2, ErrNotJSON},
		{"UTF-16", Rules{}, "\xff\xfe{\x00", 0, ErrNotJSON},
		{"a NUL", Rules{}, lineA + "\n\x00\n", 2, ErrNotJSON},
		{"a later byte order mark", Rules{}, lineA + "\n\xEF\xBB\xBF" + lineB, 2, ErrNotJSON},
		{"CSV", Rules{}, "question,answer\nq,a\n", 1, ErrNotJSON},
		{"a JSON array of arrays", Rules{}, "[[" + lineA + "]]", 1, ErrOtherFormat},
		{"a JSON array that is not closed", Rules{}, "[" + lineA + ",", 0, ErrNotJSON},
		{"a JSON array and a line", Rules{}, "[" + lineA + "]\n" + lineB, 0, ErrNotJSON},
		{"an empty array", Rules{}, "[]", 0, ErrNoCase},
		{"an array with a broken item", Rules{}, "[" + lineA + `, {"question": ]`, 0, ErrNotJSON},
		{"other keys", Rules{}, "\n" + `{"prompt":"q","completion":"a"}`, 2, ErrOtherFormat},
		{"question without passages", Rules{}, `{"question":"q","answer":["a"]}`, 1, ErrOtherFormat},
		{"empty", Rules{}, "", 0, ErrNoCase},
		{"blank", Rules{}, "\n\n", 0, ErrNoCase},
		{"empty, gzipped", Rules{}, zip(t, ""), 0, ErrNoCase},
		{"all lines bad", Rules{}, strings.Replace(lineA, `"isgold":true`, `"isgold":false`, 1), 0, ErrNoCase},
		{"line too long", Rules{MaxLine: len(lineA) - 1}, lineB + "\n" + lineA + "\n", 2, ErrLimit},
		{"line too long, not JSON", Rules{}, lineA + "\n" + strings.Repeat("x", DefaultMaxLine+1), 2, ErrLimit},
		{"line too long, all of it line ends", Rules{MaxLine: 1 << 18}, lineA + "\n" + strings.Repeat("\r", 1<<20), 2, ErrLimit},
		{"too many lines", Rules{MaxLines: 1}, lineA + "\n\n" + lineB, 3, ErrLimit},
		{"unpacks to too much", Rules{MaxUnpacked: int64(len(lineA)) - 1}, zip(t, lineA), 0, ErrLimit},
		{"nests too deep", Rules{}, lineA + "\n" + deep(maxDepth+1), 2, ErrLimit},
		{"nests too deep, not JSON", Rules{}, "{" + strings.Repeat("[", 1<<20), 1, ErrLimit},
		{"nests too deep, in an array", Rules{}, "[" + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + "]", 1, ErrLimit},
		{"too many values", Rules{}, lineA + "\n" + values(maxValues+1), 2, ErrLimit},
		{"gzip of nonsense", Rules{}, "\x1f\x8bnonsense", 0, gzip.ErrHeader},
		{"negative lines", Rules{MaxLines: -1}, lineA, 0, ErrLimit},
		{"negative line", Rules{MaxLine: -1}, lineA, 0, ErrLimit},
		{"negative documents", Rules{MinDocuments: -1}, lineA, 0, ErrLimit},
		{"negative size", Rules{MaxUnpacked: -1}, lineA, 0, ErrLimit},
		{"a size that overflows", Rules{MaxUnpacked: 1<<63 - 1}, zip(t, lineA), 0, ErrLimit},
	} {
		path := write(t, test.content)
		d, err := test.rules.Open(path)
		e := (*Error)(nil)
		if d != nil || !errors.As(err, &e) || !errors.Is(err, test.want) || e.Line != test.line || e.Path != path {
			t.Errorf("%s: error is %v, want %v in line %d", test.name, err, test.want, test.line)
		}
	}
}

// What the limits still allow is read.
func TestAtTheLimits(t *testing.T) {
	t.Parallel()
	with := func(extra string) string { return strings.TrimSuffix(lineA, "}") + `,"x":` + extra + "}" }
	deepest := with(strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1))
	most := with("[" + strings.Repeat("1,", maxValues-17) + "1]")
	if n := strings.Count(most, ",") + strings.Count(most, "[") + strings.Count(most, "{"); n != maxValues {
		t.Fatalf("the line has %d values, want %d", n, maxValues)
	}
	for name, test := range map[string]struct {
		rules   Rules
		content string
	}{
		"depth":            {Rules{}, deepest},
		"values":           {Rules{}, most},
		"brackets in text": {Rules{}, with(`"\"` + strings.Repeat("[{,", maxValues) + `"`)},
		"length":           {Rules{MaxLine: len(lineA)}, lineA + "\r\n"},
		"unpacked":         {Rules{MaxUnpacked: int64(len(lineA))}, zip(t, lineA)},
		"lines":            {Rules{MaxLines: 1}, "\n" + lineA + "\n\n"},
		"the longest line": {Rules{}, with(`"` + strings.Repeat("x", DefaultMaxLine-len(lineA)-7) + `"`)},
	} {
		if d := open(t, test.rules, write(t, test.content)); d.Len() != 1 {
			t.Errorf("%s: %d cases, want 1", name, d.Len())
		}
	}
}

func TestTruncatedGzipIsRefused(t *testing.T) {
	t.Parallel()
	packed := zip(t, lineA+"\n"+lineB)
	for _, cut := range []int{1, 9, len(packed) - 3} {
		d, err := Open(write(t, packed[:len(packed)-cut]))
		if d != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "cannot be unpacked") {
			t.Errorf("without its last %d bytes: error is %v", cut, err)
		}
	}
	wrong := []byte(packed)
	wrong[len(wrong)-5]++ // of the checksum
	if _, err := Open(write(t, string(wrong))); !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("with a wrong checksum: error is %v", err)
	}
}

// A first line that cannot be used is refused before the rest is unpacked: the rest is
// cut off here, and nothing says so.
func TestBadFirstLineIsRefusedFirst(t *testing.T) {
	t.Parallel()
	rest := strings.Repeat("\n", 1<<20)
	for first, want := range map[string]error{
		"no JSON\n":                            ErrNotJSON,
		`{"prompt":"q"}` + "\n":                ErrOtherFormat,
		`[{"prompt":"q"},`:                     ErrOtherFormat,
		strings.Repeat("x", DefaultMaxLine+10): ErrLimit,
	} {
		packed := zip(t, first+rest)
		_, err := Open(write(t, packed[:len(packed)-10]))
		if e := (*Error)(nil); !errors.As(err, &e) || !errors.Is(err, want) || e.Line != 1 {
			t.Errorf("%.20q: error is %v, want %v in line 1", first, err, want)
		}
	}
}

func TestOpenWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := Open(folder); !errors.Is(err, ErrOtherFormat) {
		t.Errorf("a folder: error is %v", err)
	}
	missing := filepath.Join(folder, "missing")
	_, err := Open(missing)
	if e := (*Error)(nil); !errors.As(err, &e) || e.Path != missing || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: error is %v", err)
	}
}

// No temporary file outlives its dataset, whether it opened or not.
func TestTemporaryFiles(t *testing.T) {
	folder := t.TempDir()
	good, bad := write(t, zip(t, lineA)), write(t, zip(t, "nonsense"))
	t.Setenv("TMPDIR", folder)
	t.Setenv("TMP", folder)
	left := func() int {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	d := open(t, Rules{}, good)
	if runtime.GOOS != "windows" && left() != 0 {
		t.Error("the temporary file has a name while it is open, and a killed process would leave it")
	}
	if err := d.Close(); err != nil || left() != 0 {
		t.Errorf("after Close: %d files are left, error %v", left(), err)
	}
	if _, err := Open(bad); err == nil || left() != 0 {
		t.Errorf("after a refusal: %d files are left, error %v", left(), err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "missing"))
	t.Setenv("TMP", filepath.Join(folder, "missing"))
	if _, err := Open(good); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder for temporary files: error is %v", err)
	}
}

// A refused file does not stay open.
func TestRefusalClosesTheFile(t *testing.T) {
	t.Parallel()
	path := write(t, "nonsense")
	if _, err := Open(path); err == nil {
		t.Fatal("nonsense opened")
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(open) == 0 {
		t.Skip("this system does not list open files")
	}
	for _, link := range open {
		if target, err := os.Readlink(link); err == nil && target == path {
			t.Errorf("%s is still open", path)
		}
	}
}

// Where a name cannot go while the file is open, Close removes it.
func TestCloseRemovesTheTemporaryFile(t *testing.T) {
	t.Parallel()
	path := write(t, lineA)
	d := open(t, Rules{}, path)
	d.remove = path
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("the second Close returned %v", err)
	}
}

func TestDatasetErrorNamesFileLineAndRule(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]Error{
		`bookend: dataset "a\x1b.jsonl", line 3: is odd`: {Path: "a\x1b.jsonl", Line: 3, Rule: "is odd"},
		`bookend: dataset "a": is odd`:                   {Path: "a", Rule: "is odd"},
		`bookend: dataset: is odd`:                       {Rule: "is odd"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("(-want +got)\n-%s\n+%s", want, got)
		}
	}
}

func TestCaseErrors(t *testing.T) {
	t.Parallel()
	path := write(t, lineA+"\n"+lineB)
	d := open(t, Rules{}, path)
	for _, i := range []int{-1, 2} {
		if _, err := d.Case(i); !errors.Is(err, ErrNoSuchCase) {
			t.Errorf("Case(%d): error is %v", i, err)
		}
	}
	changed := lineA + "\n" + strings.Replace(lineB, "Far", "Not", 1)
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Case(0); err != nil {
		t.Errorf("a line that is as it was: %v", err)
	}
	_, err := d.Case(1)
	if e := (*Error)(nil); !errors.Is(err, ErrChanged) || !errors.As(err, &e) || e.Line != 2 || e.Path != path {
		t.Errorf("a changed line: error is %v", err)
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Case(0); !errors.Is(err, ErrChanged) {
		t.Errorf("a truncated file: error is %v", err)
	}
	d.Close()
	if _, err := d.Case(0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: error is %v", err)
	}
}

func TestCaseConcurrently(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, write(t, lineA+"\n"+lineB))
	var group sync.WaitGroup
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range 50 {
				c, err := d.Case((g + i) % 2)
				if err != nil || c.Line != 1+(g+i)%2 {
					t.Errorf("case %d is %+v, %v", (g+i)%2, c, err)
				}
			}
		}()
	}
	group.Wait()
}

func TestReportIsTheCallers(t *testing.T) {
	t.Parallel()
	twice := strings.Replace(lineB, `"Far away."`, `"Rome","hasanswer":true`, 1)
	d := open(t, Rules{}, write(t, twice+"\n"+twice))
	want := fmt.Sprint(d.Report())
	r := d.Report()
	r.LeftOut[0].Lines[0], r.LeftOut[0].Reason, r.AnswerElsewhere[0] = 99, NoGold, 99
	if got := fmt.Sprint(d.Report()); got != want {
		t.Errorf("report after a write to it (-want +got)\n-%s\n+%s", want, got)
	}
}

func TestReportString(t *testing.T) {
	t.Parallel()
	var r Report
	for line := range 12 {
		r.leaveOut(DuplicateQuestion, line+2, "")
	}
	r.leaveOut(NoGold, 20, "it is so")
	_ = r.finish()
	r.Lines, r.Kept, r.AnswerElsewhere = 14, 1, []int{1}
	want := "14 lines, 1 kept; 1 left out: no gold document (line 20: it is so); " +
		"12 left out: duplicate question (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, and 2 more); " +
		"1 kept although another document also holds an answer (line 1)"
	if got := r.String(); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

func TestLineFormatOpens(t *testing.T) {
	t.Parallel()
	if r := open(t, Rules{MinDocuments: 2}, write(t, LineFormat)).Report(); r.Kept != 1 {
		t.Errorf("report is %v", r)
	}
}

// The questions of the examples have one document each.
func TestHandbook(t *testing.T) {
	t.Parallel()
	d := open(t, Rules{}, filepath.Join("..", "..", "examples", "handbook", "questions.jsonl"))
	r := d.Report()
	if r.Kept < 100 || r.Kept != r.Lines || r.MinDocuments != 1 || r.MaxDocuments != 1 {
		t.Errorf("report is %+v; want every line, with one document each", r)
	}
	for i := range d.Len() {
		c, err := d.Case(i)
		if err != nil || len(c.WithGoldAt(0, 1)) != 1 {
			t.Fatalf("case %d is %+v, %v", i, c, err)
		}
	}
}

// publishedForm finds samples in the form of Liu et al., which are not ours to
// ship.
func publishedForm(t *testing.T, name string) *Dataset {
	t.Helper()
	folder := os.Getenv("BOOKEND_DATA")
	if folder == "" {
		t.Skip("set BOOKEND_DATA to a folder with " + name)
	}
	return open(t, Rules{}, filepath.Join(folder, name))
}

func TestPublishedForms(t *testing.T) {
	for _, test := range []struct {
		name             string
		task             Task
		cases, documents int
		first            string
		scorer           judge.Scorer
	}{
		{"kv-75-first50.jsonl.gz", KeyValue, 50, 75, "", judge.Exact},
		{"nq-derived-20docs-gold_at_0-100q.jsonl.gz", QuestionAnswer, 100, 20, "who is the girl in green day 21 guns", judge.BestSubspan},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := publishedForm(t, test.name)
			r := d.Report()
			if r.Task != test.task || r.Kept != test.cases || r.Lines != test.cases ||
				r.MinDocuments != test.documents || r.MaxDocuments != test.documents {
				t.Errorf("report is %+v", r)
			}
			for i := range d.Len() {
				c, err := d.Case(i)
				if err != nil {
					t.Fatal(err)
				}
				last := c.WithGoldAt(test.documents-1, test.documents)[test.documents-1]
				if test.scorer.Score(last.Text, c.Answers) != 1 {
					t.Errorf("case %d: the gold document does not hold the answer", i)
				}
				if i == 0 && test.first != "" && c.Question != test.first {
					t.Errorf("the first question is %q", c.Question)
				}
			}
		})
	}
}
