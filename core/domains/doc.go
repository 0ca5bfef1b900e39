// Package domains serves sites under custom domains. A project claims a name; the name's
// owner proves that in DNS and points the name here. Then the claim is active, and no other
// project can hold the name as long as both records stay.
//
// A project may have several active domains. The site is served at the primary one, which the
// project's record names, and the others redirect to it. The first that becomes active is
// primary until somebody chooses another. If the primary one stops being active, the oldest
// active one replaces it.
//
// The service looks up DNS again on request and in the background: for pending claims often,
// with back-off, for active ones once a day. A claim that never becomes active expires.
//
// # States of a claim
//
// A claim becomes active when the name's TXT record holds the claim's token and the name leads
// here. A partial unique index over active claims decides who holds a name. settle.go is the
// one place where a claim changes its state, for people who ask (Verify) and for the
// background (watch.go). Pending claims are checked less and less often and lapse after 7
// days; active ones are checked daily. A claim that certainly lacks something is given three
// days. Name servers that do not answer prove nothing.
//
// Project.customDomain names the primary domain (primary.go). It changes with the audit entry,
// in the transaction of the claim. ports/dns looks names up, adapters/sitehost serves them,
// and adapters/acme gets their certificates.
package domains
