// Package published has the position curves that others measured and published, each
// with its source. They are figures of those models, tasks and dates, not of the user's.
package published
