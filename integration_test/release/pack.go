package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// pack puts what is committed of a module into the folder of the proxy, if it can be
// published.
func (r *release) pack(ctx context.Context, folder string) error {
	name := filepath.Join(r.tree, folder, "go.mod")
	file, err := readMod(name)
	if err != nil {
		return err
	}
	if err := r.check(file); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(folder, "go.mod"), err)
	}
	this := module.Version{Path: r.module(folder), Version: r.version}
	if file.Module.Mod.Path != this.Path {
		return fmt.Errorf("%s: the module is %s, want %s", filepath.Join(folder, "go.mod"), file.Module.Mod.Path, this.Path)
	}
	escaped, err := module.EscapePath(this.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mod, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", r.version, time.Now().UTC().Format(time.RFC3339))
	base := filepath.Join(dir, r.version)
	for name, text := range map[string]string{filepath.Join(dir, "list"): r.version + "\n", base + ".info": info, base + ".mod": string(mod)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	var packed bytes.Buffer
	if err := zip.CreateFromVCS(&packed, this, r.tree, "HEAD", folder); err != nil {
		return err
	}
	if err := os.WriteFile(base+".zip", packed.Bytes(), 0o644); err != nil {
		return err
	}
	whole, err := dirhash.HashZip(base+".zip", dirhash.Hash1)
	if err != nil {
		return err
	}
	modAlone, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(mod)), nil })
	if err != nil {
		return err
	}
	r.sums = append(r.sums,
		fmt.Sprintf("%s %s %s", this.Path, this.Version, whole),
		fmt.Sprintf("%s %s/go.mod %s", this.Path, this.Version, modAlone))
	return nil
}

// check refuses what works in a clone alone. The go command ignores a replace and an
// exclude of a module that is required, and installs no program of a module that has
// one.
func (r *release) check(file *modfile.File) error {
	var faults []error
	for _, line := range file.Replace {
		faults = append(faults, fmt.Errorf("line %d replaces %s by %s: drop the line, no user's build sees it", line.Syntax.Start.Line, line.Old.Path, line.New.Path))
	}
	for _, line := range file.Exclude {
		faults = append(faults, fmt.Errorf("line %d excludes %s: drop the line, no user's build sees it", line.Syntax.Start.Line, line.Mod))
	}
	for _, line := range file.Require {
		if r.ours(line.Mod.Path) && (line.Mod.Version != r.version || !r.isReleased(line.Mod.Path)) {
			faults = append(faults, fmt.Errorf("line %d requires %s, which is not published: require a released module at %s", line.Syntax.Start.Line, line.Mod, r.version))
		}
	}
	return errors.Join(faults...)
}
