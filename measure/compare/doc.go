// Package compare finds out whether another order of the documents, or another layout of
// the prompt, pays on a retriever's own lists. Its verdict stays valid however often one
// looks. The same questions and the same documents are asked in several ways, called arms,
// which are compared question by question.
//
// Like a sweep it has three steps, each of which stands alone: run, records,
// report. Package run asks, package journal keeps, package evidence decides.
//
//   - Data. dataset.Rules{Lists: true} opens what a retriever returned, best first,
//     with the answer anywhere or nowhere.
//   - Plan. NewPlan says which prompts are asked: all arms of a question next to
//     each other. The first arm is the baseline, the others are challengers; a
//     repeat of the baseline and shuffles are the controls.
//   - Run. Run asks, and notes beside the answers where each question's answer
//     stood. With Described.UntilDecided it looks at the verdict after every
//     question and stops once it is known.
//   - The result. Summarize gives the verdict, such as reorder or keep, with
//     its evidence, the figures by where the answer stood, the costs and the settings
//     that won.
//   - Estimate works out by arithmetic what a placement would be worth, without any
//     call.
package compare
