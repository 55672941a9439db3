// Package prompt lays out a whole prompt around retrieved documents: rules, chat
// history, task, documents, question, instruction and reminder, each in its
// place, under one budget that is counted over the rendered whole.
//
//	r, err := prompt.New(prompt.Config{
//		Rules:       "Answer from the documents alone, and cite the number.",
//		Instruction: "Answer in under 80 words.",
//		Budget:      4000, Count: tokens, Reserve: 500,
//	})
//	p, err := prompt.Build(ctx, r, arranger, docs, view, prompt.Input{Question: question})
//	fmt.Println(p.Text)          // one string
//	send(p.Messages)             // the same parts as system, history and user
//	for _, c := range p.Citations(answer) { … } // [2] is the second-best document
//
// Build ranks, admits, places and lays out; Render lays out documents that are
// arranged already; Block renders the documents alone, for the result of a tool.
// A Renderer is immutable and safe for concurrent use. Nothing here is a template:
// what a document, a question or a title holds is copied, never run.
//
// Documents are hostile input. In the XML format a document cannot end its own
// block, and question and history cannot forge one; see Escape. The other formats
// promise nothing of the kind. No format keeps a model from obeying a text that it
// reads.
package prompt
