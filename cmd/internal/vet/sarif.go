package vet

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
)

// SARIF returns the findings as a log of SARIF 2.1.0, which code hosts and editors
// show beside the lines (OASIS, https://docs.oasis-open.org/sarif/sarif/v2.1.0/).
func SARIF(findings []Finding, o Options) ([]byte, error) {
	type text struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	type level struct {
		Level string `json:"level"`
	}
	type descriptor struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Short   text   `json:"shortDescription"`
		Full    text   `json:"fullDescription"`
		Help    text   `json:"help"`
		Default level  `json:"defaultConfiguration"`
	}
	type artifact struct {
		URI string `json:"uri"`
	}
	type region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	type physical struct {
		Artifact artifact `json:"artifactLocation"`
		Region   region   `json:"region"`
	}
	type location struct {
		Physical physical `json:"physicalLocation"`
	}
	type replacement struct {
		Deleted  region `json:"deletedRegion"`
		Inserted text   `json:"insertedContent"`
	}
	type change struct {
		Artifact     artifact      `json:"artifactLocation"`
		Replacements []replacement `json:"replacements"`
	}
	type fix struct {
		Description text     `json:"description"`
		Changes     []change `json:"artifactChanges"`
	}
	type result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   text       `json:"message"`
		Locations []location `json:"locations"`
		Fixes     []fix      `json:"fixes,omitempty"`
	}
	type driver struct {
		Name  string       `json:"name"`
		Rules []descriptor `json:"rules"`
	}
	type tool struct {
		Driver driver `json:"driver"`
	}
	type decided struct {
		Curve string  `json:"curve"`
		Decay float64 `json:"decay"`
	}
	type run struct {
		Tool       tool     `json:"tool"`
		ColumnKind string   `json:"columnKind"`
		Results    []result `json:"results"`
		Properties *decided `json:"properties,omitempty"`
	}
	type log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	r := run{Tool: tool{driver{Name: "bookend vet"}}, ColumnKind: "unicodeCodePoints", Results: []result{}}
	if o.Curve != nil {
		r.Properties = &decided{o.Curve.String(), o.Decay}
	}
	index := map[string]int{}
	for i, rule := range Rules() {
		index[rule.ID] = i
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, descriptor{
			ID: rule.ID, Name: rule.Name, Short: text{Text: rule.Title}, Full: text{Text: rule.Why},
			Help: text{Text: rule.Fix, Markdown: rule.Page()}, Default: level{rule.Level.String()},
		})
	}
	for _, f := range findings {
		at := artifact{uri(f.File)}
		place := region{StartLine: f.Line, StartColumn: f.Column}
		if f.Length > 0 {
			place.EndColumn = f.Column + f.Length
		}
		message := f.Message
		if len(f.Picture) > 0 {
			message += "\n\n" + strings.Join(f.Picture, "\n")
		}
		message += "\n\nFine: " + strings.ReplaceAll(f.Fine, "\n", " ")
		res := result{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Level.String(), Message: text{Text: message},
			Locations: []location{{physical{at, place}}},
		}
		if f.Fix != nil && f.Fix.Known {
			column := f.Column
			if f.Fix.quoted {
				column++
			}
			res.Fixes = []fix{{
				Description: text{Text: f.Fix.Line},
				Changes: []change{{at, []replacement{{
					Deleted:  region{StartLine: f.Line, StartColumn: column, EndColumn: column + len([]rune(f.Fix.Old))},
					Inserted: text{Text: f.Fix.New},
				}}}},
			}}
		}
		r.Results = append(r.Results, res)
	}
	data, err := json.MarshalIndent(log{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []run{r},
	}, "", "  ")
	return append(show.JSON(data), '\n'), err
}

// uri writes a path as SARIF wants it: relative ones with slashes.
func uri(path string) string {
	path = filepath.ToSlash(path)
	if filepath.IsAbs(path) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).EscapedPath()
}
