// Package dns is the port to the domain name system, for names that users give:
// whoever owns such a name, and its name servers, may be hostile.
package dns

import (
	"context"
	"net/netip"
)

// Resolver asks for what a name has at the moment, not for what somebody remembers
// of it.
//
// Names are in ASCII, in any case, with or without the dot that may end them. A name
// that is not there, or that has nothing of the kind, is no error: the answer is
// empty. A name about which nothing can be learned has code core.CodeUnavailable:
// its name servers do not answer, answer with a failure or with nonsense, or may
// not be asked, or its aliases go round in a circle or are more than MaxAliases.
// The error's message says which in words for the name's owner. So does a call
// whose context ends. Every call is bounded in time, also when nobody answers, and
// in what it asks and reads, whatever the name servers say.
type Resolver interface {
	// Texts returns the name's TXT records, the strings of each joined, in any
	// order. Aliases (CNAME) are followed.
	Texts(ctx context.Context, name string) ([]string, error)
	// Follow returns where a name leads.
	Follow(ctx context.Context, name string) (Route, error)
}

// MaxAliases is how many aliases are followed from one to the next.
const MaxAliases = 8

// Route is where a name leads: along aliases to addresses.
type Route struct {
	// Names are the name that was asked for and those that it is an alias of, in
	// their order, in lower case and without a final dot.
	Names []string
	// Addresses are the last name's, IPv4 and IPv6, in any order.
	Addresses []netip.Addr
}
