package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// stranger is somebody who has the go command and nothing else of ours: no clone, no
// workspace, and a module cache in which none of our modules is.
type stranger struct {
	release *release
	dir     string // has a folder for each module of the stranger's own
	goTool  string
	env     []string
	out     io.Writer
}

// newStranger finds the go command that GOTOOLCHAIN chooses here. The stranger runs it
// by its path: their own module cache has no toolchain.
func newStranger(ctx context.Context, r *release, dir string, out io.Writer) (*stranger, error) {
	found, err := output(ctx, ".", nil, "go", "env", "GOROOT", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	values := strings.Split(found, "\n")
	if len(values) != 3 {
		return nil, fmt.Errorf("go env printed %q", found)
	}
	goroot, cache, proxies := values[0], values[1], values[2]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &stranger{release: r, dir: dir, out: out, goTool: filepath.Join(goroot, "bin", "go"), env: []string{
		"GOROOT=" + goroot,
		"PATH=" + filepath.Join(goroot, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"GOTOOLCHAIN=local",
		"GOWORK=off",
		"GOPROXY=file://" + filepath.ToSlash(r.proxy) + ",file://" + filepath.ToSlash(filepath.Join(cache, "cache", "download")) + "," + proxies,
		"GOPRIVATE=", "GONOPROXY=",
		"GONOSUMDB=" + r.path, // nobody has seen these modules yet
		"GOMODCACHE=" + filepath.Join(dir, "mod"),
		"GOBIN=" + filepath.Join(dir, "bin"),
		// The cache can be deleted, and what is built is that of any folder.
		"GOFLAGS=-modcacherw -trimpath",
	}}, nil
}

// run runs the go command in one of the stranger's folders.
func (s *stranger) run(ctx context.Context, folder string, args ...string) (string, error) {
	fmt.Fprintf(s.out, "%s$ go %s\n", strings.TrimPrefix(folder, "."), strings.Join(args, " "))
	dir := filepath.Join(s.dir, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return output(ctx, dir, s.env, s.goTool, args...)
}

// program makes an empty module, pins what is pinned, gets what is asked for, and runs
// a program there.
func (s *stranger) program(ctx context.Context, p program) error {
	steps := [][]string{{"mod", "init", "example.com/" + p.folder}}
	for _, pin := range p.pins {
		steps = append(steps, []string{"mod", "edit", "-require=" + pin})
	}
	for _, path := range p.get {
		steps = append(steps, []string{"get", path + "@" + s.release.version})
	}
	steps = append(steps, []string{"mod", "tidy"}, []string{"run", "."})
	main := filepath.Join(s.dir, p.folder, "main.go")
	if err := os.MkdirAll(filepath.Dir(main), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(main, []byte(p.text), 0o644); err != nil {
		return err
	}
	var printed string
	for _, step := range steps {
		var err error
		if printed, err = s.run(ctx, p.folder, step...); err != nil {
			return fmt.Errorf("%s: %w", p.folder, err)
		}
	}
	if printed != p.prints {
		return fmt.Errorf("%s: the program printed %q, want %q", p.folder, printed, p.prints)
	}
	if p.after == nil {
		return nil
	}
	file, err := readMod(filepath.Join(s.dir, p.folder, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(s.dir, p.folder, "go.sum"))
	if err != nil {
		return err
	}
	if err := p.after(s, file, strings.Split(strings.TrimSpace(string(sums)), "\n")); err != nil {
		return fmt.Errorf("%s: %w", p.folder, err)
	}
	return nil
}

// useAll does what the README tells a user to do, and stops at the first thing that
// does not work.
func (s *stranger) useAll(ctx context.Context) error {
	version, err := s.run(ctx, ".", "version")
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, version)
	if err := s.modulesAlone(ctx); err != nil {
		return err
	}
	for _, p := range programs(s.release.path) {
		if err := s.program(ctx, p); err != nil {
			return err
		}
	}
	if err := s.command(ctx, s.release.path+"/cmd/bookend"); err != nil {
		return err
	}
	return s.example(ctx, s.release.path+"/examples/langchaingo")
}

// modulesAlone asks for all that each module requires, and finds its packages and those
// of its tests, as somebody does who works in a folder of the prepared clone without its
// workspace: the checksums that are recorded must be there, and right.
func (s *stranger) modulesAlone(ctx context.Context) error {
	for _, folder := range s.release.released {
		dir := filepath.Join(s.release.tree, folder)
		file, err := readMod(filepath.Join(dir, "go.mod"))
		if err != nil {
			return err
		}
		versions := []string{"list", "-m", "-mod=mod"}
		for _, line := range file.Require {
			versions = append(versions, line.Mod.String())
		}
		if len(file.Require) > 0 {
			fmt.Fprintf(s.out, "%s$ go list -m (each of the %d that it requires)\n", s.release.module(folder), len(file.Require))
			if _, err := output(ctx, s.dir, s.env, s.goTool, versions...); err != nil {
				return fmt.Errorf("%s requires what is not published: %w", s.release.module(folder), err)
			}
		}
		fmt.Fprintf(s.out, "%s$ go list -deps -test ./...\n", s.release.module(folder))
		if _, err := output(ctx, dir, s.env, s.goTool, "list", "-deps", "-test", "./..."); err != nil {
			return fmt.Errorf("%s alone: %w", s.release.module(folder), err)
		}
	}
	return nil
}

// command installs the command and asks for its version.
func (s *stranger) command(ctx context.Context, path string) error {
	if _, err := s.run(ctx, ".", "install", path+"@"+s.release.version); err != nil {
		return err
	}
	name := "bookend"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	got, err := output(ctx, s.dir, s.env, filepath.Join(s.dir, "bin", name), "--version")
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "$ bookend --version\n%s\n", got)
	if want := "bookend " + s.release.version; got != want {
		return fmt.Errorf("bookend --version says %q, want %q", got, want)
	}
	return nil
}

// example runs an example without a clone.
func (s *stranger) example(ctx context.Context, path string) error {
	got, err := s.run(ctx, ".", "run", path+"@"+s.release.version)
	if err == nil && got == "" {
		err = fmt.Errorf("%s printed nothing", path)
	}
	return err
}
