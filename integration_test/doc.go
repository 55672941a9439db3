// Package integration holds tests of Bookend as its users meet it: inside both
// frameworks, through a codec, from many goroutines, and as a requirement of
// somebody else's module. It has no code of its own; the programs api and release, in
// folders below, look at the whole from outside, too.
package integration
