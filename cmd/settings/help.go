package settings

import (
	"reflect"
	"strings"
)

// Setting is one key that a file may have.
type Setting struct {
	Key  string // with its section, such as "order.top_k"
	Help string // one line for people
}

// All returns every setting, in the order of the types. The caller may change the
// slice.
func All() []Setting {
	var all []Setting
	var add func(t reflect.Type, section string)
	add = func(t reflect.Type, section string) {
		for i := range t.NumField() {
			field := t.Field(i)
			key := keyOf(field)
			switch {
			case key == "":
			case isSection(field.Type):
				add(field.Type, join(section, key))
			default:
				key = join(section, key)
				all = append(all, Setting{key, help[key]})
			}
		}
	}
	add(reflect.TypeFor[Settings](), "")
	return all
}

func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isPlacement(t)
}

// ofKind begins the key of a setting of a kind.
const ofKind = "kinds[]."

// helpOf is the line of a key; a kind has the settings that stand outside, too.
func helpOf(key string) string {
	if line, known := help[key]; known {
		return line
	}
	return help[strings.TrimPrefix(key, ofKind)]
}

// help has a line for each key, and for each section.
var help = map[string]string{
	"note":      "A text for people. It means nothing to the program.",
	"$schema":   "The JSON Schema of this file, for editors. It means nothing to the program.",
	"by":        "The field that the kinds are told apart by, such as language.",
	"kinds":     "A list of kinds: some values of that field, with the settings for them, as a comparison by kind writes them.",
	"tokenizer": "What counts the budgets that have no unit, in tokens.",

	"kinds[].values": "The values of the field by.",

	"order":                "How documents are ranked, admitted and placed.",
	"order.rank":           "How ranks are found: \"given\" trusts the order of the retriever, \"score\" sorts by score.",
	"order.direction":      "Which scores are better: higher-is-better or lower-is-better. Ranking by score and a threshold need it.",
	"order.keys":           "The metadata fields that are read.",
	"order.keys.score":     "The metadata field that holds the score. The document's own score unless given.",
	"order.pins":           "IDs of documents that always enter.",
	"order.keys.pin":       "The metadata field that pins a document when it is true.",
	"order.drop_same_id":   "Drop a document whose ID a better one has.",
	"order.drop_same_text": "Drop a document whose text a better one has.",
	"order.threshold":      "Drop documents with a worse score, and those without one. Needs a direction.",
	"order.threshold_by":   "Which score the threshold looks at: \"own\" is the retriever's, \"ranking\" that of the reranker or the fusion. Needed where documents are reranked or fused.",
	"order.max_bytes":      "Drop longer texts before they are counted. 0: 32,000 under a budget, else no cap.",
	"order.top_k":          "The most documents that enter. 0: no limit.",
	"order.budget":         "The most that the texts may have together, in units or tokens. 0: no limit.",
	"order.unit":           "What the budget counts: runes or words. The tokenizer's tokens unless given.",
	"order.overflow":       "What happens to a document that does not fit: stop there, or skip it.",
	"order.keep_best":      "Admit the best document even if it goes over the budget.",
	"order.placement":      "Which rank stands in which slot: head-tail unless given.",
	"order.min_documents":  "Leave shorter lists as ranked. 0: always place.",
	"order.groups":         "Keep the chunks of one source together, in reading order.",
	"order.keys.id":        "The metadata field of the ID. id unless given.",
	"order.keys.source":    "The metadata field of the source. source or _source unless given.",
	"order.keys.position":  "The metadata field of the place in the source. position, chunk_index, start_index or page unless given.",

	"prompt":                 "What stands in the prompt, and where.",
	"prompt.layout":          "The order of the parts: a name, or parts with commas. question-last unless given.",
	"prompt.bookend_from":    "Apply the layout bookend only to prompts of at least that size, in units or tokens; shorter ones get question-last. 0: always.",
	"prompt.rules":           "The standing rules: role, limits, form of the answer.",
	"prompt.task":            "The task in one line.",
	"prompt.instruction":     "The task in full. The task unless given.",
	"prompt.reminder":        "The rules in one line, repeated at the end.",
	"prompt.cue":             "What ends the prompt, such as \"Answer:\".",
	"prompt.question_prefix": "What stands before the question. \"Question: \" unless given.",
	"prompt.no_documents":    "What stands in the place of the documents when there are none.",
	"prompt.format":          "The form of a document. numbered unless given.",
	"prompt.labels":          "What the number of a document means: its rank (the default), its slot, or a short ID of its own.",
	"prompt.show":            "Metadata fields that a document shows.",
	"prompt.max_shown":       "The most characters of a shown value. 0: 200.",
	"prompt.title_key":       "The metadata field of the title. title unless given.",
	"prompt.source_key":      "The metadata field of the source. source or _source unless given.",
	"prompt.id_key":          "The metadata field of an ID for labels by ID, where a document has none of its own. id unless given.",
	"prompt.budget":          "The most that the whole prompt may have, with the reserve. 0: no limit.",
	"prompt.drop_turns":      "Leave out turns of the history in blocks of that many, for a prompt cache. 0 and 1: one by one.",
	"prompt.reserve":         "The room kept for the answer. Needs a budget.",
	"prompt.max_bytes":       "The most bytes of each text that is counted; longer documents are left out. 0: order.max_bytes, or else its default.",
	"prompt.unit":            "What the budget counts: runes or words. The tokenizer's tokens unless given.",
}
