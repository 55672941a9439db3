// The notice command prints the licences of everything that is linked into the bookend
// command, which must be handed on with it:
//
//	go run ./cmd/internal/notice > cmd/NOTICE
//
// It reads them where Go keeps the modules. Versions are left out, so that the file
// changes only when a licence or the list of modules does.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those that the command is built for; each links modules of its own.
var systems = []string{"linux", "darwin", "windows"}

const (
	command = "github.com/bookend-rag/bookend/cmd/bookend"
	ours    = "github.com/bookend-rag/bookend"
)

func main() {
	text, err := notice()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

// notice returns the whole text.
func notice() ([]byte, error) {
	modules, err := linked()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("The bookend command is linked with the software below, which comes under licences of\nits own. Where a choice is given, as by FreeType, the first licence is taken.\nThis file is made by `go run ./cmd/internal/notice`.\n")
	for _, m := range modules {
		texts, err := m.texts()
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no file with its licence in %s: find out what it is, and add the file's name here", m.name, m.root)
		}
		fmt.Fprintf(&b, "\n%s\n%s\n%[1]s\n", strings.Repeat("=", 80), m.name)
		for _, t := range texts {
			fmt.Fprintf(&b, "\n--- %s\n\n%s\n", t.name, t.text)
		}
	}
	return b.Bytes(), nil
}

// module is what is linked: a module, or Go's own library.
type module struct {
	name, root string
	folders    []string // of its packages that are linked
}

// linked lists the modules by their names, after Go's own library.
func linked() ([]module, error) {
	goroot, err := goCommand("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(goroot)
	byName := map[string]*module{}
	for _, system := range systems {
		list, err := goCommand(system, "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}", command)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 3 || fields[0] == ours || strings.HasPrefix(fields[0], ours+"/") {
				continue
			}
			m := byName[fields[0]]
			if m == nil {
				m = &module{name: fields[0], root: fields[1]}
				byName[m.name] = m
			}
			if !slices.Contains(m.folders, fields[2]) {
				m.folders = append(m.folders, fields[2])
			}
		}
	}
	all := []module{{name: "The Go standard library", root: root, folders: []string{root}}}
	for _, m := range byName {
		all = append(all, *m)
	}
	slices.SortFunc(all[1:], func(a, b module) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// goCommand runs the go command for a system, by the versions of cmd/go.mod alone.
func goCommand(system string, args ...string) (string, error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOARCH=amd64")
	if system != "" {
		c.Env = append(c.Env, "GOOS="+system)
	}
	var err error
	if c.Dir, err = moduleFolder(); err != nil {
		return "", err
	}
	var complaint bytes.Buffer
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return string(out), nil
}

// moduleFolder is that of cmd/go.mod, from the root of the repository or from here.
func moduleFolder() (string, error) {
	for _, dir := range []string{"cmd", ".", filepath.Join("..", "..")} {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+ours+"/cmd\n") {
			return dir, nil
		}
	}
	return "", errors.New("run it from the root of the repository")
}

// licence is one file of a module.
type licence struct{ name, text string }

// isLicence knows the names of files, and of folders full of them, that have to be
// handed on, or that a licence refers to.
var isLicence = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|copyright|notice|patents|authors|attrib|third[-_]party.*)([-_.].*)?$`)

// texts reads what stands in the module's root, beside its linked packages, and on the
// way to them.
func (m module) texts() ([]licence, error) {
	seen := map[string]bool{}
	var found []licence
	add := func(path string) error {
		name, err := filepath.Rel(m.root, path)
		if err != nil || seen[name] {
			return err
		}
		seen[name] = true
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " \t\f")
		}
		found = append(found, licence{filepath.ToSlash(name), strings.Trim(strings.Join(lines, "\n"), "\n")})
		return nil
	}
	for _, folder := range m.folders {
		for dir := folder; ; dir = filepath.Dir(dir) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				path := filepath.Join(dir, e.Name())
				switch {
				case !isLicence.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go"):
				case !e.IsDir():
					err = add(path)
				case dir == m.root:
					err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
						if err != nil || d.IsDir() {
							return err
						}
						return add(path)
					})
				}
				if err != nil {
					return nil, err
				}
			}
			if dir == m.root || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	slices.SortFunc(found, func(a, b licence) int { return cmp.Compare(a.name, b.name) })
	return found, nil
}
