package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

const source = `package small

const Limit = 3
const hidden = 4

var Default *Thing

type base struct{ ID string }

func (base) Close() error { return nil }

type Thing struct {
	base
	Name string ` + "`json:\"name\"`" + `
	size int
}

func (t *Thing) Grow(by int) (ok bool) { return false }

func (Thing) String() string { return "" }

func (Thing) secret() {}

type Plain struct{ A, B int }

type Pair[K comparable, V any] struct{ Key K }

type Doer interface {
	Do(n ...int)
	private()
}

type Kind string

const First Kind = "first"

type Other = Plain

func Do[T any](f func(T) error) {}

func unseen() {}
`

const listed = `package small // import "example.com/small"
var Default *Thing
func Do[T any](f func(T) error)
type Doer interface{Do(n ...int); private()}
const First Kind = "first"
type Kind string
const Limit untyped int = 3
type Other = Plain
type Pair[K comparable, V any] struct
	Pair.Key K
type Plain struct
	Plain.A int
	Plain.B int
type Thing struct with unexported fields
	(*Thing) Grow(by int) (ok bool)
	(Thing) Close() error
	(Thing) String() string
	Thing.Name string ` + "`json:\"name\"`"

func TestListHasAllThatOthersCanUse(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "small.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("example.com/small", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(list(p), "\n"); got != listed {
		t.Errorf("got\n%s\nwant\n%s", got, listed)
	}
}

func TestListsAreOfThePackagesThatOthersCanImport(t *testing.T) {
	now, err := lists(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"core.txt", "core/prompt.txt", "eino.txt", "langchaingo/combine.txt", "measure/sweep.txt", "cmd/settings.txt"} {
		if len(now[want]) < 3 {
			t.Errorf("%s has %d lines", want, len(now[want]))
		}
	}
	for file := range maps.Keys(now) {
		for _, not := range []string{"internal", "examples", "integration_test", "bookend"} {
			if slices.Contains(strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '.' }), not) {
				t.Errorf("%s is listed", file)
			}
		}
	}
}

func TestCompareNamesEachChange(t *testing.T) {
	before := map[string][]string{"a.txt": {"package a", "func F()"}, "gone.txt": {"package gone"}, "same.txt": {"package same"}}
	now := map[string][]string{"a.txt": {"package a", "func F(n int)"}, "new.txt": {"package new"}, "same.txt": {"package same"}}
	want := []string{"docs/api/a.txt", "- func F()", "+ func F(n int)", "docs/api/gone.txt", "- package gone", "docs/api/new.txt", "+ package new"}
	if got := compare(before, now); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	dir := t.TempDir()
	if err := writeLists(dir, before); err != nil {
		t.Fatal(err)
	}
	if err := writeLists(dir, now); err != nil {
		t.Fatal(err)
	}
	got, err := readLists(dir)
	if err != nil || !maps.EqualFunc(got, now, slices.Equal) {
		t.Errorf("read %v, error %v; want what was written last", got, err)
	}
	if got, err := readLists(dir + "/none"); err != nil || len(got) > 0 {
		t.Errorf("no folder: %v, %v", got, err)
	}
}
