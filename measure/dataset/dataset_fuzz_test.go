package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func FuzzDataset(f *testing.F) {
	for _, s := range []string{
		"", "\n", lineA, lineA + "\r\n\n" + lineB, lineK + "\n" + lineA, "\xEF\xBB\xBF" + lineA, "[]", "{", "\x1f\x8b",
		lineA + "\n" + lineA, LineFormat, `{"question":"q","answers":["a"],"ctxs":[{"text":"b","isgold":true},{}]}`,
		zip(f, lineA+"\n"+lineB), zip(f, lineK),
		`{"ordered_kv_records":[["k","v"],["k","v"],[]],"key":"k","value":"v"}`,
	} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "data")
	rules := Rules{MaxLine: 1 << 16, MaxUnpacked: 1 << 20, MaxLines: 1000}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := rules.Open(path)
		if err != nil {
			if e := (*Error)(nil); d != nil || !errors.As(err, &e) || e.Rule == "" {
				t.Fatalf("error is %#v with dataset %v", err, d)
			}
			return
		}
		defer d.Close()
		r := d.Report()
		lines, left := bytes.Count(data, []byte("\n"))+1, 0
		for _, l := range r.LeftOut {
			left += len(l.Lines)
		}
		packed := bytes.HasPrefix(data, gzipMagic) || startsAsArray(bufio.NewReader(bytes.NewReader(data)))
		if r.Kept == 0 || r.Kept != d.Len() || r.Lines != r.Kept+left || !packed && r.Lines+r.Blank > lines {
			t.Fatalf("the report does not add up over %d lines: %+v", lines, r)
		}
		ids := map[string]bool{}
		for i := range d.Len() {
			c, err := d.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			if ids[c.ID] || c.Line < 1 || !hasText(c.Question) || len(c.Answers) == 0 {
				t.Fatalf("case %d breaks a rule: %+v", i, c)
			}
			ids[c.ID] = true
			n := len(c.Documents)
			if n < r.MinDocuments || n > r.MaxDocuments || c.WithGoldAt(n-1, n)[n-1] != c.Documents[c.Gold] {
				t.Fatalf("case %d of %d documents: %+v", i, n, r)
			}
		}
	})
}
