package record_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
)

func Example() {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "traffic.jsonl")

	recorder, err := record.Open(path, record.Config{Wait: 10 * time.Minute})
	if err != nil {
		panic(err)
	}
	arranger, err := core.New(core.Config{Observe: recorder.Observe})
	if err != nil {
		panic(err)
	}

	// A request: the documents are placed, the model is asked, its answer told.
	ctx := core.WithRequestID(context.Background(), "req-1")
	view := &core.View[string]{Text: func(s string) string { return s }}
	placed, err := core.Transform(ctx, arranger, []string{"best", "second", "third"}, view, core.Call{Query: "Why?"})
	if err != nil {
		panic(err)
	}
	fmt.Println(placed)
	recorder.Answer("req-1", "Because of the third [3].")

	if err := recorder.Close(); err != nil {
		panic(err)
	}
	_, err = record.Read(path, func(e record.Entry) error {
		slot, _ := e.Arrangement.SlotOf(e.Answer.Ranks[0])
		fmt.Printf("%s: cited label %d, rank %d, in slot %d; question of %d bytes, text %q\n",
			e.RequestID, e.Answer.Labels[0], e.Answer.Ranks[0], slot, e.QuestionLength, e.Documents[0].Text)
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// [best third second]
	// req-1: cited label 3, rank 2, in slot 1; question of 4 bytes, text ""
}
