package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const faulty = `# production
retriever:
  top_k: 20
reranker:
  keep: 10
augmentation:
  chunk_order: similarity_desc   # as they come
generation:
  model: gpt-4o
`

func TestVetExitCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := write(t, filepath.Join(dir, "rag.yaml"), faulty)
	other := write(t, filepath.Join(dir, "other.yaml"), "retriever: {top_k: 5}\n")
	clean := write(t, filepath.Join(dir, "clean.yaml"), "order: {top_k: 5}\n")
	broken := write(t, filepath.Join(dir, "broken.yaml"), "order: {top_kk: 5}\n")
	torn := write(t, filepath.Join(dir, "torn.json"), `{"a": `)
	bomb := write(t, filepath.Join(dir, "bomb.yaml"), "a: &a [*a]\n")
	chart := filepath.Join(dir, "chart")
	if err := os.Mkdir(chart, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(chart, "values.yaml"), "retriever: {top_k: 5}\n")
	write(t, filepath.Join(chart, "template.yaml"), "{{- if .Values.x }}\nkind: ConfigMap\n{{- end }}\n")
	write(t, filepath.Join(chart, "package-lock.json"), strings.Repeat("[1,2]\n", 1<<18))
	for _, c := range []struct {
		args []string
		code int
		want string // printed, on either stream
	}{
		{[]string{clean}, 0, "1 file read, 1 as Bookend: 0 errors, 0 warnings, 0 notes."},
		{[]string{other}, 0, "1 file read, 1 not recognised. Nothing was recognised"},
		{[]string{other, clean}, 0, "2 files read, 1 as Bookend, 1 not recognised: 0 errors"},
		{[]string{broken}, 1, "broken.yaml:1:9: error BE007"},
		{[]string{chart}, 0, "1 file read, 1 not recognised, 2 skipped that cannot be read. Nothing was recognised"},
		{[]string{bad}, 0, "rag.yaml:7:16: warning BE101"},
		{[]string{bad, "--fail-on", "warning"}, 1, "1 warning"},
		{[]string{bad, "--fail-on", "never", "--curve", "llama-2-70b-chat"}, 0, "error BE101"},
		{[]string{bad, "--curve", "llama-2-70b-chat"}, 1, "chunk_order: similarity_asc"},
		{[]string{bad, "--curve", "GPT-3.5-Turbo"}, 0, "0.5 times as often as the one before it (--decay)"},
		{[]string{bad, "--curve", "nobody's"}, 2, "gpt-3.5-turbo/10|20"},
		{[]string{bad, "--decay", "2"}, 2, "--decay is 2"},
		{[]string{torn}, 2, "torn.json:1:"},
		{[]string{torn, clean}, 2, "1 file read, 1 as Bookend. 1 file cannot be read: 0 errors, 0 warnings, 0 notes."},
		{[]string{bomb}, 2, "holds itself"},
		{[]string{bad, bomb, "--fail-on", "warning"}, 2, "warning BE101"},
		{[]string{filepath.Join(dir, "none.yaml")}, 2, "cannot be read"},
		{nil, 2, "no file is given"},
		{[]string{"--explain", "be101"}, 0, "# BE101: "},
		{[]string{"--explain", "BE999"}, 2, "the rules are BE001"},
	} {
		o := command(t, append([]string{"vet"}, c.args...)...)
		if o.code != c.code || !tells(o.out+o.err, c.want) {
			t.Errorf("vet %q: code %d, want %d, and %q in\n%s%s", c.args, o.code, c.code, c.want, o.out, o.err)
		}
	}
}

