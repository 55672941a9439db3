module github.com/bookend-rag/bookend/measure

go 1.24.4

require (
	github.com/bookend-rag/bookend v0.0.0
	gonum.org/v1/gonum v0.17.0
)

replace github.com/bookend-rag/bookend => ../
