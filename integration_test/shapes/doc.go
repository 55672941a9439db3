// Package shapes holds a second implementation of the rule that names a curve, written
// in Python with numpy from the statement of the rule alone, and compares the two.
package shapes
