package integration_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module            = "github.com/bookend-rag/bookend"
	langchaingoModule = "github.com/tmc/langchaingo"
	einoModule        = "github.com/cloudwego/eino"
)

// root is the folder of the root module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// goCommand runs the go command in dir, as a user does who has no workspace.
func goCommand(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return errs.String(), err
	}
	return strings.TrimSpace(string(out)), nil
}

func mustGo(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := goCommand(t, dir, args...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// userModule writes somebody's module: a main package that imports pkgs, and a
// go.mod that requires what is given.
func userModule(t *testing.T, requires, pkgs []string, body string) string {
	t.Helper()
	dir := t.TempDir()
	var mod, program strings.Builder
	mod.WriteString("module example.com/user\n\ngo 1.24.4\n\n")
	for _, r := range requires {
		mod.WriteString("require " + r + "\n")
	}
	mod.WriteString("\nreplace " + module + " => " + root(t) + "\n")
	program.WriteString("package main\n\n")
	for _, pkg := range pkgs {
		program.WriteString("import " + pkg + "\n")
	}
	program.WriteString("\nfunc main() {" + body + "}\n")
	for name, text := range map[string]string{"go.mod": mod.String(), "main.go": program.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checksums returns the lines of a module's go.sum; none without the file.
func checksums(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
}

const (
	ours       = module + " v0.0.0"
	importCore = `"` + module + `/core"`
	// useCore is a body of main that fails when core does not do its work.
	useCore = `
	if got := core.Reorder([]int{1, 2, 3}); got[1] != 3 {
		panic("not reordered")
	}
`
)

func TestUserOfCoreGetsNoChecksums(t *testing.T) {
	t.Parallel()
	dir := userModule(t, []string{ours}, []string{importCore}, useCore)
	mustGo(t, dir, "mod", "tidy")
	if lines := checksums(t, dir); len(lines) > 0 {
		t.Errorf("go.sum has %d lines, want none:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	mustGo(t, dir, "run", ".")
}

// older are versions that somebody pinned, each older than what one of this
// project's modules or a framework asks for.
var older = map[string]string{
	"github.com/jackc/pgx/v5":         "v5.7.4",
	"github.com/alecthomas/kong":      "v1.6.0",
	"github.com/blevesearch/bleve/v2": "v2.5.3",
}

// sharesNothing is the pinned module that needs nothing that a framework needs
// too. Where both do, as with golang.org/x/sys, Go takes the newer version, and
// go.sum names it.
const sharesNothing = "github.com/alecthomas/kong"

func TestUserOfCoreKeepsPinnedVersions(t *testing.T) {
	t.Parallel()
	for path, version := range older {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			pinned := path + " " + version
			blank := `_ "` + path + `"`
			without := userModule(t, []string{pinned}, []string{blank}, "")
			if out, err := goCommand(t, without, "mod", "tidy"); err != nil {
				t.Skipf("%s cannot be had here, without Bookend either: %v\n%s", pinned, err, out)
			}
			with := userModule(t, []string{pinned, ours}, []string{blank, importCore}, useCore)
			mustGo(t, with, "mod", "tidy")
			if got := mustGo(t, with, "list", "-m", "-f", "{{.Version}}", path); got != version {
				t.Errorf("%s is now %s, want %s as pinned", path, got, version)
			}
			want, got := checksums(t, without), checksums(t, with)
			if len(want) == 0 {
				t.Fatal("the module without Bookend has no checksums: nothing could be seen")
			}
			for _, line := range got {
				foreign := strings.HasPrefix(line, langchaingoModule) || strings.HasPrefix(line, einoModule)
				if foreign || path == sharesNothing && !slices.Contains(want, line) {
					t.Errorf("go.sum has gained %s", line)
				}
			}
			mustGo(t, with, "run", ".")
		})
	}
}

// compiled returns the packages that a program compiles which imports pkg.
func compiled(t *testing.T, pkg string) []string {
	t.Helper()
	packages := strings.Fields(mustGo(t, root(t), "list", "-mod=readonly", "-deps", pkg))
	if !slices.Contains(packages, module+"/core") {
		t.Fatalf("%s does not compile core: this looks at the wrong packages", pkg)
	}
	return packages
}

func from(packages []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(packages), func(p string) bool {
		return p != prefix && !strings.HasPrefix(p, prefix+"/")
	})
}

func TestEachAdapterCompilesItsOwnFrameworkAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pkg, needs, without string }{
		{module + "/eino", einoModule + "/schema", langchaingoModule},
		{module + "/langchaingo", langchaingoModule + "/schema", einoModule},
		{module + "/langchaingo", langchaingoModule + "/schema", langchaingoModule + "/chains"},
		{module + "/langchaingo", langchaingoModule + "/schema", langchaingoModule + "/vectorstores"},
		{module + "/langchaingo/combine", langchaingoModule + "/chains", einoModule},
	} {
		packages := compiled(t, c.pkg)
		if len(from(packages, c.needs)) == 0 {
			t.Errorf("%s does not compile %s: this looks at the wrong packages", c.pkg, c.needs)
		}
		if found := from(packages, c.without); len(found) > 0 {
			t.Errorf("%s compiles %v", c.pkg, found)
		}
	}
}

// core and what lies below it import the standard library and this module, their
// tests too: go mod tidy records the checksums of what tests need.
func TestCoreImportsTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	const each = `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}
{{end}}{{range .TestImports}}{{$p}} {{.}}
{{end}}{{range .XTestImports}}{{$p}} {{.}}
{{end}}`
	lines := mustGo(t, root(t), "list", "-mod=readonly", "-f", each, "./core/...", "./internal/...")
	standard := strings.Fields(mustGo(t, root(t), "list", "std"))
	seen := 0
	for line := range strings.Lines(lines) {
		importer, imported, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		seen++
		below := strings.TrimPrefix(imported, module+"/")
		isCore := below != imported && (below == "core" || strings.HasPrefix(below, "core/") || strings.HasPrefix(below, "internal/"))
		if !isCore && !slices.Contains(standard, imported) {
			t.Errorf("%s imports %s", importer, imported)
		}
	}
	if seen < 10 {
		t.Errorf("only %d imports were looked at", seen)
	}
}

// A package that is built with internal packages of another module must not compile with
// another version of that module.
func TestWhatSharesInternalPackagesCompilesWithOneVersionAlone(t *testing.T) {
	t.Parallel()
	const shared, guard = module + "/internal/", module + "/internal/sameversion"
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}}|{{join .Imports " "}}|{{join .Deps " "}}`, "./measure/...", "./cmd/...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	shares, depends := map[string]bool{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		shares[parts[0]] = strings.Contains(" "+parts[1], " "+shared)
		depends[parts[0]] = strings.Fields(parts[2])
	}
	seen := 0
	for path, deps := range depends {
		if strings.Contains(path, "/internal/") || !slices.ContainsFunc(append(deps, path), func(p string) bool { return shares[p] }) {
			continue
		}
		seen++
		if !slices.Contains(deps, guard) {
			t.Errorf("%s is built with internal packages of the root, and not with %s", path, guard)
		}
	}
	if seen < 10 {
		t.Errorf("only %d packages were looked at", seen)
	}
}
