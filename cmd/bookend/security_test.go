package main

import (
	"encoding/csv"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a model, a dataset or a name holds is text in every output.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	hostile := "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u009b2J\u202e {{.}} " + testKey
	url, _ := server(t, func(string) (int, string) { return http.StatusOK, hostile })
	out := filepath.Join(t.TempDir(), "out")
	name := "=HYPERLINK(\"http://x\")<script>\x1b]0;t\a"
	o := command(t, "sweep", "--data", questions(t, 3), "--model", name, "--base-url", url, "--out", out)
	if o.code != exitDone {
		t.Fatalf("code %d\n%s%s", o.code, o.out, o.err)
	}
	for _, printed := range []string{o.out, o.err} {
		if strings.ContainsAny(printed, "\x1b\a\u009b\u202e") {
			t.Errorf("a terminal escape is printed: %q", printed)
		}
	}
	for _, file := range []string{"report.html", "sweep.svg", "summary.json", "summary.csv", "curve.json"} {
		text := read(t, out, file)
		for _, bad := range []string{"<script", "<img", "\x1b", "\a", "\u009b", "\u202e"} {
			if file == "summary.csv" && bad == "<script" {
				continue // text in a cell
			}
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", file, bad)
			}
		}
	}
	if page := read(t, out, "report.html"); !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the page does not show the answer as text")
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, out, "summary.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a cell is a formula: %q", cell)
			}
		}
	}
	if got := rows[1][1]; !strings.HasPrefix(got, "'=HYPERLINK") {
		t.Errorf("the model's cell is %q", got)
	}
}

func TestKeyIsNowhere(t *testing.T) {
	t.Parallel()
	url, _ := server(t, func(prompt string) (int, string) {
		if strings.Contains(prompt, "number 1") {
			return http.StatusUnauthorized, ""
		}
		return http.StatusOK, "your key is " + testKey
	})
	out := filepath.Join(t.TempDir(), "out")
	secret := url + "?token=very-secret"
	o := command(t, "sweep", "--data", questions(t, 2), "--model", "m", "--base-url", secret, "--out", out)
	if o.code != exitIncomplete {
		t.Fatalf("code %d\n%s%s", o.code, o.out, o.err)
	}
	texts := map[string]string{"stdout": o.out, "stderr": o.err}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		texts[e.Name()] = read(t, out, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, error %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
	for name, text := range texts {
		for _, bad := range []string{testKey, "very-secret"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds the secret %q", name, bad)
			}
		}
	}
	if len(texts) < 9 {
		t.Errorf("only %d outputs", len(texts))
	}
}

func TestKeyOverPlainHTTP(t *testing.T) {
	t.Parallel()
	args := []string{"sweep", "--data", questions(t, 1), "--model", "m", "--base-url", "http://192.0.2.1/v1", "--out", filepath.Join(t.TempDir(), "out")}
	o := command(t, args...)
	if o.code != exitUsage || !strings.Contains(o.err, "--allow-plain-key") || strings.Contains(o.err, testKey) {
		t.Errorf("a key over plain http to another machine: code %d, %s", o.code, o.err)
	}
}

func TestLinksAndOverwriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	sweep := []string{"sweep", "--simulate", "u", "--documents", "5", "--limit", "10", "--out", out}
	mustRun(t, sweep...)

	o := command(t, "report", out, "--score", "token-f1", "--first-line")
	if o.code != exitFailed || !strings.Contains(o.err, "--force overwrites it") {
		t.Errorf("another report over the first: code %d, %s", o.code, o.err)
	}
	mustRun(t, "report", out, "--score", "token-f1", "--first-line", "--force")

	victim := write(t, filepath.Join(dir, "victim"), "precious")
	page := filepath.Join(out, "report.html")
	for _, step := range []error{os.Remove(page), os.Symlink(victim, page)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for _, args := range [][]string{{"report", out, "--score", "token-f1", "--first-line"}, {"report", out, "--force"}} {
		if o := command(t, args...); o.code != exitFailed || !strings.Contains(o.err, "symbolic links") {
			t.Errorf("%q over a link: code %d, %s", args, o.code, o.err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(out, link); err != nil {
		t.Fatal(err)
	}
	if o := command(t, "report", out, "--out", link, "--force"); o.code != exitFailed || !strings.Contains(o.err, "symbolic links") {
		t.Errorf("a folder that is a link: code %d, %s", o.code, o.err)
	}
	other := filepath.Join(dir, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(other, journalName)); err != nil {
		t.Fatal(err)
	}
	if o := command(t, "sweep", "--simulate", "u", "--limit", "2", "--out", other); o.code != exitFailed || !strings.Contains(o.err, "symbolic links") {
		t.Errorf("a journal that is a link: code %d, %s", o.code, o.err)
	}
	if read(t, victim) != "precious" {
		t.Error("a link was followed")
	}
}

// The files of an earlier run that others may read are closed to them by the next.
func TestExistingFilesBecomePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"sweep":    {"sweep", "--simulate", "u", "--documents", "5", "--limit", "10"},
		"compare":  {"compare", "--simulate", "u", "--limit", "10"},
		"curve":    {"curve", "--traffic", recorded(t, 1500, monday, nil)},
		"estimate": {"estimate", "--data", retrieved(t, 8), "--curve", "gpt-3.5-turbo"},
	} {
		out := filepath.Join(dir, name)
		args = append(args, "--out", out)
		mustRun(t, args...)
		names := private(t, out)
		for _, file := range names {
			if err := os.Chmod(filepath.Join(out, file), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		mustRun(t, args...)
		if again := private(t, out); len(again) != len(names) || len(names) == 0 {
			t.Errorf("%s: files %q, and %q before", name, again, names)
		}
	}
}
