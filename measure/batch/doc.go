// Package batch runs an experiment through a batch service, and loses or repeats no
// result. Write makes a file, in the format of OpenAI's batches, of the calls that a
// journal has no answer to. Read takes the results into the same journal, in any order.
package batch
