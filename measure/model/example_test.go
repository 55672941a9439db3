package model_test

import (
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/measure/model"
)

func ExampleParseRetryAfter() {
	fmt.Println(model.ParseRetryAfter("20", time.Now()))
	// Output: 20s
}

func ExampleRetryable() {
	fmt.Println(model.Retryable(&model.Error{Status: 429}), model.Retryable(&model.Error{Status: 401}))
	// Output: true false
}
