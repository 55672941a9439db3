// Package sweep measures how a model reads a prompt: it moves the document that
// holds the answer through every slot of a real prompt and scores what comes back.
//
// A sweep has three steps, each of which stands alone:
//
//	run → records → report
//
// The run asks the model and records every answer as it came. The report is
// computed from the records alone, so that scoring anew needs no new call.
//
// What the package has:
//
//   - Data. Open reads question-answer and key-value lines, plain or gzipped, of
//     any length within stated limits, and says what it left out and why.
//     KeyValues makes key-value cases from a seed. Case.WithGoldAt moves the gold
//     document and nothing else.
//   - Plan. NewPlan says which prompts are asked in which order, and what they cost,
//     before anything is spent.
//   - Run. Run asks a Model under limits and caps, with retries, and writes each
//     answer to a Journal at once: a run that is killed repeats no finished call.
//     WriteBatch and ReadBatch do the same through a batch service.
//   - Scoring. ParseScorer knows the scorers by name; Score judges the whole
//     answer and its first line; Classify finds the empty, the truncated and the
//     refused answers.
//   - Statistics. The interval of each slot, the contrasts between the parts of a
//     curve, and its shape.
//   - The result. Summarize brings records and a scorer together, purely.
//   - The curve, which core's measured placement reads.
//   - A simulated reader, whose true curve is known, to try all of this on.
//
// Two words recur. The gold document is the one that holds the answer, and each
// case has exactly one. A slot is a place in the prompt, from 0.
package sweep
