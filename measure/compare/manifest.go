package compare

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

// ArmInfo describes an arm.
type ArmInfo struct {
	Name      string        `json:"name"`
	Kind      Kind          `json:"kind"`
	Identical string        `json:"identical,omitempty"` // the arm that gives the same prompts
	Order     core.Config   `json:"order"`
	Prompt    prompt.Config `json:"prompt"`
	Reuse     *Reuse        `json:"reuse,omitempty"`
	Tokenizer string        `json:"tokenizer,omitempty"` // Arm.Tokenizer
}

// Experiment is the value of a Manifest's "experiment" key.
const Experiment = "compare"

// Manifest describes a plan: what a journal says about its records.
type Manifest struct {
	Experiment string         `json:"experiment"`
	Model      string         `json:"model"`
	Params     model.Params   `json:"params"`
	Dataset    dataset.Report `json:"dataset"`
	Questions  int            `json:"questions"`
	Seed       uint64         `json:"seed"`
	// Kinds have a verdict each, by the field of Dataset.By; none: there is one verdict.
	Kinds    []QuestionKind `json:"kinds,omitempty"`
	Arms     []ArmInfo      `json:"arms"`
	Controls int            `json:"controls"` // questions that the control arms are asked on
	Calls    int            `json:"calls"`
}
