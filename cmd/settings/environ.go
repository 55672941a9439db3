package settings

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

const envPrefix = "BOOKEND_"

// EnvName returns the name of the variable for a key: BOOKEND_ORDER_TOP_K for
// order.top_k. An empty variable counts as not set. A list is given with commas, or
// as a list of JSON; a placement as its name, or as a mapping of JSON.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// environment reads the variables. One that begins with BOOKEND_ and is not known
// is a fault if it looks like a misspelled one; others belong to somebody else.
func (d *decoder) environment(environ []string, s *Settings) {
	keys := map[string]string{}
	var names []string
	for _, setting := range All() {
		if setting.Key != "$schema" {
			name := EnvName(setting.Key)
			keys[name], names = setting.Key, append(names, name)
		}
	}
	environ = slices.Clone(environ)
	slices.Sort(environ)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || value == "" {
			continue
		}
		key, known := keys[name]
		if !known {
			if near := nearest.Of(name[len(envPrefix):], trimmed(names)); near != "" {
				d.fault(place{variable: name}, "", nil, "is not known; did you mean "+envPrefix+near+"?")
			}
			continue
		}
		field := reflect.ValueOf(s).Elem()
		for _, part := range strings.Split(key, ".") {
			field, _ = fieldOf(field, part)
		}
		d.variable = name
		n, err := variableNode(name, value, field.Type())
		if err != nil {
			d.refuse(&doctree.Node{Kind: doctree.Text, Text: value}, field, key, err.Error())
			continue
		}
		if field.Kind() == reflect.Slice {
			field.SetZero()
		}
		d.into(n, field, key)
	}
	d.variable = ""
}

func trimmed(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strings.TrimPrefix(name, envPrefix)
	}
	return out
}

// variableNode makes a tree of a variable, by the type of what it sets.
func variableNode(name, value string, t reflect.Type) (*doctree.Node, error) {
	first := strings.TrimSpace(value)[:min(1, len(strings.TrimSpace(value)))]
	switch {
	case t.Kind() == reflect.Slice && first != "[":
		list := &doctree.Node{Kind: doctree.List}
		for _, item := range strings.Split(value, ",") {
			list.Items = append(list.Items, &doctree.Node{Kind: doctree.Text, Text: strings.TrimSpace(item)})
		}
		return list, nil
	case t.Kind() == reflect.Slice, t == reflect.TypeFor[core.Choice]() && first == "{":
		file, err := doctree.Parse(context.Background(), name+".json", []byte(value))
		if err != nil {
			return nil, err
		}
		if len(file.Docs) != 1 {
			return nil, fmt.Errorf("must be one value")
		}
		return file.Docs[0], nil
	case t.Kind() == reflect.Bool:
		if v := strings.ToLower(value); v == "true" || v == "false" {
			return &doctree.Node{Kind: doctree.Bool, Text: v}, nil
		}
		return nil, fmt.Errorf("must be true or false")
	case t.Kind() == reflect.Int, t.Kind() == reflect.Pointer:
		return &doctree.Node{Kind: doctree.Float, Text: strings.TrimSpace(value)}, nil
	}
	return &doctree.Node{Kind: doctree.Text, Text: value}, nil
}
