// Package netguard is the port to the network for addresses that users give.
package netguard

import "net/http"

// Guard is the one way to an address that a user gave.
type Guard interface {
	// Check refuses, with core.CodeForbiddenAddress, an address that can be told
	// to be forbidden without asking the network: another scheme than http and
	// https, user information, a host that is a forbidden IP in any spelling.
	// A text that is no URL has core.CodeValidationFailed.
	Check(address string) error
	// Client refuses forbidden addresses at the moment of connecting, whatever
	// name they hide behind; its errors then have code core.CodeForbiddenAddress.
	// It uses no proxy and follows no redirects.
	Client() *http.Client
}
