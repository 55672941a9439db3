// Package journal keeps every finished call of a run: what Append has accepted
// survives the death of the process, and is never asked again.
//
// A journal is a file of JSON lines, one a call, that only grows. Open opens it to
// write, for one process at a time; Read passes its records on, beside a writer, too.
package journal
