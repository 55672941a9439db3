package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// versionName is the constant of internal/sameversion, in a clone and in a release.
var versionName = regexp.MustCompile(`\b(Unreleased|V\d+dot\w+)\b`)

// nameVersion gives that constant the name of this version, where it is declared and
// where it is used.
func (r *release) nameVersion(ctx context.Context) error {
	name := "V" + strings.NewReplacer("v", "", ".", "dot", "-", "").Replace(r.version)
	files, err := r.git(ctx, "ls-files", "sameversion.go", "*/sameversion.go")
	if err != nil {
		return err
	}
	for _, file := range strings.Fields(files) {
		path := filepath.Join(r.tree, file)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, versionName.ReplaceAll(data, []byte(name)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the go.mod and go.sum of one module of the tree ready, and commits
// them. The modules that it requires must be packed. A module that is not released
// keeps its replace lines.
func (r *release) prepare(ctx context.Context, folder string) error {
	name := filepath.Join(r.tree, folder, "go.mod")
	file, err := readMod(name)
	if err != nil {
		return err
	}
	for _, old := range slices.Clone(file.Replace) {
		if r.isReleased(old.Old.Path) && slices.Contains(r.released, folder) {
			if err := file.DropReplace(old.Old.Path, old.Old.Version); err != nil {
				return err
			}
		}
	}
	for _, required := range file.Require {
		if r.isReleased(required.Mod.Path) {
			if err := file.AddRequire(required.Mod.Path, r.version); err != nil {
				return err
			}
		}
	}
	file.Cleanup()
	text, err := file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	if slices.Contains(r.released, folder) {
		if err := r.addChecksums(folder, file); err != nil {
			return err
		}
	}
	if _, err := r.git(ctx, "add", "--all"); err != nil {
		return err
	}
	_, err = r.git(ctx, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", "Prepare "+r.module(folder)+" "+r.version)
	return err
}

// addChecksums gives the go.sum of a module the lines of our modules that it requires.
func (r *release) addChecksums(folder string, file *modfile.File) error {
	name := filepath.Join(r.tree, folder, "go.sum")
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool {
		path, _, _ := strings.Cut(line, " ")
		return line == "" || r.ours(path)
	})
	for _, line := range r.sums {
		path, _, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(file.Require, func(required *modfile.Require) bool { return required.Mod.Path == path }) {
			after := slices.IndexFunc(lines, func(other string) bool { return other > path+"/" })
			if after < 0 {
				after = len(lines)
			}
			lines = slices.Insert(lines, after, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

func readMod(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}
