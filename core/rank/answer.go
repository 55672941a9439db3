package rank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// errNoList says that an answer holds no list of scores, so that it may be a
// complaint.
var errNoList = errors.New(`it is not a list, and has no "results", "rankings", "data" or "scores" that is one`)

// readScores reads an answer to n texts. It is a list, or holds one, by itself or in
// an "output", a "data" or a "result":
//
//	{"results": [{"index": 0, "relevance_score": 0.9}, …]}   Cohere, Jina, vLLM, llama.cpp
//	{"data": [{"index": 0, "relevance_score": 0.9}, …]}      Voyage; "score" for others
//	{"rankings": [{"index": 0, "logit": 0.9}, …]}            NVIDIA NIM
//	{"output": {"results": [{"index": 0, …}, …]}}            DashScope
//	[{"index": 0, "score": 0.9}, …]                          Hugging Face TEI
//	[{"corpus_id": 0, "score": 0.9}, …]                      Sentence Transformers
//	{"scores": [0.9, …]}, or [0.9, …]                        by the order of the texts
//
// Each score goes to the text of its index, whatever the order. What has none, or
// null, gets NaN. An index that is missing, out of range or there twice, a list of
// numbers of another length, and an answer without any score, are errors: nobody can
// tell which score is whose. No more than n results are read.
func readScores(answer []byte, n int) ([]float64, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(answer, &whole); err != nil {
		return nil, err
	}
	list := findList(whole, 1)
	if list == nil {
		return nil, errNoList
	}
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = math.NaN()
	}
	if err := fill(scores, list); err != nil {
		return nil, err
	}
	for _, score := range scores {
		if !math.IsNaN(score) {
			return scores, nil
		}
	}
	return nil, fmt.Errorf("it has no score for any of %d texts", n)
}

// findList returns the list of an answer, or nil; deeper is how many objects around
// it may be opened.
func findList(answer json.RawMessage, deeper int) json.RawMessage {
	if begins(answer, '[') {
		return answer
	}
	var object struct{ Results, Rankings, Data, Scores, Output, Result json.RawMessage }
	if !begins(answer, '{') || json.Unmarshal(answer, &object) != nil {
		return nil
	}
	for _, list := range []json.RawMessage{object.Results, object.Rankings, object.Data, object.Scores} {
		if begins(list, '[') {
			return list
		}
	}
	if deeper == 0 {
		return nil
	}
	for _, inner := range []json.RawMessage{object.Output, object.Data, object.Result} {
		if list := findList(inner, deeper-1); list != nil {
			return list
		}
	}
	return nil
}

func begins(value json.RawMessage, with byte) bool {
	value = bytes.TrimSpace(value)
	return len(value) > 0 && value[0] == with
}

// result is one entry of a list, by any of its names.
type result struct {
	Index     *int
	CorpusID  *int     `json:"corpus_id"`
	Relevance *float64 `json:"relevance_score"`
	Camel     *float64 `json:"relevanceScore"` // Amazon Bedrock
	Score     *float64
	Logit     *float64
}

func (r result) index() *int {
	if r.Index != nil {
		return r.Index
	}
	return r.CorpusID
}

func (r result) score() float64 {
	for _, score := range []*float64{r.Relevance, r.Camel, r.Score, r.Logit} {
		if score != nil {
			return *score
		}
	}
	return math.NaN()
}

// fill puts the scores of a list to their texts.
func fill(scores []float64, list json.RawMessage) error {
	entries := json.NewDecoder(bytes.NewReader(list))
	if _, err := entries.Token(); err != nil {
		return err
	}
	n, numbers, seen := 0, false, make([]bool, len(scores))
	for ; entries.More(); n++ {
		if n == len(scores) {
			return fmt.Errorf("it has more results than the %d texts that were sent", n)
		}
		var entry json.RawMessage
		if err := entries.Decode(&entry); err != nil {
			return err
		}
		if n == 0 {
			numbers = !begins(entry, '{')
		}
		if numbers {
			var score *float64
			if err := json.Unmarshal(entry, &score); err != nil {
				return err
			}
			if score != nil {
				scores[n] = *score
			}
			continue
		}
		var r result
		if err := json.Unmarshal(entry, &r); err != nil {
			return err
		}
		at := r.index()
		switch {
		case at == nil:
			return fmt.Errorf("result %d has no index", n)
		case *at < 0 || *at >= len(scores):
			return fmt.Errorf("result %d has index %d, but %d texts were sent", n, *at, len(scores))
		case seen[*at]:
			return fmt.Errorf("index %d is there twice", *at)
		}
		seen[*at], scores[*at] = true, r.score()
	}
	if numbers && n != len(scores) {
		return fmt.Errorf("it is a list of %d numbers, but %d texts were sent", n, len(scores))
	}
	return nil
}

// complaint returns what the server says in an answer that should have been a
// success, "" for nothing.
func complaint(answer []byte, err error) string {
	if !errors.Is(err, errNoList) {
		return ""
	}
	text, _, _ := httpsafe.Words(answer)
	return text
}
