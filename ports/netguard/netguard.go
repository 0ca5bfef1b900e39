// Package netguard is the port to the network for addresses that users give.
package netguard

import (
	"context"
	"net"
	"net/http"
)

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
	// Dial connects to host:port over TCP. It refuses what Client refuses, with the
	// same code; a text that is no host and port has core.CodeValidationFailed,
	// and a host that does not answer core.CodeUnavailable. When ctx ends first the
	// error is ctx's.
	Dial(ctx context.Context, address string) (net.Conn, error)
}
