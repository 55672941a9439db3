package traffic

import (
	"cmp"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// DefaultWindow is what Options takes for zero.
const DefaultWindow = 24 * time.Hour

// Options say what is told apart. The zero value tells models and prompt sizes
// apart, and days.
type Options struct {
	// Together makes one curve of all models and prompt sizes. Prompts with another
	// number of documents always have a curve of their own.
	Together bool
	// Window is the length of the spans of time that drift is looked for between,
	// from midnight UTC. 0 means DefaultWindow.
	Window time.Duration
}

func (o Options) withDefaults() (Options, error) {
	o.Window = cmp.Or(o.Window, DefaultWindow)
	if o.Window < time.Second {
		return o, &core.ConfigError{Field: "Window", Value: o.Window, Rule: "must be 1s or longer, such as 24h"}
	}
	return o, nil
}

// Key says which prompts share a curve.
type Key struct {
	Model string `json:"model,omitempty"`
	// Documents is the number of documents in each prompt.
	Documents int `json:"documents"`
	// UpTo bounds the size of the prompts, in tokens where they were recorded and
	// else in bytes of the documents, by a power of two; the next lower one bounds it
	// from below. 0 where sizes are not told apart.
	UpTo int    `json:"up_to,omitempty"`
	Unit string `json:"unit,omitempty"` // "tokens" or "bytes"
}

// String names the key for people.
func (k Key) String() string {
	name := cmp.Or(k.Model, "unnamed model")
	name += fmt.Sprintf(", %d documents", k.Documents)
	if k.UpTo > 0 {
		name += fmt.Sprintf(", up to %d %s", k.UpTo, k.Unit)
	}
	return name
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Model, other.Model), cmp.Compare(k.Documents, other.Documents),
		cmp.Compare(k.Unit, other.Unit), cmp.Compare(k.UpTo, other.UpTo))
}
