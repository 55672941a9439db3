//go:build !race

package compare

// manyQuestions puts the standard error of a difference at about a quarter of a
// point.
const manyQuestions = 20_000
