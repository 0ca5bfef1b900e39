// Package nameservers looks names up at their authoritative servers: it walks from a top-level
// domain down to the name servers of a name's own zone and asks those, so that no cache in
// between delays or decides an answer. Only the servers of the top-level domain, and addresses
// of servers without a glue record, come from the machine's resolver.
//
// The owner of a name decides which servers are asked, so their addresses are checked like
// those of any other connection that is made for a user.
//
// Only authoritative answers count, the addresses of name servers are checked by
// adapters/internal/addresses, and every look-up is bounded in time and questions.
// DNS_RESOLVER names a resolver that is believed instead.
package nameservers
