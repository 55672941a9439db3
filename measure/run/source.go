package run

import (
	"errors"

	"github.com/bookend-rag/bookend/measure/model"
)

// Source is what Run asks: the plan of a sweep or of a comparison, or a list of calls
// of another experiment.
//
// Call builds call i, from 0 to Len()-1; Run asks for each in order, from one
// goroutine. With ErrEnough it says that no further call is needed, with ErrSkip that
// this one is not, and with ErrWait that it depends on how calls end that were built
// before: it is then asked for again. Manifest
// describes the whole for the journal, as what encoding/json can write; it must
// hold no secret.
type Source interface {
	Len() int
	Call(i int) (model.Call, error)
	Manifest() any
}

// ErrSkip is what the Call of a Source returns for a call that need not be made.
var ErrSkip = errors.New("this call is not needed")

// ErrWait is what the Call of a Source returns while calls are open on which it depends.
var ErrWait = errors.New("this call depends on others that have not ended")

// ErrEnough is what the Call of a Source returns when what is known is enough. Run
// then begins nothing new, waits for what is open, and returns no error.
var ErrEnough = errors.New("no further call is needed")
