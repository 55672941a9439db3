package vet

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// maxFiles bounds what a folder is searched for.
const maxFiles = 10_000

// Files returns the files that the paths name: files as they are, and of folders
// every YAML and JSON file below them, by name. Hidden folders, those of installed
// packages, and symbolic links are passed over.
func Files(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return &doctree.Error{File: name, Rule: "cannot be read", Err: unwrapped(err)}
			case name == path && !d.IsDir():
				files = append(files, name)
			case d.IsDir() && name != path && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"node_modules", "vendor", "venv", "__pycache__"}, d.Name())):
				return filepath.SkipDir
			case d.Type().IsRegular() && slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name))):
				files = append(files, name)
			}
			if len(files) > maxFiles {
				return &doctree.Error{File: path, Rule: fmt.Sprintf("holds more than %d files: name a folder of configurations", maxFiles)}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// unwrapped takes the path out of an error, which names it a second time.
func unwrapped(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}
