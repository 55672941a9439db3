// Package model says what a call of an experiment is and what it ends as. Two calls
// have one key exactly where everything that determines the answer is equal, so that
// no answer is ever paid for twice.
//
// A Call carries a Prompt and the Params to ask it with; a Model asks it once, and
// returns an Answer or an Error, which tells whether another attempt may succeed.
// Package openai is a Model behind a server, package simulate makes readers for one.
package model
