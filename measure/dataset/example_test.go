package dataset_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookend-rag/bookend/measure/dataset"
)

// file writes lines to a file that the example opens.
func file(lines string) (path string, remove func()) {
	folder, err := os.MkdirTemp("", "bookend-example-")
	if err != nil {
		panic(err)
	}
	path = filepath.Join(folder, "questions.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		panic(err)
	}
	return path, func() { os.RemoveAll(folder) }
}

func ExampleOpen() {
	path, remove := file(`
{"question":"who founded Rome","answers":["Romulus"],"ctxs":[{"text":"Rome was founded by Romulus.","isgold":true},{"text":"Milan is in the north."}]}
{"question":"who founded Carthage","answers":["Dido"],"ctxs":[{"text":"Carthage was a rival of Rome.","isgold":true}]}
`)
	defer remove()

	data, err := dataset.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer data.Close()
	fmt.Println(data.Report())
	for i := range data.Len() {
		c, err := data.Case(i)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Question, c.Answers, len(c.Documents))
	}
	// Output:
	// 2 lines, 1 kept; 1 left out: answer absent from the gold document (line 3)
	// who founded Rome [Romulus] 2
}

func ExampleRules_Open() {
	path, remove := file(dataset.LineFormat)
	defer remove()

	_, err := dataset.Rules{MinDocuments: 20}.Open(path)
	fmt.Println(errors.Is(err, dataset.ErrNoCase))
	// Output: true
}

func ExampleError() {
	path, remove := file(dataset.LineFormat + "\nquestion,answer\n")
	defer remove()

	_, err := dataset.Open(path)
	if e := (*dataset.Error)(nil); errors.As(err, &e) {
		fmt.Println("line", e.Line, e.Rule)
	}
	// Output: line 2 is not JSON (invalid character 'q' looking for beginning of value); every line must be one JSON object, or the file one array of them
}

func ExampleKeyValues() {
	data, err := dataset.KeyValues(42, 100, 75)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := data.Case(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(data.Len(), len(c.Documents))
	fmt.Println(c.Question, c.Answers)
	// Output:
	// 100 75
	// 4f79ce1e-315a-4aab-836c-10a92c0c3beb [d7d114cd-fc9f-4706-904e-3716b6061aed]
}

func ExampleCase_WithGoldAt() {
	c := dataset.Case{
		Documents: []dataset.Document{{Title: "gold"}, {Title: "a"}, {Title: "b"}},
		Gold:      0,
	}
	for slot := range 3 {
		fmt.Print(slot, ":")
		for _, d := range c.WithGoldAt(slot, 3) {
			fmt.Print(" ", d.Title)
		}
		fmt.Println()
	}
	// Output:
	// 0: gold a b
	// 1: a gold b
	// 2: a b gold
}
