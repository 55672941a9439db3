package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a repository of three modules, of which one is not released.
var small = modules{path: "example.com/small", released: []string{"", "tool"}, others: []string{"checks"}}

func smallFiles() map[string]string {
	return map[string]string{
		"LICENSE":                             "Anybody may use this.\n",
		"go.mod":                              "module example.com/small\n\ngo 1.24.4\n",
		"small.go":                            "package small\n\nconst Name = \"small\"\n",
		"internal/sameversion/sameversion.go": "package sameversion\n\nconst Unreleased = true\n",
		"tool/lib/sameversion.go":             "package lib\n\nimport \"example.com/small/internal/sameversion\"\n\nconst _ = sameversion.Unreleased\n",
		"tool/go.mod":                         "module example.com/small/tool\n\ngo 1.24.4\n\nrequire example.com/small v0.0.0\n\nreplace example.com/small => ../\n",
		"tool/main.go":                        "package main\n\nimport \"example.com/small\"\n\nfunc main() { println(small.Name) }\n",
		"checks/go.mod":                       "module example.com/small/checks\n\ngo 1.24.4\n\nrequire example.com/small v0.0.0\n\nreplace example.com/small => ../\n",
		"checks/check.go":                     "package checks\n\nimport _ \"example.com/small\"\n",
	}
}

