package main

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// vetSARIF returns the findings as a log of SARIF 2.1.0, which code hosts and editors
// show beside the lines (OASIS, https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
// Nothing that a checked file holds becomes a link in it.
func vetSARIF(findings []vet.Finding, o vet.Options) ([]byte, error) {
	type object = map[string]any
	text := func(t string) object { return object{"text": t} }
	index, rules := map[string]int{}, []object{}
	for i, r := range vet.Rules() {
		index[r.ID] = i
		rules = append(rules, object{
			"id": r.ID, "name": r.Name, "shortDescription": text(r.Title), "fullDescription": text(r.Why),
			"help": object{"text": r.Fix, "markdown": r.Page()}, "defaultConfiguration": object{"level": r.Level},
		})
	}
	results := []object{}
	for _, f := range findings {
		at := object{"uri": uri(f.File)}
		place := object{"startLine": f.Line, "startColumn": f.Column}
		if f.Length > 0 {
			place["endColumn"] = f.Column + f.Length
		}
		message := f.Message
		if len(f.Picture) > 0 {
			message += "\n\n" + strings.Join(f.Picture, "\n")
		}
		message += "\n\nFine: " + strings.ReplaceAll(f.Fine, "\n", " ")
		results = append(results, object{
			"ruleId": f.Rule, "ruleIndex": index[f.Rule], "level": f.Level, "message": text(unlinked(message)),
			"locations": []object{{"physicalLocation": object{"artifactLocation": at, "region": place}}},
		})
	}
	run := object{
		"tool":       object{"driver": object{"name": "bookend vet", "rules": rules}},
		"columnKind": "unicodeCodePoints", "results": results,
	}
	if o.Curve != nil {
		run["properties"] = object{"curve": unlinked(o.Curve.String()), "decay": o.Decay}
	}
	data, err := json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run},
	}, "", "  ")
	return append(show.JSON(data), '\n'), err
}

// unlinked escapes the brackets that make links in a message of SARIF (§3.11.6), and
// parts what viewers take for an address by themselves.
var unlinked = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "://", ": //", "www.", "www .", "@", "@ ", "<", "‹", ">", "›").Replace

// uri writes a path as SARIF wants it: relative ones with slashes.
func uri(path string) string {
	path = filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).EscapedPath()
}
