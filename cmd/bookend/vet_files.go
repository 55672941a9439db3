package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// maxVetFiles bounds what folders are searched for.
const maxVetFiles = 100_000

// vetPath is a file to check.
type vetPath struct {
	name  string
	given bool // by the user, and not found in a folder
}

// vetFiles returns the files that the paths name: files as they are, and of folders
// every YAML and JSON file below them, by name, each once. Hidden folders, those of
// installed packages, and symbolic links are passed over; what cannot be read below a
// folder is skipped and returned. A path that the user gave and that is not there is
// an error.
func vetFiles(ctx context.Context, paths []string) (files []vetPath, skipped []error, err error) {
	seen := map[string]bool{}
	add := func(name string, given bool) {
		if !seen[name] {
			seen[name] = true
			files = append(files, vetPath{name, given})
		}
	}
	for _, path := range paths {
		path = filepath.Clean(path)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path += string(filepath.Separator) + "." // a link to a folder that is given is one
		}
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && name == path:
				return &doctree.Error{File: name, Rule: "cannot be read", Err: unwrapped(err)}
			case err != nil:
				skipped = append(skipped, &doctree.Error{File: name, Rule: "cannot be read", Err: unwrapped(err)})
				return nil
			case name == path && !d.IsDir():
				add(name, true)
			case d.IsDir() && name != path && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "vendor", "venv", "__pycache__"}, d.Name())):
				return filepath.SkipDir
			case d.Type().IsRegular() && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name))):
				add(name, false)
			}
			if len(files) > maxVetFiles {
				return &doctree.Error{File: path, Rule: fmt.Sprintf("holds more than %d files: name a folder of configurations", maxVetFiles)}
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, skipped, nil
}

// unwrapped takes the path out of an error, which names it a second time.
func unwrapped(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}
