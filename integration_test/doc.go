// Package integration holds tests of Bookend as its users meet it: inside both
// frameworks, through a codec, from many goroutines, and as a requirement of
// somebody else's module. It has no code of its own.
package integration
