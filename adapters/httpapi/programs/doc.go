// Package programs answers the routes by which people connect programs to the tools: OAuth 2.1
// with its own error bodies (RFC 6749) for programs, and the API's for the studio.
//
//	metadata.go  where programs find what
//	tokens.go    what programs send: registrations, codes, refresh tokens
//	consent.go   what a person is asked, and their programs
package programs
