package dataset

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// index reads every line, keeps the offsets of the usable ones, and reports the
// others.
func (d *Dataset) index() error {
	seen := map[[8]byte]struct{}{}
	for lines := newLineReader(d.file, d.rules.MaxLine); ; {
		line, offset, err := lines.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			d.report.Blank++
			continue
		}
		if d.report.Lines++; d.report.Lines > d.rules.MaxLines {
			return &Error{
				Line: lines.Number, Err: ErrLimit,
				Rule: fmt.Sprintf("is one line too many; %d are allowed", d.rules.MaxLines),
			}
		}
		if err := checkLine(line); err != nil {
			err.Line = lines.Number
			return err
		}
		if d.rules.Lists && isHeader(line) {
			d.report.Lines--
			d.report.Blank++
			continue
		}
		if d.parse == nil {
			if err := d.recognize(line); err != nil {
				err.Line = lines.Number
				return err
			}
		}
		c, elsewhere, reason := d.parse(line, d.rules)
		if reason == "" {
			id := idBytes(c.ID)
			if _, twice := seen[id]; twice {
				reason = DuplicateQuestion
			}
			seen[id] = struct{}{}
		}
		if reason == "" && d.rules.Choose != nil && !d.rules.Choose(c.ID) {
			reason = NotChosen
		}
		if reason != "" {
			d.report.leaveOut(reason, lines.Number)
			continue
		}
		c.Line = lines.Number
		d.report.keep(c, elsewhere)
		d.entries = append(d.entries, entry{
			offset: offset, length: int32(len(line)), line: int32(lines.Number), sum: crc32.ChecksumIEEE(line),
		})
	}
	d.report.sort()
	switch {
	case d.report.Lines == 0:
		return &Error{Rule: "is empty", Err: ErrNoCase}
	case d.report.Kept == 0:
		return &Error{Rule: "has no usable case: " + d.report.String(), Err: ErrNoCase}
	}
	return nil
}

// recognize looks at the keys of the first line.
func (d *Dataset) recognize(line []byte) *Error {
	var keys map[string]json.RawMessage
	err := json.Unmarshal(line, &keys)
	has := func(key string) bool { _, ok := keys[key]; return ok }
	switch {
	case err == nil && has("ordered_kv_records") && d.rules.Lists:
		return &Error{Rule: "is a key-value line, which no retriever returned: give question-answer lines", Err: ErrOtherFormat}
	case err == nil && has("ordered_kv_records"):
		d.parse, d.report.Task = parseKV, KeyValue
	case err == nil && (has("question") || d.rules.Lists) && has("ctxs"):
		d.parse, d.report.Task, d.report.Lists = parseQA, QuestionAnswer, d.rules.Lists
		d.report.Labels = d.rules.Labels.sum()
	default:
		return &Error{
			Rule: "is neither a question-answer line, such as " + LineFormat +
				", nor a key-value line with ordered_kv_records, key and value",
			Err: ErrOtherFormat,
		}
	}
	return nil
}

// isHeader says that a line opens a file that core/record wrote.
func isHeader(line []byte) bool {
	var keys map[string]json.RawMessage
	return bytes.HasPrefix(line, []byte(`{"record":`)) && json.Unmarshal(line, &keys) == nil && len(keys) == 1
}

func idBytes(id string) (b [8]byte) {
	raw, _ := hex.DecodeString(id) // made by hashID
	copy(b[:], raw)
	return b
}
