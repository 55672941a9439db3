package compare

// Question is what a journal notes of a question, under its ID, so that a report
// needs no data.
type Question struct {
	Cluster   string          `json:"cluster,omitempty"` // dataset.Case.Cluster
	Kind      string          `json:"kind,omitempty"`    // dataset.Case.Kind
	Documents int             `json:"documents"`
	Gold      int             `json:"gold"`  // the rank of the best document with the answer, from 0; -1: none has it
	Golds     int             `json:"golds"` // how many have it
	Cells     map[string]Cell `json:"cells"` // by the name of the arm
}

// Cell is one arm of a question.
type Cell struct {
	Key    string `json:"key"`    // of the call; arms of one prompt share it
	Slot   int    `json:"slot"`   // where the answer's document stands; model.NoSlot: nowhere
	Size   int    `json:"size"`   // of the prompt, in bytes
	Prefix int    `json:"prefix"` // in how many bytes it begins like the baseline's
}
