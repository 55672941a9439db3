package layout_test

import (
	"fmt"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/layout"
)

func ExampleKeyValue() {
	pairs := []dataset.Document{{Title: "a", Text: "1"}, {Title: "b", Text: "2"}}
	fmt.Println(layout.KeyValue("Give the value of the key.", pairs, "b").Text)
	// Output:
	// Give the value of the key.
	//
	// JSON data:
	// {"a": "1",
	//  "b": "2"}
	//
	// Key: "b"
	// Corresponding value:
}

func ExampleQuestionAlone() {
	r, err := prompt.New(layout.Paper())
	if err != nil {
		panic(err)
	}
	fmt.Println(layout.QuestionAlone(r.Config(), "who wrote it?").Text)
	// Output:
	// Question: who wrote it?
	// Answer:
}
