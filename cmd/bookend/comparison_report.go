package main

import (
	"fmt"
	"io"

	"github.com/bookend-rag/bookend/core/sweep/compare"
)

func publishComparison(to io.Writer, dir string, force bool, r compare.Result) error {
	fmt.Fprintln(to, r.Finding)
	return nil
}