// made makes version v0.1.0 of a repository with those files.
func made(t *testing.T, files map[string]string) (*release, error) {
	t.Helper()
	t.Setenv("GOPROXY", "off") // no module is asked for but those that are packed
	dir := t.TempDir()
	repository := filepath.Join(dir, "repository")
	for name, text := range files {
		path := filepath.Join(repository, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := output(t.Context(), repository, nil, "git", "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	commitAll(t, repository)
	r := &release{modules: small, version: "v0.1.0", tree: filepath.Join(dir, "tree"), proxy: filepath.Join(dir, "proxy")}
	return r, r.make(t.Context(), repository)
}

func commitAll(t *testing.T, repository string) {
	t.Helper()
	for _, args := range [][]string{
		{"add", "--all"},
		{"-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "All files"},
	} {
		if _, err := output(t.Context(), repository, nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
}

func strangerOf(t *testing.T, r *release) *stranger {
	t.Helper()
	s, err := newStranger(t.Context(), r, filepath.Join(t.TempDir(), "stranger"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStrangerUsesWhatWasMade(t *testing.T) {
	r, err := made(t, smallFiles())
	if err != nil {
		t.Fatal(err)
	}
	s := strangerOf(t, r)
	if err := s.modulesAlone(t.Context()); err != nil {
		t.Error(err)
	}
	p := program{
		folder: "user", get: []string{"example.com/small"}, prints: "small v0.1.0",
		text: "package main\n\nimport \"example.com/small\"\n\nfunc main() { print(small.Name) }\n",
	}
	if err := s.program(t.Context(), p); err == nil || !strings.Contains(err.Error(), `printed "", want "small v0.1.0"`) {
		t.Errorf("a program that prints nothing is an error, got %v", err)
	}
	p.folder, p.prints, p.text = "other", "small", "package main\n\nimport (\n\"fmt\"\n\"example.com/small\"\n)\n\nfunc main() { fmt.Println(small.Name) }\n"
	if err := s.program(t.Context(), p); err != nil {
		t.Error(err)
	}
	if _, err := s.run(t.Context(), ".", "install", "example.com/small/tool@v0.1.0"); err != nil {
		t.Error(err)
	}
}

// What is left in that works in a clone alone must not be published.
func TestMakeRefusesWhatWorksInACloneAlone(t *testing.T) {
	for _, c := range []struct{ name, file, line, want string }{
		{"replace of somebody's module", "tool/go.mod", "replace example.com/other => ../other", "tool/go.mod: line 7 replaces example.com/other by ../other"},
		{"replace in the root", "go.mod", "replace example.com/other => ./other", "go.mod: line 5 replaces example.com/other by ./other"},
		{"exclude", "tool/go.mod", "exclude example.com/other v1.2.3", "tool/go.mod: line 7 excludes example.com/other@v1.2.3"},
		{"module that is not released", "tool/go.mod", "require example.com/small/checks v0.0.0", "tool/go.mod: line 7 requires example.com/small/checks@v0.0.0, which is not published"},
		{"another module's name", "tool/go.mod", "module", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := smallFiles()
			if c.line == "module" {
				files[c.file], c.want = strings.Replace(files[c.file], "small/tool", "small/tools", 1), "tool/go.mod: the module is example.com/small/tools, want example.com/small/tool"
			} else {
				files[c.file] += "\n" + c.line + "\n"
			}
			if _, err := made(t, files); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}

// Without the check of make a replace is still seen: the go command refuses it.
func TestStrangerMeetsAReplace(t *testing.T) {
	r, err := made(t, smallFiles())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(r.proxy, "example.com", "small", "tool", "@v", "v0.1.0.mod")
	mod, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(mod, "\nreplace example.com/other => ../other\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = strangerOf(t, r).run(t.Context(), ".", "install", "example.com/small/tool@v0.1.0")
	if err == nil || !strings.Contains(err.Error(), "replace directives") {
		t.Errorf("got error %v", err)
	}
}

// The go command does not look for a requirement that nothing imports, until somebody
// runs go mod tidy.
func TestStrangerMeetsAnUnpublishedRequirement(t *testing.T) {
	files := smallFiles()
	files["tool/go.mod"] += "\nrequire example.com/nowhere v0.1.0\n"
	r, err := made(t, files)
	if err != nil {
		t.Fatal(err)
	}
	if err := strangerOf(t, r).modulesAlone(t.Context()); err == nil || !strings.Contains(err.Error(), "example.com/nowhere@v0.1.0") {
		t.Errorf("got error %v", err)
	}
}

// A checksum of other files than those that are packed is a fault, too.
func TestStrangerMeetsAWrongChecksum(t *testing.T) {
	r, err := made(t, smallFiles())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(r.tree, "tool", "go.sum")
	sums, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(sums), " h1:", " h1:AAAA")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := strangerOf(t, r).modulesAlone(t.Context()); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("got error %v", err)
	}
}

func TestCopyBackIsTheCommitOfTheRelease(t *testing.T) {
	r, err := made(t, smallFiles())
	if err != nil {
		t.Fatal(err)
	}
	repository := filepath.Join(filepath.Dir(r.tree), "repository")
	note := filepath.Join(repository, "note")
	if err := os.WriteFile(note, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.copyBack(t.Context(), repository); err == nil || !strings.Contains(err.Error(), "?? note") {
		t.Errorf("with a file that is not committed: got error %v", err)
	}
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	if err := r.copyBack(t.Context(), repository); err != nil {
		t.Fatal(err)
	}
	changed, err := output(t.Context(), repository, nil, "git", "status", "--porcelain")
	if want := " M checks/go.mod\n M internal/sameversion/sameversion.go\n M tool/go.mod\n M tool/lib/sameversion.go\n?? tool/go.sum"; err != nil || " "+changed != want {
		t.Errorf("%v, changed:\n%s\nwant\n%s", err, changed, want)
	}
	for name, want := range map[string]string{
		"tool/go.mod":   "module example.com/small/tool\n\ngo 1.24.4\n\nrequire example.com/small v0.1.0\n",
		"checks/go.mod": "module example.com/small/checks\n\ngo 1.24.4\n\nrequire example.com/small v0.1.0\n\nreplace example.com/small => ../\n",
	} {
		if got, err := os.ReadFile(filepath.Join(repository, name)); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// A module does not compile with the root of another version, and does with its own. The
// second version is made from the commit of the first.
func TestModulesRefuseAnotherVersionOfEachOther(t *testing.T) {
	first, err := made(t, smallFiles())
	if err != nil {
		t.Fatal(err)
	}
	repository := filepath.Join(filepath.Dir(first.tree), "repository")
	if err := first.copyBack(t.Context(), repository); err != nil {
		t.Fatal(err)
	}
	commitAll(t, repository)
	second := &release{modules: small, version: "v0.2.0", tree: first.tree + "2", proxy: first.proxy}
	if err := second.make(t.Context(), repository); err != nil {
		t.Fatal(err)
	}
	s := strangerOf(t, second)
	p := program{
		folder: "mixed", pins: []string{"example.com/small/tool@v0.1.0"}, get: []string{"example.com/small"}, prints: "small",
		text: "package main\n\nimport (\n\"fmt\"\n\"example.com/small\"\n_ \"example.com/small/tool/lib\"\n)\n\nfunc main() { fmt.Println(small.Name) }\n",
	}
	if err := s.program(t.Context(), p); err == nil || !strings.Contains(err.Error(), "undefined: sameversion.V0dot1dot0") {
		t.Errorf("tool v0.1.0 with the root at v0.2.0: got error %v", err)
	}
	p.folder, p.pins, p.get = "same", nil, []string{"example.com/small/tool/lib"}
	if err := s.program(t.Context(), p); err != nil {
		t.Errorf("both at v0.2.0: %v", err)
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"rehearse"}, {"rehearse", ""}, {"rehearse", "0.1.0"}, {"rehearse", "v0.1"}, {"publish", "v0.1.0"}, {"prepare", "v0.1.0", "v0.2.0"}} {
		if err := run(t.Context(), args, io.Discard); err == nil || !strings.Contains(err.Error(), "want prepare or rehearse") {
			t.Errorf("%q: got error %v", args, err)
		}
	}
}
