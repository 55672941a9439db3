// Package layout writes the prompts of Liu et al. (TACL 2024), for like-for-like runs:
// documents or pairs stand in the order in which they are given, and nothing else
// changes with it. The instructions are in our own words.
package layout
