// Package sameversion keeps the modules of this repository together. They share internal
// packages, and Go would build one of them with a newer version of another. So the root
// declares a constant that is named after its version, and the other modules use it: with
// another version of the root they do not compile. The remedy is to require all of them at
// one version.
//
// In a clone the name says that nothing is released; the program
// integration_test/release gives it that of a version.
package sameversion

// Unreleased is what modules of the same version name.
const Unreleased = true
