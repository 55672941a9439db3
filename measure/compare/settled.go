package compare

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/strictjson"
)

// Settled are the settings of one arm as a file: what both adapters take. Order goes
// where they want a core.Config, Prompt where they want a prompt.Config.
type Settled struct {
	// Note says where the settings come from and what speaks against them. It means
	// nothing to a program.
	Note   string        `json:"note,omitempty"`
	Order  core.Config   `json:"order"`
	Prompt prompt.Config `json:"prompt"`
}

// ParseSettled reads such a file. Unknown keys are errors, and so is what core.New
// and prompt.New refuse.
func ParseSettled(data []byte) (Settled, error) {
	var s Settled
	if err := strictjson.Unmarshal(data, &s); err != nil {
		return Settled{}, fmt.Errorf("bookend: settings must be JSON of the form {\"order\":{…},\"prompt\":{…}}: %w", err)
	}
	_, _, err := prompt.Compile(s.Prompt, s.Order, false, false)
	return s, err
}
