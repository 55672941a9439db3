package doctree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// show writes a tree with the place of every value.
func show(n *doctree.Node) string {
	var b strings.Builder
	switch n.Kind {
	case doctree.Map:
		for i, e := range n.Entries {
			if i > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "%s@%d:%d=%s", e.Key.Text, e.Key.Line, e.Key.Column, show(e.Value))
		}
		return fmt.Sprintf("{%s}", &b)
	case doctree.List:
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(" ")
			}
			b.WriteString(show(item))
		}
		return fmt.Sprintf("[%s]", &b)
	}
	return fmt.Sprintf("%d<%s>@%d:%d", n.Kind, n.Text, n.Line, n.Column)
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.yaml", "a: 1\nb:\n  - x\n  - \"y z\"\n", `{a@1:1=2<1>@1:4 b@2:1=[4<x>@3:5 4<y z>@4:5]}`},
		{"a.yaml", "é: ü\nb: {c: true, d: ~}\n", `{é@1:1=4<ü>@1:4 b@2:1={c@2:5=1<true>@2:8 d@2:14=0<~>@2:17}}`},
		{"a.yaml", "a: &x {b: 1}\nc: *x\n", `{a@1:1={b@1:8=2<1>@1:11} c@2:1={b@1:8=2<1>@1:11}}`},
		{"a.yaml", "a: &x {b: 1, c: 2}\nd:\n  c: 3\n  <<: *x\n", `{a@1:1={b@1:8=2<1>@1:11 c@1:14=2<2>@1:17} d@2:1={c@3:3=2<3>@3:6 b@1:8=2<1>@1:11}}`},
		{"a.yaml", "a: yes\nb: 2026-01-31\nc: 1.5\nd: 0x1f\ne: .nan\n", `{a@1:1=4<yes>@1:4 b@2:1=4<2026-01-31>@2:4 c@3:1=3<1.5>@3:4 d@4:1=2<0x1f>@4:4 e@5:1=3<.nan>@5:4}`},
		{"a.yaml", "\ufeffa: 1\r\nb: 2\r\n", `{a@1:1=2<1>@1:4 b@2:1=2<2>@2:4}`},
		{"a.yaml", "a: |\n  two\n  lines\n", `{a@1:1=4<` + "two\nlines\n" + `>@1:4}`},
		{"a.yaml", "a: !ENV ${X}\n", `{a@1:1=4<${X}>@1:4}`},
		{"a.json", `{"a": [1, -2.5e3, "x\u00e9"], "b": null}`, `{a@1:2=[2<1>@1:8 3<-2.5e3>@1:11 4<xé>@1:19] b@1:31=0<null>@1:36}`},
		{"a.json", "{\n\t\"a\": {\n\t\t\"b\": false }\n}\n", `{a@2:2={b@3:3=1<false>@3:8}}`},
		{"a", `{"a": "\ud83d\ude00"}`, `{a@1:2=4<😀>@1:7}`},
	} {
		f, err := doctree.Parse(context.Background(), c.name, []byte(c.text))
		if err != nil || len(f.Docs) != 1 {
			t.Errorf("%q: error %v, file %+v", c.text, err, f)
			continue
		}
		if got := show(f.Docs[0]); got != c.want {
			t.Errorf("%q (-want +got)\n-%s\n+%s", c.text, c.want, got)
		}
	}
}

func TestSeveralDocuments(t *testing.T) {
	t.Parallel()
	f, err := doctree.Parse(context.Background(), "a.yaml", []byte("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n"))
	if err != nil || len(f.Docs) != 2 || show(f.Docs[1]) != `{b@6:1=2<2>@6:4}` {
		t.Errorf("error %v, %d documents", err, len(f.Docs))
	}
	f, err = doctree.Parse(context.Background(), "a.json", []byte("{\"a\": 1}\n{\"b\": 2}\n"))
	if err != nil || len(f.Docs) != 2 || show(f.Docs[1]) != `{b@2:2=2<2>@2:7}` {
		t.Errorf("error %v, %+v", err, f)
	}
}

