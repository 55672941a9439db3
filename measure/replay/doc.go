// Package replay counts, before anything is built or spent, what reuse would save. It
// looks up real traffic, in its order of time, in a simulated prompt cache
// (measure/prefixcache), once for each way to order the documents. It says how many of the
// prompts' tokens come from the cache, what accuracy a measured curve lets one expect, and
// what a thousand requests cost.
//
// The prompts are those that core/prompt would lay out, and the orders those of core and
// core/reuse themselves. No model is asked: the result is arithmetic on stated
// assumptions.
package replay
