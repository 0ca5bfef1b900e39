// Package nameservers looks names up where they are administered: it walks from a
// top-level domain down to the name servers of a name's own zone and asks those, so
// that no cache between delays an answer or decides it. Only the servers of the
// top-level domain, and the addresses of servers that nobody on the way gives, come
// from the machine's resolver.
//
// Whoever owns a name says which servers are asked, so their addresses are judged as
// those of any other connection that is made for a user.
//
// Only authoritative answers count, the addresses of name servers are checked by
// adapters/internal/addresses, and every look-up is bounded in time and questions.
// DNS_RESOLVER names a resolver that is believed instead.
package nameservers
