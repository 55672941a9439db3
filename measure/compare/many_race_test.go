//go:build race

package compare

// manyQuestions is smaller where everything is slower.
const manyQuestions = 3_000
