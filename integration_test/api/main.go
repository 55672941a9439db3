// The api program compares the exported names of the released packages with the lists
// in docs/api, one file for each package, so that no change of them goes unseen.
//
//	go run ./integration_test/api          fails where they differ, and says how
//	go run ./integration_test/api -write   writes the lists anew
//
// The examples promise nothing, and are in no list.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "github.com/bookend-rag/bookend"
	folder = "docs/api"
	renew  = "go run ./integration_test/api -write"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("api", flag.ContinueOnError)
	write := flags.Bool("write", false, "write the lists anew")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("go list -m %s: %w", module, err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(folder))
	now, err := lists(ctx)
	if err != nil {
		return err
	}
	if *write {
		return writeLists(dir, now)
	}
	before, err := readLists(dir)
	if err != nil {
		return err
	}
	if changes := compare(before, now); len(changes) > 0 {
		fmt.Fprintln(out, strings.Join(changes, "\n"))
		return fmt.Errorf("what other programs can use has changed; if that is meant, write the lists anew and tell it in CHANGELOG.md:\n\t%s", renew)
	}
	return nil
}

// lists returns the list of each package that other programs can import, by its file.
func lists(ctx context.Context) (map[string][]string, error) {
	packages, err := load(ctx, module+"/...")
	if err != nil {
		return nil, err
	}
	byFile := map[string][]string{}
	for _, p := range packages {
		byFile[strings.TrimPrefix(p.Path(), module+"/")+".txt"] = list(p)
	}
	return byFile, nil
}

// promised says whether others can import a package, and may rely on it.
func promised(path, name string) bool {
	parts := strings.Split(strings.TrimPrefix(path, module+"/"), "/")
	return name != "main" && !slices.Contains(parts, "internal") && parts[0] != "examples" && parts[0] != "integration_test"
}

func readLists(dir string) (map[string][]string, error) {
	byFile := map[string][]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if errors.Is(err, fs.ErrNotExist) && name == dir {
				return nil
			}
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		byFile[filepath.ToSlash(below)] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		return err
	})
	return byFile, err
}

// writeLists replaces all that is in dir.
func writeLists(dir string, byFile map[string][]string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for file, lines := range byFile {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare returns the lines that are gone and the lines that are new, below the name of
// their file.
func compare(before, now map[string][]string) []string {
	var files, changes []string
	for file := range before {
		files = append(files, file)
	}
	for file := range now {
		if _, ok := before[file]; !ok {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	for _, file := range files {
		var lines []string
		for _, line := range before[file] {
			if !slices.Contains(now[file], line) {
				lines = append(lines, "- "+line)
			}
		}
		for _, line := range now[file] {
			if !slices.Contains(before[file], line) {
				lines = append(lines, "+ "+line)
			}
		}
		if len(lines) > 0 {
			changes = append(append(changes, path.Join(folder, file)), lines...)
		}
	}
	return changes
}
