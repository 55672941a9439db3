package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

func ExampleOpen() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "journal.jsonl")
	j, _ := journal.Open(path)
	fmt.Println(j.Append(journal.Record{Key: "k1", Answer: &model.Answer{Text: "Ada"}}))
	_, err = journal.Open(path)
	fmt.Println(strings.Replace(err.Error(), folder, "DIR", 1))
	j.Close()

	// A process that is killed in the middle of a write leaves half a line.
	file, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	file.WriteString(`{"key":"k2","ans`)
	file.Close()
	j, err = journal.Open(path)
	fmt.Println(err, j.Answered("k1"), j.Answered("k2"), j.Torn())
	j.Close()
	// Output:
	// <nil>
	// bookend: journal "DIR/journal.jsonl": another process is writing it: wait for its end, or choose another folder
	// <nil> true false 16
}