func TestVetFixKeepsTheRest(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "rag.yaml"), faulty)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	// Without a curve the change is printed, and the file is left alone.
	if out := mustRun(t, "vet", "--fix", path); read(t, path) != faulty || !strings.Contains(out, "chunk_order: head_tail_alternating") {
		t.Errorf("written:\n%s\nprinted:\n%s", read(t, path), out)
	}
	if out := mustRun(t, "vet", "--fix", "--curve", "llama-2-70b-chat", path); !strings.Contains(out, "0 errors, 0 warnings") {
		t.Errorf("after the fix:\n%s", out)
	}
	if got, want := read(t, path), strings.Replace(faulty, "similarity_desc", "similarity_asc", 1); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	// Bookend's own file is mended where it is plain what was meant.
	own := write(t, filepath.Join(t.TempDir(), "rag.yaml"), "order:\n  top_kk: 8 # most\n  placement: 'head-tial'\n")
	if o := command(t, "vet", "--fix", own); o.code != exitDone || !strings.Contains(o.err, "2 changes written") {
		t.Errorf("code %d: %s", o.code, o.err)
	}
	if got := read(t, own); got != "order:\n  top_k: 8 # most\n  placement: 'head-tail'\n" {
		t.Errorf("Bookend's own:\n%s", got)
	}
}

func TestVetFixWritesThePathOfTheCurve(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustRun(t, "sweep", "--simulate", "recency", "--documents", "10", "--out", filepath.Join(dir, "sweep"))
	if err := os.Mkdir(filepath.Join(dir, "conf"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := write(t, filepath.Join(dir, "conf", "rag.yaml"), "order:\n  top_k: 10\n  placement: \"ranked\"\n")
	out := mustRun(t, "vet", "--fix", "--curve", filepath.Join(dir, "sweep", "curve.json"), path)
	if got := read(t, path); !strings.Contains(got, `placement: "measured=../sweep/curve.json"`) {
		t.Errorf("%s\n%s", got, out)
	}
	if order := mustRun(t, "order", "--settings", path, "3"); order != "3 2 1\n" {
		t.Errorf("the settings place %q", order)
	}
}

func TestVetJSON(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "rag.yaml"), faulty)
	var got struct {
		Files    int
		Decay    float64
		Findings []struct {
			Rule, Level, File string
			Line, Column      int
			Picture           []string
			Fix               struct {
				Line, Old, New string
				Known          bool
			}
		}
	}
	if err := json.Unmarshal([]byte(mustRun(t, "vet", "--format", "json", "--fail-on", "never", "--curve", "llama-2-70b-chat", path)), &got); err != nil {
		t.Fatal(err)
	}
	if f := got.Findings; got.Files != 1 || got.Decay != 0.5 || len(f) != 1 || f[0].Rule != "BE101" || f[0].Level != "error" || f[0].Line != 7 || f[0].Column != 16 || f[0].Fix.New != "similarity_asc" || !f[0].Fix.Known {
		t.Errorf("%+v", got)
	}
	var sarif struct{ Version string }
	if err := json.Unmarshal([]byte(mustRun(t, "vet", "--format", "sarif", path)), &sarif); err != nil || sarif.Version != "2.1.0" {
		t.Errorf("version %q, error %v", sarif.Version, err)
	}
	if out := mustRun(t, "vet", "--format", "json", write(t, filepath.Join(t.TempDir(), "a.yaml"), "a: 1\n")); !strings.Contains(out, `"findings": []`) {
		t.Errorf("without findings:\n%s", out)
	}
}

// endsAfter is a context that ends after it was looked at so many times.
type endsAfter struct {
	context.Context
	looks *int
}

func (c endsAfter) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// An interrupt ends the run wherever it comes, and is no verdict.
func TestVetObeysAnInterrupt(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "rag.yaml"), faulty)
	ended := 0
	for looks := range 60 {
		var out, errs strings.Builder
		code := execute(endsAfter{context.Background(), &looks}, []string{"vet", path}, streams{out: &out, err: &errs, getenv: func(string) string { return "" }})
		switch {
		case code == exitIncomplete:
			ended++
			if out.String() != "" || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("ended, and printed\n%s%s", &out, &errs)
			}
		case code != exitDone || !strings.Contains(out.String(), "1 warning"):
			t.Errorf("code %d\n%s%s", code, &out, &errs)
		}
	}
	if ended < 5 || ended == 60 {
		t.Errorf("%d of 60 runs ended early", ended)
	}
}
