package settings

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Schema returns the JSON Schema (draft 2020-12) of a settings file, made of the
// types. It accepts what Parse accepts and refuses what Parse refuses, as far as one
// value tells: rules between values, such as that a threshold needs a direction, are
// checked by Parse alone, as are the files of curves and keys given twice.
func Schema() []byte {
	schema := sectionSchema(reflect.TypeFor[Settings](), "")
	schema = append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Settings of Bookend"},
	}, schema...)
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("settings: the schema cannot be written: " + err.Error()) // a test writes it
	}
	return append(text, '\n')
}

// object is a JSON object whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

func sectionSchema(t reflect.Type, section string) object {
	properties := object{}
	for i := range t.NumField() {
		field := t.Field(i)
		key := keyOf(field)
		if key == "" {
			continue
		}
		path := join(section, key)
		of := object{{"description", helpOf(path)}}
		if isSection(field.Type) {
			of = append(of, sectionSchema(field.Type, path)...)
		} else {
			of = append(of, valueSchema(field.Type, path)...)
		}
		properties = append(properties, member{key, of})
	}
	return object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
}

// valueSchema says what one setting accepts.
func valueSchema(t reflect.Type, key string) object {
	switch strings.TrimPrefix(key, ofKind) {
	case "order.placement":
		return placementSchema()
	case "prompt.layout":
		return layoutSchema()
	case "prompt.format":
		names := []string{string(prompt.Numbered), string(prompt.Titled), string(prompt.XML), string(prompt.Markdown)}
		return offered(names, object{{"pattern", `^` + sp + `(` + anyCase(names) + `)?` + sp + `$`}})
	case "tokenizer":
		return enum(Tokenizers()...)
	case "order.pins":
		return object{{"type", "array"}, {"items", object{{"type", "string"}, {"minLength", 1}}}}
	}
	switch t {
	case reflect.TypeFor[core.Ranking]():
		return enum(string(core.AsGiven), string(core.ByScore))
	case reflect.TypeFor[core.Direction]():
		return enum(string(core.HigherIsBetter), string(core.LowerIsBetter))
	case reflect.TypeFor[core.ScoreOf]():
		return enum(string(core.OwnScore), string(core.RankingScore))
	case reflect.TypeFor[core.Unit]():
		return enum(string(core.Runes), string(core.Words))
	case reflect.TypeFor[core.Overflow]():
		return enum(string(core.Stop), string(core.Skip))
	case reflect.TypeFor[prompt.LabelBy]():
		return enum(string(prompt.ByRank), string(prompt.BySlot), string(prompt.ByID))
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int:
		return object{{"type", "integer"}, {"minimum", 0}, {"maximum", int64(math.MaxInt64)}}
	case reflect.Pointer:
		return object{{"type", "number"}, {"minimum", -math.MaxFloat64}, {"maximum", math.MaxFloat64}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return object{{"type", "array"}, {"items", sectionSchema(t.Elem(), strings.TrimSuffix(ofKind, "."))}}
		}
		return object{{"type", "array"}, {"items", object{{"type", "string"}}}}
	}
	return object{{"type", "string"}}
}

// enum accepts the values, and the empty text, which means the default.
func enum(names ...string) object {
	return offered(names, object{{"maxLength", 0}})
}

// offered lets an editor complete the names, and accepts what the others say as well.
// The names stand in an enum of their own, which is what editors look for, and the
// empty text and patterns stand beside it, which they do not offer.
func offered(names []string, others ...object) object {
	all := []any{object{{"enum", names}}}
	for _, other := range others {
		all = append(all, other)
	}
	return object{{"type", "string"}, {"anyOf", all}}
}

// sp is white space as strings.TrimSpace has it; \s means something else to each
// reader of a schema.
const sp = "[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"

// notSpace is a character that is none.
var notSpace = "[^" + sp[1:len(sp)-1]

// anyCase returns a regular expression for the names in any case, with hyphens or
// underscores, without the flags that JSON Schema does not know.
func anyCase(names []string) string {
	alternatives := make([]string, len(names))
	for i, name := range names {
		var b strings.Builder
		for _, r := range name {
			switch {
			case r == '-' || r == '_':
				b.WriteString("[-_]")
			default:
				b.WriteString("[" + strings.ToUpper(string(r)) + strings.ToLower(string(r)) + "]")
			}
		}
		alternatives[i] = b.String()
	}
	return strings.Join(alternatives, "|")
}

