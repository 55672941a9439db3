package compare

import (
	"testing"

	"github.com/bookend-rag/bookend/core/sweep"
)

func TestRunAndSummarize(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 200, 20, 0.5), armsOf(t, "ranked", "reversed"), nil)
	j := mustJournal(t)
	progress, err := Run(t.Context(), p, described(p, nil), reader(t, published(t, "llama-2-70b-chat-repo").At(20)), j, sweep.Limits{Concurrency: 8})
	if err != nil || progress.Answered != 200*6 {
		t.Fatalf("%+v, %v", progress, err)
	}
	r, err := SummarizeJournal(j.Path(), nil)
	if err != nil || r.Questions.Counted != 200 || r.Winner != "reversed" {
		t.Errorf("%+v, %v", r.Finding, err)
	}
}
