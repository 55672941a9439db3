// Package httpsafe is what the HTTP clients of Bookend share to keep secrets: an
// address that shows no user info and no query, a transport that takes a secret no
// further than it may go, and texts from which secrets are taken before they become
// part of an error.
//
// No redirect is followed: a transport by itself follows none.
package httpsafe
