package dataset

import (
	"encoding/json"
	"time"
)

// asked is what the line of a request tells beside question and documents.
type asked struct {
	time         time.Time
	conversation string
}

// read returns what has a wrong type, or "".
func (a *asked) read(f fields) (why string) {
	if raw := f["time"]; !isNull(raw) && json.Unmarshal(raw, &a.time) != nil {
		return wrongType("time", raw, `a time such as "2026-12-01T15:04:05Z"`)
	}
	var ok bool
	if a.conversation, ok = asID(f["conversation"]); !ok {
		return wrongType("conversation", f["conversation"], "a text or a number")
	}
	return ""
}