func TestGetAndAt(t *testing.T) {
	t.Parallel()
	f, err := doctree.Parse(context.Background(), "a.yaml", []byte("a: {b: 1, b: 2}\nm: &m {x: 1}\nn: {<<: *m, x: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	doc := f.Docs[0]
	if n := doc.At("a", "b"); n == nil || n.Text != "2" {
		t.Errorf("a.b = %+v, want the last", n)
	}
	if n := doc.At("n", "x"); n == nil || n.Text != "2" {
		t.Errorf("n.x = %+v, want its own", n)
	}
	if n := doc.At("a", "c", "d"); n != nil {
		t.Errorf("a.c.d = %+v", n)
	}
}

func TestScalarAndOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"é: plain # comment\n", "plain"},
		{"é: \"quoted\"\r\n", "quoted"},
		{"é: 'it'\n", "it"},
		{"\ufeffé: x\n", "x"},
		{"é: \"a\\tb\"\n", ""},
		{"é: 'it''s'\n", ""},
		{"é: |\n  plain\n", ""},
		{"é: two\n  lines\n", ""},
		{"é: !tag plain\n", ""},
		{"é: {x: 1}\n", ""},
		{"é:\n", ""},
	} {
		f, err := doctree.Parse(context.Background(), "a.yaml", []byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		got := ""
		if start, end, ok := f.Scalar(f.Docs[0].Get("é")); ok {
			got = c.text[start:end]
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	f, err := doctree.Parse(context.Background(), "a.yaml", []byte("a: 1\r\nb: 2"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range []string{"", "a: 1", "b: 2", ""} {
		if got := f.Line(line); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
	for _, at := range [][2]int{{0, 1}, {3, 1}, {1, 0}, {2, 9}} {
		if offset, ok := f.Offset(at[0], at[1]); ok {
			t.Errorf("%v stands at %d", at, offset)
		}
	}
}

// hostile are files that cost a careless reader all its time or memory.
func hostile() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, doctree.MaxBytes/len(s)) }
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), i-1)
	}
	merges := "a0: &a0 {k0: 0}\n"
	for i := 1; i < 2000; i++ {
		merges += fmt.Sprintf("a%d: &a%d {k%d: 0, <<: *a%d}\n", i, i, i, i-1)
	}
	deep, tags := "a: &a "+strings.Repeat("[", 60)+strings.Repeat("]", 60)+"\nb: "+strings.Repeat("[", 60)+"*a"+strings.Repeat("]", 60)+"\n", ""
	for i := range 200 {
		tags += fmt.Sprintf("%%TAG !a%d! tag:x\n", i)
	}
	return map[string]string{
		"alias bomb.yaml":        bomb,
		"depth by alias.yaml":    deep,
		"directives.yaml":        tags + "---\na: 1\n",
		"chain of merges.yaml":   merges,
		"cycle.yaml":             "a: &a\n  b: {c: [*a]}\n",
		"cycle of merges.yaml":   "a: &a {<<: *a, b: 1}\n",
		"self.yaml":              "&a [*a]",
		"undefined alias.yaml":   "a: *b\n",
		"open brackets.yaml":     fill("["),
		"open brackets.json":     fill("["),
		"open maps.yaml":         fill("{a: "),
		"open maps.json":         fill(`{"a":`),
		"deep.json":              strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"deep.yaml":              strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"dashes.yaml":            fill("- "),
		"questions.yaml":         fill("? "),
		"colons.yaml":            fill(": "),
		"many values.yaml":       "[" + fill("a,")[:doctree.MaxBytes-3] + "]",
		"many values.json":       "[" + fill("1,")[:doctree.MaxBytes-4] + "1]",
		"same key.yaml":          fill("a: b\n") + "\x00",
		"binary.yaml":            "\x7fELF\x02\x01\x01\x00\x00\xff\xfe",
		"not utf-8.yaml":         "a: \xff\n",
		"utf-16.yaml":            "\xff\xfea\x00:\x00 \x001\x00",
		"too large.yaml":         fill("# comment\n") + "# more than the limit\n",
		"100 MB.yaml":            strings.Repeat("a: b\n", 100<<20/5),
		"100 MB.json":            "[" + strings.Repeat("1,", 50<<20) + "1]",
		"torn.json":              `{"a": [1, 2`,
		"unfinished quotes.yaml": `"` + fill("abc def\n "),
		"indentation.yaml": func() string {
			var b strings.Builder
			for i := range 1000 {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(),
	}
}

// Nothing hostile is read, and none of it costs more than 200 MB.
func TestHostileFilesAreRefused(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := doctree.Parse(context.Background(), name, []byte(text))
		runtime.ReadMemStats(&after)
		if e := (*doctree.Error)(nil); !errors.As(err, &e) || e.File != name {
			t.Errorf("%s: error %v", name, err)
		}
		// What was allocated in all bounds what was ever held.
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 180 {
			t.Errorf("%s: %d MB", name, used)
		}
	}
}

func TestCycleIsNamed(t *testing.T) {
	t.Parallel()
	_, err := doctree.Parse(context.Background(), "a.yaml", []byte("b: 1\na: &x\n  c: [*x]\n"))
	if want := "bookend: a.yaml:2:4: has the anchor &x, which holds itself"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none"), os.DevNull} {
		if _, err := doctree.Read(context.Background(), path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
	large := filepath.Join(dir, "large.yaml")
	file, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(1<<30), file.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := doctree.Read(context.Background(), large); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a file of 1 GiB: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for name, text := range hostile() {
		if len(text) < 1<<11 {
			f.Add(name, []byte(text))
		}
	}
	f.Add("a.yaml", []byte("a: &x {b: 1}\nc: {<<: [*x, {d: 2}]}\n---\n- |\n  x\n"))
	f.Add("a", []byte(`{"a": [1, "b", null, true]}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		file, err := doctree.Parse(context.Background(), name, data)
		if err != nil {
			return
		}
		var walk func(n *doctree.Node)
		walk = func(n *doctree.Node) {
			if start, end, ok := file.Scalar(n); ok && string(data[start:end]) != n.Text {
				t.Fatalf("%q stands at %d:%d as %q", n.Text, n.Line, n.Column, data[start:end])
			}
			for _, item := range n.Items {
				walk(item)
			}
			for _, e := range n.Entries {
				walk(e.Key)
				walk(e.Value)
			}
		}
		for _, doc := range file.Docs {
			walk(doc)
		}
	})
}
