package fitness_test

import (
	"fmt"

	"github.com/bookend-rag/bookend/measure/fitness"
)

// A model that answers nothing is found out after 13 questions.
func ExampleCheck() {
	var check fitness.Check
	for asked := 1; asked <= 1000; asked++ {
		check.Add(fitness.Question{Calls: 3, Empty: 3, Judged: 3})
		if unfit := check.Comparison(); unfit != nil {
			fmt.Println(unfit.Rule)
			fmt.Println(unfit.Reason)
			break
		}
	}
	// Output:
	// no-answers
	// 39 of 39 calls gave no answer: 39 empty, 0 refused, 0 failed (13 questions)
}
