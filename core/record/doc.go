// Package record writes down what a running chain retrieved and how it was placed,
// and what the answer cited, so that real traffic becomes the data of an
// experiment:
//
//	recorder, err := record.Open("traffic.jsonl", record.Config{})
//	config := core.Config{Observe: recorder.Observe}
//
// The file holds one JSON object a line, an Entry, after a first line that
// identifies it. Only the user may read it (mode 0600), even if it was there before
// with a wider mode. Texts of questions and documents, and notes, are left out unless
// Config.Texts asks for them: hash, ID and length stand in for texts.
//
// A chain never waits for the recorder. It takes what it needs before Observe
// returns and writes in the background; what does not fit into its bounded memory
// is dropped and counted. After Close everything that was accepted is written. If the
// process dies, what was not yet written is lost, and at most one torn last line is
// left. Read counts that line and leaves it out, and the next Open cuts it off.
package record
