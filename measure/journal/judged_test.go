package journal

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
)

func score(v float64) *float64 { return &v }

func answer(key string) Record {
	return Record{Key: key, Answer: &model.Answer{Text: "text of " + key, Usage: model.Usage{Prompt: 5}}, Attempts: 1}
}

func scored(of, by string, v float64) Record {
	return Record{Key: "call of " + by, Of: of, By: by, Score: score(v), Answer: &model.Answer{Usage: model.Usage{Prompt: 7, Completion: 1}}, Attempts: 1}
}

func failed(of, by string) Record {
	return Record{Key: "call of " + by, Of: of, By: by, Failure: &Failure{Message: "no", Judge: true}, Attempts: 2, Lost: 9}
}

func TestJudgements(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written := []Record{
		scored("early", "g", 1), answer("early"), // in any order
		answer("a"), failed("a", "g"), scored("a", "g", 0.25), scored("a", "other", 1),
		answer("b"), failed("b", "g"), answer("c"), scored("c", "other", 0.5),
		{Key: "d", Failure: &Failure{Message: "down"}},
		{Key: "call of g", Of: "e", By: "g", Score: score(0)},
		answer("e"), // shared: it took nothing
	}
	for _, r := range written {
		if err := j.Append(r); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
	}
	for name, bad := range map[string]Record{
		"twice":           scored("a", "g", 0.5),
		"above 1":         scored("c", "g", 1.1),
		"not a number":    scored("c", "g", math.NaN()),
		"by nobody":       {Key: "k", Of: "c", Score: score(1)},
		"neither":         {Key: "k", Of: "c", By: "g"},
		"both":            {Key: "k", Of: "c", By: "g", Score: score(1), Failure: &Failure{Message: "no"}},
		"words alone":     {Key: "k", Of: "c", By: "g", Answer: &model.Answer{}},
		"a scored answer": {Key: "k", Answer: &model.Answer{}, Score: score(1)},
	} {
		if err := j.Append(bad); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
	check := func(j *Journal) {
		t.Helper()
		if answered, failed := j.Len(); answered != 5 || failed != 1 || !j.Judged("g", "a") || !j.Judged("g", "e") || j.Judged("g", "b") || j.Judged("g", "c") || !j.Judged("other", "c") {
			t.Errorf("%d answered, %d failed", answered, failed)
		}
		if v, known := j.Score("call of other"); v != 0.5 || !known {
			t.Errorf("the score of a call: %v, %v", v, known)
		}
		if want := (Spent{Requests: 5 + 4 + 4, Usage: model.Usage{Prompt: 25}, Judge: model.Usage{Prompt: 4*7 + 18, Completion: 4}}); j.Spent() != want {
			t.Errorf("(-want +got)\n-%+v\n+%+v", want, j.Spent())
		}
	}
	check(j)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	check(j)

	for by, want := range map[string]map[string]any{
		"":       {"early": nil, "a": nil, "b": nil, "c": nil, "d": "down", "e": nil},
		"g":      {"early": 1.0, "a": 0.25, "b": "no", "d": "down", "e": 0.0},
		"other":  {"a": 1.0, "c": 0.5, "d": "down"},
		"nobody": {"d": "down"},
	} {
		got := map[string]any{}
		var read []Record
		reading, err := ReadJudged(path, by, func(r Record) error {
			read = append(read, r)
			switch {
			case r.Failure != nil:
				got[r.Key] = r.Failure.Message
				if r.Answer != nil {
					t.Errorf("a failure with an answer: %+v", r)
				}
			case r.Score != nil:
				got[r.Key] = *r.Score
			default:
				got[r.Key] = nil
			}
			return nil
		})
		if err != nil || !reflect.DeepEqual(got, want) || reading.Unjudged != 6-len(want) || reading.Records != len(written) || reading.Spent != j.Spent() {
			t.Errorf("by %q: (-want +got)\n-%v\n+%v, %+v, %v", by, want, got, reading, err)
		}
		if joined, unjudged := Judged(written, by); unjudged != reading.Unjudged || len(joined) != len(read) {
			t.Errorf("by %q: %d records in memory, %d in a journal", by, len(joined), len(read))
		}
	}
}
