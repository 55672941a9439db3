package compare

import (
	"fmt"
	"math"
	"strconv"
)

// ranges are the strata by the rank of the answer.
var ranges = []struct{ from, to int }{{0, 0}, {1, 1}, {2, 4}, {5, 9}, {10, 19}, {20, math.MaxInt}, {-1, -1}}

func stratumName(from, to int) string {
	switch {
	case from < 0:
		return "answer in no document"
	case from == to:
		return "answer at rank " + strconv.Itoa(from+1)
	}
	return fmt.Sprintf("answer at rank %d to %d", from+1, to+1)
}
