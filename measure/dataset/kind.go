package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// ByDocuments is the field of Rules.By that needs no field in the file: how many documents
// a question has.
const ByDocuments = "documents"

const (
	maxKind  = 200   // bytes of the value of a field
	maxKinds = 1_000 // different values
)

// kindIn reads the kind of a line: a text, a number, true or false; empty where the line
// has no such field.
func kindIn(f fields, by string, documents int) (kind, fault string) {
	raw, there := f[by]
	if !there && by == ByDocuments {
		return strconv.Itoa(documents), ""
	}
	kind, ok := asKind(raw)
	if !ok {
		return "", wrongType(by, raw, fmt.Sprintf("a text of at most %d bytes, a number, true or false: it names the kind of the question", maxKind))
	}
	return kind, ""
}

func asKind(raw json.RawMessage) (kind string, ok bool) {
	raw = bytes.TrimSpace(raw)
	if s := string(raw); s == "true" || s == "false" {
		return s, true
	}
	kind, ok = asID(raw)
	return kind, ok && len(kind) <= maxKind
}

// checkKinds refuses a field that splits the cases into nothing, or into too much.
func (r *Report) checkKinds() error {
	if r.By == "" || r.Kept == 0 {
		return nil
	}
	_, none := r.Kinds[""]
	switch {
	case none && len(r.Kinds) == 1:
		return &Error{Rule: fmt.Sprintf("has no line with %q, which is to name the kind of each question", r.By), Err: ErrOtherFormat}
	case len(r.Kinds) > maxKinds:
		return &Error{Rule: fmt.Sprintf("has %d different values of %q; %d are allowed, since a kind is what many questions share", len(r.Kinds), r.By, maxKinds), Err: ErrLimit}
	}
	return nil
}
