// Package netguard is the port to the network for addresses from users.
package netguard

import (
	"context"
	"net"
	"net/http"
)

// Guard is the only way to an address from a user.
type Guard interface {
	// Check returns core.CodeForbiddenAddress for an address that is forbidden
	// regardless of the network: with a scheme other than http and https, with user
	// information, or with a forbidden IP, in any spelling, as its host. An invalid
	// URL has core.CodeValidationFailed.
	Check(address string) error
	// Client refuses forbidden addresses at the moment of connecting, under
	// whatever name; its errors then have code core.CodeForbiddenAddress. It uses
	// no proxy and follows no redirects.
	Client() *http.Client
	// Dial connects to host:port over TCP. It refuses the same addresses as Client,
	// with the same code. A text that is not host:port has
	// core.CodeValidationFailed, and a host that does not answer has
	// core.CodeUnavailable. If ctx ends first, the error is ctx's.
	Dial(ctx context.Context, address string) (net.Conn, error)
}
