package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// Size is what Write wrote.
type Size struct {
	Requests int
	Bytes    int64
	Known    int // calls that were left out, because they have an answer or repeat a line
}

// Write writes every call of the source that the journal has no answer to as
// a batch file of OpenAI's: JSON lines with custom_id (model.Call.Key), method, url and
// body, in the order of the source. vLLM's run-batch and the batch services of
// providers read it; name and params are those of the model that the source was made with.
// j may be nil. A source whose calls depend on earlier ones is written up to there: a
// round. The size is returned because services have limits, OpenAI
// 50,000 requests and 200 MB a file.
//
// The error is that of w or of the source, journal.ErrLimit for a line
// above journal.MaxLine.
func Write(w io.Writer, source run.Source, name string, params model.Params, j *journal.Journal) (Size, error) {
	var size Size
	out := bufio.NewWriter(w)
	type request struct {
		ID     string          `json:"custom_id"`
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
	}
	url := openai.Path(params.Completion)
	written := map[string]struct{}{}
	for i := range source.Len() {
		call, err := source.Call(i)
		switch {
		case errors.Is(err, run.ErrSkip):
			continue
		case errors.Is(err, run.ErrWait), errors.Is(err, run.ErrEnough):
			return size, out.Flush()
		case err != nil:
			return size, fmt.Errorf("bookend: call %d cannot be built: %w", i, err)
		}
		_, twice := written[call.Key]
		if twice || j != nil && j.Answered(call.Key) {
			size.Known++
			continue
		}
		written[call.Key] = struct{}{}
		body, err := openai.RequestBody(name, params, call.Prompt)
		if err != nil {
			return size, err
		}
		line, err := json.Marshal(request{call.Key, "POST", url, body})
		if err != nil {
			return size, err
		}
		if len(line) >= journal.MaxLine {
			return size, fmt.Errorf("bookend: call %d makes a line of %d bytes, and %d are allowed: %w", i, len(line), journal.MaxLine, journal.ErrLimit)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return size, err
		}
		size.Requests++
		size.Bytes += int64(len(line)) + 1
	}
	return size, out.Flush()
}
