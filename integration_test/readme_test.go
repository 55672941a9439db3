package integration_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock    = regexp.MustCompile("(?s)```go\n(.*?)```")
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	textBlock  = regexp.MustCompile("(?s)```text\n(.*?)```")
)

// statements turns a block that is no file of its own into one: what it uses without
// declaring it is declared here.
const statements = `package readme

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/tmc/langchaingo/chains"
)

type (
	hit struct{}
	Hit struct{ ID, Text string }
)

var (
	hits, docs []hit
	view       *core.View[hit]
	arranger   *core.Arranger
	tokens     func(string) int
	question   string
	ask        func([]prompt.Message) string
	words      func(context.Context, string, int) ([]Hit, error)
	dense      func(context.Context, string, int) ([]Hit, error)
	chain      chains.Chain
	_          = fmt.Sprint
	_          = slog.Info
	_          = slices.Reverse[[]int]
	_          pipeline.Source[Hit]
	_          rank.Fusion
)

func snippet(ctx context.Context) error {
%s
	return nil
}
`

// used marks the variables that a block declares for its reader alone.
var used = regexp.MustCompile(`(?m)^(placed|config|hits|answer|citations|bestLast)(, err)? := `)

// ofAnAdapter says of statements that they are those of one framework, which nothing
// here declares.
func ofAnAdapter(code string) bool {
	return !strings.HasPrefix(code, "package ") && strings.Contains(code, "bookend.")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheGoOfTheReadmeCompiles(t *testing.T) {
	t.Parallel()
	blocks := 0
	for _, page := range []string{"README.md", "docs/placements.md", "docs/prompt.md", "docs/production.md", "docs/rerank.md"} {
		for i, block := range goBlock.FindAllStringSubmatch(readFile(t, filepath.Join("..", page)), -1) {
			code := block[1]
			if ofAnAdapter(code) {
				continue
			}
			blocks++
			if !strings.HasPrefix(code, "package ") {
				for _, name := range used.FindAllStringSubmatch(code, -1) {
					code += "\n_ = " + name[1] + "\n"
					if name[2] != "" {
						code += "_ = err\n"
					}
				}
				code = fmt.Sprintf(statements, code)
			}
			file := filepath.Join(t.TempDir(), "readme.go")
			if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "build", "-o", os.DevNull, file).CombinedOutput(); err != nil {
				t.Errorf("%s, block %d: %v\n%s\n%s", page, i+1, err, out, code)
			}
		}
	}
	if blocks < 9 {
		t.Errorf("only %d blocks of Go were compiled", blocks)
	}
}

// The README is read in ten minutes, of which it takes one or two.
func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	if n := strings.Count(readFile(t, "../README.md"), "\n"); n > 160 {
		t.Errorf("the README has %d lines, want 160 at most", n)
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// Every link within the repository leads to a file.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	links := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" || strings.Contains(path, "handbook") || strings.Contains(path, ".venv") {
			return err
		}
		for _, found := range link.FindAllStringSubmatch(readFile(t, path), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
			}
		}
		return nil
	})
	if err != nil || links < 30 {
		t.Errorf("%d links, error %v", links, err)
	}
	programs, err := filepath.Glob("../examples/*/main.go")
	if err != nil || len(programs) < 11 {
		t.Fatalf("%d examples, error %v", len(programs), err)
	}
	listed := readFile(t, "../examples/README.md")
	for _, program := range programs {
		if name := "`go run ./examples/" + filepath.Base(filepath.Dir(program)) + "`"; !strings.Contains(listed, name) {
			t.Errorf("examples/README.md does not list %s", name)
		}
	}
}

// TestTheCommandsOfTheReadme types what the README says, in a program of somebody's own
// beside a clone, and in the clone. The test command is the one that .ci/run runs.
func TestTheCommandsOfTheReadme(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(root(t), filepath.Join(dir, "bookend")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	app := filepath.Join(dir, "app")
	if err := os.Mkdir(app, 0o700); err != nil {
		t.Fatal(err)
	}
	program := "package main\n\nimport (\n\t\"github.com/bookend-rag/bookend/core\"\n)\n\nfunc main() { println(core.Reorder([]int{1, 2, 3})[1]) }\n"
	write := func() {
		if err := os.WriteFile(filepath.Join(app, "main.go"), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	mustGo(t, app, "mod", "init", "example.com/app")
	edits, runs := 0, 0
	for _, block := range shellBlock.FindAllStringSubmatch(readFile(t, "../README.md"), -1) {
		if strings.Contains(block[1], "bookend/measure") {
			program = strings.Replace(program, "import (\n", "import (\n\t_ \"github.com/bookend-rag/bookend/cmd/settings\"\n\t_ \"github.com/bookend-rag/bookend/measure/published\"\n", 1)
			write()
		}
		for line := range strings.Lines(block[1]) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			args := strings.Fields(line)
			switch {
			case len(args) == 0 || args[0] == "go" && args[1] == "test":
			case args[0] == "go" && args[1] == "mod":
				edits++
				mustGo(t, app, args[1:]...)
			case args[0] == "go" && args[1] == "run":
				runs++
				command := exec.CommandContext(t.Context(), "go", args[1:]...)
				command.Dir = root(t)
				if out, err := command.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			default:
				t.Errorf("a command that this test does not know: %s", line)
			}
		}
	}
	if edits != 5 || runs == 0 {
		t.Errorf("%d commands for the module and %d programs of the README were run", edits, runs)
	}
	if out, err := goCommand(t, app, "run", "."); err != nil {
		t.Errorf("the program does not run: %v\n%s", err, out)
	}
}

// TestThePictureOfThePromptIsWhatTheExamplePrints runs the example that the picture
// is of.
func TestThePictureOfThePromptIsWhatTheExamplePrints(t *testing.T) {
	t.Parallel()
	run := exec.Command("go", "run", "./examples/prompt")
	run.Dir = ".."
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, block := range textBlock.FindAllStringSubmatch(readFile(t, "../docs/prompt.md"), -1) {
		if strings.HasPrefix(block[1], "BEFORE") {
			found = true
			if !strings.Contains(string(out), block[1]) {
				t.Errorf("docs/prompt.md shows\n%s\nthe example prints\n%s", block[1], out)
			}
		}
	}
	if !found {
		t.Error("docs/prompt.md has no picture of the example")
	}
}
