// Package dns is the port to the domain name system, for names from users: the owner
// of such a name, and its name servers, may be hostile.
package dns

import (
	"context"
	"net/netip"
)

// Resolver looks up the current records of a name, without a cache.
//
// Names are in ASCII, in any case, with or without a final dot. A name that does not
// exist, or has no such record, is not an error: the answer is empty.
//
// A look-up that fails has code core.CodeUnavailable, and a message for the name's
// owner that says why. Its name servers do not answer, fail, answer with nonsense,
// or may not be asked, or the aliases form a loop or are more than MaxAliases. A
// call whose context ends has the same code. Every call is bounded in time, and in
// its queries and the bytes that it reads, whatever the name servers do.
type Resolver interface {
	// Texts returns the name's TXT records, the strings of each joined, in any
	// order. Aliases (CNAME) are followed.
	Texts(ctx context.Context, name string) ([]string, error)
	// Follow returns the aliases and the addresses of a name.
	Follow(ctx context.Context, name string) (Route, error)
}

// MaxAliases is the longest chain of aliases that is followed.
const MaxAliases = 8

// Route has the aliases and the addresses of a name.
type Route struct {
	// Names are the requested name and the names that it is an alias of, in their
	// order, in lower case and without a final dot.
	Names []string
	// Addresses are those of the last name, IPv4 and IPv6, in any order.
	Addresses []netip.Addr
}
