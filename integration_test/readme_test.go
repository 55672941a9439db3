package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goBlock   = regexp.MustCompile("(?s)```go\n(.*?)```")
	textBlock = regexp.MustCompile("(?s)```text\n(.*?)```")
)

// statements turns a block of the README that is no file of its own into one: what
// it uses without declaring it is declared here.
const statements = `package readme

import (
	"context"
	"fmt"
	"log/slog"

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
	_          pipeline.Source[Hit]
	_          rank.Fusion
)

func snippet(ctx context.Context) error {
%s
	return nil
}
`

// used marks the variables that a block declares for its reader alone.
var used = regexp.MustCompile(`(?m)^(placed|config|hits|answer|citations)(, err)? := `)

func TestTheGoOfTheReadmeCompiles(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := goBlock.FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 5 {
		t.Fatalf("%d blocks of Go in the README", len(blocks))
	}
	for i, block := range blocks {
		code := block[1]
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
			t.Errorf("block %d: %v\n%s\n%s", i+1, err, out, code)
		}
	}
}

// TestThePictureOfTheReadmeIsWhatTheExamplePrints runs the example that the picture
// is of.
func TestThePictureOfTheReadmeIsWhatTheExamplePrints(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", "./examples/prompt")
	run.Dir = ".."
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, block := range textBlock.FindAllStringSubmatch(string(readme), -1) {
		if strings.HasPrefix(block[1], "BEFORE") {
			found = true
			if !strings.HasPrefix(string(out), block[1]) {
				t.Errorf("the README shows\n%s\nthe example prints\n%s", block[1], out)
			}
		}
	}
	if !found {
		t.Error("the README has no picture of the example")
	}
}
