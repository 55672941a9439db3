// Package replay counts, before anything is built or spent, what reuse would save: it
// sends real traffic in its order of time through the model of a server's prompt cache
// (measure/prefixcache), once for each way to order the documents, and says how many of
// the prompt's tokens come from the cache, what accuracy is to be expected by a measured
// curve, and what a thousand requests cost.
//
// The prompts are those that core/prompt would lay out, and the orders those of core and
// core/reuse themselves. No model is asked: the result is arithmetic on stated
// assumptions.
package replay
