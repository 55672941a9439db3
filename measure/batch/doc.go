// Package batch runs an experiment through a batch service: Write asks what a journal
// has no answer to, in the file format of OpenAI's batches, and Read takes the results
// into the same journal, in any order, without losing or repeating one.
package batch
