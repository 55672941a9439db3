// Package run asks a model every call of a source that a journal has no answer to,
// and no other: a run that is killed repeats at most what was open.
//
// Run keeps to Limits: calls at once, requests and tokens a minute, caps on calls,
// tokens and cost, retries that honour Retry-After. A Source is the plan of a sweep or
// of a comparison, or one of the caller's own. An Estimate says what it would cost
// before anything is spent.
package run
