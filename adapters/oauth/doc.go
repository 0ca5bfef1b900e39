// Package oauth reaches GitHub and OpenID providers, such as Google, by OAuth 2
// with the authorization code and PKCE S256.
//
// The addresses are the operator's, so that they may be of this machine. What
// comes back from them is held to one bound, one time limit and no redirects. Of
// what they say errors repeat only the words that the protocol fixes: a provider
// that echoes a code or a token leaves no trace of it in a log.
package oauth
