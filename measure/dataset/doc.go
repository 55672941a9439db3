// Package dataset reads the questions of an experiment, and no line of a file is lost
// in silence: what cannot be used is left out, and a Report says which lines and why.
//
// Open reads question-answer and key-value lines in the forms of Liu et al., plain or
// gzipped, one a line or as one JSON array, of any length within stated limits. New
// takes cases in memory. FromBEIR, FromHotpotQA, FromMSMARCO and FromRAGAS turn other
// collections into such lines. Rules.Lists takes what a retriever returned, with the
// answer anywhere or nowhere. KeyValues and SimulatedLists make cases from a seed.
// Case.WithGoldAt moves the gold document and nothing else.
//
// The gold document is the one that holds the answer.
package dataset
