package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// load returns the promised packages of those that pattern names, as the compiler
// describes them to packages that import them.
func load(ctx context.Context, pattern string) ([]*types.Package, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-json=ImportPath,Name,Export,DepOnly", pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var named []string
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Name, Export string
			DepOnly                  bool
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && promised(p.ImportPath, p.Name) {
			named = append(named, p.ImportPath)
		}
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var packages []*types.Package
	for _, path := range named {
		p, err := imports.Import(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// list describes all that another package can use of p, a line for each: constants with
// their values, variables, functions, types, and below each type its fields, with the
// tags that name them in files, and its methods, promoted ones included. Sorted.
func list(p *types.Package) []string {
	qualify := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return other.Name()
	}
	lines := []string{"package " + p.Name() + " // import " + strconv.Quote(p.Path())}
	scope := p.Scope()
	for _, name := range scope.Names() { // sorted
		object := scope.Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			lines = append(lines, types.ObjectString(object, qualify)+" = "+object.Val().ExactString())
		case *types.TypeName:
			lines = append(lines, listType(object, qualify)...)
		default:
			lines = append(lines, types.ObjectString(object, qualify))
		}
	}
	return lines
}

func listType(name *types.TypeName, qualify types.Qualifier) []string {
	if name.IsAlias() {
		return []string{types.ObjectString(name, qualify)}
	}
	short := name.Name()
	head := "type " + types.TypeString(name.Type(), qualify)
	if named, ok := name.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
		// ObjectString has the constraints of the type parameters, before the type.
		head, _, _ = strings.Cut(types.ObjectString(name, qualify), "]")
		head += "]"
	}
	var lines []string
	switch under := name.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, head+" struct")
		hidden := false
		for i := range under.NumFields() {
			field := under.Field(i)
			if !field.Exported() {
				hidden = true
				continue
			}
			line := fmt.Sprintf("%s.%s %s", short, field.Name(), types.TypeString(field.Type(), qualify))
			if field.Embedded() {
				line += ", embedded"
			}
			if tag := under.Tag(i); tag != "" {
				line += " `" + tag + "`"
			}
			lines = append(lines, line)
		}
		if hidden {
			lines[0] += " with unexported fields"
		}
	case *types.Interface:
		lines = append(lines, head+" "+types.TypeString(under, qualify))
		return lines
	default:
		lines = append(lines, head+" "+types.TypeString(under, qualify))
	}
	byValue := types.NewMethodSet(name.Type())
	all := types.NewMethodSet(types.NewPointer(name.Type()))
	for i := range all.Len() {
		method := all.At(i).Obj()
		if !method.Exported() {
			continue
		}
		receiver := "*" + short
		if byValue.Lookup(nil, method.Name()) != nil {
			receiver = short
		}
		signature := strings.TrimPrefix(types.TypeString(all.At(i).Type(), qualify), "func")
		lines = append(lines, fmt.Sprintf("(%s) %s%s", receiver, method.Name(), signature))
	}
	slices.Sort(lines[1:])
	for i := range lines[1:] {
		lines[i+1] = "\t" + lines[i+1]
	}
	return lines
}
