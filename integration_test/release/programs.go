package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// program is one that somebody writes who wants a part of the release.
type program struct {
	folder string
	pins   []string // what its module requires before
	get    []string // packages or modules, for go get at the version of the release
	text   string
	prints string
	// after looks at the module when the program has run; nil: nothing to see.
	after func(s *stranger, file *modfile.File, sums []string) error
}

// text and crypto are older than what a framework asks for.
const (
	xText   = "golang.org/x/text"
	xCrypto = "golang.org/x/crypto"
	text    = "v0.21.0"
	crypto  = "v0.31.0"
)

func programs(path string) []program {
	return []program{
		{
			folder: "core",
			get:    []string{path},
			text: `package main

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
)

func main() { fmt.Println(core.Reorder([]int{1, 2, 3, 4, 5})) }
`,
			prints: "[1 3 5 4 2]",
			after: func(s *stranger, _ *modfile.File, sums []string) error {
				return onlyOurs(s, sums)
			},
		},
		{
			folder: "pinned",
			pins:   []string{xText + "@" + text},
			get:    []string{path},
			text: `package main

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"golang.org/x/text/unicode/norm"
)

func main() { fmt.Println(core.Reorder([]int{1, 2, 3}), norm.NFC.IsNormalString("a")) }
`,
			prints: "[1 3 2] true",
			after: func(s *stranger, file *modfile.File, sums []string) error {
				if got := required(file, xText); got != text {
					return fmt.Errorf("%s is now %s, want %s as pinned", xText, got, text)
				}
				return onlyOurs(s, slices.DeleteFunc(sums, func(line string) bool { return strings.HasPrefix(line, xText+" "+text) }))
			},
		},
		{
			folder: "adapters",
			pins:   []string{xText + "@" + text, xCrypto + "@" + crypto},
			get:    []string{path + "/langchaingo", path + "/eino"},
			text: `package main

import (
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
	"golang.org/x/crypto/sha3"
	"golang.org/x/text/unicode/norm"
)

func main() {
	_, err := langchaingo.NewTransformer()
	t, also := eino.NewTransformer(context.Background(), nil)
	fmt.Println(err, also, t.GetType(), sha3.Sum256(nil)[0], norm.NFC.IsNormalString("a"))
}
`,
			prints: "<nil> <nil> Bookend 167 true",
			// Go takes the highest version that any module asks for.
			after: func(s *stranger, file *modfile.File, _ []string) error {
				ours, err := readMod(filepath.Join(s.release.tree, "go.mod"))
				if err != nil {
					return err
				}
				if got, want := required(file, xCrypto), required(ours, xCrypto); got != want {
					return fmt.Errorf("%s is now %s, want %s, which the frameworks need", xCrypto, got, want)
				}
				return nil
			},
		},
		{
			folder: "measure",
			get:    []string{path + "/measure"},
			text: `package main

import (
	"fmt"

	"github.com/bookend-rag/bookend/measure/stats"
)

func main() {
	i, err := stats.Wilson(5, 10, stats.Confidence)
	fmt.Printf("%.3f to %.3f %v\n", i.Low, i.High, err)
}
`,
			prints: "0.237 to 0.763 <nil>",
		},
		{
			folder: "settings",
			get:    []string{path + "/cmd/settings"},
			text: `package main

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/settings"
)

func main() {
	s, err := settings.Parse("rag.yaml", []byte("order:\n  top_k: 8\n"), nil)
	fmt.Println(s.Order.TopK, err)
}
`,
			prints: "8 <nil>",
		},
	}
}

// required is the version of a module that a go.mod requires, "" if it does not.
func required(file *modfile.File, path string) string {
	for _, line := range file.Require {
		if line.Mod.Path == path {
			return line.Mod.Version
		}
	}
	return ""
}

// onlyOurs fails if lines of a go.sum name any module but the root of the release.
func onlyOurs(s *stranger, lines []string) error {
	for _, line := range lines {
		if !strings.HasPrefix(line, s.release.path+" ") {
			return fmt.Errorf("go.sum names %s", line)
		}
	}
	return nil
}
