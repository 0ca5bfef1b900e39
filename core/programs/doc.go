// Package programs lets people connect programs to the tools: it is an authorisation server as
// OAuth 2.1 and the Model Context Protocol describe it, for public clients alone.
//
// A program says who it is by the address of a document on the web (a client ID metadata
// document), or registers itself (RFC 7591). It sends the person to the studio with a request that
// names an address to return to, a challenge (PKCE, S256) and the tools' own address (RFC 8707).
// The person sees who asks for what, and agrees or not. Nothing redirects before they click, also
// not an error, because anybody can register an address.
//
// The code that the program gets works once within CodeLifetime. A second use of it, or of a
// refresh token, ends the grant: somebody has a copy. The part that all secrets of a grant share
// (its family) shows to which grant an old one belongs, so only who once had one can end it.
//
// Tokens have the scopes of API tokens, and work at the tools only. As API tokens do, they outlive
// the session in which they were allowed, until the person disconnects the program.
//
//	service.go   what the service needs, and the programs of a person
//	client.go    who a program is; document.go reads documents
//	redirect.go  where a program may be returned to
//	request.go   what a program asks for, and the person's answer
//	exchange.go  codes and refresh tokens for access tokens
//	caller.go    access tokens
package programs
