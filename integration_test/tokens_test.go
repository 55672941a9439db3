package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/bookend-rag/bookend/measure/model"
)

// No real tokenizer makes fewer tokens of a text than model.LeastTokens says, so that a
// server which read fewer has not read all.
func TestLeastTokensIsLessThanTokenizersCount(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"english":  "International organizations traditionally acknowledge responsibilities regarding environmental sustainability. ",
		"german":   "Die Rechtsschutzversicherungsgesellschaften beantragten Geschwindigkeitsbegrenzungen. ",
		"russian":  "Международные организации традиционно признают ответственность за окружающую среду. ",
		"greek":    "Οι διεθνείς οργανισμοί αναγνωρίζουν παραδοσιακά την ευθύνη τους για το περιβάλλον. ",
		"arabic":   "تعترف المنظمات الدولية تقليديا بمسؤوليتها عن البيئة والاستدامة. ",
		"hindi":    "अंतरराष्ट्रीय संगठन परंपरागत रूप से पर्यावरण के प्रति अपनी जिम्मेदारी मानते हैं। ",
		"thai":     "องค์กรระหว่างประเทศยอมรับความรับผิดชอบต่อสิ่งแวดล้อมมาโดยตลอด ",
		"chinese":  "国际组织历来承认自己对环境和可持续发展负有责任。",
		"japanese": "国際機関は伝統的に環境に対する責任を認めています。",
		"korean":   "국제기구들은 전통적으로 환경에 대한 책임을 인정해 왔다. ",
		"numbers":  "1000000 2000000 123456789 0.000001 ",
		"ids":      "a81bc81b-dead-4e5d-abff-90865d1e13b1 ",
		"table":    "| year | value |\n|------|-------|\n| 2001 | 12.50 |\n",
		"rulers":   "=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-=-\n",
		"markup":   "<div class=\"container\"><span></span></div>\n",
		"emoji":    "🙂🙃👍🏽👩‍💻 ",
		"blanks":   "a                                \t\t\t\t\t\t\t\t\n\n\n\n\n\n\n\n",
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../README.md", "../docs/guide.md", "../cmd/settings/schema.json") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for kind, text := range texts {
			if len(text) < 1000 {
				text = strings.Repeat(text, 20)
			}
			ids, _, err := codec.Encode(text)
			if err != nil {
				t.Fatal(err)
			}
			if least := model.LeastTokens(text); least > len(ids) {
				t.Errorf("%s, %s: %d tokens, and %d are said to be the least", name, kind, len(ids), least)
			}
		}
	}
}
