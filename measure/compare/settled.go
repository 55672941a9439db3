package compare

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Settled are the settings of one arm as a file: what both adapters take, and what
// cmd/settings reads. Order goes where they want a core.Config, Prompt where they want a
// prompt.Config. encoding/json reads it, too, and refuses unknown keys within the two.
type Settled struct {
	// Note says where the settings come from and what speaks against them. It means
	// nothing to a program.
	Note   string        `json:"note,omitempty"`
	Order  core.Config   `json:"order"`
	Prompt prompt.Config `json:"prompt"`
	// Tokenizer names what counts the budgets that have no unit.
	Tokenizer string `json:"tokenizer,omitempty"`
}