// layoutSchema accepts a name, or a list of parts by the rules of prompt.Layout.
func layoutSchema() object {
	names := []string{string(prompt.QuestionLast), string(prompt.Bookend), string(prompt.QueryAware), string(prompt.InstructionFirst), string(prompt.DocumentsFirst)}
	parts := []string{
		string(prompt.PartRules), string(prompt.PartHistory), string(prompt.PartTask), string(prompt.PartDocuments),
		string(prompt.PartQuestion), string(prompt.PartInstruction), string(prompt.PartReminder),
	}
	has := func(part string) string { return `(^|,)` + sp + `(` + anyCase([]string{part}) + `)` + sp + `(,|$)` }
	pattern := func(p string) object { return object{{"pattern", p}} }
	list := []any{
		pattern(`^` + sp + `(` + anyCase(parts) + `)(` + sp + `,` + sp + `(` + anyCase(parts) + `))+` + sp + `$`),
		pattern(has("documents")), pattern(has("question")),
		object{{"not", pattern(`(` + anyCase([]string{"question"}) + `).*` + anyCase([]string{"history"}))}},
	}
	for _, part := range parts {
		often := anyCase([]string{part})
		often += ".*" + often
		if part == string(prompt.PartQuestion) {
			often += ".*" + anyCase([]string{part})
		}
		list = append(list, object{{"not", pattern(often)}})
	}
	return offered(names, pattern(`^`+sp+`(`+anyCase(names)+`)?`+sp+`$`), object{{"allOf", list}})
}

func isPlacement(t reflect.Type) bool { return t == reflect.TypeFor[core.Choice]() }

// placementSchema accepts what a core.Choice reads.
func placementSchema() object {
	var plain []string // those without an argument
	for _, name := range core.PlacementNames() {
		if name != "measured" {
			plain = append(plain, name)
		}
	}
	spellings := append([]string{
		"similarity-desc", "forward", "similarity-asc", "reverse", "head-tail-alternating", "edge-order", "sandwich", "sides",
		"fold", "fold-by-relevance", "long-context-reorder", "source-order",
	}, plain...)
	text := `^` + sp + `(` + anyCase(spellings) + `)` + sp + `$` +
		`|^` + sp + `(` + anyCase([]string{"edges-first"}) + `)` + sp + `=` + sp + `\+?0*[1-9][0-9]{0,17}` + sp + `$` +
		`|^` + sp + `(` + anyCase([]string{"shuffled"}) + `)` + sp + `=` + sp + `0*(` + upTo("18446744073709551615") + `)` + sp + `$` +
		`|^` + sp + `(` + anyCase([]string{"measured", "curve"}) + `)` + sp + `=` + sp + notSpace
	named := func(names ...string) object {
		return offered(names[:1], object{{"pattern", `^` + sp + `(` + anyCase(names) + `)` + sp + `$`}})
	}
	mapping := func(name object, parameter string, value object) object {
		properties, required := object{{"name", name}}, []string{"name"}
		if parameter != "" {
			properties = append(properties, member{parameter, value})
			required = append(required, parameter)
		}
		return object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
	}
	return object{{"anyOf", []any{
		offered(plain, object{{"pattern", text}}),
		mapping(offered(plain, object{{"pattern", text}}), "", nil),
		mapping(named("edges-first"), "edge", object{{"type", "integer"}, {"minimum", 0}, {"maximum", int64(math.MaxInt64)}}),
		mapping(named("shuffled"), "seed", object{{"type", "integer"}, {"minimum", 0}, {"maximum", uint64(math.MaxUint64)}}),
		mapping(named("measured", "curve"), "curve", object{{"anyOf", []any{object{{"type", "string"}, {"minLength", 1}}, curveSchema()}}}),
	}}}
}

// curveSchema accepts a curve that is written out, with every key of core.Curve; core
// checks that its lists fit together.
func curveSchema() object {
	special := map[string]object{
		"format":    {{"const", core.CurveFormat}},
		"kind":      enum(core.CurveOfUse),
		"documents": {{"type", "integer"}, {"minimum", 2}},
		"questions": {{"type", "integer"}},
		"shape":     {{"enum", []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided}}},
		"slots":     {{"type", "array"}, {"minItems", 2}, {"items", object{{"type", "integer"}, {"minimum", 0}}}},
	}
	shares := object{{"type", "array"}, {"items", object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}}}
	properties := object{}
	for i := range reflect.TypeFor[core.Curve]().NumField() {
		field := reflect.TypeFor[core.Curve]().Field(i)
		key := keyOf(field)
		switch {
		case key == "":
		case special[key] != nil:
			properties = append(properties, member{key, special[key]})
		case field.Type == reflect.TypeFor[[]float64]():
			properties = append(properties, member{key, shares})
		default:
			properties = append(properties, member{key, valueSchema(field.Type, "")})
		}
	}
	return object{
		{"type", "object"},
		{"properties", properties},
		{"required", []string{"format", "documents", "shape", "slots", "accuracy"}},
		{"additionalProperties", false},
	}
}

// upTo returns a regular expression for the whole numbers from 0 to a limit, given
// in decimal, without leading zeros.
func upTo(limit string) string {
	var alternatives []string
	for i := range limit {
		if limit[i] > '0' { // the same digits up to here, then a smaller one
			rest := ""
			if n := len(limit) - i - 1; n > 0 {
				rest = "[0-9]{" + itoa(n) + "}"
			}
			alternatives = append(alternatives, limit[:i]+"[0-"+string(limit[i]-1)+"]"+rest)
		}
	}
	return "[0-9]{1," + itoa(len(limit)-1) + "}|" + strings.Join(alternatives, "|") + "|" + limit
}

func itoa(n int) string { text, _ := json.Marshal(n); return string(text) }
