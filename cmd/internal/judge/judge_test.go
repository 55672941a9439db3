package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/core"
)

// file writes a curve of three slots.
func file(t *testing.T, documents, last, shape, accuracy, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "curve.json")
	text := fmt.Sprintf(`{"format": "bookend-curve/1", "documents": %s, "shape": %q, "slots": [0, 4, %s], "accuracy": [%s]%s}`, documents, shape, last, accuracy, more)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A curve of more documents than anybody shows a model is refused, and costs nothing.
func TestLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ documents, last string }{{"1001", "1000"}, {"3000000000", "2999999999"}, {"9000000000000000000", "8999999999999999999"}} {
		if _, err := judge.Load(file(t, c.documents, c.last, "recency", "0.1, 0.2, 0.9", "")); err == nil || !strings.Contains(err.Error(), "1000 at most") {
			t.Errorf("%s documents: %v", c.documents, err)
		}
	}
	for name, documents := range map[string]int{"gpt-3.5-turbo": 20, "GPT-3.5-Turbo/10": 10, "Llama-2-70B-chat": 20} {
		if c, err := judge.Load(name); err != nil || c.Documents != documents || c.File != "" {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := judge.Load("nobody's"); err == nil || !strings.Contains(err.Error(), "gpt-3.5-turbo/10|20") {
		t.Errorf("an unknown name: %v", err)
	}
	path := file(t, "10", "9", "recency", "0.1, 0.2, 0.9", `, "questions": 50, "model": "m"`)
	if c, err := judge.Load(path); err != nil || c.File != path || c.String() != "m, 10 documents, 50 questions" {
		t.Errorf("%v, %v", c, err)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, shape, accuracy, more string
		order                       core.Placement
		want                        string
	}{
		{"loses beyond noise", "recency", "0.3, 0.4, 0.9", `, "questions": 500`, core.RankOrder, "decided, loses to reversed"},
		{"wins", "recency", "0.3, 0.4, 0.9", `, "questions": 500`, core.Reversed, "decided"},
		{"loses within noise", "recency", "0.80, 0.81, 0.82", `, "questions": 50`, core.RankOrder, "decided"},
		{"nobody knows how many", "recency", "0.3, 0.4, 0.9", "", core.RankOrder, ""},
		{"of use", "recency", "0.3, 0.4, 0.9", `, "questions": 500, "kind": "use"`, core.RankOrder, "loses to reversed"},
		{"flat", "flat", "0.3, 0.4, 0.9", `, "questions": 500`, core.RankOrder, "decided, fine"},
		{"primacy", "primacy", "0.9, 0.4, 0.3", `, "questions": 500`, core.RankOrder, "decided, fine"},
		{"primacy, reversed", "primacy", "0.9, 0.4, 0.3", `, "questions": 500`, core.Reversed, "decided, loses to ranked"},
	} {
		curve, err := judge.Load(file(t, "10", "9", c.shape, c.accuracy, c.more))
		if err != nil {
			t.Fatal(err)
		}
		v, err := curve.Judge(c.order, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if v.Decided {
			got = append(got, "decided")
		}
		if v.Fine {
			got = append(got, "fine")
		}
		if v.Loses {
			got = append(got, "loses to "+v.Better.String())
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}
