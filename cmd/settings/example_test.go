package settings_test

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/settings"
)

// A file says everything at once; the two configurations go to either framework.
func ExampleParse() {
	s, err := settings.Parse("rag.yaml", []byte(`
order:
  top_k: 8
  placement: edges-first=3
prompt:
  layout: bookend
  rules: Answer from the documents alone.
  budget: 4000
tokenizer: cl100k_base
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	order, layout, err := s.Configs()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(order.Placement, order.TopK)
	fmt.Println(layout.Layout, layout.Count("How long is credit valid?"))
	// Output:
	// edges-first=3 8
	// bookend 6
}

// Every fault comes at once, with its place.
func ExampleParse_faults() {
	_, err := settings.Parse("rag.yaml", []byte("order:\n  top_kk: 8\n  placement: head-tial\nprompt:\n  budget: 4000\n"), nil)
	fmt.Println(err)
	// Output:
	// bookend: rag.yaml:2:3: order.top_kk is not known; did you mean top_k?
	// bookend: rag.yaml:3:14: order.placement is "head-tial": no placement has that name; did you mean head-tail? Valid names: ranked, reversed, head-tail, tail-head, long-context, edges-first, document-order, measured, shuffled
	// bookend: rag.yaml:5:11: prompt.budget is 4000: needs a counter: set unit to "runes" or "words", or set tokenizer
}

// The environment wins over the file; here there is no file.
func ExampleLoad() {
	s, err := settings.Load("", []string{"BOOKEND_ORDER_TOP_K=5", "BOOKEND_ORDER_PINS=policy,terms"})
	fmt.Println(s.Order.TopK, s.Order.Pins, err)
	// Output:
	// 5 [policy terms] <nil>
}

func ExampleSettings_YAML() {
	s, err := settings.Load("", []string{"BOOKEND_ORDER_PLACEMENT=shuffled=42", "BOOKEND_PROMPT_CUE=Answer:"})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := s.YAML()
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// order:
	//     placement:
	//         name: shuffled
	//         seed: 42
	// prompt:
	//     cue: 'Answer:'
	// <nil>
}

func ExampleEnvName() {
	fmt.Println(settings.EnvName("prompt.bookend_from"))
	// Output:
	// BOOKEND_PROMPT_BOOKEND_FROM
}
