package dataset

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// index reads every line of from, which is what d.file holds or comes to hold, keeps
// the offsets of the usable ones, and reports the others.
func (d *Dataset) index(from io.Reader) error {
	seen := map[[8]byte]struct{}{}
	for lines := newLineReader(from, d.rules.MaxLine); ; {
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
			if err.Line = lines.Number; d.report.Lines == 1 {
				spread(line, err)
			}
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
		c, elsewhere, reason, why := d.parse(line, d.rules)
		c.Line = lines.Number
		if !d.take(seen, c, elsewhere, reason, why) {
			continue
		}
		d.entries = append(d.entries, entry{
			offset: offset, length: int32(len(line)), line: int32(lines.Number), sum: crc32.ChecksumIEEE(line),
		})
	}
	return d.finish()
}

// finish ends the reading of the cases.
func (d *Dataset) finish() error {
	if units := d.clusters.seal(); units < d.report.Kept {
		d.report.Clusters = units
	}
	return d.report.finish()
}

// take counts a case, and says whether it is one of the dataset's.
func (d *Dataset) take(seen map[[8]byte]struct{}, c Case, elsewhere bool, reason Reason, why string) bool {
	if reason == "" {
		id := idBytes(c.ID)
		if _, twice := seen[id]; twice && !d.rules.Requests {
			reason = DuplicateQuestion
		}
		seen[id] = struct{}{}
	}
	if reason == "" && d.rules.Choose != nil && !d.rules.Choose(c.ID) {
		reason = NotChosen
	}
	if reason != "" {
		d.report.leaveOut(reason, c.Line, why)
		return false
	}
	d.report.keep(c, elsewhere)
	d.clusters.add(c)
	return true
}

// recognize looks at the keys of the first line.
func (d *Dataset) recognize(line []byte) *Error {
	var keys fields
	err := json.Unmarshal(line, &keys)
	has := func(key string) bool { _, ok := keys[key]; return ok }
	switch {
	case err != nil || keys == nil:
		return &Error{Rule: fmt.Sprintf("is %s; %s", kindOf(line), d.wanted()), Err: ErrOtherFormat}
	case has("ordered_kv_records") && d.rules.Lists:
		return &Error{Rule: "is a key-value line, which no retriever returned: give question-answer lines", Err: ErrOtherFormat}
	case has("ordered_kv_records"):
		d.parse, d.report.Task = parseKV, KeyValue
	case (has("question") || d.rules.Lists) && has("ctxs"):
		d.parse, d.report.Task, d.report.Lists = parseQA, QuestionAnswer, d.rules.Lists
		d.report.Labels, d.report.By = d.rules.Labels.sum(), d.rules.By
	default:
		return &Error{Rule: fmt.Sprintf("has %s; %s", keys.names(), cmp.Or(keys.converter(), d.wanted()+keys.nested())), Err: ErrOtherFormat}
	}
	return nil
}

// wanted says what a line must be, in the form that is asked for.
func (d *Dataset) wanted() string {
	if d.rules.Lists {
		return "a line of lists is such as " + ListFormat
	}
	return "a line is such as " + LineFormat + ", or has ordered_kv_records, key and value"
}

// converter says which conversion knows a line by its keys; empty for none.
func (f fields) converter() string {
	has := func(keys ...string) bool {
		for _, key := range keys {
			if _, ok := f[key]; !ok {
				return false
			}
		}
		return true
	}
	from := ""
	switch {
	case has("question", "context", "supporting_facts"):
		from = "hotpotqa FILE"
	case has("query", "passages"):
		from = "msmarco FILE"
	case has("user_input", "retrieved_contexts"), has("question", "contexts"):
		from = "ragas FILE"
	case has("_id", "text"):
		from = "beir CORPUS QUERIES QRELS RUN"
	default:
		return ""
	}
	return "it looks like a file that \"bookend data " + from + "\" converts"
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
