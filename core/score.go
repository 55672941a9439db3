package core

import (
	"encoding/json"
	"math"
	"strconv"
)

// Score is a document's score in an arrangement. NaN means that it has none, or
// that none could be read. As JSON it is a number, null for NaN, and "+Inf" or
// "-Inf" for an infinity.
type Score float64

// Known says whether there is a score.
func (s Score) Known() bool { return s == s }

// String returns the score as short as it can be read back, "-" for none.
func (s Score) String() string {
	if !s.Known() {
		return "-"
	}
	if isFloat32(float64(s)) {
		return strconv.FormatFloat(float64(s), 'g', -1, 32)
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}

// MarshalJSON writes the form described at Score.
func (s Score) MarshalJSON() ([]byte, error) {
	switch {
	case !s.Known():
		return []byte("null"), nil
	case math.IsInf(float64(s), 0):
		return json.Marshal(s.String())
	}
	return json.Marshal(float64(s))
}

// UnmarshalJSON reads the form described at Score.
func (s *Score) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*s = Score(math.NaN())
	case `"+Inf"`:
		*s = Score(math.Inf(1))
	case `"-Inf"`:
		*s = Score(math.Inf(-1))
	default:
		return json.Unmarshal(data, (*float64)(s))
	}
	return nil
}

// short is the score for a table, to four digits.
func (s Score) short() string {
	if !s.Known() {
		return "-"
	}
	return strconv.FormatFloat(float64(s), 'g', 4, 64)
}

// isFloat32 says whether a score fits into a float32, as all of langchaingo's do. A
// float32 of 0.7 is below 0.7: it is compared, and printed, as what it stands for.
func isFloat32(score float64) bool { return float64(float32(score)) == score }
