package table

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/sweep"
)

func TestText(t *testing.T) {
	t.Parallel()
	got := Text([]string{"name", "n"}, [][]string{{"ü", "10"}, {"longer", "–"}})
	want := "name     n\nü       10\nlonger   –"
	if got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

func TestUnansweredIsNotZero(t *testing.T) {
	t.Parallel()
	r := sweep.Result{Model: "-1", Slots: []sweep.ArmResult{{Arm: sweep.ArmSlot, Slot: 3, Counts: judge.Counts{Planned: 2, Failed: 2}}}}
	_, rows := Accuracy(r)
	if got := strings.Join(rows[0], " "); got != "slot 4 0 0 – – – –" {
		t.Errorf("row of an arm without answers: %q", got)
	}
	text, err := CSV([]sweep.Result{r})
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Split(string(text), "\n")[1]
	if want := "no,'-1,,,,0,,,slot,4,0,0,,,,0,,,,,,,2,0,2,0,0,0,0"; line != want {
		t.Errorf("CSV (-want +got)\n-%s\n+%s", want, line)
	}
	if _, rows := Counts(r); len(rows) != 2 || rows[1][0] != "slot 4" {
		t.Errorf("counts leave out an arm with failures: %q", rows)
	}
}
