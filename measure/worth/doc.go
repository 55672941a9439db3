// Package worth works out what an order of documents is worth on a curve. It is
// arithmetic, not a measurement: it costs no call, and holds as far as the curve does.
package worth
