package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// foreign are the beginnings of files that hold no lines of JSON, what each is, and how
// to make lines of it.
var foreign = []struct{ begins, is string }{
	{"PAR1", "is Parquet: write it as JSON lines first, as with pandas.read_parquet(FILE).to_json(OUT, orient=\"records\", lines=True)"},
	{"ARROW1", "is Arrow: write it as JSON lines first, as with datasets.Dataset.from_file(FILE).to_json(OUT)"},
	{"SQLite format 3", "is a database of SQLite: write the questions as JSON lines first"},
	{"PK\x03\x04", "is a zip archive: unpack it first"},
	{"\x28\xb5\x2f\xfd", "is packed by zstd: unpack it first, or pack it by gzip"},
	{"\xfd7zXZ\x00", "is packed by xz: unpack it first, or pack it by gzip"},
	{"BZh", "is packed by bzip2: unpack it first, or pack it by gzip"},
	{"version https://git-lfs.", "is a pointer of Git LFS and not the file: fetch that by git lfs pull"},
	{"<", "is HTML or XML, as a download leaves that was refused: look into it"},
	{"\xff\xfe", isUTF16 + asUTF8},
	{"\xfe\xff", isUTF16 + asUTF8},
	{"{\x00", isUTF16 + "LE" + asUTF8},
	{"\x00{", isUTF16 + "BE" + asUTF8},
	{"[\x00", isUTF16 + "LE" + asUTF8},
	{"\x00[", isUTF16 + "BE" + asUTF8},
}

const (
	isUTF16 = "is UTF-16: write it as UTF-8 first, as with iconv -f UTF-16"
	asUTF8  = " -t UTF-8" // behind the order of the bytes, which iconv reads from a mark alone
)

// checkBegin refuses a file that is known by its first bytes to hold no lines of JSON.
func checkBegin(r *bufio.Reader) error {
	for _, f := range foreign {
		if head, _ := r.Peek(len(f.begins)); string(head) == f.begins {
			return &Error{Rule: f.is, Err: ErrNotJSON}
		}
	}
	return nil
}

// spread adds, to what is wrong with a first line, how an object over several lines
// becomes one.
func spread(line []byte, fault *Error) {
	if bytes.HasPrefix(line, []byte("{")) && strings.Contains(fault.Rule, "unexpected end of JSON") {
		fault.Rule += "; where an object is spread over lines, jq -c . FILE writes it as one"
	}
}

// nested says how to write the lines of a file that holds them under a key of one
// object; empty where it does not.
func (f fields) nested() string {
	for _, key := range []string{"data", "examples", "questions", "items", "records", "rows", "samples"} {
		var items []fields
		if json.Unmarshal(f[key], &items) == nil && len(items) > 0 {
			return fmt.Sprintf("; if they stand under %q, jq -c '.%s[]' FILE writes them so", key, key)
		}
	}
	return ""
}
