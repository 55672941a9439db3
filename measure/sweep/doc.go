// Package sweep measures how a model reads a prompt: it moves the document that holds
// the answer through every slot of a real prompt, and nothing else changes between two
// slots.
//
// A sweep has three steps, each of which stands alone:
//
//   - Plan. NewPlan says which prompts are asked in which order, and what they cost,
//     before anything is spent: each slot, without documents (closed-book), with the
//     gold document alone (oracle), and the middle slot again (repeat).
//   - Run. run.Run asks and writes each answer to a journal at once; package batch does
//     the same through a batch service.
//   - The result. Summarize judges the records by a scorer, and asks nothing: accuracy by
//     slot, the shape of the curve, and the curve that core's measured placement reads.
//
// Two words recur. The gold document is the one that holds the answer, and each case
// has exactly one. A slot is a place in the prompt, from 0.
package sweep
