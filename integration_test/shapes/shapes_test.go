package shapes_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/integration_test/parts"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
)

var update = flag.Bool("update", false, "write what rule.py says to testdata")

// look is what the reference says of the first questions of a sweep.
type look struct {
	Questions int       `json:"questions"`
	Logs      []float64 `json:"logs"` // above and below 0 of start-middle, end-middle and start-end
	Any       float64   `json:"any"`
	Word      string    `json:"word"`
	Settled   bool      `json:"settled"`
}

type sweep struct {
	Documents int         `json:"documents"`
	Slots     []int       `json:"slots"`
	Rows      [][]float64 `json:"rows"`
}

// sweeps are 500 readers of all kinds, the same each time.
func sweeps(t *testing.T) []sweep {
	t.Helper()
	var all []sweep
	for i := range 500 {
		draw := rand.New(rand.NewPCG(uint64(i), 7))
		s := sweep{Documents: 2 + draw.IntN(25), Slots: []int{0}}
		for slot := 1; slot < s.Documents-1; slot++ {
			if draw.IntN(3) > 0 {
				s.Slots = append(s.Slots, slot)
			}
		}
		s.Slots = append(s.Slots, s.Documents-1)
		name := []string{"flat", "u", "inverted", "primacy", "recency", "gpt-3.5-turbo/20", "llama-2-70b-chat-repo/20"}[i%7]
		accuracy, err := simulate.Accuracy(name, s.Documents)
		if err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 { // easy and hard enough to be flat soon
			for slot := range accuracy {
				accuracy[slot] = []float64{0, .02, .5, .97, 1}[i/7%5]
			}
		}
		reader, err := simulate.NewReader(accuracy, []float64{0, .5, .9}[draw.IntN(3)], uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		graded := i%4 == 1
		for question := range 6 + draw.IntN(400) {
			row := make([]float64, len(s.Slots))
			for j, slot := range s.Slots {
				if reader.Right(question, slot) {
					row[j] = 1
				}
				if graded {
					row[j] = (3*row[j] + float64(draw.IntN(5))/4) / 4
				}
			}
			s.Rows = append(s.Rows, row)
		}
		all = append(all, s)
	}
	return all
}

const file = "testdata/words.jsonl"

// frozen is what rule.py printed.
func frozen(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t *testing.T, data []byte) [][]look {
	t.Helper()
	var all [][]look
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var looks []look
		if err := json.Unmarshal(lines.Bytes(), &looks); err != nil {
			t.Fatal(err)
		}
		all = append(all, looks)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// rounded leaves nine digits of each number, which is what is compared.
func rounded(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	round := func(v float64) float64 {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 9, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		return short
	}
	for _, looks := range parse(t, data) {
		for i := range looks {
			looks[i].Any = round(looks[i].Any)
			for j, log := range looks[i].Logs {
				looks[i].Logs[j] = round(log)
			}
		}
		line, err := json.Marshal(looks)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// The library says what the reference says: the evidence for all of it, the word, and
// whether it is settled, at three looks of 500 sweeps.
func TestShapesEqualTheReference(t *testing.T) {
	t.Parallel()
	want := parse(t, frozen(t))
	all := sweeps(t)
	if len(want) != len(all) {
		t.Fatalf("%s has %d sweeps, want %d", file, len(want), len(all))
	}
	words := map[string]int{}
	for i, s := range all {
		trial, err := shape.NewTrial(s.Documents, s.Slots)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, look := range want[i] {
			for ; next < look.Questions; next++ {
				if err := trial.Add(shape.Row{Low: s.Rows[next], High: s.Rows[next]}); err != nil {
					t.Fatal(err)
				}
			}
			v := trial.Verdict()
			contrasts := []shape.Contrast{v.StartMiddle, v.EndMiddle, v.StartEnd}
			if len(look.Logs) == 2 {
				contrasts = contrasts[2:]
			}
			for j, c := range contrasts {
				if !near(c.LogAbove, look.Logs[2*j]) || !near(c.LogBelow, look.Logs[2*j+1]) {
					t.Errorf("sweep %d, %d questions, contrast %d: above %.9g, below %.9g, want %.9g, %.9g",
						i, look.Questions, j, c.LogAbove, c.LogBelow, look.Logs[2*j], look.Logs[2*j+1])
				}
			}
			if !near(v.LogAny, look.Any) || v.Shape != core.Shape(look.Word) || v.Settled != look.Settled {
				t.Errorf("sweep %d, %d questions: got %s, settled %t, any %.9g, want %s, %t, %.9g",
					i, look.Questions, v.Shape, v.Settled, v.LogAny, look.Word, look.Settled, look.Any)
			}
			words[fmt.Sprintf("%s %t", look.Word, look.Settled)]++
		}
	}
	for _, kind := range []string{
		"U false", "U true", "inverted false", "inverted true", "primacy false", "primacy true", "recency false", "recency true", "flat true", "undecided false",
	} {
		if words[kind] < 10 {
			t.Errorf("%d looks say %s, want 10 or more: %v", words[kind], kind, words)
		}
	}
}

// What is frozen is what the reference says now. With -update it is written anew.
func TestReferenceIsWhatIsFrozen(t *testing.T) {
	t.Parallel()
	python := parts.Python(t)
	var in, out, problems bytes.Buffer
	for _, s := range sweeps(t) {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(python, "rule.py")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("rule.py: %v\n%s", err, problems.String())
	}
	if *update {
		if err := os.WriteFile(file, rounded(t, out.Bytes()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, want := parse(t, out.Bytes()), parse(t, frozen(t))
	if len(got) != len(want) {
		t.Fatalf("rule.py says %d sweeps, %s %d", len(got), file, len(want))
	}
	for i := range got {
		for j, g := range got[i] {
			w := want[i][j]
			same := g.Questions == w.Questions && g.Word == w.Word && g.Settled == w.Settled && near(g.Any, w.Any) && len(g.Logs) == len(w.Logs)
			for k := range min(len(g.Logs), len(w.Logs)) {
				same = same && near(g.Logs[k], w.Logs[k])
			}
			if !same {
				t.Errorf("sweep %d (-%s +rule.py)\n-%+v\n+%+v", i, file, w, g)
			}
		}
	}
}
