package search

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
)

// Some indexes of bleve score by TF-IDF, whatever model the mapping names. Only an
// explanation of a score tells.
func TestScoresAreThoseOfBM25(t *testing.T) {
	x, err := New([]string{"a tent", "a boot", "a stove"})
	if err != nil {
		t.Fatal(err)
	}
	match := bleve.NewMatchQuery("tent")
	match.SetField("text")
	result, err := x.bleve.Search(bleve.NewSearchRequestOptions(match, 1, 0, true))
	if err != nil || len(result.Hits) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	if why := result.Hits[0].Expl.String(); !strings.Contains(why, "saturation") {
		t.Errorf("no saturation, a term of BM25, in:\n%s", why)
	}
}
