package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// bookend is the modules of this repository. Nobody imports integration_test, so it is
// not released.
var bookend = modules{
	path:     "github.com/bookend-rag/bookend",
	released: []string{"", "measure", "cmd", "examples"},
	others:   []string{"integration_test"},
}

// modules are those of one repository, by their folders.
type modules struct {
	path     string   // of the root module
	released []string // the root first, and each one after those that it requires
	others   []string // only used in a clone
}

// release is one version of all modules.
type release struct {
	modules
	version string
	tree    string   // the clone that is prepared
	base    string   // the commit that it was a clone of
	proxy   string   // the folder that serves what is packed
	sums    []string // the lines of go.sum for the modules that are packed
}

// make packs every module, and prepares each one before.
func (r *release) make(ctx context.Context, repository string) error {
	if err := r.clone(ctx, repository); err != nil {
		return err
	}
	if err := r.nameVersion(ctx); err != nil {
		return err
	}
	for _, folder := range r.released {
		if err := r.prepare(ctx, folder); err != nil {
			return err
		}
		if err := r.pack(ctx, folder); err != nil {
			return err
		}
	}
	for _, folder := range r.others {
		if err := r.prepare(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

// module is the path of the module in folder.
func (m modules) module(folder string) string {
	if folder == "" {
		return m.path
	}
	return m.path + "/" + folder
}

// ours says whether a module is of the repository, released or not.
func (m modules) ours(path string) bool {
	return path == m.path || strings.HasPrefix(path, m.path+"/")
}

func (m modules) isReleased(path string) bool {
	return slices.ContainsFunc(m.released, func(folder string) bool { return m.module(folder) == path })
}

// clone copies what is committed: a file that git does not know is in no release.
func (r *release) clone(ctx context.Context, repository string) error {
	if _, err := output(ctx, ".", nil, "git", "clone", "--quiet", "--no-tags", repository, r.tree); err != nil {
		return err
	}
	var err error
	r.base, err = r.git(ctx, "rev-parse", "HEAD")
	return err
}

// git runs git in the tree.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	return output(ctx, r.tree, nil, "git", append([]string{"-c", "user.name=release", "-c", "user.email=release@localhost", "-c", "commit.gpgsign=false"}, args...)...)
}

// copyBack puts the files that were prepared into the repository that the tree is a
// clone of. It overwrites nothing that is not committed.
func (r *release) copyBack(ctx context.Context, repository string) error {
	changed, err := output(ctx, repository, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("commit or put away first what is not committed:\n%s", changed)
	}
	files, err := r.git(ctx, "diff", "--name-only", r.base, "HEAD")
	if err != nil {
		return err
	}
	for _, file := range strings.Fields(files) {
		data, err := os.ReadFile(filepath.Join(r.tree, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(repository, file), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// output runs a command in dir, with env beside the environment of this process, and
// returns what it prints, trimmed. The error has what the command says.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		command := strings.Join(args, " ")
		if len(command) > 100 {
			command = command[:100] + "…"
		}
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), command, err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
